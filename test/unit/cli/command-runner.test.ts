import { PassThrough } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { run } from '../../../src/cli/command-runner.js'
import type { Context } from '../../../src/cli/context.js'
import type { Host } from '../../../src/cli/host.js'
import { Stdout } from '../../../src/cli/stdout.js'
import { TtError } from '../../../src/lib/errors.js'
import type { Invocation } from '../../../src/program/lazy-commands.js'
import type { View } from '../../../src/ui/view.js'

const trouble = new TtError('failure', 'Something is wrong.')

interface Ran {
  stdout: string
  /** How often something was written there. */
  writes: number
  thrown: unknown
}

async function running(
  command: (ctx: Context) => unknown,
  options: Invocation['options'] = {},
  view?: View<{ found: number }>,
): Promise<Ran> {
  const stream = new PassThrough()
  const host: Host = {
    stdin: new PassThrough(),
    stdout: stream,
    stderr: new PassThrough(),
    promptOutput: new PassThrough(),
    env: {},
    cwd: () => undefined,
    now: () => new Date(0),
    onInterrupt: () => {},
    untilStopped: () => new Promise(() => {}),
    interruption: () => new AbortController().signal,
    leaveInterrupts: () => () => {},
  }
  const write = vi.spyOn(stream, 'write')
  const load = async () => ({ run: command as () => Promise<undefined>, ...(view ? { view } : {}) })
  const thrown = await run({ load, operands: [], options }, host, new Stdout(stream)).catch(
    (error: unknown) => error,
  )
  return { stdout: String(stream.read() ?? ''), writes: write.mock.calls.length, thrown }
}

const view: View<{ found: number }> = {
  columns: [{ title: 'Found', key: 'found' }],
  json: (row) => row,
  empty: 'Nothing found.',
}

test.for([
  ['one record', { found: 1 }],
  ['a list', [{ found: 1 }, { found: 2 }]],
])('%s is written at once in every format', async ([, value]) => {
  for (const format of ['json', 'ndjson', 'csv', 'markdown'] as const)
    expect(await running(async () => value, { [format]: true }, view)).toMatchObject({ writes: 1 })
  expect(await running(async () => value, {}, view)).toMatchObject({ writes: 1 })
})

test('a command that ends with an error afterwards shows its value first', async () => {
  const { stdout, thrown } = await running(async (ctx) => {
    ctx.failAfterOutput(trouble)
    return { found: 1 }
  })
  expect([JSON.parse(stdout), thrown]).toEqual([{ found: 1 }, trouble])
})

test('so does one whose records come in over time', async () => {
  const { stdout, thrown } = await running(async function* (ctx) {
    yield { found: 1 }
    ctx.failAfterOutput(trouble)
    yield { found: 2 }
  })
  expect([stdout.match(/\d/g), thrown]).toEqual([['1', '2'], trouble])
})
