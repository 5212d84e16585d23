import { Argument, Command } from 'commander'
import type { QueueName } from '../../shared/contract/grammar.ts'
import { queues } from '../../shared/contract/grammar.ts'
import { runWorker } from '../../workers/main.ts'
import { workerEnvironment } from '../embedded.ts'

export function workerCommand(): Command {
  return new Command('worker')
    .description('run one replica of a worker pool, until SIGTERM; start more of them to go faster')
    .addArgument(new Argument('<queue>', 'which pool').choices(queues))
    .option('--stack', 'on the embedded stack')
    .addHelpText('after', environment)
    .action(async (queue: QueueName, { stack }: { stack?: boolean }) => {
      await runWorker(queue, stack ? await workerEnvironment(queue) : process.env)
    })
}

const environment = `
Environment:
  QUEUE_URL                 Redis or Valkey, as the user of this pool
  QUEUE_PREFIX              BullMQ's key prefix, if it is not bull
  DATABASE_URL              Postgres, as the role of this pool
  TRANSIT_ADDR              OpenBao (or BAO_ADDR, VAULT_ADDR)
  TRANSIT_ROLE_ID           the AppRole of this pool
  TRANSIT_SECRET_ID_FILE    and its secret id
  POLICY                    a policy bundle, or the address of an OPA server
  POLICY_PUBLIC_KEY_FILE    takes only bundles signed by this key
  REPLY_TTL_S               seconds after which a reply that nobody read is removed; 86400 unless set
  DEAD_LETTER_TTL_S         the same for dead letters; 2592000, 30 days, unless set
  METRICS_ADDR              host:port for /metrics, /livez and /readyz; none unless set
  LOG_LEVEL                 trace, debug, info, warn, error or silent
\`pii-vault setup --out DIRECTORY\` writes QUEUE_URL, DATABASE_URL, TRANSIT_ROLE_ID
and TRANSIT_SECRET_ID_FILE for each pool.

Exit codes: 0 left after SIGTERM, 1 failed, 2 unusable settings, 3 credentials refused.
`
