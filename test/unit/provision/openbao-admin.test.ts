import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { OpenBaoAdmin } from '../../../provision/openbao-admin.ts'
import { Secret } from '../../../shared/crypto/secret.ts'
import { FakeOpenBao } from '../shared/transit/fake-openbao.ts'

/* What a real server cannot be asked for: answers that are odd. */

let server: FakeOpenBao
let bao: OpenBaoAdmin
const schema = z.object({ data: z.object({ version: z.int() }) })

beforeEach(async () => {
  server = new FakeOpenBao()
  await server.listen()
  bao = new OpenBaoAdmin({ address: server.address }, new Secret('admin'))
  onTestFinished(() => bao.close())
})

const answers = (status: number, body: unknown) => {
  server.instead = () => ({ status, body })
}
const userError = (message: string) => ({ name: 'UserError', message: expect.stringContaining(message) })

describe('an answer of an unexpected form is an error that says where, and never quotes it', () => {
  test.each([{}, { data: {} }, { data: { version: 'one' } }, { data: { version: 1.5, keys: 'a' } }, []])(
    '%j',
    async (body) => {
      answers(200, body)
      const unexpected = userError(`OpenBao at ${server.address} answered`)
      await expect(bao.read('some/path', schema)).rejects.toMatchObject(unexpected)
      await expect(bao.write('some/path', {}, schema)).rejects.toMatchObject(unexpected)
      await expect(bao.list('some/path')).rejects.toMatchObject(unexpected)
    },
  )

  test('also where there is none', async () => {
    answers(204, '')
    await expect(bao.read('some/path', schema)).rejects.toMatchObject(userError('GET some/path'))
    await expect(bao.list('some/path')).rejects.toMatchObject(userError('GET some/path?list=true'))
  })
})

test('what is not there is read as undefined and listed as nothing, but cannot be written to', async () => {
  answers(404, { errors: [] })
  expect(await bao.read('some/path', schema)).toBeUndefined()
  expect(await bao.list('some/path')).toEqual([])
  await bao.delete('some/path')
  await expect(bao.write('some/path', {})).rejects.toMatchObject(userError('refused POST some/path (404)'))
})

test.each([400, 403, 500])('a list that is refused with %i is not an empty one', async (status) => {
  answers(status, { errors: ['no'] })
  await expect(bao.list('some/path')).rejects.toMatchObject(userError('refused GET some/path'))
})

describe('what the server says to a refusal', () => {
  test('is told without what could act on a terminal', async () => {
    answers(400, { errors: ['\u001b[2Jgone\r\n', 'a\u202eb\u009bc\u2028d'] })
    await expect(bao.write('some/path', {})).rejects.toMatchObject({
      message: 'OpenBao refused POST some/path (400): \\u{1b}[2Jgone\\u{d}\\u{a}; a\\u{202e}b\\u{9b}c\\u{2028}d',
    })
  })

  test('is bounded, between whole characters', async () => {
    answers(400, { errors: ['🔑'.repeat(1_000)] })
    await expect(bao.write('some/path', {})).rejects.toMatchObject({
      message: `OpenBao refused POST some/path (400): ${'🔑'.repeat(300)}…`,
    })
  })
})
