import type { Country } from './country.ts'
import { cities, list, people } from './country.ts'

export const americas: readonly Country[] = [
  {
    code: 'US',
    people: [
      people(
        "Mary-Kate, DeShawn, José, Emily, Xiomara, Robert, Ke'Andre, Leilani, Ahmed, Anne Marie, Kaʻiulani",
        "Johnson, O'Neill, García-López, Washington, Nguyen, McDonald, Van Buren, Kāne, St. Clair, Lee, Begay",
      ),
    ],
    names: [
      '{given} {family}',
      '{given} {family}, Jr.',
      '{given} Q. {family}',
      '{family}, {given}',
      '{given} {family}-{family2}',
    ],
    streets: list('Main St, N Martin Luther King Jr Blvd, 5th Ave, Peachtree Rd NE, Camino Real, Broadway'),
    cities: cities(
      'Springfield|6270#|IL; San José|9511#|CA; New York|100##|NY; Honolulu|968##|HI; Cañon City|81212|CO',
    ),
    addresses: [
      '{no} {street}, {city}, {region} {postcode}',
      '{no} {street}, Apt {flat}, {city}, {region} {postcode}-####',
      '{no} {street}\nSuite {flat}\n{city}, {region} {postcode}',
      'PO Box {no}, {city}, {region} {postcode}',
    ],
    // NANPA: 555-0100 to 555-0199 of every area code.
    phones: [
      '(212) 555-01##',
      '+1-415-555-01##',
      '312.555.01##',
      '+1206555 01##',
      '1 (305) 555-01## ext. ##',
      '+1808555-01##',
    ],
  },
  {
    code: 'CA',
    people: [
      people(
        'Geneviève, Étienne, Marc-André, Olivia, Liam, Harpreet, Siku',
        "Tremblay, L'Heureux, Côté, MacKenzie, Singh, Bélanger, O'Brien",
      ),
    ],
    names: ['{given} {family}', '{given} {family}-{family2}', '{family}, {given}'],
    streets: list(
      "rue Sainte-Catherine O., Yonge Street, chemin de la Côte-des-Neiges, Portage Ave, boul. de l'Université",
    ),
    cities: cities('Montréal|H2X #@#|QC; Toronto|M5V #@#|ON; Trois-Rivières|G9A #@#|QC; Iqaluit|X0A #@#|NU'),
    addresses: [
      '{no} {street}, {city} {region}  {postcode}',
      '{flat}-{no} {street}\n{city} ({region}) {postcode}',
      '{no}, {street}, bureau {flat}, {city} ({region}) {postcode}',
    ],
    phones: ['416-555-01##', '+1 514 555-01##', '+16045550 1##', '(418) 555-01##'],
  },
  {
    code: 'MX',
    people: [
      people(
        'María Guadalupe, Jesús, Ximena, Ángel Iván, Itzel, Raúl',
        'Hernández, Nuñez, Xicoténcatl, Ávila, de León, Güemes, Ramírez',
      ),
    ],
    names: ['{given} {family} {family2}', '{family} {family2}, {given}'],
    streets: list('Av. Insurgentes Sur, Calle Río Tíber, Blvd. Díaz Ordaz, Calz. de Tlalpan'),
    cities: cities('Ciudad de México|06###|CDMX; Mérida|97###|Yuc.; Querétaro|76###|Qro.'),
    addresses: [
      '{street} No. {no}, Int. {flat}, Col. Centro, {postcode} {city}, {region}',
      '{street} {no}\nCol. Juárez\nC.P. {postcode}, {city}, {region}',
    ],
    phones: ['+52 55 0### ####', '55 0### ####', '(0155) 0###-####'],
  },
  {
    code: 'BR',
    people: [
      people(
        'João Pedro, Conceição, Luísa, Thaís, Ubiratã, Antônio, Mônica',
        "da Conceição, Araújo, Sant'Anna, dos Anjos, Guimarães, Takahashi, Müller, D'Ávila",
      ),
    ],
    names: ['{given} {family}', '{given} {family} {family2}', '{given} {family} Júnior', '{family}, {given}'],
    streets: list('Rua das Palmeiras, Av. Brigadeiro Faria Lima, Praça da Sé, Travessa São João, Rua 7 de Setembro'),
    cities: cities('São Paulo|01###-###|SP; Brasília|70###-###|DF; Maceió|57###-###|AL; Florianópolis|88###-###|SC'),
    addresses: [
      '{street}, {no}, apto. {flat}, {city} - {region}, {postcode}',
      '{street}, {no} - Bloco B\n{city} - {region}\nCEP {postcode}',
    ],
    phones: ['+55 11 0###-####', '(11) 0###-####', '+55 (21) 0###-####'],
    bban: '#######################@#',
  },
  {
    code: 'AR',
    people: [
      people(
        'Martín, Agustina, Julián, Belén, Nahuel, Inés',
        'Fernández, Agüero, Peralta Ramos, Iturralde, Báez, Ñancucheo',
      ),
    ],
    names: ['{given} {family}', '{family}, {given} {given2}', '{given} {family} {family2}'],
    streets: list('Av. 9 de Julio, Calle Florida, Bv. Oroño, Pje. Güemes'),
    cities: cities('Buenos Aires|C10##@@@|CABA; Córdoba|X50##@@@|Córdoba; Neuquén|Q83##@@@|Neuquén'),
    addresses: ['{street} {no}, Piso 4.º "B", {postcode} {city}', '{street} {no}\n{postcode} {city}, {region}'],
    phones: ['+54 11 0###-####', '(011) 0###-####', '0054 351 0######'],
  },
]
