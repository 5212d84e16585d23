import type { KeyObject } from 'node:crypto'
import { generateKeyPairSync } from 'node:crypto'
import { readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CompactSign } from 'jose'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPolicy } from '../../../shared/policy/index.ts'
import type { Watched, Workplace } from './bundles.ts'
import { makeWorkplace, watch } from './bundles.ts'
import { describeWithOpa, entrypoints, opa, silent, source } from './opa.ts'

type Pair = { publicKey: KeyObject; privateKey: KeyObject }
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const another = generateKeyPairSync('rsa', { modulusLength: 2048 })

describeWithOpa('a bundle that OPA signed', () => {
  let place: Workplace
  let watched: Watched | undefined
  let privateKeyFile: string
  let publicKeyFile: string
  beforeEach(async () => {
    place = await makeWorkplace()
    privateKeyFile = join(place.root, 'private.pem')
    publicKeyFile = join(place.root, 'public.pem')
    await writeKeys(rsa)
  })
  afterEach(async () => {
    await watched?.policy.close()
    watched = undefined
    await place.remove()
  })

  async function writeKeys({ publicKey, privateKey }: Pair): Promise<void> {
    const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' })
    // OPA reads EC keys in SEC 1 form.
    const sec1 = privateKey.asymmetricKeyType === 'ec' ? privateKey.export({ type: 'sec1', format: 'pem' }) : pkcs8
    await writeFile(privateKeyFile, sec1)
    await writeFile(publicKeyFile, publicKey.export({ type: 'spki', format: 'pem' }))
  }
  async function sign(algorithm = 'RS256', ...args: string[]): Promise<void> {
    // OPA would list the old one among the files.
    await rm(join(place.bundle, '.signatures.json'), { force: true })
    await opa(
      place.bundle,
      'sign',
      '--signing-alg',
      algorithm,
      '--signing-key',
      privateKeyFile,
      '--bundle',
      '.',
      ...args,
    )
  }
  const open = () => openPolicy({ location: place.location, publicKeyFile, log: silent })
  /** A token as OPA makes it, but with a header or key of our choice. */
  async function forge(key: KeyObject | Uint8Array, alg: string): Promise<void> {
    const { signatures } = JSON.parse(await readFile(join(place.bundle, '.signatures.json'), 'utf8')) as {
      signatures: [string]
    }
    const payload = Buffer.from(signatures[0].split('.')[1] ?? '', 'base64url')
    const token = await new CompactSign(payload).setProtectedHeader({ alg }).sign(key)
    await place.write('.signatures.json', JSON.stringify({ signatures: [token] }))
  }

  test.each([
    ['RS256', rsa],
    ['RS512', rsa],
    ['PS256', rsa],
    ['ES256', p256],
  ])('by %s is taken', async (algorithm, pair) => {
    await writeKeys(pair)
    await sign(algorithm)
    await (await open()).close()
  })

  test('while building it is taken', async () => {
    const location = join(place.root, 'signed.tar.gz')
    const signing = ['--signing-key', privateKeyFile, '--ignore', 'bundle', '--ignore', '*_test.rego']
    await opa(source, 'build', '-t', 'wasm', ...entrypoints, '-r', '1', '-o', location, ...signing, '-b', '.')
    await (await openPolicy({ location, publicKeyFile, log: silent })).close()
  })

  test('is taken whatever its JSON looks like: the hash is of OPA’s canonical form', async () => {
    const strings = '"\\u2028<&>\\u00e9\\ud83d\\ude00\\u007f\\u0001\\b\\f\\n\\t\\"\\\\ \\/ \u2029 ä"'
    const numbers = '[1.0, 1e5, 1E+5, -0, 0.10, 12345678901234567890, 1e400]'
    const keys = '{"b":1,"a":2,"\\uffff":3,"\\ud83d\\ude00":4,"":5,"__proto__":{"x":6},"10":7,"9":8}'
    await place.write(
      'data.json',
      ` {"actors" : {}, "s": ${strings},\n"n":${numbers}, "k": ${keys}, "t":[true,false,null,{},[]]}`,
    )
    await sign()
    await (await open()).close()
  })

  test('is still taken after its JSON was laid out anew', async () => {
    await sign()
    const data: unknown = JSON.parse(await readFile(join(place.bundle, 'data.json'), 'utf8'))
    await place.write('data.json', JSON.stringify(data, undefined, 8))
    await (await open()).close()
  })

  test.each([
    ['altered data', /altered/, () => place.setTenant('other')],
    ['an altered revision', /altered/, () => place.setRevision('2098-01-01')],
    ['a policy.wasm of someone else', /altered/, () => place.write('policy.wasm', 'x')],
    ['a file added', /not covered/, () => place.write('more.rego', 'package more')],
    ['no signature', /not signed/, () => unlink(join(place.bundle, '.signatures.json'))],
    ['two signatures', /exactly one/, () => place.write('.signatures.json', '{"signatures":["a","b"]}')],
    [
      'a signature that is none',
      /not of the public key/,
      () => place.write('.signatures.json', '{"signatures":["a"]}'),
    ],
    ['a broken signature file', /not JSON/, () => place.write('.signatures.json', '{')],
    ['another key’s signature', /not of the public key/, () => forge(another.privateKey, 'RS256')],
    [
      'an HMAC under the public key',
      /not of the public key/,
      async () => forge(await readFile(publicKeyFile), 'HS256'),
    ],
    [
      'the algorithm none',
      /not of the public key/,
      async () => {
        const { signatures } = JSON.parse(await readFile(join(place.bundle, '.signatures.json'), 'utf8'))
        const header = Buffer.from('{"alg":"none"}').toString('base64url')
        const token = `${header}.${signatures[0].split('.')[1]}.`
        await place.write('.signatures.json', JSON.stringify({ signatures: [token] }))
      },
    ],
  ])('with %s is refused at start, and leaves the last good one in force', async (_, problem, spoil) => {
    await sign()
    watched = await watch(place.location, publicKeyFile)
    await place.next()
    await place.setRevision('2099-01-01')
    await sign()
    await spoil()
    await place.turn()
    await watched.rejects(problem)
    await expect(open()).rejects.toThrow(problem)
  })

  test('with a file fewer than signed is refused', async () => {
    await place.write('more.rego', 'package more')
    await sign()
    await unlink(join(place.bundle, 'more.rego'))
    await expect(open()).rejects.toThrow(/covers is missing/)
  })

  test('for another scope is refused', async () => {
    await writeFile(join(place.root, 'claims.json'), '{"scope": "write"}')
    await sign('RS256', '--claims-file', join(place.root, 'claims.json'))
    await expect(open()).rejects.toThrow(/not one of a bundle/)
  })

  test('is replaced by a newer one that is signed too', async () => {
    await sign()
    watched = await watch(place.location, publicKeyFile)
    await place.next()
    await place.setTenant('other')
    await place.setRevision('2099-01-01')
    await sign()
    await place.turn()
    await watched.takes('other')
  })

  test('by a new key is taken once that key is in the file, whichever comes first', async () => {
    await sign()
    watched = await watch(place.location, publicKeyFile)
    await writeFile(privateKeyFile, another.privateKey.export({ type: 'pkcs8', format: 'pem' }))
    await place.next()
    await place.setTenant('other')
    await place.setRevision('2099-01-01')
    await sign()
    await place.turn()
    await watched.rejects(/not of the public key/)
    await writeFile(publicKeyFile, another.publicKey.export({ type: 'spki', format: 'pem' }))
    await watched.takes('other')
  })

  test('needs a public key file that holds a public key', async () => {
    await sign()
    publicKeyFile = privateKeyFile
    await expect(open()).rejects.toThrow(/holds a private key/)
    publicKeyFile = join(place.bundle, 'data.json')
    await expect(open()).rejects.toThrow(/no public key/)
    publicKeyFile = join(place.root, 'nowhere.pem')
    await expect(open()).rejects.toThrow(/cannot be read/)
  })
})
