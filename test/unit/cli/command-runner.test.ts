import { PassThrough } from 'node:stream'
import { expect, test, vi } from 'vitest'
import type { Invocation } from '../../../src/cli/command.js'
import { run } from '../../../src/cli/command-runner.js'
import type { Context } from '../../../src/cli/context.js'
import { Stdout } from '../../../src/cli/output/stdout.js'
import { TtError } from '../../../src/lib/errors.js'
import { DatabaseError } from '../../../src/lib/sqlite/database-errors.js'
import type { View } from '../../../src/ui/view.js'
import { createTestHost, unreadText } from '../../support/test-host.js'

const failure = new TtError('failure', 'Something is wrong.')

async function runWith(
  work: (ctx: Context) => unknown,
  options: Invocation['input']['options'] = {},
  view?: View<{ found: number }>,
) {
  const stream = new PassThrough()
  const stderr = new PassThrough()
  const host = createTestHost({ stdout: stream, stderr })
  const write = vi.spyOn(stream, 'write')
  const command = { load: async () => ({ run: work as () => Promise<undefined>, ...(view ? { view } : {}) }) }
  const invocation = { name: 'tt', command, input: { args: {}, options } }
  const error: unknown = await run(invocation, host, new Stdout(stream)).catch((error: unknown) => error)
  const [stdout, messages] = [unreadText(stream), unreadText(stderr)]
  return { stdout, stderr: messages, writes: write.mock.calls.length, error }
}

const view: View<{ found: number }> = {
  columns: [{ title: 'Found', key: 'found' }],
  json: (row) => row,
  empty: 'Nothing found.',
}

test.for([
  ['one record', { found: 1 }],
  ['a list', [{ found: 1 }, { found: 2 }]],
])('writes %s at once in every format', async ([, value]) => {
  for (const format of ['json', 'ndjson', 'csv', 'markdown'] as const)
    expect(await runWith(async () => value, { [format]: true }, view)).toMatchObject({ writes: 1 })
  expect(await runWith(async () => value, {}, view)).toMatchObject({ writes: 1 })
})

test('prints the value of a command before an error that follows', async () => {
  const { stdout, error } = await runWith(async (ctx) => {
    ctx.afterOutput.fail(failure)
    return { found: 1 }
  })
  expect([JSON.parse(stdout), error]).toEqual([{ found: 1 }, failure])
})

test('prints streamed records before an error that follows', async () => {
  const { stdout, error } = await runWith(async function* (ctx) {
    yield { found: 1 }
    ctx.afterOutput.fail(failure)
    yield { found: 2 }
  })
  expect([stdout.match(/\d/g), error]).toEqual([['1', '2'], failure])
})

test('prints deferred warnings after the messages, also when the command fails', async () => {
  const result = await runWith(async (ctx) => {
    ctx.afterOutput.warn('Later.')
    ctx.terminal.message('Now.')
    throw failure
  })
  expect(result).toMatchObject({ stderr: 'Now.\nLater.\n', error: failure })
})

test('runs deferred work after the output, but not when the command fails', async () => {
  const order: string[] = []
  const command = (error?: TtError) =>
    runWith(async (ctx) => {
      ctx.afterOutput.run(async () => void order.push('work'))
      if (error) throw error
      return {
        get found() {
          order.push('output')
          return 1
        },
      }
    })
  await command()
  await command(failure)
  expect(order).toEqual(['output', 'work'])
})

test.for([
  ['nothing', undefined, '', ''],
  ['null only in JSON for no record', null, '', 'null\n'],
  ['a value without a view as JSON', { found: 1 }, '{\n  "found": 1\n}\n', '{\n  "found": 1\n}\n'],
])('prints %s', async ([, value, text, json]) => {
  expect(await runWith(async () => value)).toMatchObject({ stdout: text, error: undefined })
  expect(await runWith(async () => value, { json: true })).toMatchObject({ stdout: json, error: undefined })
})

test('names the saved changes in an unexpected error that follows them, not in an expected one', async () => {
  const runAndFail = async (error: unknown) => {
    const result = await runWith(async (ctx) => {
      ctx.hooks.add({ title: 'Split entry 5', count: 1 })
      throw error
    })
    return result.error
  }
  const unexpected = new TypeError('x is undefined')
  const message = 'Saved: Split entry 5. An error occurred afterwards: x is undefined'
  expect(await runAndFail(unexpected)).toMatchObject({ code: 'failure', message, cause: unexpected })
  const details = { hint: 'Nothing was saved.' }
  const unreadable = new DatabaseError('failure', 'The disk reported an error.', details)
  expect(await runAndFail(unreadable)).toMatchObject({
    message: 'Saved: Split entry 5. An error occurred afterwards: The disk reported an error.',
    hint: 'Do not repeat the command: changes that are not sent yet are sent later.',
  })
  expect(await runAndFail(failure)).toBe(failure)
})
