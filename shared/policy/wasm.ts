import type { LoadedPolicy } from '@open-policy-agent/opa-wasm'
import { loadPolicy } from '@open-policy-agent/opa-wasm'
import type { Bundle } from './bundle.ts'
import type { Decision } from './decision.ts'
import { denials, denyAll, parseDecisions, parseTenant } from './decision.ts'
import { BundleRejected } from './files.ts'
import type { PolicyLog, Question } from './policy.ts'
import { canary } from './policy.ts'

/** One bundle, running as WebAssembly. */
export interface Evaluator {
  tenantOf(actor: string): Promise<string | undefined>
  decide(questions: readonly Question[]): Promise<Decision[]>
}

/** 256 MiB: an evaluation that wants more is aborted and denied, and does not take the worker with it. */
const maximumPages = 4096

export async function startEvaluator(bundle: Bundle, log: PolicyLog): Promise<Evaluator> {
  let instance: LoadedPolicy | undefined = await firstInstance(bundle)
  let renewing: Promise<void> | undefined

  async function renew(): Promise<void> {
    try {
      instance = await newInstance(bundle)
    } finally {
      renewing = undefined
    }
  }

  async function evaluate<T>(
    entrypoint: string,
    input: object,
    parse: (answer: unknown) => T,
    otherwise: T,
  ): Promise<T> {
    try {
      // No await between here and the answer, or another evaluation could leave this one a broken instance.
      while (instance === undefined) {
        renewing ??= renew()
        await renewing
      }
      return parse(ask(instance, entrypoint, input))
    } catch {
      // After a trap the instance's memory is in no known state. What was thrown may quote the question.
      instance = undefined
      log.error(
        { revision: bundle.revision, entrypoint },
        'the policy failed in its evaluation: what was asked is denied',
      )
      return otherwise
    }
  }

  return {
    tenantOf: (actor) => evaluate('vault/tenant', { actor }, parseTenant, undefined),
    decide: (questions) =>
      evaluate(
        'vault/decisions',
        { questions },
        (answer) => parseDecisions(answer, questions.length),
        denyAll(denials.failed, questions.length),
      ),
  }
}

async function newInstance({ wasm, data }: Bundle): Promise<LoadedPolicy> {
  const instance = await loadPolicy(wasm, { initial: 5, maximum: maximumPages })
  instance.setData(data)
  return instance
}

/** A policy that cannot even deny the canary would deny everything: better to notice before it is in force. */
async function firstInstance(bundle: Bundle): Promise<LoadedPolicy> {
  try {
    const instance = await newInstance(bundle)
    ask(instance, 'vault/tenant', { actor: canary.actor })
    const [decision] = parseDecisions(ask(instance, 'vault/decisions', { questions: [canary] }), 1)
    if (decision !== undefined && !Object.values<string>(denials).includes(decision.reason)) return instance
  } catch {
    // As bad as a wrong answer; what was thrown may be anything.
  }
  throw new BundleRejected('policy.wasm does not answer vault/decisions and vault/tenant with this data.json')
}

function ask(instance: LoadedPolicy, entrypoint: string, input: object): unknown {
  const results: unknown = instance.evaluate(input, entrypoint)
  // One result; none where the rule is undefined.
  return Array.isArray(results) ? (results as { result?: unknown }[])[0]?.result : undefined
}
