import type { Country } from './country.ts'
import { cities, list, people } from './country.ts'

export const westernEurope: readonly Country[] = [
  {
    code: 'DE',
    people: [
      people(
        'Anneliese, Björn, Jürgen, Käthe, Lena, Karl-Heinz, Sören, Ursula, Mehmet, Hannelore, Eva-Maria, Florian',
        'Müller, Schäfer, Groß, Weiß, Köhler, von der Heide, Schmidt, Yılmaz, Öztürk, Jäger, Freiherr von Stein, Vogt',
      ),
    ],
    names: ['{given} {family}', '{given} {family}-{family2}', 'Dr. {given} {family}', '{family}, {given}'],
    streets: list(
      'Hauptstraße, Goethestr., Am Alten Markt, Straße des 17. Juni, Bürgermeister-Smidt-Straße, Lindenweg',
    ),
    cities: cities('Berlin|10###; München|80###; Köln|50###; Düsseldorf|40###; Lübeck|235##; Halle (Saale)|061##'),
    addresses: [
      '{street} {no}, {postcode} {city}',
      '{street} {no}a\n{postcode} {city}',
      '{street} {no}, Hinterhaus, 3. OG, {postcode} {city}',
    ],
    // Bundesnetzagentur, Mitteilung 148/2021.
    phones: ['+49 30 23125 ###', '030/23125-###', '0171 39200##', '+4917139200##', '(089) 99998###', '0221 4710###'],
    bban: '##################',
  },
  {
    code: 'AT',
    people: [
      people(
        'Elfriede, Günther, Johanna, Maximilian, Roswitha, Wolfgang, Željka',
        'Gruber, Höller, Pichler, Moser, Nováček, Strauß, Übelhör',
      ),
    ],
    names: ['{given} {family}', 'Mag. {given} {family}', 'DI {given} {family}, MSc'],
    streets: list('Mariahilfer Straße, Schönbrunner Straße, Getreidegasse, Am Graben, Kärntner Ring'),
    cities: cities('Wien|1##0; Graz|80##; Salzburg|50##; Sankt Pölten|31##'),
    addresses: ['{street} {no}/{flat}, {postcode} {city}', '{street} {no}/2/{flat}\n{postcode} {city}'],
    phones: ['+43 1 0## ## ##', '01 / 0######', '0043 1 0######'],
    bban: '################',
  },
  {
    code: 'CH',
    people: [
      people(
        'Urs, Reto, Chantal, Noémie, Gian-Luca, Beat, Ursina, Zoë',
        "Zürcher, Rüegg, Bianchi, d'Angelo, Favre, Nötzli, Caduff, Meier",
      ),
    ],
    names: ['{given} {family}', '{given} {family}-{family2}'],
    streets: list("Bahnhofstrasse, Rue du Mont-Blanc, Via Nassa, Chemin de l'Étang, Seestrasse"),
    cities: cities('Zürich|80##; Genève|12##; Lugano|69##; Neuchâtel|20##; Chur|70##'),
    addresses: ['{street} {no}, {postcode} {city}', 'c/o Pension Rössli\n{street} {no}\nCH-{postcode} {city}'],
    phones: ['+41 44 0## ## ##', '044 0## ## ##', '0041 22 0## ## ##'],
    bban: '#################',
  },
  {
    code: 'FR',
    people: [
      people(
        'Jean-Pierre, Aurélie, François, Zoé, Loïc, Maëlys, Anne-Sophie, Étienne, Fatoumata, Benoît, Gaël',
        "Lefèvre, d'Aubigné, L'Hôpital, Le Goff, Dubois, Châtelain, Benkacem, N'Diaye, Müller, de La Fontaine, Nguyễn",
      ),
    ],
    names: ['{given} {family}', '{given} {family}-{family2}', '{family} {given}', '{given}, {given2} {family}'],
    streets: list(
      "rue de l'Église, avenue des Champs-Élysées, bd Saint-Michel, impasse du Chêne, quai d'Orléans, rue du 8 Mai 1945",
    ),
    cities: cities("Paris|750##; Lyon|6900#; L'Haÿ-les-Roses|94240; Nîmes|30###; Saint-Étienne|42###; Besançon|25###"),
    addresses: [
      '{no}, {street}, {postcode} {city}',
      '{no} bis, {street}\n{postcode} {city} CEDEX',
      'Bât. B, appt {flat}\n{no}, {street}\n{postcode} {city}',
    ],
    // ARCEP's numéros pour œuvres audiovisuelles.
    phones: [
      '06 39 98 ## ##',
      '+33 6 39 98 ## ##',
      '01.99.00.##.##',
      '+3319900####',
      '04 65 71 ## ##',
      '05 36 49 ## ##',
    ],
    bban: '#######################',
  },
  {
    code: 'BE',
    people: [
      people(
        'Joke, Maarten, Océane, Thibault, Liesbeth, Réginald, Noor',
        "Van den Broeck, Peeters, D'Hondt, Lemaître, De Smet, Verstraete, El Amrani",
      ),
    ],
    names: ['{given} {family}', '{family} {given}', '{given} {family} - {family2}'],
    streets: list("Grote Markt, Chaussée d'Ixelles, Meir, Rue de la Régence, Sint-Pietersnieuwstraat"),
    cities: cities('Brussel|10#0; Liège|40#0; Antwerpen|20#0; Gent|90#0'),
    addresses: ['{street} {no} bus {flat}, {postcode} {city}', '{street} {no} bte {flat}\n{postcode} {city}'],
    phones: ['+32 2 0## ## ##', '02/0##.##.##', '0032 3 0## ## ##'],
    bban: '############',
  },
  {
    code: 'NL',
    people: [
      people(
        'Sjoerd, Anouk, Daniël, Fleur, Willem-Alexander, Noa, Jan Willem, Chloë',
        "de Vries, van 't Hoff, van der Meer, 's-Gravesande, IJsselstein, Bakker, Özdemir, in 't Veld",
      ),
    ],
    names: ['{given} {family}', '{given} {family}-{family2}', '{family}, {given}'],
    streets: list("Prinsengracht, 't Hoenstraat, Kerkstraat, Burgemeester de Vlugtlaan, 2e Tuindwarsstraat"),
    cities: cities("Amsterdam|10## @@; 's-Hertogenbosch|52## @@; Utrecht|35## @@; Den Haag|25## @@"),
    addresses: ['{street} {no}-{flat}, {postcode} {city}', '{street} {no} II\n{postcode}  {city}'],
    phones: ['+31 20 0## ####', '020-0######', '06-0#######'],
    bban: 'XBNK##########',
  },
]
