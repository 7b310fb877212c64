import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newDesk } from '../support/test-cli.js'

async function running(hours: number) {
  const desk = newDesk('2024-05-02T08:00:00')
  await desk.json('start', 'Website/Design', '--at', `-${hours}h`)
  return desk
}

const stopped = 'Stopped Website / Design: 14h 00m (2024-05-01 18:00–2024-05-02 08:00).\n'
const told =
  'It ran for 14h 00m, longer than entry_limit (10h 00m). If it ended earlier: `tt edit @1 --to TIME`.\n'

test('a timer that ran for longer than the limit is stopped, and how to set its end is said', async () => {
  const desk = await running(14)
  expect(await desk.tt('stop')).toMatchObject({ status: 0, stderr: stopped + told })
  await desk.json('edit', '@1', '--to', '19:30')
  expect(await desk.json('show', '@1')).toMatchObject({ duration_seconds: 5400 })
})

test('under --json too, and under --quiet not', async () => {
  const desk = await running(14)
  const outcome = await desk.tt('stop', '--json')
  expect(outcome).toMatchObject({ status: 0, stderr: told })
  expect(outcome.json()).toMatchObject({ running: false, duration_seconds: 14 * 3600 })
  expect((await (await running(14)).tt('stop', '--quiet')).stderr).toBe('')
})

test('nothing is said of one that ran for no longer, or whose end was given', async () => {
  expect((await (await running(10)).tt('stop')).stderr).toMatch(/^Stopped [^\n]*\n$/)
  expect((await (await running(14)).tt('stop', '--at', '-1m')).stderr).toMatch(/^Stopped [^\n]*\n$/)
  const desk = await running(14)
  await desk.json('config', 'set', 'entry_limit', '15h')
  expect((await desk.tt('stop')).stderr).toBe(stopped)
  const early = await running(2)
  await early.json('config', 'set', 'entry_limit', '1h')
  expect((await early.tt('stop')).stderr).toContain('It ran for 2h 00m, longer than entry_limit (1h 00m).')
})

test('settings that cannot be used never keep a timer from being stopped: they are told after it', async () => {
  const desk = await running(14)
  writeFileSync(join(desk.home, 'config.json'), '{"entry_limit": "long"}')
  const outcome = await desk.tt('stop')
  expect(outcome.status).toBe(0)
  expect(outcome.stderr).toBe(
    `${stopped}${told}The settings in ${join(desk.home, 'config.json')} cannot be used. ` +
      'entry_limit: "long" is not a duration. Write it like: tt config set entry_limit 12h, or remove it: tt config unset entry_limit\n',
  )
  expect(await desk.json('status')).toBeNull()
})

test('an invalid settings file is a warning when a timer is stopped', async () => {
  const desk = newDesk('2024-05-02T08:00:00')
  await desk.json('start', 'Website/Design', '--at', '-59m')
  writeFileSync(join(desk.home, 'config.json'), '{')
  expect(await desk.tt('stop')).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/^The settings file [^\n]* is not JSON[^\n]*\nStopped [^\n]*\n$/),
  })
})
