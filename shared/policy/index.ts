import type { Secret } from '../crypto/secret.ts'
import { UserError } from '../errors/user-error.ts'
import type { Policy, PolicyLog } from './policy.ts'
import { openBundlePolicy } from './reload.ts'
import { openServerPolicy } from './server.ts'

export { applyMask, type Mask } from './mask.ts'
export { type Policy, type PolicyLog, PolicyUnavailable, type Question } from './policy.ts'

export interface PolicyOptions {
  /** A bundle (`.tar.gz`, or a directory with policy.wasm, data.json and .manifest), or the URL of an OPA server. */
  location: string
  /** With it, a bundle counts only if its OPA signature verifies. A PEM file; RSA, EC or Ed25519. */
  publicKeyFile?: string | undefined
  log: PolicyLog
  /** How often a bundle is looked at. A change counts after two looks. */
  reloadIntervalMs?: number | undefined
  /** How long an OPA server may take. */
  timeoutMs?: number | undefined
  /** A bearer token for an OPA server. */
  token?: Secret | undefined
}

/** Throws `UserError` if there is no usable policy; that an OPA server is down is found by `probe`. */
export async function openPolicy(options: PolicyOptions): Promise<Policy> {
  const { location, publicKeyFile, log, reloadIntervalMs = 5_000, timeoutMs = 2_000, token } = options
  if (!/^https?:/i.test(location)) return openBundlePolicy({ location, publicKeyFile, log, reloadIntervalMs })
  if (publicKeyFile !== undefined) {
    throw new UserError(
      'POLICY_PUBLIC_KEY_FILE is for bundles: an OPA server verifies the bundles that it serves itself.',
      2,
    )
  }
  return openServerPolicy({ location, token, timeoutMs })
}
