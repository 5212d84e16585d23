import type { Suite } from '../suite.ts'
import { compare } from './compare.ts'
import { composed } from './composed/index.ts'
import { exporting } from './export/index.ts'
import { fairness } from './fairness/index.ts'
import { profile } from './profile/index.ts'
import { scale } from './scale.ts'
import { transit } from './transit.ts'

/** In the order in which they are run. */
export const suites: readonly Suite[] = [transit, composed, profile, compare, scale, exporting, fairness]
