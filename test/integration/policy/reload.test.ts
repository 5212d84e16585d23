import { readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { exitCodes, UserError } from '../../../shared/errors/user-error.ts'
import type { Question } from '../../../shared/policy/index.ts'
import { openPolicy } from '../../../shared/policy/index.ts'
import type { Watched, Workplace } from './bundles.ts'
import { makeWorkplace, watch } from './bundles.ts'
import { silent } from './opa.ts'

let place: Workplace
let watched: Watched | undefined
beforeEach(async () => {
  place = await makeWorkplace()
})
afterEach(async () => {
  await watched?.policy.close()
  watched = undefined
  await place.remove()
})

const question: Question = { actor: 'cli', tenant: 'demo', purpose: 'demo', action: 'detok', field: 'f', subject: '' }

async function archive(files: Record<string, string | Buffer>): Promise<Buffer> {
  const entries = pack()
  for (const [name, content] of Object.entries(files)) entries.entry({ name }, content)
  entries.finalize()
  return gzipSync(await buffer(entries))
}

test('changed data with a raised revision comes into force without a restart', async () => {
  watched = await watch(place.location)
  expect((await watched.policy.decide([question])).decisions).toMatchObject([{ allow: true }])
  await place.setTenant('other')
  await place.setRevision('2099-01-01')
  await watched.takes('other')
  expect(await watched.policy.decide([question])).toEqual({
    revision: '2099-01-01',
    decisions: [{ allow: false, reason: 'other tenant' }],
  })
})

test('changed data under the same revision is rejected until the revision is raised', async () => {
  watched = await watch(place.location)
  await place.setTenant('other')
  await watched.rejects(/same revision/)
  await place.setRevision('2099-01-01')
  await watched.takes('other')
})

test('an older revision is rejected', async () => {
  watched = await watch(place.location)
  await place.next()
  await place.setTenant('other')
  await place.setRevision('2020-01-01')
  await place.turn()
  await watched.rejects(/older/)
})

test.each([
  ['data.json', '{"actors": {', /data.json is not JSON/],
  ['data.json', Buffer.from('{"a":"\xff"}', 'latin1'), /data.json is not JSON/],
  ['data.json', '[]', /data.json is not a JSON object/],
  ['data.json', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`, /nested too deeply/],
  ['data.json', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, /data.json is/],
  ['.manifest', '{"revision": "latest"}', /no revision/],
  ['.manifest', '{}', /no revision/],
  ['.manifest', '', /.manifest is not JSON/],
  ['policy.wasm', 'no wasm', /policy.wasm does not answer/],
  ['policy.wasm', Buffer.from('0061736d01000000', 'hex'), /policy.wasm does not answer/],
  ['policy.wasm', Buffer.alloc(33 * 1024 * 1024), /too large/],
])('a broken %s leaves the last good policy in force (%#)', async (name, content, problem) => {
  watched = await watch(place.location)
  await place.next()
  await place.setRevision('2099-01-01')
  await place.write(name, content)
  await place.turn()
  await watched.rejects(problem)
})

test.each(['data.json', '.manifest', 'policy.wasm'])(
  'a missing %s leaves the last good policy in force',
  async (name) => {
    watched = await watch(place.location)
    await unlink(join(place.bundle, name))
    await watched.rejects(new RegExp(`no ${name}`))
  },
)

test('a vanished bundle leaves the last good policy in force, is said once, and may come back', async () => {
  watched = await watch(place.location)
  await unlink(place.location)
  await watched.rejects(/does not exist/)
  await place.setTenant('other')
  await place.setRevision('2099-01-01')
  await place.turn()
  await watched.takes('other')
  expect(watched.rejections()).toHaveLength(1)
})

test('a bundle behind a link, as in a config map, is taken when the link is turned', async () => {
  watched = await watch(place.location)
  await place.next()
  await place.setTenant('other')
  await place.setRevision('2099-01-01')
  await place.turn()
  await watched.takes('other')
  expect(watched.rejections()).toEqual([])
})

test('while a policy is replaced, every answer is of one revision and none fails', async () => {
  watched = await watch(place.location)
  const { policy } = watched
  const first = (await policy.decide([question])).revision
  await place.setTenant('other')
  await place.setRevision('2099-01-01')
  const batch = Array.from({ length: 20 }, () => question)
  for (let revision = first; revision === first; ) {
    const answers = await Promise.all(Array.from({ length: 8 }, () => policy.decide(batch)))
    for (const answer of answers) {
      expect(answer.decisions.every(({ allow }) => allow === (answer.revision === first))).toBe(true)
      revision = answer.revision
    }
    await new Promise(setImmediate)
  }
})

test('an archive is replaced as well, and one that is cut off is rejected', async () => {
  const read = async () => ({
    '/data.json': await readFile(join(place.bundle, 'data.json')),
    '/policy.wasm': await readFile(join(place.bundle, 'policy.wasm')),
    '/.manifest': await readFile(join(place.bundle, '.manifest')),
  })
  await place.write('b.tar.gz', await archive(await read()))
  watched = await watch(join(place.bundle, 'b.tar.gz'))
  await place.setTenant('other')
  await place.setRevision('2099-01-01')
  const whole = await archive(await read())
  await place.write('b.tar.gz', whole.subarray(0, whole.length / 2))
  await watched.rejects(/no whole .tar.gz/)
  await place.write('b.tar.gz', whole)
  await watched.takes('other')
})

test.each([
  ['an entry that climbs out', { '../data.json': '{}' }, /bad name or type/],
  ['an absolute path twice over', { '//data.json': '{}' }, /bad name or type/],
  ['a hidden climb', { 'a/../data.json': '{}' }, /bad name or type/],
  ['the same entry twice', { '/data.json': '{}', 'data.json': '{}' }, /occurs twice/],
  ['data below the top', { 'vault/data.json': '{}' }, /data files other than/],
  ['data in YAML', { 'data.yaml': 'a: 1' }, /data files other than/],
  ['too many files', Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`${i}.rego`, ''])), /too many files/],
  ['more than it says', { 'data.json': Buffer.alloc(65 * 1024 * 1024) }, /within the size limit/],
])('an archive with %s is refused at start, with what to do', async (_, files, problem) => {
  const location = join(place.bundle, 'bad.tar.gz')
  await place.write('bad.tar.gz', await archive(files))
  const error: unknown = await openPolicy({ location, log: silent }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UserError)
  expect(String(error)).toMatch(problem)
  expect(String(error)).toMatch(/policy\/README.md/)
  expect(error).toMatchObject({ exitCode: exitCodes.usage })
})

test('no bundle at all is refused at start, with what to do', async () => {
  await unlink(place.location)
  await expect(openPolicy({ location: place.location, log: silent })).rejects.toThrow(/does not exist.*opa build/s)
})

test('closing ends the watching, and may be done twice', async () => {
  watched = await watch(place.location)
  await watched.policy.close()
  await watched.policy.close()
})
