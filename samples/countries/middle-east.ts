import type { Country } from './country.ts'
import { cities, list, people } from './country.ts'

export const middleEast: readonly Country[] = [
  {
    code: 'IL',
    people: [
      people(
        'נועה=noa, יעל=yael, אורי=uri, דוד=david, תמר=tamar, אברהם=avraham',
        'כהן=cohen, לוי=levi, בן-דוד=bendavid, מזרחי=mizrahi, פרידמן=friedman, צ׳רניחובסקי=tchernichovsky',
      ),
    ],
    names: ['{given} {family}', '{family} {given}', '{given} {family}-{family2}', 'ד"ר {given} {family}'],
    streets: list('רחוב הרצל, שדרות רוטשילד, דרך בגין, רחוב ז׳בוטינסקי'),
    cities: cities('תל אביב-יפו|6######; ירושלים|9######; חיפה|3######'),
    addresses: ['{street} {no}, דירה {flat}, {city} {postcode}', '{street} {no}\n{city} {postcode}'],
    phones: ['+972 3-0## ####', '03-0######', '00972 2 0######'],
    bban: '###################',
  },
  {
    code: 'SA',
    people: [
      people(
        'محمد=mohammed, فاطمة=fatimah, عبد الله=abdullah, نورة=noura, خالد=khalid, سارة=sarah',
        'العتيبي=alotaibi, القحطاني=alqahtani, الغامدي=alghamdi, بن سعود=binsaud, الشهري=alshehri',
      ),
    ],
    names: ['{given} {family}', '{given} بن {given2} {family}', 'د. {given} {family}'],
    streets: list('شارع العليا, طريق الملك فهد, شارع التحلية, حي الملز'),
    cities: cities('الرياض|1####; جدة|2####; الدمام|3####'),
    addresses: ['{no} {street}، {city} {postcode}', '{street}, مبنى {no}, شقة {flat}\n{city} {postcode}'],
    phones: ['+966 11 0## ####', '011 0## ####', '00966 11 0######'],
    bban: '####################',
  },
  {
    code: 'AE',
    people: [
      people(
        'مريم=mariam, راشد=rashid, حمدان=hamdan, شمسة=shamsa, Priyanka, Yusuf',
        'آل مكتوم=almaktoum, المزروعي=almazrouei, الشامسي=alshamsi, Al-Rashid, Nair',
      ),
    ],
    names: ['{given} {family}', '{given} {given2} {family}'],
    streets: list('Sheikh Zayed Road, شارع الشيخ زايد, Al Wasl Road, شارع خليفة'),
    cities: cities('Dubai; أبوظبي; Sharjah'),
    addresses: ['Villa {no}, {street}, P.O. Box {flat}, {city}', '{street}\nص.ب. {flat}\n{city}'],
    phones: ['+971 4 0## ####', '04 0######', '009712 0######'],
    bban: '###################',
  },
  {
    code: 'EG',
    people: [
      people(
        'أحمد=ahmed, منى=mona, مصطفى=mostafa, هبة=heba, يوسف=youssef',
        'عبد الرحمن=abdelrahman, السيد=elsayed, حسين=hussein, المصري=elmasry',
      ),
    ],
    names: ['{given} {family}', '{given} {given2} {family}'],
    streets: list('شارع التحرير, شارع رمسيس, كورنيش النيل, ش. طلعت حرب'),
    cities: cities('القاهرة|11###; الإسكندرية|21###; أسوان|81###'),
    addresses: ['{no} {street}, الدور الثالث, {city} {postcode}', '{no} {street}\nشقة {flat}\n{city}'],
    phones: ['+20 2 0### ####', '02 0#######', '0020 3 0######'],
    bban: '#########################',
  },
]
