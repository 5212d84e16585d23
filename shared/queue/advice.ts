import { hostOf } from '../config/addresses.ts'

/* What whoever started us is told of a server that is not there. The URL holds a password, so it is not quoted. */

export const redisAt = (url: string): string => `Redis at ${hostOf(url)} (QUEUE_URL)`

export const redisAdvice = (url: string): string =>
  `${redisAt(url)} does not answer: is it running, and are user and password right?`
