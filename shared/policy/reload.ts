import { setTimeout as delay } from 'node:timers/promises'
import { exitCodes, UserError } from '../errors/user-error.ts'
import type { Bundle, StoredBundle } from './bundle.ts'
import { parseBundle, readStoredBundle } from './bundle.ts'
import { BundleRejected } from './files.ts'
import type { Policy, PolicyLog } from './policy.ts'
import { compareRevisions } from './revision.ts'
import type { Evaluator } from './wasm.ts'
import { startEvaluator } from './wasm.ts'

export interface BundleOptions {
  readonly location: string
  readonly publicKeyFile?: string | undefined
  readonly log: PolicyLog
  readonly onRejected?: (() => void) | undefined
  readonly reloadIntervalMs: number
}

interface InForce {
  readonly stored: StoredBundle
  readonly revision: string
  readonly evaluator: Evaluator
}

/** What a look at the location found: a bundle, or why there is none. */
type Sighting =
  | { readonly stored: StoredBundle; readonly mark: string }
  | { readonly problem: BundleRejected; readonly mark: string }

/**
 * A bundle in files, evaluated here. It is looked at every `reloadIntervalMs`, by content: a config map's links and an
 * archive's times say nothing. A change is taken up once two looks have seen the same, so that no half-written
 * bundle counts; then it is put in force, or the one in force stays and an error in the log says so.
 */
export async function openBundlePolicy(options: BundleOptions): Promise<Policy> {
  const { location, publicKeyFile, log, onRejected, reloadIntervalMs } = options
  let inForce = await openFirst(options)
  let lastSeen = inForce.stored.fingerprint
  let settled = inForce.stored.fingerprint

  async function check(): Promise<void> {
    const sighting = await look(location, publicKeyFile)
    if (sighting.mark !== lastSeen) {
      lastSeen = sighting.mark
      return
    }
    if (sighting.mark === settled) return
    settled = sighting.mark
    if (settled === inForce.stored.fingerprint) return
    try {
      if ('problem' in sighting) throw sighting.problem
      inForce = await replace(inForce, sighting.stored, log)
    } catch (error) {
      const { revision } = inForce
      onRejected?.()
      log.error(
        { location, revision, problem: problemOf(error) },
        'a changed policy bundle was rejected; the last one stays in force',
      )
    }
  }

  const closing = new AbortController()
  const watching = (async () => {
    for (;;) {
      await delay(reloadIntervalMs, undefined, { signal: closing.signal, ref: false })
      await check()
    }
  })().catch((error: unknown) => {
    // `check` handles whatever a bundle can do; what is left is the abort.
    if (!closing.signal.aborted) log.error({ problem: problemOf(error) }, 'the policy bundle is no longer watched')
  })

  return {
    tenantOf: (actor) => inForce.evaluator.tenantOf(actor),
    decide: async (questions) => {
      // Both of one bundle, even if another comes into force while it answers.
      const { revision, evaluator } = inForce
      return { revision, decisions: await evaluator.decide(questions) }
    },
    probe: async () => {},
    close: async () => {
      closing.abort()
      await watching
    },
  }
}

async function openFirst({ location, publicKeyFile, log }: BundleOptions): Promise<InForce> {
  try {
    const stored = await readStoredBundle(location, publicKeyFile)
    return await start(stored, await parseBundle(stored), log)
  } catch (error) {
    throw new UserError(
      `The policy bundle ${location} cannot be used: ${problemOf(error)}. POLICY takes a .tar.gz made by ` +
        '`opa build -t wasm`, a directory with its policy.wasm, data.json and .manifest, or the URL of an OPA server; ' +
        'policy/README.md says how to build and sign one.',
      exitCodes.usage,
    )
  }
}

async function look(location: string, publicKeyFile: string | undefined): Promise<Sighting> {
  try {
    const stored = await readStoredBundle(location, publicKeyFile)
    return { stored, mark: stored.fingerprint }
  } catch (error) {
    const problem = new BundleRejected(problemOf(error))
    return { problem, mark: problem.message }
  }
}

async function replace(inForce: InForce, stored: StoredBundle, log: PolicyLog): Promise<InForce> {
  const bundle = await parseBundle(stored)
  // Only signed anew, or to be verified with another key.
  if (stored.contents === inForce.stored.contents) return { ...inForce, stored }
  const order = compareRevisions(bundle.revision, inForce.revision)
  if (order < 0) throw new BundleRejected(`its revision ${bundle.revision} is older`)
  if (order === 0) throw new BundleRejected('it has other contents under the same revision: raise the one in .manifest')
  const next = await start(stored, bundle, log)
  log.info({ revision: next.revision, previous: inForce.revision }, 'a new policy is in force')
  return next
}

async function start(stored: StoredBundle, bundle: Bundle, log: PolicyLog): Promise<InForce> {
  return { stored, revision: bundle.revision, evaluator: await startEvaluator(bundle, log) }
}

/** Only our own texts: those of libraries quote what they were given. */
function problemOf(error: unknown): string {
  return error instanceof BundleRejected ? error.message : 'it cannot be read'
}
