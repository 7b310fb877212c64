import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { main } from '../../src/main.js'
import type { WatchEventJson } from '../../src/records/shapes/watch.js'
import { type Fault, respondToAll, startProxy } from '../support/proxy.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import { createTestHost } from '../support/test-host.js'

/** Runs `tt watch --json` in this process, with a clock that the test sets. It ends with the test. */
function startWatch(cli: TestCli, time: string) {
  let now = new Date(time)
  let output = ''
  const interruption = new AbortController()
  const stdout = new PassThrough().on('data', (chunk: Buffer) => {
    output += chunk
  })
  const host = createTestHost({
    stdout,
    env: cli.env,
    now: () => now,
    interruption: () => interruption.signal,
  })
  const exit = main(['watch', '--json'], host)
  const interrupt = () => {
    interruption.abort()
    return exit
  }
  onTestFinished(async () => void (await interrupt()))
  const events = () =>
    output
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as WatchEventJson)
  return {
    interrupt,
    events,
    setTime(time: string) {
      now = new Date(time)
    },
    untilCount: (count: number) =>
      vi.waitFor(() => expect(events()).toHaveLength(count), { timeout: 30_000, interval: 20 }),
  }
}

/** Starts a proxy instead of a service, and a watch that uses it. */
async function startWatchAtService(fault: Fault) {
  const proxy = await startProxy('http://127.0.0.1:9')
  proxy.fault = fault
  const cli = createTestCli()
  Object.assign(cli.env, { TT_BASE_URL: proxy.origin, TT_TOKEN: 'token' })
  const watch = startWatch(cli, '2024-05-01T10:00:00')
  const untilRequests = (count: number) =>
    vi.waitFor(() => expect(proxy.requests.length).toBeGreaterThan(count - 1), {
      timeout: 20_000,
      interval: 20,
    })
  return { proxy, watch, untilRequests }
}

test('watch prints the state of a new day after midnight, and again if the clock is set back', async () => {
  const cli = createTestCli('2024-05-01T23:00:00')
  await cli.run('start', 'Acme/Website/Design')
  const watch = startWatch(cli, '2024-05-01T23:59:50')
  await watch.untilCount(1)
  expect(watch.events()[0]).toMatchObject({ today_seconds: 3590, timer: { duration_seconds: 3590 } })
  watch.setTime('2024-05-02T00:00:05')
  await watch.untilCount(2)
  expect(watch.events()[1]).toMatchObject({
    type: 'state',
    today_seconds: 5,
    timer: { duration_seconds: 3605 },
  })
  watch.setTime('2024-05-01T22:00:00')
  await watch.untilCount(3)
  expect(watch.events()[2]).toMatchObject({ type: 'state', today_seconds: 0, timer: { duration_seconds: 0 } })
  expect(await watch.interrupt()).toBe(130)
})

test('watch prints the changes of other processes after the clock was set', async () => {
  const cli = createTestCli('2024-05-01T09:00:00')
  await cli.run('start', 'Acme/Website/Design')
  const watch = startWatch(cli, '2024-05-01T10:00:00')
  await watch.untilCount(1)
  for (const time of ['2024-05-01T12:00:00', '2024-05-01T09:30:00']) {
    watch.setTime(time)
    cli.setTime(time)
    const count = watch.events().length
    await cli.run('add', 'Acme/Website/Review', '--from', '-10m', '--for', '5m', '--yes')
    await watch.untilCount(count + 1)
    expect(watch.events().at(-1)).toMatchObject({ type: 'added' })
    expect(new Date(watch.events().at(-1)?.time ?? '')).toEqual(new Date(time))
  }
})

test('watch polls the service at once after the clock has jumped', { tags: 'slow' }, async () => {
  const { proxy, watch, untilRequests } = await startWatchAtService(respondToAll(503))
  await watch.untilCount(1)
  expect(watch.events()[0]).toMatchObject({ type: 'state', connection: 'offline' })
  const before = proxy.requests.length
  watch.setTime('2024-05-01T14:00:00')
  await untilRequests(before + 1)
})

test('watch ends on Ctrl-C before the service has responded', async () => {
  let isClosed = false
  const { watch, untilRequests } = await startWatchAtService(async ({ closed }) => {
    await closed
    isClosed = true
    return undefined
  })
  await untilRequests(1)
  expect(await watch.interrupt()).toBe(130)
  // It has not waited for the time limit of the request.
  expect(isClosed).toBe(false)
})
