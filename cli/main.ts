#!/usr/bin/env -S MALLOC_ARENA_MAX=1 node --max-semi-space-size=16 --heap-growing-percent=80
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// The flags above: V8 would let the heap grow to a multiple of what lives in it before it looks for garbage, as if the machine
// were its alone. (MiB; percent of what is left after a collection.) And glibc, with an arena for each of Node's threads, keeps
// some 20 MiB that nobody uses.

// Without its types stripped and compiled anew at each start, the program starts faster and holds some 20 MiB less. Where the
// directory cannot be written, it does without.
enableCompileCache(fileURLToPath(new URL('../.cache/compile', import.meta.url)))

await import('./pii-vault.ts')
