import { existsSync, writeFileSync } from 'node:fs'
import { Timings } from '../../../workers/timings.ts'

/*
 * Preloaded (`node --import`) into a worker that is to fail at a chosen point of its pipeline. Every stage is made by
 * `Timings.timed`, so that is where the fault is put in, and the product needs no switch for it. By environment:
 *
 *   FAULT_STAGE   the stage's name       FAULT_MOMENT  `before` or `after` its work
 *   FAULT_CALL    which call of it, from 1
 *   FAULT_KIND    `kill`: SIGKILL        `block`: the event loop stands still until the file FAULT_FILE + `.end` is there;
 *                                        it makes FAULT_FILE when it begins
 */

const { FAULT_STAGE, FAULT_MOMENT, FAULT_CALL, FAULT_KIND, FAULT_FILE = '' } = process.env

function strike(): void {
  if (FAULT_KIND === 'kill') process.kill(process.pid, 'SIGKILL')
  writeFileSync(FAULT_FILE, '')
  const nothing = new Int32Array(new SharedArrayBuffer(4))
  while (!existsSync(`${FAULT_FILE}.end`)) Atomics.wait(nothing, 0, 0, 50)
}

const { timed } = Timings.prototype

Timings.prototype.timed = function <In extends unknown[], Out>(
  this: Timings,
  name: string,
  stage: (...input: In) => Promise<Out> | Out,
) {
  let calls = 0
  async function faulty(...input: In): Promise<Out> {
    const isTheOne = ++calls === Number(FAULT_CALL)
    if (isTheOne && FAULT_MOMENT === 'before') strike()
    const result = await stage(...input)
    if (isTheOne && FAULT_MOMENT === 'after') strike()
    return result
  }
  return (timed<In, Out>).call(this, name, name === FAULT_STAGE ? faulty : stage)
}
