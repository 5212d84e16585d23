import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { writeActorCredentials } from '../../../provision/index.ts'
import { queues } from '../../../shared/contract/grammar.ts'
import type { Child, ChildOptions, Ended } from '../../harness/child.ts'
import { runCli, startCli } from '../../harness/child.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'
import { Workplace } from './workplace.ts'

/** The command line for the tests of one file: a vault and an actor for all of them, and a directory for each. */
export class Cli {
  vault!: TestVault
  /** Where each command runs; empty at the start of each test. */
  readonly place = new Workplace()
  /** In which a command works as the file's actor on its vault. */
  env!: Record<string, string>
  readonly #started: Child[] = []

  /** Starts the command; what still runs at the end of the test is ended. */
  start(args: readonly string[], options: ChildOptions = {}): Child {
    const child = startCli(args, { env: this.env, cwd: this.place.directory, ...options })
    this.#started.push(child)
    return child
  }

  run(args: readonly string[], options: ChildOptions = {}): Promise<Ended> {
    return runCli(args, { env: this.env, cwd: this.place.directory, ...options })
  }

  async endAll(): Promise<void> {
    await Promise.all(this.#started.splice(0).map((child) => child.stop('SIGKILL')))
  }
}

interface Setting {
  /** Replicas of both pools in this process; without them no request is answered. */
  readonly workers?: boolean
  /** Makes what else is needed before the workers start. */
  readonly prepare?: (vault: TestVault, home: Workplace) => Promise<void>
}

/** Sets all of it up and takes it away, by hooks of the file or `describe` that calls it. */
export function useCli({ workers = false, prepare }: Setting = {}): Cli {
  const cli = new Cli()
  let home: Workplace | undefined

  beforeAll(async () => {
    home = await Workplace.make()
    cli.vault = await TestVault.open()
    cli.env = await environmentOf(cli.vault, await cli.vault.actor(), home)
    await prepare?.(cli.vault, home)
    if (workers) for (const queue of queues) await cli.vault.replica(queue)
  })
  afterAll(async () => {
    await home?.remove()
    await cli.vault?.close()
  })
  beforeEach(() => cli.place.renew())
  afterEach(async () => {
    await cli.endAll()
    await cli.place.remove()
  })
  return cli
}

/** The environment in which a command works as this actor on this vault. */
export async function environmentOf(
  vault: TestVault,
  { name, roleId, secretId, queueUrl }: TestActor,
  place: Workplace,
): Promise<Record<string, string>> {
  const file = place.path(`${name}.json`)
  await writeActorCredentials(file, name, { roleId, secretId: secretId.reveal() }, queueUrl)
  return {
    QUEUE_PREFIX: vault.prefix,
    TRANSIT_ADDR: vault.stack.transitAddr,
    ACTOR_CREDENTIALS_FILE: file,
  }
}
