import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newDesk } from '../support/test-cli.js'
import { cut, openOffice } from './service-fixtures.js'

/** A Wednesday, with 8 hours on Monday, 3 today and a timer that has run for 30 minutes. */
async function wednesday() {
  const desk = newDesk('2024-05-08T15:00:00')
  await desk.json('add', 'Website/Design', '--from', '2024-05-06 9:00', '--for', '8h')
  await desk.json('add', 'design', '--from', '9:00', '--for', '3h')
  await desk.json('start', 'design', '--at', '14:30')
  return desk
}

const said =
  'Today 3h 30m of 8h 00m; this week 11h 30m of 40h 00m, 12h 30m short of the 24h 00m due by the end of today.\n'

test('status says how far today and this week are, where a target is set', async () => {
  const desk = await wednesday()
  expect((await desk.tt('status')).stderr).toBe('')
  await desk.json('config', 'set', 'target.daily', '8h')
  const status = await desk.tt('status')
  expect(status).toMatchObject({ status: 0, stderr: said })
  expect(status.stdout).toContain('Website')
  await desk.json('stop')
  expect((await desk.tt('status')).stderr).toBe(`No timer is running.\n${said}`)
})

test('a timer that began long ago counts, and the first day of the week is that of the settings', async () => {
  const desk = newDesk('2024-05-08T15:00:00')
  await desk.json('start', 'Website/Design', '--at', '2024-04-01 15:00')
  await desk.json('config', 'set', 'target.weekly', '40h')
  expect((await desk.tt('status')).stderr).toContain('Today 15h 00m of 8h 00m; this week 63h 00m of 40h 00m')
  await desk.json('config', 'set', 'week_start', 'sunday')
  expect((await desk.tt('status')).stderr).toContain('this week 87h 00m of 40h 00m')
})

test('holidays, by date and from a file, are without a target', async () => {
  const desk = await wednesday()
  await desk.json('config', 'set', 'target.daily', '8h')
  await desk.json('config', 'set', 'holidays', '2024-05-09')
  const file = join(desk.home, 'holidays.ics')
  const event = 'BEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20000507\r\nRRULE:FREQ=YEARLY\r\nEND:VEVENT\r\n'
  writeFileSync(file, `BEGIN:VCALENDAR\r\n${event}END:VCALENDAR\r\n`)
  desk.env.HOME = desk.home
  await desk.json('config', 'set', 'holidays_file', '~/holidays.ics')
  expect((await desk.tt('status')).stderr).toContain(
    'this week 11h 30m of 24h 00m, 4h 30m short of the 16h 00m',
  )
})

test('--json, --quiet and --cached stay as they are', async () => {
  const desk = await wednesday()
  await desk.json('config', 'set', 'target.daily', '8h')
  for (const option of ['--json', '--quiet', '--cached'])
    expect(await desk.tt('status', option)).toMatchObject({ status: 0, stderr: '' })
})

test('settings or holidays that cannot be used are told, and the timer is shown', async () => {
  const desk = await wednesday()
  await desk.json('config', 'set', 'target.daily', '8h')
  const missing = join(desk.home, 'missing.ics')
  const refused = await desk.tt('config', 'set', 'holidays_file', missing)
  expect(refused).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`The holidays file ${missing}`),
  })
  for (const [values, words] of [
    [{ 'target.daily': '8h', holidays_file: missing }, `The holidays file ${missing} does not exist`],
    [{ 'target.daily': '8 hours a day' }, 'config.json cannot be used. target.daily: "8 hours a day"'],
  ] as const) {
    writeFileSync(join(desk.home, 'config.json'), JSON.stringify(values))
    const status = await desk.tt('status')
    expect(status).toMatchObject({ status: 0, stdout: expect.stringContaining('Design') })
    expect(status.stderr).toContain(words)
    expect(status.stderr).toContain('tt config')
  }
})

test('at a service it costs one more request, and only with a target; without the service it is what is known', async () => {
  const { desk, proxy } = await openOffice()
  await desk.json('start', 'design', '--at', '-2h')
  const asked = async () => {
    proxy.seen.splice(0)
    await desk.tt('status')
    return proxy.seen.splice(0).length
  }
  const before = await asked()
  await desk.json('config', 'set', 'target.daily', '8h')
  expect(await asked()).toBe(before + 1)
  proxy.fate = cut
  const status = await desk.tt('status')
  expect(status).toMatchObject({ status: 0, stdout: expect.stringContaining('Design') })
  expect(status.stderr).toMatch(/Today 2h 00m of 8h 00m; this week/)
})
