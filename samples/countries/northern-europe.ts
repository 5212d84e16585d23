import type { Country } from './country.ts'
import { cities, list, people } from './country.ts'

export const northernEurope: readonly Country[] = [
  {
    code: 'GB',
    people: [
      people(
        'Oliver, Siân, Hamish, Priya, Aoife, Jean-Luc, Zoë, Muhammad, Mary Ann, Rhys, Chidi, Elspeth',
        "O'Connor, Smythe-Jones, MacLeod, Patel, Brontë, Okonkwo, ap Gruffudd, D’Arcy, Llewellyn, St John, Khan",
      ),
    ],
    names: ['{given} {family}', '{given} {family}-{family2}', 'Dame {given} {family}, DBE', '{family}, {given}'],
    streets: list(
      "High Street, St James's Road, Llanfair Terrace, The Old Rectory Lane, King’s Parade, Station Approach",
    ),
    cities: cities('London|SW1A #@@; Manchester|M1 #@@; Edinburgh|EH1 #@@; Cardiff|CF10 #@@; Leeds|LS1 #@@'),
    addresses: [
      '{no} {street}, {city}, {postcode}',
      'Flat {flat}, {no} {street}\n{city}\n{postcode}',
      '"Rose Cottage", {street}, {city} {postcode}',
    ],
    // Ofcom's numbers for drama.
    phones: ['07700 900###', '+44 7700 900###', '+447700900###', '020 7946 0###', '(0161) 496 0###', '0113 496 0###'],
    bban: 'XBNK##############',
  },
  {
    code: 'IE',
    people: [
      people(
        'Caoimhe, Pádraig, Siobhán, Niamh, Oisín, Róisín, Eoghan',
        "O'Sullivan, Ó Briain, Ní Dhomhnaill, McCarthy, O’Reilly, Murphy, FitzGerald",
      ),
    ],
    names: ['{given} {family}', '{given} {family}-{family2}'],
    streets: list("O'Connell Street, Sráid na Siopaí, Patrick's Hill, Grafton Street"),
    cities: cities('Dublin 2|D02 @###; Cork|T12 @###; Gaillimh|H91 @###'),
    addresses: ['{no} {street}, {city}, {postcode}', 'Apt. {flat}, {no} {street}\n{city}\n{postcode}'],
    // ComReg's numbers for drama.
    phones: ['020 91# ####', '+353 20 91# ####', '(020) 91#####'],
    bban: 'XBNK##############',
  },
  {
    code: 'SE',
    people: [
      people(
        'Åsa, Björn, Göran, Linnéa, Märta, Sven-Erik, Örjan, Amira',
        'Ångström, Lindqvist, Sjöberg, Öberg, af Klint, Bergström, Al-Hassan, Nyström',
      ),
    ],
    names: ['{given} {family}', '{given} {given2} {family}', '{given} {family} {family2}'],
    streets: list('Drottninggatan, Övre Slottsgatan, Södra Vägen, Björkgatan, Ängsvägen'),
    cities: cities('Stockholm|11# ##; Göteborg|41# ##; Malmö|21# ##; Örebro|70# ##'),
    addresses: ['{street} {no}, lgh 1{flat}, {postcode} {city}', '{street} {no}\nSE-{postcode} {city}'],
    // PTS's numbers for books and films.
    phones: ['070-174 06 2#', '+46 70 174 06 8#', '08-465 004 ##', '+46 31 390 06 ##', '040-628 04 ##'],
    bban: '####################',
  },
  {
    code: 'NO',
    people: [
      people(
        'Åse, Bjørn, Håkon, Ingrid, Øystein, Ragnhild, Anne Grethe',
        'Ødegård, Sæther, Bjørnstad, Hansen, Lødøen, Aas, Næss',
      ),
    ],
    names: ['{given} {family}', '{given} {family} {family2}'],
    streets: list('Karl Johans gate, Øvre Langgate, Bjørnsons gate, Ålesundveien'),
    cities: cities('Oslo|01##; Tromsø|90##; Ålesund|60##; Bodø|80##'),
    addresses: ['{street} {no}, {postcode} {city}', '{street} {no} B\nPostboks {flat}\n{postcode} {city}'],
    phones: ['+47 19 ## ## ##', '19 ## ## ##', '004719######'],
    bban: '###########',
  },
  {
    code: 'DK',
    people: [
      people(
        'Søren, Mette, Bjørg, Jørgen, Kåre, Lærke, Anne-Marie',
        'Sørensen, Kjær, Østergård, Møller, Nørgaard, Ravn, Skov',
      ),
    ],
    names: ['{given} {family}', '{given} {family} {family2}'],
    streets: list('Nørregade, Østerbrogade, Strandvejen, H.C. Andersens Boulevard, Ærøvej'),
    cities: cities('København K|1###; Aarhus C|8000; Ærøskøbing|5970; Ålborg|90##'),
    addresses: ['{street} {no}, 3. tv., {postcode} {city}', '{street} {no}, st. th.\n{postcode} {city}'],
    phones: ['+45 10 ## ## ##', '10 ## ## ##', '+4510######'],
    bban: '##############',
  },
  {
    code: 'FI',
    people: [
      people(
        'Äijä, Päivi, Hannele, Jyrki, Väinö, Aino-Maija, Sámmol',
        'Mäkinen, Hämäläinen, Virtanen, Öhman, Järvelä, Guttorm, Lindström',
      ),
    ],
    names: ['{given} {family}', '{given} {given2} {family}'],
    streets: list('Mannerheimintie, Hämeenkatu, Yliopistonkatu, Läntinen Pitkäkatu'),
    cities: cities('Helsinki|00##0; Jyväskylä|401#0; Åbo|201#0'),
    addresses: ['{street} {no} A {flat}, {postcode} {city}', '{street} {no} B {flat}\nFI-{postcode} {city}'],
    phones: ['+358 9 0## ####', '09 0######', '00358 9 0######'],
    bban: '##############',
  },
  {
    code: 'IS',
    people: [
      people(
        'Guðrún, Þórdís, Sigríður, Ásta, Björk, Hrafnhildur',
        'Jónsdóttir, Þorsteinsdóttir, Sæmundsdóttir, Ægisdóttir',
      ),
      people('Þór, Björn, Ólafur, Guðmundur, Össur, Sigurður', 'Jónsson, Þorsteinsson, Sæmundsson, Ægisson'),
    ],
    names: ['{given} {family}', '{given} {given2} {family}'],
    streets: list('Laugavegur, Þingholtsstræti, Skólavörðustígur, Ægisgata'),
    cities: cities('Reykjavík|1##; Akureyri|60#; Ísafjörður|40#'),
    addresses: ['{street} {no}, {postcode} {city}', '{street} {no}\n{postcode} {city}'],
    phones: ['+354 02# ####', '02#-####', '0035402#####'],
    bban: '######################',
  },
]
