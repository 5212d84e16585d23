import { readWorkerConfig } from '../../shared/config/environment.ts'
import { Database } from '../../shared/db/database.ts'
import { Closing } from '../../shared/lifecycle/closing.ts'
import { createLogger } from '../../shared/log/log.ts'
import { connect } from '../../workers/connect.ts'

const closeWithinMs = 5_000

/** What a rival is made of: the servers as the detok pool reaches them, with as many database connections as it likes. */
export async function openServers(workerName: string, databaseConnections: number) {
  const config = readWorkerConfig(process.env)
  const log = createLogger('warn', 'bench')
  const closing = new Closing()
  const { dependencies } = await connect('detok', config, { workerName, log, closing })
  const database = new Database(config.databaseUrl, log, databaseConnections)
  closing.onClose('postgres of the rival', () => database.close())
  return { config, log, dependencies, database, close: () => closing.close(closeWithinMs, log) }
}
