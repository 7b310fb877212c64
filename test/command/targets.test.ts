import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import { dropRequest } from '../support/proxy.js'
import { createTestCli } from '../support/test-cli.js'
import { type Row, setUpService } from './service-fixtures.js'

/** Creates a `TestCli` on a Wednesday with 8 hours on Monday, 3 today and a timer that has run for 30 minutes. */
const createWednesdayCli = preparedCli('2024-05-08T15:00:00', async (cli) => {
  await cli.json('add', 'Website/Design', '--from', '2024-05-06 9:00', '--for', '8h')
  await cli.json('add', 'design', '--from', '9:00', '--for', '3h')
  await cli.json('start', 'design', '--at', '14:30')
})

test('the progress includes a timer started long ago, and uses week_start', async () => {
  const cli = createTestCli('2024-05-08T15:00:00')
  await cli.json('start', 'Website/Design', '--at', '2024-04-01 15:00')
  await cli.json('config', 'set', 'target.weekly', '40h')
  expect((await cli.run('status')).stderr).toContain(
    'Today  15h 00m of  8h 00m\nWeek   63h 00m of 40h 00m  39h 00m ahead\n',
  )
  await cli.json('config', 'set', 'week_start', 'sunday')
  expect((await cli.run('status')).stderr).toContain('Week   87h 00m of 40h 00m')
})

test('holidays from the settings and from a file have no target', async () => {
  const cli = await createWednesdayCli()
  await cli.json('config', 'set', 'target.daily', '8h')
  await cli.json('config', 'set', 'holidays', '2024-05-09')
  const file = join(cli.home, 'holidays.ics')
  const event = 'BEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20000507\r\nRRULE:FREQ=YEARLY\r\nEND:VEVENT\r\n'
  writeFileSync(file, `BEGIN:VCALENDAR\r\n${event}END:VCALENDAR\r\n`)
  cli.env.HOME = cli.home
  await cli.json('config', 'set', 'holidays_file', '~/holidays.ics')
  expect((await cli.run('status')).stderr).toContain('Week   11h 30m of 24h 00m  4h 30m due today')
})

test('--json, --quiet and --cached print no progress', async () => {
  const cli = await createWednesdayCli()
  await cli.json('config', 'set', 'target.daily', '8h')
  for (const option of ['--json', '--quiet', '--cached'])
    expect(await cli.run('status', option)).toMatchObject({ status: 0, stderr: '' })
})

test('invalid settings or holidays are reported, and the timer is shown', async () => {
  const cli = await createWednesdayCli()
  await cli.json('config', 'set', 'target.daily', '8h')
  const missing = join(cli.home, 'missing.ics')
  const rejected = await cli.run('config', 'set', 'holidays_file', missing)
  expect(rejected).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`The holidays file ${missing}`),
  })
  for (const [values, message] of [
    [{ 'target.daily': '8h', holidays_file: missing }, `The holidays file ${missing} does not exist`],
    [{ 'target.daily': '8 hours a day' }, 'config.json cannot be used. target.daily: "8 hours a day"'],
  ] as const) {
    writeFileSync(join(cli.home, 'config.json'), JSON.stringify(values))
    const status = await cli.run('status')
    expect(status).toMatchObject({ status: 0, stdout: expect.stringContaining('Design') })
    expect(status.stderr).toContain(message)
    expect(status.stderr).toContain('tt config')
  }
})

test('targets count from the first day with an entry', { tags: 'slow' }, async () => {
  const cli = createTestCli('2024-05-08T15:00:00')
  await cli.json('config', 'set', 'target.daily', '8h')
  const progress = async () => (await cli.run('status')).stderr.split('\n').slice(-3).join('\n')
  const target = async (...options: string[]) => {
    const { target_seconds: seconds, target_since: since } = (await cli.json('report', ...options)) as Row
    return [Number(seconds) / 3600, since]
  }
  expect(await progress()).toBe('Today  0m of  8h 00m\nWeek   0m of 24h 00m  8h 00m due today\n')
  await cli.json('add', 'Website/Design', '--from', '9:00', '--for', '3h')
  expect(await progress()).toBe('Today  3h 00m of  8h 00m\nWeek   3h 00m of 24h 00m  5h 00m due today\n')
  expect(await target('month')).toEqual([8, '2024-05-08'])
  expect(await target('--since', 'april', '--until', 'april')).toEqual([0, '2024-05-08'])
  expect((await cli.runInTerminal(80, 'report', 'week')).stdout).toContain(
    'Target   8h 00m since 2024-05-08: 5h 00m behind',
  )
  expect((await cli.run('report', 'week', '--html')).stdout).toContain(
    '<dt>Target</dt><dd>8h 00m</dd><dd class="note">since 8 May 2024</dd>',
  )
  await cli.json('add', 'design', '--from', '2024-05-07 9:00', '--for', '1h')
  expect(await progress()).toContain('Week   4h 00m of 32h 00m  12h 00m due today')
  expect(await target('--since', '2024-01-01')).toEqual([16, '2024-05-07'])
  expect(await target('--since', '2024-05-07')).toEqual([16, null])
  expect(await target('--since', '2024-05-08')).toEqual([8, null])
  await cli.json('add', 'design', '--from', '2024-04-05 9:00', '--for', '1h')
  expect(await progress()).toContain('Week   4h 00m of 40h 00m  20h 00m due today')
  expect(await target('week')).toEqual([24, null])
  expect((await cli.runInTerminal(80, 'report', 'week')).stdout).toContain('Target   24h 00m so far: 20h')
})

