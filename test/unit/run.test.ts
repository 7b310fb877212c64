import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { Context } from '../../src/context.js'
import { TtError } from '../../src/errors.js'
import { Output } from '../../src/output.js'
import { run } from '../../src/run.js'
import type { World } from '../../src/world.js'

const trouble = new TtError('failure', 'Something is wrong.')

async function running(command: (ctx: Context) => unknown): Promise<{ stdout: string; thrown: unknown }> {
  const stream = new PassThrough()
  const world: World = {
    stdin: new PassThrough(),
    stdout: stream,
    stderr: new PassThrough(),
    questions: new PassThrough(),
    env: {},
    cwd: () => undefined,
    now: () => new Date(0),
    onInterrupt: () => {},
    untilStopped: () => new Promise(() => {}),
    interruption: () => new AbortController().signal,
    leaveInterrupts: () => () => {},
  }
  const load = async () => ({ run: command as (ctx: Context) => Promise<undefined> })
  const thrown = await run({ load, operands: [], options: {} }, world, new Output(stream)).catch(
    (error: unknown) => error,
  )
  return { stdout: String(stream.read() ?? ''), thrown }
}

test('a command that ends with an error afterwards shows its value first', async () => {
  const { stdout, thrown } = await running(async (ctx) => {
    ctx.afterwards(trouble)
    return { found: 1 }
  })
  expect([JSON.parse(stdout), thrown]).toEqual([{ found: 1 }, trouble])
})

test('so does one whose records come in over time', async () => {
  const { stdout, thrown } = await running(async function* (ctx) {
    yield { found: 1 }
    ctx.afterwards(trouble)
    yield { found: 2 }
  })
  expect([stdout.match(/\d/g), thrown]).toEqual([['1', '2'], trouble])
})
