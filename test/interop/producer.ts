import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import type { QueueName } from '../../shared/contract/grammar.ts'
import type { TestActor, TestVault } from '../harness/vault.ts'
import type { Python } from './python.ts'
import { script } from './python.ts'

const answer = z.union([
  z.strictObject({ hint: z.string() }),
  z.strictObject({ timeout: z.literal(true) }),
  z.strictObject({ verdict: z.string(), opens_to: z.unknown().optional() }),
])
export type PythonAnswer = z.infer<typeof answer>

/** pii_client.py as a process: commands go in by the line, answers come out by the line, in the same order. */
export class PythonProducer {
  readonly #child: ChildProcess
  readonly #answers: AsyncIterator<string>

  /** `reply`: its reply queue. */
  constructor(python: Python, vault: TestVault, { name, roleId, secretId, queueUrl }: TestActor, reply: string) {
    this.#child = spawn(python.program, [script('pii_client.py')], {
      env: python.env,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = this.#child.stdout
    if (lines === null) throw new Error('no pipe')
    this.#answers = createInterface(lines)[Symbol.asyncIterator]()
    this.#say({
      redis: queueUrl,
      prefix: vault.prefix,
      bao: vault.stack.transitAddr,
      actor: name,
      role_id: roleId,
      secret_id: secretId.reveal(),
      reply,
    })
  }

  /** Seals and sends one request, and waits for its answer. `alter` changes the job after it was sealed. */
  async ask(queue: QueueName, body: object, alter: object = {}): Promise<PythonAnswer> {
    this.#say({ queue, body, alter })
    const { value, done } = await this.#answers.next()
    if (done) throw new Error('pii_client.py ended without an answer')
    return answer.parse(JSON.parse(value))
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const exit = once(this.#child, 'exit')
    this.#child.kill() // it may be waiting for an answer that never comes
    await exit
  }

  #say(line: object): void {
    this.#child.stdin?.write(`${JSON.stringify(line)}\n`)
  }
}