test('targets count from target.since, and the time before it does not', async () => {
  const cli = await createWednesdayCli()
  await cli.json('config', 'set', 'target.daily', '8h')
  await cli.json('config', 'set', 'target.since', '2024-05-07')
  expect((await cli.run('status')).stderr).toBe(
    'Today  3h 30m of  8h 00m\nWeek   3h 30m of 32h 00m  12h 30m due today\n',
  )
  await cli.json('stop')
  expect((await cli.run('status')).stderr).toMatch(/^No timer is running\.\nToday {2}3h 30m of/)
  expect(await cli.json('report', 'week')).toMatchObject({
    seconds: 11.5 * 3600,
    target_seconds: 16 * 3600,
    target_since: '2024-05-07',
    balance_seconds: -12.5 * 3600,
  })
  expect((await cli.runInTerminal(80, 'report', 'week', '--hours', 'decimal')).stdout).toContain(
    'Target   16.00 since 2024-05-07: 12.50 behind',
  )
  const chart = (await cli.runInTerminal(60, 'report', 'week', '--chart')).stdout.split('\n')
  const daysWithTarget = chart.slice(0, 7).filter((line) => line.includes('|'))
  expect(daysWithTarget.map((line) => line.slice(8, 14))).toEqual(['07 Tue', '08 Wed', '09 Thu', '10 Fri'])
  // Earlier than the first entry.
  await cli.json('config', 'set', 'target.since', '2024-05-02')
  expect(await cli.json('report', 'month')).toMatchObject({ target_seconds: 40 * 3600 })
  const rejected = await cli.run('config', 'set', 'target.since', '2024-02-30')
  expect(rejected.status).toBe(2)
  expect(rejected.stderr).toContain('target.since: "2024-02-30" is not a day (YYYY-MM-DD)')
})

test('entries before the period are searched at the service until one is known', async () => {
  const { cli, proxy, sendAsOtherClient, clearRequests } = await setUpService()
  await cli.json('config', 'set', 'target.daily', '8h')
  const added = (await cli.json('add', 'design', '--from', '2024-05-08 9:00', '--for', '1h')) as Row
  const report = async () => {
    clearRequests()
    const { target_seconds: seconds } = (await cli.json('report', 'week')) as Row
    const requests = proxy.requests.filter(({ path }) => path.endsWith('/timesheets')).length
    return { hours: Number(seconds) / 3600, requests }
  }
  const first = await report()
  expect(first.hours).toBe(8)
  await sendAsOtherClient('POST', '/timesheets', {
    task_link_id: added.task_link_id,
    time_start: '2024-03-01T09:00:00Z',
    time_end: '2024-03-01T10:00:00Z',
  })
  expect(await report()).toEqual({ hours: 24, requests: first.requests })
  expect(await report()).toEqual({ hours: 24, requests: first.requests - 1 })
  proxy.fault = dropRequest
  expect((await report()).hours).toBe(24)
})

test('a target costs two more requests, and the progress comes from the cache without the service', async () => {
  const { cli, proxy } = await setUpService()
  await cli.json('add', 'design', '--from', '2024-05-03 9:00', '--for', '1h')
  await cli.json('start', 'design', '--at', '-2h')
  const countRequests = async () => {
    proxy.requests.splice(0)
    await cli.run('status')
    return proxy.requests.splice(0).length
  }
  const before = await countRequests()
  await cli.json('config', 'set', 'target.daily', '8h')
  expect(await countRequests()).toBe(before + 2)
  proxy.fault = dropRequest
  const status = await cli.run('status')
  expect(status).toMatchObject({ status: 0, stdout: expect.stringContaining('Design') })
  expect(status.stderr).toMatch(/Today +2h 00m of +8h 00m\nWeek/)
})
