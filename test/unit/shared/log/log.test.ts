import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ContentRefused, ShuttingDown, Unavailable } from '../../../../shared/errors/server-errors.ts'
import { UserError } from '../../../../shared/errors/user-error.ts'
import { describeError } from '../../../../shared/log/log.ts'

const canary = 'CANARY-4711'
const described = (error: unknown) => JSON.stringify(describeError(error))

describe('our own errors keep their words', () => {
  test.each([
    [new UserError('the file is not there'), 'the file is not there'],
    [new Unavailable('transit', 'timeout'), 'transit: timeout'],
    [new ContentRefused('postgres', '22P02'), 'postgres refused the content (22P02)'],
    [new ShuttingDown(), 'shutting down'],
  ])('%s', (error, message) => {
    expect(describeError(error)).toEqual({ type: error.name, message })
  })
})

describe('of a foreign error no text is passed on', () => {
  const zodError = z.object({ value: z.literal('x') }).safeParse({ value: canary }).error
  const syntaxError = (() => {
    try {
      return JSON.parse(`{"value": ${canary}}`) as unknown
    } catch (error) {
      return error
    }
  })()
  const postgresError = Object.assign(new Error(`duplicate key (${canary})`), {
    code: '23505',
    detail: `Key=(${canary})`,
  })
  const named = Object.assign(new Error(canary), { name: 'Unavailable' })

  test.each([
    ['a parser’s', syntaxError],
    ['a schema library’s', zodError],
    ['a driver’s', postgresError],
    ['one with one of our names', named],
    ['one named by its input', Object.assign(new Error('x'), { name: `Error: ${canary}` })],
    ['one with a code of its input', Object.assign(new Error('x'), { code: canary.toLowerCase() })],
    ['one of many lines', new Error(`first\n    at ${canary}\nlast`)],
    ['one whose lines look like frames', new Error(`first\n    at ${canary} (file:///a.ts:1:1)\nlast`)],
    [
      'one whose text was changed later',
      Object.assign(new Error(`a\n    at ${canary} (file:///a.ts:1:1)`), { message: 'b' }),
    ],
    ['one with a cause', new Error('x', { cause: new Error(canary) })],
    ['several in one', new AggregateError([new Error(canary)], canary)],
    ['a string', canary],
    ['an object', { message: canary }],
    ['undefined', undefined],
  ])('%s', (_, error) => {
    expect(described(error)).not.toContain('4711')
  })

  test('but its type, its code and where it was thrown are', () => {
    const error = Object.assign(new TypeError(canary), { code: 'ECONNRESET' })
    expect(describeError(error)).toEqual({
      type: 'TypeError',
      code: 'ECONNRESET',
      at: expect.arrayContaining([expect.stringContaining('log.test.ts')]),
    })
  })

  test('whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        expect(described(new Error(`${before}${canary}${after}`))).not.toContain(canary)
      }),
    )
  })
})

test('what is logged goes to standard error as JSON, with errors described and secrets hidden, however it is called', async () => {
  const script = `
    import { createLogger } from './shared/log/log.ts'
    import { Secret } from './shared/crypto/secret.ts'
    const log = createLogger('trace', 'test')
    const error = new Error('${canary}')
    log.info({ secret: new Secret('${canary}'), deep: { secret: new Secret(Buffer.from('${canary}')) } }, 'with secrets')
    log.warn({ err: error }, 'with a message')
    log.warn({ err: error })
    log.warn(error)
    log.warn(error, 'the error alone')
    log.child({ err: error }).warn('a child')
    log.debug({ count: 1 })
    log.debug('only text')`
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    '--input-type=module-typescript',
    '-e',
    script,
  ])
  expect(stdout).toBe('')
  expect(stderr).not.toContain('4711')
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const message = (line: Record<string, unknown>) => line['msg']
  expect(lines.map(message)).toEqual([
    'with secrets',
    'with a message',
    '',
    '',
    'the error alone',
    'a child',
    '',
    'only text',
  ])
  expect(lines[0]).toMatchObject({ secret: '[secret]', deep: { secret: '[secret]' }, name: 'test' })
  for (const i of [1, 2, 3, 4, 5]) expect(lines[i]).toMatchObject({ err: { type: 'Error' } })
  expect(lines[6]).toMatchObject({ count: 1 })
})
