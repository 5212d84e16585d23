import { exitCodes, UserError } from '../errors/user-error.ts'
import { isServerAddress } from './location.ts'
import type { Policy, PolicyLog } from './policy.ts'
import { openBundlePolicy } from './reload.ts'
import { openServerPolicy } from './server.ts'

export type { Mask } from '../contract/grammar.ts'
export { applyMask } from './mask.ts'
export type { Policy, PolicyLog, Question } from './policy.ts'

export interface PolicyOptions {
  /** A bundle (`.tar.gz`, or a directory with policy.wasm, data.json and .manifest), or the URL of an OPA server. */
  readonly location: string
  /** With it, a bundle counts only if its OPA signature verifies. A PEM file; RSA, EC or Ed25519. */
  readonly publicKeyFile?: string | undefined
  readonly log: PolicyLog
  /** Called for each changed bundle that is not taken. */
  readonly onRejected?: (() => void) | undefined
  /** How often a bundle is looked at. A change counts after two looks. */
  readonly reloadIntervalMs?: number | undefined
  /** How long an OPA server may take. */
  readonly timeoutMs?: number | undefined
}

/** Throws `UserError` if there is no usable policy; that an OPA server is down is found by `probe`. */
export async function openPolicy(options: PolicyOptions): Promise<Policy> {
  const { location, publicKeyFile, log, onRejected, reloadIntervalMs = 5_000, timeoutMs = 2_000 } = options
  if (!isServerAddress(location))
    return openBundlePolicy({ location, publicKeyFile, log, onRejected, reloadIntervalMs })
  if (publicKeyFile !== undefined) {
    throw new UserError(
      'POLICY_PUBLIC_KEY_FILE is for bundles: an OPA server verifies the bundles that it serves itself.',
      exitCodes.usage,
    )
  }
  return openServerPolicy({ location, timeoutMs })
}
