/** What is used of V8's CPU profile: the tree of calls, and how many samples found each of its places at work. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
}

export interface ProfileNode {
  readonly id: number
  readonly callFrame: CallFrame
  /** Samples that found this function running, called as the tree says. */
  readonly hitCount?: number | undefined
  readonly children?: readonly number[] | undefined
}

export interface CallFrame {
  readonly functionName: string
  /** Empty where the function is native. */
  readonly url: string
  /** From 0. */
  readonly lineNumber: number
}

/** A part of the work, by whose code does it. */
export interface Part {
  readonly name: string
  /** How its places begin: see `placeOf`. */
  readonly places: readonly string[]
}

/** Of what no part owns. */
export const rest = 'rest'

const root = new URL('../../', import.meta.url).href
const idle = '(idle)'

/**
 * Where a function is: `workers/detok.ts`, `node_modules/pg/lib/client.js`, `node:internal/crypto/cipher`, `wasm://wasm/…`, and
 * `native:writev` for one that has no source.
 */
export function placeOf({ functionName, url }: CallFrame): string {
  if (url === '') return `native:${functionName}`
  const packages = url.lastIndexOf('/node_modules/')
  return packages === -1 ? url.replace(root, '') : url.slice(packages + 1)
}

/**
 * Each part's share of the samples that found the thread at work. A sample belongs to the innermost function of its stack that
 * some part owns, to the first such part; helpers and native functions so belong to whoever called them.
 */
export function attribute(profile: CpuProfile, parts: readonly Part[]): ReadonlyMap<string, number> {
  const samples = new Map([...parts.map(({ name }) => name), rest].map((name) => [name, 0]))
  eachCall(profile, rest, (node, ofCaller) => {
    const place = placeOf(node.callFrame)
    const owner = parts.find(({ places }) => places.some((start) => place.startsWith(start)))?.name ?? ofCaller
    samples.set(owner, (samples.get(owner) ?? 0) + samplesOf(node))
    return owner
  })
  return sharesOf(samples)
}

/**
 * Functions by their share of the samples that found the thread at work, of what they do themselves; the largest first. Each
 * with its place, and its line where it has one; what is native and has no name counts to its caller.
 */
export function functionsOf(profiles: readonly CpuProfile[]): { readonly name: string; readonly share: number }[] {
  const samples = new Map<string, number>()
  for (const profile of profiles)
    eachCall(profile, '', (node, caller) => {
      const name = nameOf(node.callFrame) ?? caller
      samples.set(name, (samples.get(name) ?? 0) + samplesOf(node))
      return name
    })
  return Array.from(sharesOf(samples), ([name, share]) => ({ name, share })).sort((a, b) => b.share - a.share)
}

/** Callers before what they call; `visit` is given what it returned for the caller. */
function eachCall<T>({ nodes }: CpuProfile, atRoot: T, visit: (node: ProfileNode, ofCaller: T) => T): void {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const called = new Set(nodes.flatMap(({ children = [] }) => children))
  const descend = (node: ProfileNode, ofCaller: T): void => {
    const own = visit(node, ofCaller)
    for (const id of node.children ?? []) {
      const callee = byId.get(id)
      if (callee !== undefined) descend(callee, own)
    }
  }
  for (const node of nodes) if (!called.has(node.id)) descend(node, atRoot)
}

function nameOf(frame: CallFrame): string | undefined {
  const { functionName, url, lineNumber } = frame
  if (url !== '')
    return `${functionName || '(anonymous)'} ${placeOf(frame)}${lineNumber < 0 ? '' : `:${lineNumber + 1}`}`
  if (functionName === '') return undefined
  return functionName.startsWith('(') ? functionName : `${functionName} (native)`
}

const samplesOf = ({ callFrame, hitCount = 0 }: ProfileNode): number =>
  callFrame.functionName === idle && callFrame.url === '' ? 0 : hitCount

function sharesOf(samples: ReadonlyMap<string, number>): Map<string, number> {
  const all = samples.values().reduce((sum, some) => sum + some, 0)
  if (all === 0) throw new RangeError('no sample found the thread at work')
  return new Map(Array.from(samples, ([name, some]) => [name, some / all]))
}
