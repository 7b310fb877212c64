import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dropRequest } from '../support/proxy.js'
import { createTestCli } from '../support/test-cli.js'
import { setUpService } from './service-fixtures.js'

/** Creates a `TestCli` on a Wednesday with 8 hours on Monday, 3 today and a timer that has run for 30 minutes. */
async function createWednesdayCli() {
  const cli = createTestCli('2024-05-08T15:00:00')
  await cli.json('add', 'Website/Design', '--from', '2024-05-06 9:00', '--for', '8h')
  await cli.json('add', 'design', '--from', '9:00', '--for', '3h')
  await cli.json('start', 'design', '--at', '14:30')
  return cli
}

const targetMessage =
  'Today 3h 30m of 8h 00m; this week 11h 30m of 40h 00m, 12h 30m still due by the end of today.\n'

test('tt status prints the progress of the day and the week when a target is set', async () => {
  const cli = await createWednesdayCli()
  expect((await cli.run('status')).stderr).toBe('')
  await cli.json('config', 'set', 'target.daily', '8h')
  const status = await cli.run('status')
  expect(status).toMatchObject({ status: 0, stderr: targetMessage })
  expect(status.stdout).toContain('Website')
  await cli.json('stop')
  expect((await cli.run('status')).stderr).toBe(`No timer is running.\n${targetMessage}`)
})

test('the progress includes a timer started long ago, and uses week_start', async () => {
  const cli = createTestCli('2024-05-08T15:00:00')
  await cli.json('start', 'Website/Design', '--at', '2024-04-01 15:00')
  await cli.json('config', 'set', 'target.weekly', '40h')
  expect((await cli.run('status')).stderr).toContain('Today 15h 00m of 8h 00m; this week 63h 00m of 40h 00m')
  await cli.json('config', 'set', 'week_start', 'sunday')
  expect((await cli.run('status')).stderr).toContain('this week 87h 00m of 40h 00m')
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
  expect((await cli.run('status')).stderr).toContain(
    'this week 11h 30m of 24h 00m, with nothing due from earlier days',
  )
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

test('a target costs two more requests, and the progress comes from the cache without the service', async () => {
  const { cli, proxy } = await setUpService()
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
  expect(status.stderr).toMatch(/Today 2h 00m of 8h 00m; this week/)
})
