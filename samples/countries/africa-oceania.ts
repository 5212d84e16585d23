import type { Country } from './country.ts'
import { cities, list, people } from './country.ts'

export const africaAndOceania: readonly Country[] = [
  {
    code: 'NG',
    people: [
      people(
        'Chukwuemeka, Ọláyínká, Ngozi, Adébáyọ̀, Hauwa, Ìfẹ́, Tamuno',
        'Okonjo, Adéyẹmí, Ṣóyínká, Nwosu, Bello, Ẹkwúèmé, Danjuma',
      ),
    ],
    names: ['{given} {family}', 'Chief {given} {family}', '{family}, {given}', '{given} {family}-{family2}'],
    streets: list('Awolowo Road, Ahmadu Bello Way, Allen Avenue, Ọba Akran Avenue'),
    cities: cities('Ikeja|100###|Lagos; Abuja|900###|FCT; Ìbàdàn|200###|Oyo'),
    addresses: [
      '{no}, {street}, {city} {postcode}, {region} State',
      'Plot {no}, {street}\nOpp. Central Market\n{city}, {region}',
    ],
    phones: ['+234 1 0## ####', '01-0######', '00234 1 0######'],
  },
  {
    code: 'KE',
    people: [
      people(
        "Wanjirũ, Otieno, Achieng', Kipchoge, Amina, Mwangi",
        "Ng'ang'a, Odhiambo, Kamau, Cherono, wa Thiong'o, Nyong'o",
      ),
    ],
    names: ['{given} {family}', '{given} {given2} {family}', '{family}, {given}'],
    streets: list("Moi Avenue, Ngong' Road, Kenyatta Ave., Murang'a Road"),
    cities: cities("Nairobi|00100; Mombasa|80100; Murang'a|10200"),
    addresses: ['P.O. Box {no}-{postcode}, {city}', '{street}, House {flat}\nP.O. Box {no}\n{postcode} {city}'],
    phones: ['+254 20 0## ####', '020 0######', '00254 20 0######'],
  },
  {
    code: 'ET',
    people: [
      people(
        'አበበ=abebe, ሰላማዊት=selamawit, ዮሐንስ=yohannes, ትዕግስት=tigist',
        'ተስፋዬ=tesfaye, ገብረ ማርያም=gebremariam, በቀለ=bekele, ኃይሌ=haile',
      ),
    ],
    names: ['{given} {family}', '{given} {family} {family2}'],
    streets: list('ቦሌ መንገድ, ቸርችል ጎዳና, አፍሪካ ጎዳና'),
    cities: cities('አዲስ አበባ|1000; ባሕር ዳር|6000'),
    addresses: ['{street}, የቤት ቁ. {no}, {city} {postcode}', '{street}\nፖ.ሣ.ቁ. {no}\n{city}'],
    phones: ['+251 11 0## ####', '011 0## ## ##'],
  },
  {
    code: 'ZA',
    people: [
      people(
        'Thandiwe, Pieter, Sipho, Annelie, Naledi, Chloé, Xolani',
        'van der Merwe, Dlamini, Naidoo, Joubert, Khumalo, Ndlovu, du Preez',
      ),
    ],
    names: ['{given} {family}', '{given} {family}-{family2}', '{family}, {given}'],
    streets: list('Nelson Mandela Blvd, Voortrekkerstraat, Long Street, Jan Smuts Ave'),
    cities: cities('Cape Town|80##; Johannesburg|20##; Gqeberha|60##'),
    addresses: ['{no} {street}, {city}, {postcode}', 'Unit {flat}, {no} {street}\n{city}\n{postcode}'],
    phones: ['+27 21 0## ####', '021 0## ####', '(011) 0##-####'],
  },
  {
    code: 'AU',
    people: [
      people(
        'Jack, Matilda, Thuỷ, Siobhan, Kirra, Giorgos, Bronwyn',
        "O'Malley, Papadopoulos, Smith, Nguyen, Wilson-Brown, Yunupiŋu, McKay",
      ),
    ],
    names: ['{given} {family}', '{given} {family}-{family2}', '{family}, {given}'],
    streets: list("George St, O'Shanassy Street, Woolloomooloo Rd, Northbourne Ave, King's Cross Rd"),
    cities: cities('Sydney|20##|NSW; Melbourne|30##|VIC; Alice Springs|087#|NT; Brisbane|40##|QLD'),
    addresses: ['{no} {street}, {city} {region} {postcode}', 'Unit {flat}/{no} {street}\n{city} {region} {postcode}'],
    // ACMA's numbers for use in creative works.
    phones: ['(02) 5550 ####', '+61 3 7010 ####', '0491 570 006', '0491 570 156', '+61 491 570 158', '08 5550 ####'],
  },
  {
    code: 'NZ',
    people: [
      people(
        'Aroha, Māia, Tāne, Charlotte, Wiremu, Hēmi, Sina',
        "Ngāta, Te Kanawa, Williams, Pōtatau, O'Regan, Tuʻivasa, Fraser",
      ),
    ],
    names: ['{given} {family}', '{given} {family}-{family2}'],
    streets: list('Queen Street, Karangahape Road, Lambton Quay, Ōtāhuhu Road'),
    cities: cities('Auckland|10##; Whangārei|01##; Ōtautahi Christchurch|80##'),
    addresses: ['{no} {street}, {city} {postcode}', '{flat}/{no} {street}\nRD 2\n{city} {postcode}'],
    phones: ['+64 9 0## ####', '(09) 0## ####', '03-0## ####'],
  },
]
