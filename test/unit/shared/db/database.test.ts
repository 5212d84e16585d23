import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { Database } from '../../../../shared/db/database.ts'
import type { Statement } from '../../../../shared/db/statements.ts'
import { ContentRefused, Unavailable } from '../../../../shared/errors/server-errors.ts'
import { createLogger } from '../../../../shared/log/log.ts'
import type { Outcome } from './fake-postgres.ts'
import { fakePostgres } from './fake-postgres.ts'

/* What a real server cannot be asked for on demand; the rest is tested on one. */

const insert: Statement<object> = { name: 'insert', text: 'insert', rows: z.array(z.object({})) }
const canary = 'CANARY-4711'

async function open(outcomeOf: (statement: string) => Outcome) {
  const statements: string[] = []
  const url = await fakePostgres((statement) => {
    statements.push(statement)
    return outcomeOf(statement)
  })
  const database = new Database(url, createLogger('silent', 'test'), 1)
  onTestFinished(() => database.close())
  return { database, statements }
}
const insertEnds = (outcome: Outcome) => open((statement) => (statement === 'insert' ? outcome : 'done'))

describe('a failure is told apart by its SQLSTATE, and its text goes nowhere', () => {
  test.each([
    ['22P02', ContentRefused, 'postgres refused the content (22P02)'],
    ['22021', ContentRefused, 'postgres refused the content (22021)'],
    ['23505', ContentRefused, 'postgres refused the content (23505)'],
    ['08006', Unavailable, 'postgres: connection lost (08006)'],
    ['25006', Unavailable, 'postgres: read-only (25006)'],
    ['40001', Unavailable, 'postgres: server error (40001)'],
    ['42P01', Unavailable, 'postgres: server error (42P01)'],
    ['53300', Unavailable, 'postgres: out of resources (53300)'],
    ['57P01', Unavailable, 'postgres: connection lost (57P01)'],
    ['XX000', Unavailable, 'postgres: server error (XX000)'],
  ])('%s', async (sqlstate, kind, message) => {
    const { database } = await insertEnds({ sqlstate, text: canary })
    const error: unknown = await database.query(insert, []).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(kind)
    expect(error).toMatchObject({ message })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(canary)
    await expect(database.transaction((on) => on.query(insert, []))).rejects.toThrow(message)
  })
})

test('a server that is not there is unreachable', async () => {
  const database = new Database('postgres://user:CANARY@127.0.0.1:1/test', createLogger('silent', 'test'), 1)
  onTestFinished(() => database.close())
  const error = new Unavailable('postgres', 'unreachable', {
    cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
  })
  await expect(database.query(insert, [])).rejects.toThrow(error)
  await expect(database.transaction((on) => on.query(insert, []))).rejects.toThrow(error)
  await expect(database.probe()).rejects.toThrow(error)
})

describe('a server that hangs up ends the statement, and neither the process nor the pool', () => {
  test.each(['begin', 'insert', 'commit'])('in a transaction, at %s', async (at) => {
    let lost = false
    const { database } = await open((statement) => {
      if (lost || statement !== at) return 'done'
      lost = true
      return 'hang up'
    })
    const error = new Unavailable('postgres', 'unreachable')
    await expect(database.transaction((on) => on.query(insert, []))).rejects.toThrow(error)
    await database.transaction((on) => on.query(insert, []))
  })

  test('between the statements of a transaction', async () => {
    const { database } = await insertEnds('hang up')
    const work = database.transaction(async (on) => {
      await on.query(insert, []).catch(() => undefined)
      await new Promise((resolve) => setImmediate(resolve))
      return on.query({ ...insert, name: 'other', text: 'other' }, [])
    })
    await expect(work).rejects.toThrow(Unavailable)
  })
})

test('content that is refused is rolled back, and the connection used again', async () => {
  const { database, statements } = await insertEnds({ sqlstate: '22P02', text: canary })
  await expect(database.transaction((on) => on.query(insert, []))).rejects.toThrow(ContentRefused)
  await database.query({ ...insert, name: 'other', text: 'other' }, [])
  expect(statements).toEqual(['begin', 'insert', 'rollback', 'other'])
})

test('a connection that failed otherwise is thrown away, nobody knows what it is in the midst of', async () => {
  const { database, statements } = await insertEnds({ sqlstate: 'XX000', text: canary })
  await expect(database.transaction((on) => on.query(insert, []))).rejects.toThrow(Unavailable)
  expect(statements).toEqual(['begin', 'insert'])
})

test('rows of another shape are no answer', async () => {
  const { database } = await open(() => 'done')
  const odd: Statement<object> = { name: 'odd', text: 'odd', rows: z.array(z.object({})).min(1) }
  await expect(database.query(odd, [])).rejects.toThrow(new Unavailable('postgres', 'unexpected answer'))
  await expect(database.probe()).rejects.toThrow(new Unavailable('postgres', 'read-only'))
})
