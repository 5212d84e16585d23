import type { Country } from './country.ts'
import { cities, list, people } from './country.ts'

export const southernEurope: readonly Country[] = [
  {
    code: 'ES',
    people: [
      people(
        'María del Carmen, José Luis, Íñigo, Begoña, Núria, Álvaro, Xoán, Sofía, Jordi, Ángel',
        "García, Núñez, Peña, Muñoz, Echeverría, de la Cruz, Puig i Cadafalch, Ibáñez, d'Ors, Fernández",
      ),
    ],
    names: ['{given} {family} {family2}', '{family} {family2}, {given}', '{given} {family} y {family2}'],
    streets: list(
      "C/ Mayor, Avda. de la Constitución, Carrer d'Aragó, Plaza de España, Rúa do Franco, P.º de la Castellana",
    ),
    cities: cities('Madrid|280##; Barcelona|080##; A Coruña|150##; Logroño|260##; Donostia / San Sebastián|200##'),
    addresses: [
      '{street}, {no}, 3.º B, {postcode} {city}',
      '{street}, {no}, esc. 2, bajo dcha.\n{postcode} {city}',
      '{street} s/n, {postcode} {city}',
    ],
    phones: ['+34 55# ## ## ##', '55# ### ###', '0034 55#######'],
    bban: '####################',
  },
  {
    code: 'PT',
    people: [
      people(
        'João, Conceição, Inês, Tomás, Maria da Luz, Gonçalo, Simão',
        'Gonçalves, da Silva, Magalhães, Simões, dos Santos, Araújo, e Sousa, Brandão',
      ),
    ],
    names: ['{given} {family} {family2}', '{given} {given2} {family}', '{family}, {given}'],
    streets: list('Rua de São Bento, Avenida da Liberdade, Travessa da Conceição, Largo do Chão do Loureiro'),
    cities: cities('Lisboa|1###-###; Porto|4###-###; Évora|7###-###'),
    addresses: ['{street}, {no}, 2.º Esq., {postcode} {city}', '{street}, n.º {no} - R/C\n{postcode} {city}'],
    phones: ['+351 95# ### ###', '95# ### ###', '0035195#######'],
    bban: '#####################',
  },
  {
    code: 'IT',
    people: [
      people(
        'Niccolò, Giosuè, Maria Grazia, Pier Paolo, Chiara, Mosè, Anna-Lisa, Dario',
        "D'Amico, Dell'Acqua, De Luca, Forlì, Esposito, Cantù, Lo Presti, Rossi, Nicolò",
      ),
    ],
    names: ['{given} {family}', '{family} {given}', 'Avv. {given} {family}', '{given} {family} in {family2}'],
    streets: list(
      "Via dell'Indipendenza, Corso Vittorio Emanuele II, Piazza Libertà, Vicolo Stretto, Via XX Settembre",
    ),
    cities: cities("Roma|001##|RM; Milano|201##|MI; L'Aquila|67100|AQ; Forlì|4712#|FC; Reggio nell'Emilia|4212#|RE"),
    addresses: [
      '{street}, {no}, {postcode} {city} ({region})',
      '{street} {no}/A, int. {flat}\n{postcode} {city} ({region})',
    ],
    phones: ['+39 300 ### ####', '300/#######', '0039 300 #######'],
    bban: '@######################',
  },
  {
    code: 'GR',
    people: [
      people(
        'Ελένη=eleni, Μαρία=maria, Αικατερίνη=aikaterini, Σοφία=sofia',
        'Παπαδοπούλου=papadopoulou, Γεωργίου=georgiou, Αγγελοπούλου=angelopoulou, Καραγιάννη=karagianni',
      ),
      people(
        'Γιώργος=giorgos, Κωνσταντίνος=konstantinos, Ιωάννης=ioannis, Αχιλλεύς=achillefs',
        'Παπαδόπουλος=papadopoulos, Οικονόμου=oikonomou, Αγγελόπουλος=angelopoulos, Δημητρίου=dimitriou',
      ),
    ],
    names: ['{given} {family}', '{family} {given}', '{given} {family}-{family2}'],
    streets: list('Οδός Ερμού, Λεωφ. Βασιλίσσης Σοφίας, Αγίου Δημητρίου, Πλατεία Ελευθερίας'),
    cities: cities('Αθήνα|10# ##; Θεσσαλονίκη|54# ##; Ηράκλειο Κρήτης|71# ##'),
    addresses: ['{street} {no}, {postcode} {city}', '{street} {no}, 2ος όροφος\nΤ.Κ. {postcode}, {city}'],
    phones: ['+30 21 0000 ####', '210 000####', '0030 2100 00####'],
    bban: '#######################',
  },
  {
    code: 'TR',
    people: [
      people(
        'Ayşe, Gökçe, İbrahim, Çağla, Şükrü, Ömer Faruk, Işıl, Tuğba',
        'Yılmaz, Çelik, Öztürk, Şahin, Kılıç, İnönü, Güneş, Ağaoğlu',
      ),
    ],
    names: ['{given} {family}', '{given} {family} {family2}', '{family}, {given}'],
    streets: list('İstiklal Cad., Atatürk Bulvarı, Çiçek Sok., Gazi Mustafa Kemal Paşa Cad., Şehit Ömer Sk.'),
    cities: cities('İstanbul|34###|Beyoğlu; Ankara|06###|Çankaya; Diyarbakır|21###|Yenişehir'),
    addresses: [
      '{street} No:{no} D:{flat}, {postcode} {region}/{city}',
      'Cumhuriyet Mah., {street} No: {no}\n{postcode} {region} / {city}',
    ],
    phones: ['+90 212 0## ## ##', '0212 0## ## ##', '0 (312) 0## ## ##'],
    bban: '#####0################',
  },
]
