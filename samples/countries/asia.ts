import type { Country } from './country.ts'
import { cities, list, people } from './country.ts'

export const asia: readonly Country[] = [
  {
    code: 'CN',
    people: [
      people(
        '伟=wei, 秀英=xiuying, 子涵=zihan, 建国=jianguo, 欣怡=xinyi, 浩然=haoran',
        '王=wang, 李=li, 欧阳=ouyang, 张=zhang, 司马=sima, 刘=liu, 陈=chen',
      ),
    ],
    names: ['{family}{given}', '{family} {given}'],
    streets: list('中山路, 建国门外大街, 南京西路, 人民东路, 解放大道'),
    cities: cities('朝阳区|1000##|北京市; 黄浦区|2000##|上海市; 天河区|5106##|广东省广州市'),
    addresses: [
      '{region}{city}{street}{no}号{flat}室',
      '{region}{city}{street}{no}号, 邮编 {postcode}',
      '{postcode}\n{region}{city}\n{street}{no}号院2号楼{flat}室',
    ],
    phones: ['+86 10 0### ####', '010-0#######', '0086 21 0#######'],
  },
  {
    code: 'TW',
    people: [
      people(
        '怡君=yichun, 志明=chihming, 淑芬=shufen, 家豪=chiahao, 雅婷=yating',
        '陳=chen, 林=lin, 張簡=changchien, 黃=huang, 蔡=tsai, 劉=liu',
      ),
    ],
    names: ['{family}{given}', '{family2}{family}{given}'],
    streets: list('忠孝東路四段, 中正路, 民族西路, 臺灣大道二段'),
    cities: cities('大安區|106|臺北市; 西屯區|407|臺中市; 前鎮區|806|高雄市'),
    addresses: ['{postcode}{region}{city}{street}{no}號{flat}樓', '{region}{city}\n{street}{no}號之1'],
    phones: ['+886 2 0### ####', '(02) 0###-####', '00886 4 0######'],
  },
  {
    code: 'JP',
    people: [
      people(
        '陽菜=hina, 翔太=shota, さくら=sakura, 健一=kenichi, 美咲=misaki, マリア=maria',
        '𠮷田=yoshida, 髙橋=takahashi, 佐藤=sato, 渡邉=watanabe, 斎藤=saito, 長谷川=hasegawa, 山﨑=yamazaki',
      ),
    ],
    names: ['{family} {given}', '{family}　{given}', '{family}{given}'],
    streets: list('丸の内一丁目, 神宮前3丁目, 本町, 祇園町南側'),
    cities: cities('千代田区|100-####|東京都; 中央区|540-####|大阪府大阪市; 東山区|605-####|京都府京都市'),
    addresses: [
      '〒{postcode} {region}{city}{street}{no}-{flat}',
      '〒{postcode}\n{region}{city}{street}{no}番地\nメゾン青葉 {flat}号室',
      '{region}{city}{street}{no}ー{flat}',
    ],
    phones: ['090-0###-####', '+81 90-0###-####', '03(0###)####', '03-0###-####'],
  },
  {
    code: 'KR',
    people: [
      people(
        '서연=seoyeon, 민준=minjun, 지우=jiwoo, 하은=haeun, 도현=dohyun, 수빈=subin',
        '김=kim, 이=lee, 박=park, 최=choi, 남궁=namgung, 황보=hwangbo, 정=jung',
      ),
    ],
    names: ['{family}{given}', '{family} {given}'],
    streets: list('테헤란로, 세종대로, 해운대해변로, 충장로'),
    cities: cities('강남구|06###|서울특별시; 해운대구|48###|부산광역시; 동구|61###|광주광역시'),
    addresses: [
      '{region} {city} {street} {no}, {flat}호 ({postcode})',
      '({postcode}) {region} {city}\n{street} {no}, 101동 {flat}호',
    ],
    phones: ['010-0###-####', '+82 10-0###-####', '02-0###-####'],
  },
  {
    code: 'IN',
    people: [
      people(
        'आरव=aarav, प्रिया=priya, लक्ष्मी=lakshmi, कृष्ण=krishna, श्रीनिवास=shrinivas',
        'शर्मा=sharma, वर्मा=verma, मिश्रा=mishra, द्विवेदी=dwivedi, सिंह=singh',
      ),
      people(
        'Ananya, Rajesh, Thirunavukkarasu, செல்வி=selvi, முருகன்=murugan',
        'Iyer, Chattopadhyay, Krishnamurthy, Reddy, D’Souza',
      ),
    ],
    names: ['{given} {family}', '{given} {given2} {family}', 'डॉ. {given} {family}'],
    streets: list('महात्मा गांधी मार्ग, MG Road, 2nd Cross, चाँदनी चौक, Anna Salai'),
    cities: cities(
      'नई दिल्ली|1100##|दिल्ली; Bengaluru|5600##|Karnataka; Chennai|6000##|Tamil Nadu; वाराणसी|2210##|उत्तर प्रदेश',
    ),
    addresses: [
      'Flat {flat}, {no}, {street}, {city}, {region} - {postcode}',
      'S/o Late Sh. R. Lal, H.No. {no}\n{street}\n{city} {postcode}\n{region}',
    ],
    phones: ['+91 11 0### ####', '011-0#######', '0091 80 0#######'],
  },
  {
    code: 'VN',
    people: [
      people(
        'Thị Hồng Nhung, Văn Đức, Minh Tuấn, Thị Ánh Tuyết, Quốc Bảo, Ngọc Diệp',
        'Nguyễn, Trần, Phạm, Đặng, Huỳnh, Lê, Vũ',
      ),
    ],
    names: ['{family} {given}', '{family} {family2} {given}', '{given} {family}'],
    streets: list('Đường Nguyễn Huệ, Phố Hàng Bạc, Đường Lê Lợi, Đ. Trần Hưng Đạo'),
    cities: cities('Hà Nội|10####|Quận Hoàn Kiếm; TP. Hồ Chí Minh|70####|Quận 1; Đà Nẵng|55####|Quận Hải Châu'),
    addresses: ['{no}/{flat} {street}, {region}, {city}', 'Số {no}, ngõ {flat}, {street}\n{region}\n{city} {postcode}'],
    phones: ['+84 24 0### ####', '(028) 0### ####', '0084 24 0#######'],
  },
  {
    code: 'TH',
    people: [
      people(
        'สมชาย=somchai, กัญญา=kanya, ณัฐพงษ์=nattapong, พิมพ์ชนก=pimchanok',
        'ศรีสุข=srisuk, วงศ์ใหญ่=wongyai, แก้วมณี=kaewmanee, ณ อยุธยา=naayudhya',
      ),
    ],
    names: ['{given} {family}', 'นาย{given} {family}', 'คุณ{given}'],
    streets: list('ถนนสุขุมวิท, ถนนพระราม 4, ซอยอารีย์'),
    cities: cities('กรุงเทพมหานคร|10###|เขตวัฒนา; เชียงใหม่|50###|อ.เมือง'),
    addresses: ['{no}/{flat} {street} {region} {city} {postcode}', '{no} {street}, {region}\n{city} {postcode}'],
    phones: ['+66 2 0## ####', '02-0##-####', '0066 2 0######'],
  },
]
