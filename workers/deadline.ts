import { limits } from '../shared/contract/grammar.ts'

export const nowSeconds = (): number => Math.floor(Date.now() / 1_000)

/** True once a time of the requester's has passed, with the allowance for two hosts' clocks. */
export const hasPassed = (unixSeconds: number): boolean => nowSeconds() > unixSeconds + limits.clockSkewSeconds
