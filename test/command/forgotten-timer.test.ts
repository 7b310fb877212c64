import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestCli } from '../support/test-cli.js'

async function running(hours: number) {
  const cli = createTestCli('2024-05-02T08:00:00')
  await cli.json('start', 'Website/Design', '--at', `-${hours}h`)
  return cli
}

const stopped = 'Stopped Website / Design: 14h 00m (2024-05-01 18:00–2024-05-02 08:00).\n'
const told =
  'It ran for 14h 00m, longer than entry_limit (10h 00m). If it ended earlier, run `tt edit @1 --to TIME`.\n'

test('a timer that ran for longer than the limit is stopped, and how to set its end is said', async () => {
  const cli = await running(14)
  expect(await cli.run('stop')).toMatchObject({ status: 0, stderr: stopped + told })
  await cli.json('edit', '@1', '--to', '19:30')
  expect(await cli.json('show', '@1')).toMatchObject({ duration_seconds: 5400 })
})

test('under --json too, and under --quiet not', async () => {
  const cli = await running(14)
  const outcome = await cli.run('stop', '--json')
  expect(outcome).toMatchObject({ status: 0, stderr: told })
  expect(outcome.json()).toMatchObject({ running: false, duration_seconds: 14 * 3600 })
  expect((await (await running(14)).run('stop', '--quiet')).stderr).toBe('')
})

test('nothing is said of one that ran for no longer, or whose end was given', async () => {
  expect((await (await running(10)).run('stop')).stderr).toMatch(/^Stopped [^\n]*\n$/)
  expect((await (await running(14)).run('stop', '--at', '-1m')).stderr).toMatch(/^Stopped [^\n]*\n$/)
  const cli = await running(14)
  await cli.json('config', 'set', 'entry_limit', '15h')
  expect((await cli.run('stop')).stderr).toBe(stopped)
  const early = await running(2)
  await early.json('config', 'set', 'entry_limit', '1h')
  expect((await early.run('stop')).stderr).toContain('It ran for 2h 00m, longer than entry_limit (1h 00m).')
})

test('settings that cannot be used never keep a timer from being stopped: they are told after it', async () => {
  const cli = await running(14)
  writeFileSync(join(cli.home, 'config.json'), '{"entry_limit": "long"}')
  const outcome = await cli.run('stop')
  expect(outcome.status).toBe(0)
  expect(outcome.stderr).toBe(
    `${stopped}${told}The settings in ${join(cli.home, 'config.json')} cannot be used. ` +
      'entry_limit: "long" is not a duration. Write it like `tt config set entry_limit 12h`, or run `tt config unset entry_limit` to remove it.\n',
  )
  expect(await cli.json('status')).toBeNull()
})

test('an invalid settings file is a warning when a timer is stopped', async () => {
  const cli = createTestCli('2024-05-02T08:00:00')
  await cli.json('start', 'Website/Design', '--at', '-59m')
  writeFileSync(join(cli.home, 'config.json'), '{')
  expect(await cli.run('stop')).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/^The settings file [^\n]* is not JSON[^\n]*\nStopped [^\n]*\n$/),
  })
})
