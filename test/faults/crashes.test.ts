import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { QueueName } from '../../shared/contract/grammar.ts'
import { until } from '../harness/until.ts'
import { expireLocks } from '../harness/worker-process.ts'
import { findings } from './harness/findings.ts'
import { Fleet } from './harness/fleet.ts'
import { randomFrom, seed } from './harness/seed.ts'

/** A point of a pipeline; where a step ends with something done to a server, that is followed by a point as well. */
type Point = readonly [queue: QueueName, stage: string, moment: 'before' | 'after']
const points: Point[] = [
  ['detok', 'open', 'before'],
  ['detok', 'lookup', 'before'],
  ['detok', 'authorize', 'before'],
  ['detok', 'unwrap', 'before'],
  ['detok', 'decrypt', 'before'],
  ['detok', 'audit', 'before'],
  ['detok', 'audit', 'after'],
  ['detok', 'reply', 'before'],
  ['detok', 'reply', 'after'],
  ['detok', 'job', 'after'],
  ['tokenize', 'open', 'before'],
  ['tokenize', 'authorize', 'before'],
  ['tokenize', 'mint', 'before'],
  ['tokenize', 'wrap', 'before'],
  ['tokenize', 'encrypt', 'before'],
  ['tokenize', 'store and audit', 'before'],
  ['tokenize', 'store and audit', 'after'],
  ['tokenize', 'reply', 'before'],
  ['tokenize', 'reply', 'after'],
  ['tokenize', 'job', 'after'],
]
const random = randomFrom(seed)
const preload = `--import ${new URL('./harness/crash-point.ts', import.meta.url)}`

let fleet: Fleet
let directory: string

beforeAll(async () => {
  fleet = await Fleet.start({ replicas: 1, loads: points.length + 1 })
  directory = await mkdtemp(join(tmpdir(), 'pii-vault-faults-'))
})
afterAll(async () => {
  await fleet?.close()
  await rm(directory, { recursive: true, force: true })
})

test.each(points)(
  `SIGKILL in %s, %s, %s: another replica answers (FAULT_SEED=${seed})`,
  async (queue, stage, moment) => {
    const load = await fleet.load()
    await load.more(6)
    const call = 1 + Math.floor(random() * 8)
    const doomed = await fleet.add(queue, {
      doomed: true,
      environment: {
        NODE_OPTIONS: preload,
        FAULT_KIND: 'kill',
        FAULT_STAGE: stage,
        FAULT_MOMENT: moment,
        FAULT_CALL: String(call),
      },
    })
    expect(await doomed.exited, 'it was killed').toBeNull()
    await expireLocks(fleet.vault, queue, doomed.pid)
    await load.more(12)
    expect(await findings(fleet, load)).toEqual([])
  },
)

test('an event loop that stood still while another replica took its job: one answer, and the audit tells of both', async () => {
  const load = await fleet.load()
  const file = join(directory, 'blocked')
  const blocked = await fleet.add('detok', {
    environment: {
      NODE_OPTIONS: preload,
      FAULT_KIND: 'block',
      FAULT_STAGE: 'audit',
      FAULT_MOMENT: 'before',
      FAULT_CALL: '3',
      FAULT_FILE: file,
    },
  })
  await until('it stands still', () => existsSync(file))
  const jobs = await expireLocks(fleet.vault, 'detok', blocked.pid)
  expect(jobs).toBeGreaterThan(0)
  await load.more(12)
  await writeFile(`${file}.end`, '')
  await load.more(12)
  expect(await findings(fleet, load)).toEqual([])
  const { rows } = await fleet.vault.postgres.query<{ twice: string }>(
    `select count(*) as twice from (
       select from vault.audit where actor = $1 and outcome = 'ok' group by request_id, item having count(*) = 2
     ) as opened`,
    [fleet.asking.actor.name],
  )
  expect(Number(rows[0]?.twice), 'the items that both opened').toBeGreaterThan(0)
})
