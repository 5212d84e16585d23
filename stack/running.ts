import { createConnection } from 'node:net'
import { isAlive, signalProcess, stopProcess } from './process.ts'
import { containerPid, signalContainer, stopContainer } from './sources/docker.ts'
import type { Run } from './state.ts'

/** Whether what was started still is there. Whether it also answers is another question. */
export async function isRunning(run: Run): Promise<boolean> {
  switch (run.source) {
    case 'url':
      return accepts(new URL(run.url))
    case 'docker':
      return (await containerPid(run.container)) !== undefined
    case 'path':
    case 'packaged':
      return isAlive(run)
  }
}

export async function pidOf(run: Run): Promise<number | undefined> {
  switch (run.source) {
    case 'url':
      return undefined
    case 'docker':
      return containerPid(run.container)
    case 'path':
    case 'packaged':
      return run.pid
  }
}

/** Stops what we started and waits for its end. A server of the user's is left alone. */
export async function stopRun(run: Run, signal: NodeJS.Signals): Promise<void> {
  switch (run.source) {
    case 'url':
      return
    case 'docker':
      return stopContainer(run.container, signal)
    case 'path':
    case 'packaged':
      return stopProcess(run, signal)
  }
}

export async function signalRun(run: Run, signal: NodeJS.Signals): Promise<void> {
  switch (run.source) {
    case 'url':
      return
    case 'docker':
      return signalContainer(run.container, signal)
    case 'path':
    case 'packaged':
      return signalProcess(run, signal)
  }
}

const usualPorts: Record<string, number> = { 'postgres:': 5432, 'postgresql:': 5432, 'http:': 80, 'https:': 443 }

function accepts(url: URL): Promise<boolean> {
  const port = Number(url.port) || usualPorts[url.protocol] || 6379
  return new Promise((resolve) => {
    const socket = createConnection({ host: url.hostname.replace(/^\[|\]$/g, ''), port, timeout: 2_000 })
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })
}
