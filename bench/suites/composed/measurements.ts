import type { OperatingPoint } from './operating-point.ts'
import type { RoundTrip } from './round-trips.ts'
import type { Saturated } from './saturation.ts'
import type { Unloaded } from './unloaded.ts'

/** All that the suite measured, before it is judged or shown. */
export interface Measurements {
  readonly saturated: Saturated
  readonly unloaded: Unloaded
  readonly operatingPoint: OperatingPoint
  readonly roundTrips: readonly RoundTrip[]
}
