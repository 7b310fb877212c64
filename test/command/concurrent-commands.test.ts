import { expect, test, vi } from 'vitest'
import { dropRequest, noFault } from '../support/proxy.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import { setUpService } from './service-fixtures.js'

/** Creates a `TestCli` at 09:30:05 with a timer that a later command has started at 09:30:20. */
async function createCliWithLaterStart(): Promise<TestCli> {
  const cli = createTestCli('2024-05-01T09:30:20')
  await cli.json('start', 'Website/Design', '-n', 'typed last')
  cli.setTime('2024-05-01T09:30:05')
  return cli
}

test('a start that runs after a later one succeeds', async () => {
  const cli = await createCliWithLaterStart()
  expect(await cli.run('start', 'Website/Design', '-n', 'typed first')).toMatchObject({ status: 0 })
  cli.setTime('2024-05-01T09:40:00')
  expect(await cli.json('log')).toMatchObject([
    { notes: 'typed first', running: true },
    { notes: 'typed last', running: false, duration_seconds: 0 },
  ])
})

test('a stop that runs after a later start succeeds', async () => {
  const cli = await createCliWithLaterStart()
  expect(await cli.json('stop')).toMatchObject({ notes: 'typed last', running: false, duration_seconds: 0 })
})

test('an explicit or much earlier end before the start is an error', async () => {
  const cli = await createCliWithLaterStart()
  expect(await cli.run('stop', '--at', '09:30')).toMatchObject({ status: 2 })
  cli.setTime('2024-05-01T09:29:00')
  const rejected = await cli.run('stop')
  expect(rejected).toMatchObject({ status: 2, stderr: expect.stringContaining('started at 09:30') })
})

test.each([
  ['changed again', ['edit', '1', '--notes', 'second'], [{ notes: 'second' }]],
  ['deleted', ['rm', '1', '--yes'], []],
])(
  'a change that another process is about to deliver is %s, and the service gets the result',
  async (_, line, expected) => {
    const { cli, proxy, entries } = await setUpService()
    await cli.json('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'zero')
    proxy.fault = dropRequest
    await cli.json('edit', '1', '--notes', 'first')
    let stalled = () => {}
    const isStalled = new Promise<void>((resolve) => {
      stalled = resolve
    })
    const released = new Promise<void>((resolve) => {
      proxy.fault = async (_request, forward) => {
        const response = await forward()
        proxy.fault = noFault
        // The delivering process has read the change and the entry, and has not sent the change yet.
        stalled()
        await vi.waitFor(async () => expect(await queued()).not.toContain('first'), 60_000)
        resolve()
        return response
      }
    })
    const queued = async () => JSON.stringify(await cli.json('sync', 'list'))
    const delivering = cli.run('sync')
    await isStalled
    expect(await cli.run(...line)).toMatchObject({ status: 0 })
    await released
    expect(await delivering).toMatchObject({ status: 0 })
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await entries()).toMatchObject(expected)
  },
)
