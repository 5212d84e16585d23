import { setTimeout as delay } from 'node:timers/promises'
import pLimit from 'p-limit'
import { z } from 'zod'
import { UserError } from '../shared/errors/user-error.ts'
import type { OpenBaoAdmin } from './openbao-admin.ts'

const callsAtOnce = 16
/** A token that is just ending is refused and still listed: time for it to be gone, before it is asked for again. */
const endingMs = 1_000

const tokenState = z.object({ data: z.object({ meta: z.record(z.string(), z.string()).nullish() }) })

export interface RevokedTokens {
  readonly revoked: number
  /** Accessors of tokens that live, and could not be looked up or revoked: they may be of this role. */
  readonly left: readonly string[]
}

/** Revokes all tokens of a role. OpenBao keeps no list of them, so all accessors are asked whose they are. */
export async function revokeTokens(bao: OpenBaoAdmin, role: string): Promise<RevokedTokens> {
  const bound = pLimit(callsAtOnce)
  let revoked = 0

  /** Those that failed and are still there: only a token that is gone has nothing to revoke. */
  async function revokeAmong(accessors: readonly string[]): Promise<string[]> {
    const failed: string[] = []
    await bound.map(accessors, async (accessor) => {
      try {
        const { data } = await bao.write('auth/token/lookup-accessor', { accessor }, tokenState)
        if (data.meta?.['role_name'] !== role) return
        await bao.write('auth/token/revoke-accessor', { accessor })
        revoked++
      } catch {
        failed.push(accessor)
      }
    })
    if (failed.length === 0) return []
    const there = new Set(await bao.list('auth/token/accessors'))
    return failed.filter((accessor) => there.has(accessor))
  }

  let left = await revokeAmong(await bao.list('auth/token/accessors'))
  if (left.length > 0) {
    await delay(endingMs)
    left = await revokeAmong(left)
  }
  return { revoked, left }
}

/** `command`: what to run again once it can be done. */
export function assertNoneLeft({ left }: RevokedTokens, actor: string, command: string): void {
  if (left.length === 0) return
  throw new UserError(
    `${left.length} tokens could not be looked up or revoked. Any of them may be of ${actor}, and start new sessions until it ends by itself, within a day. Give the token in BAO_TOKEN \`update\` on auth/token/lookup-accessor and auth/token/revoke-accessor, and run \`pii-vault actor ${command} ${actor}\` again.`,
  )
}
