import type { Country } from './country.ts'
import { cities, list, people } from './country.ts'

export const easternEurope: readonly Country[] = [
  {
    code: 'PL',
    people: [
      people('Małgorzata, Łucja, Zofia, Agnieszka, Świętosława', 'Wiśniewska, Żółkiewska, Kowalska, Wójcik, Dąbrowska'),
      people(
        'Łukasz, Stanisław, Michał, Wojciech, Grzegorz',
        'Brzęczyszczykiewicz, Żółkiewski, Kowalski, Wójcik, Dąbrowski',
      ),
    ],
    names: ['{given} {family}', '{given} {family}-{family2}', '{family}, {given}'],
    streets: list('ul. Świętokrzyska, al. Jana Pawła II, ul. Łąkowa, pl. Żołnierza Polskiego, os. Tysiąclecia'),
    cities: cities('Warszawa|00-###; Łódź|90-###; Kraków|30-###; Świnoujście|72-###'),
    addresses: ['{street} {no}/{flat}, {postcode} {city}', '{street} {no} m. {flat}\n{postcode} {city}'],
    phones: ['+48 40# ### ###', '40# ### ###', '(+48) 40#-###-###'],
    bban: '########################',
  },
  {
    code: 'CZ',
    people: [
      people('Jiřina, Zdeňka, Kateřina, Růžena, Anežka', 'Nováková, Dvořáková, Řeháčková, Šťastná, Křížová'),
      people('Jiří, Ondřej, Zdeněk, Řehoř, Matěj', 'Novák, Dvořák, Řeháček, Šťastný, Kříž'),
    ],
    names: ['{given} {family}', 'Ing. {given} {family}, Ph.D.', '{family}, {given}'],
    streets: list('Na Příkopě, Křižíkova, tř. Kpt. Jaroše, U Železné lávky, Dlouhá'),
    cities: cities('Praha 1|110 ##; Brno|602 ##; České Budějovice|370 ##; Ústí nad Labem|400 ##'),
    addresses: ['{street} {no}/{flat}, {postcode} {city}', '{street} {no}\n{postcode} {city}'],
    phones: ['+420 43# ### ###', '43# ### ###', '0042043#######'],
    bban: '####################',
  },
  {
    code: 'HU',
    people: [
      people('Győző, Erzsébet, Ágnes, Ödön, Zsófia, Lőrinc', 'Szőke, Kovács, Nagy, Bartók, Kőműves, Tóth, Széchenyi'),
    ],
    names: ['{family} {given}', '{family}-{family2} {given}', 'dr. {family} {given}'],
    streets: list('Andrássy út, Kőrösi Csoma Sándor út, Fő utca, Szent István krt.'),
    cities: cities('Budapest|1##1; Győr|902#; Székesfehérvár|800#'),
    addresses: ['{postcode} {city}, {street} {no}. II. em. {flat}.', '{city}\n{street} {no}.\n{postcode}'],
    phones: ['+36 1 0## ####', '06-1-0##-####', '06 (1) 0######'],
    bban: '########################',
  },
  {
    code: 'RO',
    people: [
      people('Ștefan, Ioana, Mădălina, Răzvan, Anca-Maria, Ilie', 'Ionescu, Țepeș, Brâncuși, Popescu, Șerban, Năstase'),
    ],
    names: ['{given} {family}', '{family} {given}', '{family} {given}-{given2}'],
    streets: list('Str. Academiei, Bd. Unirii, Calea Victoriei, Șos. Ștefan cel Mare'),
    cities: cities('București|01####|Sector 1; Iași|70####|Jud. Iași; Târgu Mureș|54####|Jud. Mureș'),
    addresses: [
      '{street} nr. {no}, bl. A{flat}, sc. 1, ap. {flat}, {city}, {region}, {postcode}',
      '{street} nr. {no}\n{postcode} {city}\n{region}',
    ],
    phones: ['+40 21 0## ####', '021 0## ## ##', '0040 21 0######'],
    bban: 'XBNK################',
  },
  {
    code: 'BG',
    people: [
      people(
        'Цветелина=tsvetelina, Йорданка=yordanka, Мария=maria, Снежана=snezhana',
        'Иванова=ivanova, Желязкова=zhelyazkova, Щерева=shtereva, Петрова=petrova',
      ),
      people(
        'Георги=georgi, Стоян=stoyan, Йордан=yordan, Любомир=lyubomir',
        'Иванов=ivanov, Желязков=zhelyazkov, Щерев=shterev, Петров=petrov',
      ),
    ],
    names: ['{given} {family}', '{given} {family}-{family2}', 'д-р {given} {family}'],
    streets: list('бул. „Витоша“, ул. „Граф Игнатиев“, ул. „Цар Асен“, ж.к. „Младост 1“'),
    cities: cities('София|1###; Пловдив|40##; Велико Търново|50##'),
    addresses: ['{street} № {no}, ет. 3, ап. {flat}, {postcode} {city}', '{street} {no}\n{postcode} {city}'],
    phones: ['+359 2 0## ####', '02/0######', '003592 0######'],
    bban: 'XBNK##############',
  },
  {
    code: 'UA',
    people: [
      people(
        "Олена=olena, Мар'яна=mariana, Соломія=solomiia, Ївга=yivha",
        "Шевченко=shevchenko, Ковальська=kovalska, Григор'єва=hryhorieva, Їжакевич=yizhakevych",
      ),
      people(
        "Тарас=taras, Сергій=serhii, Лук'ян=lukian, Андрій=andrii",
        "Шевченко=shevchenko, Ковальський=kovalskyi, Григор'єв=hryhoriev, Щербак=shcherbak",
      ),
    ],
    names: ['{given} {family}', '{family} {given}', '{family}-{family2} {given}'],
    streets: list('вул. Хрещатик, просп. Свободи, вул. Січових Стрільців, пров. Тихий'),
    cities: cities('Київ|01###; Львів|79###; Чернівці|58###'),
    addresses: ['{street}, {no}, кв. {flat}, м. {city}, {postcode}', '{street}, буд. {no}\nм. {city}\n{postcode}'],
    phones: ['+380 44 0## ## ##', '(044) 0##-##-##', '0 44 0######'],
    bban: '#########################',
  },
  {
    code: 'RS',
    people: [
      people(
        'Ђорђе=djordje, Љубица=ljubica, Његош=njegos, Живка=zivka, Милица=milica',
        'Јовановић=jovanovic, Ђукић=djukic, Њагул=njagul, Љубичић=ljubicic, Чоловић=colovic',
      ),
    ],
    names: ['{given} {family}', '{family} {given}', '{given} {family}-{family2}'],
    streets: list('Кнез Михаилова, Булевар краља Александра, Његошева, Цара Душана'),
    cities: cities('Београд|11##0; Нови Сад|21##0; Ниш|18##0'),
    addresses: ['{street} {no}/{flat}, {postcode} {city}', '{street} бр. {no}\n{postcode} {city}'],
    phones: ['+381 11 0## ####', '011/0##-####', '0038111 0######'],
    bban: '##################',
  },
  {
    code: 'GE',
    people: [
      people(
        'ნინო=nino, გიორგი=giorgi, თამარ=tamar, ლუკა=luka, ქეთევან=ketevan',
        'ბერიძე=beridze, კაპანაძე=kapanadze, გელაშვილი=gelashvili, ჭავჭავაძე=chavchavadze',
      ),
    ],
    names: ['{given} {family}', '{family} {given}'],
    streets: list('რუსთაველის გამზირი, ჭავჭავაძის გამზირი, აღმაშენებლის ხეივანი'),
    cities: cities('თბილისი|01##; ბათუმი|60##; ქუთაისი|46##'),
    addresses: ['{street} {no}, ბინა {flat}, {city} {postcode}', '{street} №{no}\n{postcode} {city}'],
    phones: ['+995 32 0## ## ##', '032 0## ## ##'],
    bban: 'XB################',
  },
]
