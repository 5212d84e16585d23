import { africaAndOceania } from './africa-oceania.ts'
import { americas } from './americas.ts'
import { asia } from './asia.ts'
import type { Country } from './country.ts'
import { easternEurope } from './eastern-europe.ts'
import { middleEast } from './middle-east.ts'
import { northernEurope } from './northern-europe.ts'
import { southernEurope } from './southern-europe.ts'
import { westernEurope } from './western-europe.ts'

export type { Country, Name } from './country.ts'

export const countries: readonly Country[] = [
  ...westernEurope,
  ...northernEurope,
  ...southernEurope,
  ...easternEurope,
  ...middleEast,
  ...asia,
  ...americas,
  ...africaAndOceania,
]
