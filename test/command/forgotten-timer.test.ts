import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestCli } from '../support/test-cli.js'

async function createRunningCli(hours: number) {
  const cli = createTestCli('2024-05-02T08:00:00')
  await cli.json('start', 'Website/Design', '--at', `-${hours}h`)
  return cli
}

const stopped = 'Stopped Website / Design: 14h 00m (2024-05-01 18:00–2024-05-02 08:00).\n'
const limitMessage =
  'It ran for 14h 00m, longer than entry_limit (10h 00m). If it ended earlier, run `tt edit @1 --to TIME`.\n'

test('a timer that ran longer than the limit is stopped with a hint to correct its end', async () => {
  const cli = await createRunningCli(14)
  expect(await cli.run('stop')).toMatchObject({ status: 0, stderr: stopped + limitMessage })
  await cli.json('edit', '@1', '--to', '19:30')
  expect(await cli.json('show', '@1')).toMatchObject({ duration_seconds: 5400 })
  const early = await createRunningCli(2)
  await early.json('config', 'set', 'entry_limit', '1h')
  expect((await early.run('stop')).stderr).toContain('It ran for 2h 00m, longer than entry_limit (1h 00m).')
})

test('the hint is printed with --json, but not with --quiet', async () => {
  const cli = await createRunningCli(14)
  const outcome = await cli.run('stop', '--json')
  expect(outcome).toMatchObject({ status: 0, stderr: limitMessage })
  expect(outcome.json()).toMatchObject({ running: false, duration_seconds: 14 * 3600 })
  expect((await (await createRunningCli(14)).run('stop', '--quiet')).stderr).toBe('')
})

test('no hint is printed for a timer within the limit or stopped with --at', async () => {
  expect((await (await createRunningCli(10)).run('stop')).stderr).toMatch(/^Stopped [^\n]*\n$/)
  expect((await (await createRunningCli(14)).run('stop', '--at', '-1m')).stderr).toMatch(/^Stopped [^\n]*\n$/)
  const cli = await createRunningCli(14)
  await cli.json('config', 'set', 'entry_limit', '15h')
  expect((await cli.run('stop')).stderr).toBe(stopped)
})

test('invalid settings are reported after the timer has stopped', async () => {
  const cli = await createRunningCli(14)
  writeFileSync(join(cli.home, 'config.json'), '{"entry_limit": "long"}')
  const outcome = await cli.run('stop')
  expect(outcome.status).toBe(0)
  expect(outcome.stderr).toBe(
    `${stopped}${limitMessage}The settings in ${join(cli.home, 'config.json')} cannot be used. ` +
      'entry_limit: "long" is not a duration. Write it like `tt config set entry_limit 12h`, or run `tt config unset entry_limit` to remove it.\n',
  )
  expect(await cli.json('status')).toBeNull()
})
