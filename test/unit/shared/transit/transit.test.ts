import { describe, expect, test } from 'vitest'
import { ContentRefused, Unavailable } from '../../../../shared/errors/server-errors.ts'
import { openFake, perItem, plaintext } from './fake-openbao.ts'

const wrapped = (count: number) => Array.from({ length: count }, (_, i) => `vault:v1:${i}`)
const shown = (results: Awaited<ReturnType<Awaited<ReturnType<typeof openFake>>['transit']['decrypt']>>) =>
  results.map((result) => ('ok' in result ? result.ok.reveal().toString('base64') : result.error))

test('a batch is one call, and each item knows its place in it', async () => {
  const { bao, transit } = await openFake()
  bao.transit = perItem(() => ({ plaintext }))
  expect(shown(await transit.decrypt('pii', wrapped(20)))).toEqual(Array(20).fill(plaintext))
  expect(bao.asked('transit/decrypt/pii')).toBe(1)
  expect(bao.questions.at(-1)?.body).toEqual({
    batch_input: wrapped(20).map((ciphertext, i) => ({ ciphertext, reference: String(i) })),
  })
  expect(transit.calls).toBe(1)
})

test.each([200, 400, 500])('a bad item fails alone, whatever the status says: %i', async (status) => {
  const { bao, transit } = await openFake()
  bao.transit = perItem((_, i) => (i === 1 ? { error: 'invalid ciphertext', plaintext: '' } : { plaintext }), status)
  expect(shown(await transit.decrypt('pii', wrapped(3)))).toEqual([plaintext, 'rejected', plaintext])
})

test('an empty plaintext is a value', async () => {
  const { bao, transit } = await openFake()
  bao.transit = perItem(() => ({ plaintext: '' }))
  const [result] = await transit.decrypt('pii', wrapped(1))
  expect(result && 'ok' in result && result.ok.reveal()).toEqual(Buffer.alloc(0))
})

test('a plaintext that is no base64 fails alone', async () => {
  const { bao, transit } = await openFake()
  bao.transit = perItem((_, i) => ({ plaintext: i === 0 ? 'no base64' : plaintext }))
  expect(shown(await transit.decrypt('pii', wrapped(2)))).toEqual(['rejected', plaintext])
})

describe('a session key', () => {
  const aad = Buffer.from('pii1\nsession')
  const answered = async (item: object) => {
    const { bao, transit } = await openFake()
    bao.transit = perItem(() => item)
    const key = transit.sessionKey('queue-detok-a', 'vault:v1:x', aad)
    return { key, questions: () => bao.questions }
  }

  test('is asked for with its associated data', async () => {
    const { key, questions } = await answered({ plaintext: Buffer.alloc(32, 7).toString('base64') })
    expect(await key.then((it) => (typeof it === 'object' ? it.export() : it))).toEqual(Buffer.alloc(32, 7))
    expect(questions().at(-1)).toMatchObject({
      path: 'transit/decrypt/queue-detok-a',
      body: { batch_input: [{ ciphertext: 'vault:v1:x', associated_data: 'cGlpMQpzZXNzaW9u', reference: '0' }] },
    })
  })

  test.each([
    ['of another length', { plaintext: Buffer.alloc(31).toString('base64') }],
    ['of no bytes', { plaintext: '' }],
    ['that is no base64', { plaintext: 'no base64' }],
    ['that OpenBao rejects', { error: 'invalid ciphertext: no prefix', plaintext: '' }],
    ['under a retired version', { error: 'ciphertext or signature version is disallowed by policy (too old)' }],
  ])('%s is none', async (_, item) => {
    expect(await (await answered(item)).key).toBeUndefined()
  })

  test('of a version that this node does not know is asked for once, as anyone can claim one', async () => {
    const { key, questions } = await answered({ error: 'invalid ciphertext: version is too new' })
    expect(await key).toBe('too new')
    expect(questions().filter(({ path }) => path.startsWith('transit/decrypt'))).toHaveLength(1)
  })

  test('that OpenBao only failed at is Unavailable', async () => {
    await expect((await answered({ error: 'internal error' })).key).rejects.toThrow(
      new Unavailable('transit', 'server error'),
    )
  })
})

describe('an answer that speaks of no item', () => {
  const errors = { errors: ['* refused, quoting CANARY'] }
  test.each([
    [400, errors, new ContentRefused('transit', 400)],
    [413, errors, new ContentRefused('transit', 413)],
    [403, errors, new Unavailable('transit', 'refused our token')],
    [404, errors, new Unavailable('transit', 'unexpected answer')],
    [500, errors, new Unavailable('transit', 'server error')],
    [502, errors, new Unavailable('transit', 'server error')],
    [200, {}, new Unavailable('transit', 'unexpected answer')],
    [200, [], new Unavailable('transit', 'unexpected answer')],
    [204, '', new Unavailable('transit', 'unexpected answer')],
  ])('of status %i with %j', async (status, body, error) => {
    const { bao, transit } = await openFake()
    bao.transit = () => ({ status, body })
    await expect(transit.decrypt('pii', wrapped(2))).rejects.toThrow(error)
    await expect(transit.dataKey('queue-detok-a', Buffer.from('x'))).rejects.toThrow(error)
  })
})

describe('a data key', () => {
  test('is 32 bytes, plain and wrapped', async () => {
    const { bao, transit } = await openFake()
    bao.transit = () => ({ status: 200, body: { data: { plaintext, ciphertext: 'vault:v1:x' } } })
    const key = await transit.dataKey('queue-detok-a', Buffer.from('x'))
    expect([key.plaintext.reveal().toString('base64'), key.wrapped]).toEqual([plaintext, 'vault:v1:x'])
  })

  test.each(['', 'no base64', 'c2hvcnQ='])('of another form is refused: %j', async (other) => {
    const { bao, transit } = await openFake()
    bao.transit = () => ({ status: 200, body: { data: { plaintext: other, ciphertext: 'vault:v1:x' } } })
    const error = new Unavailable('transit', 'unexpected answer')
    await expect(transit.dataKey('queue-detok-a', Buffer.from('x'))).rejects.toThrow(error)
  })
})

test('the probe is content with a key that refuses its item, and with nothing less', async () => {
  const { bao, transit } = await openFake()
  bao.transit = perItem(() => ({ error: 'invalid ciphertext' }), 400)
  await transit.probe('decrypt', 'pii')
  bao.transit = () => ({ status: 400, body: { errors: ['encryption key not found'] } })
  await expect(transit.probe('decrypt', 'pii')).rejects.toThrow(ContentRefused)
  await expect(transit.probe('encrypt', 'pii')).rejects.toThrow(ContentRefused)
})
