import { logSize, logTail } from '../log-tail.ts'
import { freePorts } from '../ports.ts'
import { isAlive, spawnDetached, stopProcess } from '../process.ts'
import { failure, isPassing, readinessOf } from '../readiness.ts'
import type { Binary, Progress, Service } from '../service.ts'
import type { Place, ServiceRecord } from '../state.ts'

const tries = 100

/** Starts a binary as a child process that outlives this one, and waits until it is ready. */
export async function startChild(
  service: Service,
  place: Place,
  record: ServiceRecord,
  binary: Binary,
  progress: Progress,
  save: () => void,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    record.ports = await freePorts(service.portCount, record.ports)
    const command = await service.prepare(place, record, binary, progress)
    const logStart = logSize(place.logFile)
    const identity = await spawnDetached({ ...command, cwd: place.folder, logFile: place.logFile }, (started) => {
      record.run = { source: binary.source, ...started }
      save()
    })
    const readiness = await readinessOf(service, record, () => isAlive(identity), save)
    if (readiness === 'ready') return
    await stopProcess(identity, service.stopSignal)
    delete record.run
    save()
    const log = logTail(place.logFile, logStart, record)
    if (attempt === tries || !isPassing(log)) throw failure(service.title, readiness, log)
  }
}
