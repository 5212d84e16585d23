import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { CpuProfile, ProfileNode } from '../../../bench/measure/cpu-profile.ts'
import { attribute, functionsOf, placeOf, rest } from '../../../bench/measure/cpu-profile.ts'
import { parts as partsOfTheWorker } from '../../../bench/suites/profile/parts.ts'

const root = new URL('../../../', import.meta.url).href

const node = (
  id: number,
  functionName: string,
  url: string,
  hitCount: number,
  children: number[] = [],
): ProfileNode => ({
  id,
  callFrame: { functionName, url, lineNumber: url === '' ? -1 : 9 },
  hitCount,
  children,
})

/**
 *   (root) ─┬─ (idle)
 *           ├─ (garbage collector)
 *           ├─ onStreamRead ── execute (undici) ── wasm-function (llhttp)
 *           └─ detok ─┬─ update ── CipherBase
 *                     └─ query (pg) ─┬─ add (buffer) ── unnamed
 *                                    ├─ writev
 *                                    └─ call (workers) ── byteLength
 */
const profile: CpuProfile = {
  nodes: [
    node(1, '(root)', '', 0, [2, 3, 4, 7]),
    node(2, '(idle)', '', 1_000),
    node(3, '(garbage collector)', '', 10),
    node(4, 'onStreamRead', 'node:internal/stream_base_commons', 5, [5]),
    node(5, 'execute', `${root}node_modules/undici/lib/client.js`, 4, [6]),
    node(6, 'wasm-function[20]', 'wasm://wasm/00034eea', 6),
    node(7, 'detok', `${root}workers/detok.ts`, 15, [8, 10]),
    node(8, 'update', 'node:internal/crypto/cipher', 8, [9]),
    node(9, 'CipherBase', '', 12),
    node(10, 'query', `${root}node_modules/pg/lib/client.js`, 1, [11, 13, 14]),
    node(11, 'add', 'node:buffer', 2, [12]),
    node(12, '', '', 7),
    node(13, 'writev', '', 20),
    node(14, 'call', `${root}workers/stages/lookup.ts`, 3, [15]),
    node(15, 'byteLength', 'node:buffer', 7),
  ],
}

const parts = [
  { name: 'garbage', places: ['native:(garbage collector)'] },
  { name: 'sending', places: ['native:writev'] },
  { name: 'cryptography', places: ['node:internal/crypto/'] },
  { name: 'Postgres', places: ['node_modules/pg/'] },
  { name: 'Transit', places: ['node_modules/undici/'] },
  { name: 'lookup', places: ['workers/stages/lookup.ts'] },
  { name: 'pipeline', places: ['workers/'] },
]

test('a sample belongs to its innermost function with an owner, and idle ones to nobody', () => {
  expect(Object.fromEntries(attribute(profile, parts))).toEqual({
    garbage: 0.1,
    sending: 0.2,
    cryptography: 0.2,
    Postgres: 0.1,
    Transit: 0.1,
    lookup: 0.1,
    pipeline: 0.15,
    [rest]: 0.05,
  })
})

test('a part that was never seen has a share of nothing, and without parts all is rest', () => {
  expect(attribute(profile, [{ name: 'policy', places: ['shared/policy/'] }]).get('policy')).toBe(0)
  expect(attribute(profile, [])).toEqual(new Map([[rest, 1]]))
})

test('functions by what they take themselves, of several profiles, those without a name in their caller', () => {
  const functions = functionsOf([profile, profile])
  expect(functions[0]).toEqual({ name: 'writev (native)', share: 0.2 })
  expect(functions[1]).toEqual({ name: 'detok workers/detok.ts:10', share: 0.15 })
  expect(functions).toContainEqual({ name: 'add node:buffer:10', share: 0.09 })
  expect(functions).toContainEqual({ name: '(garbage collector)', share: 0.1 })
  expect(functions.filter(({ name }) => name.includes('idle')).every(({ share }) => share === 0)).toBe(true)
})

test.each([
  ['file:///elsewhere/node_modules/a/node_modules/@b/c/d.js', 'node_modules/@b/c/d.js'],
  [`${root}shared/db/arrays.ts`, 'shared/db/arrays.ts'],
  ['node:buffer', 'node:buffer'],
  ['', 'native:f'],
])('the place of a function of %s is %s', (url, place) => {
  expect(placeOf({ functionName: 'f', url, lineNumber: 0 })).toBe(place)
})

test('a profile in which nothing happened says so', () => {
  expect(() => attribute({ nodes: [node(1, '(root)', '', 0, [2]), node(2, '(idle)', '', 9)] }, parts)).toThrow(
    RangeError,
  )
})

test('files of ours that a part of the worker names are there', () => {
  const places = partsOfTheWorker.flatMap((part) => part.places).filter((place) => /^(workers|shared)\//.test(place))
  expect(places.length).toBeGreaterThan(0)
  expect(places.filter((place) => !existsSync(new URL(place, root)))).toEqual([])
})
