import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { bin, cleanEnvironment, run, temporaryDirectory, tt, ttJson } from '../support/process.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'

/** Whether a process can have an uptime that includes sleep: time namespaces need Linux and the superuser. */
const canShiftUptime = spawnSync('unshare', ['--time', '--boottime', '60', 'true']).status === 0

beforeEach(({ skip }) => skip(isTmuxMissing, 'tmux is not installed'))

/** Creates a home with a timer that has run for 14 hours and 5 minutes. */
async function createForgottenTimer(): Promise<string> {
  const home = temporaryDirectory()
  expect(await tt(home, ['start', 'Website/Design', '--at', '-14h5m'])).toMatchObject({ status: 0 })
  return home
}

test('tt stop prompts for the end of a timer that ran too long, and prompts again after an invalid time', async () => {
  const home = await createForgottenTimer()
  const terminal = openTerminal(home)
  terminal.runTt('stop -n late')
  await terminal.waitForText(/When did it end\? \(now\)/)
  expect(terminal.screen()).toMatch(
    /Design has run for 14h 0\dm, since .*: longer than entry_limit \(10h 00m\)\./,
  )
  expect(await ttJson(home, 'status')).toMatchObject({ running: true })
  terminal.type('20h ago', 'Enter')
  await terminal.waitForText(/"20h ago" is not between .* and now\./)
  terminal.type('', 'C-u')
  terminal.type('soon', 'Enter')
  await terminal.waitForText('"soon" is not a time')
  terminal.type('', 'C-u')
  terminal.type('12h ago', 'Enter')
  await terminal.waitForText('exit=0')
  expect(terminal.screen()).toMatch(/Stopped Website \/ Design: 2h 0\dm/)
  expect(await ttJson(home, 'log', '--since', '-2d')).toMatchObject([{ running: false, notes: 'late' }])
})

test('Enter alone stops the timer now, Ctrl-C leaves it running, and --yes, --no-input and --at skip the prompt', async () => {
  const home = await createForgottenTimer()
  const terminal = openTerminal(home)
  terminal.runTt('stop')
  await terminal.waitForText('When did it end?')
  terminal.type('', 'C-c')
  await terminal.waitForText('exit=130')
  expect(terminal.screen()).toContain('Nothing was changed.')
  expect(await ttJson(home, 'status')).toMatchObject({ running: true })

  terminal.runTt('stop')
  await terminal.waitForText('When did it end?')
  terminal.type('', 'Enter')
  await terminal.waitForText('exit=0')
  expect(terminal.screen()).toMatch(/Stopped Website \/ Design: 14h/)
  expect(terminal.screen()).not.toContain('tt edit')

  for (const [options, hint] of [
    ['--yes', true],
    ['--no-input', true],
    ['--at -1h', false],
  ] as const) {
    expect(await tt(home, ['undo'])).toMatchObject({ status: 0 })
    terminal.runTt(`stop ${options}`)
    await terminal.waitForText('exit=0')
    expect(terminal.screen()).not.toContain('When did it end?')
    expect(terminal.screen().includes('longer than entry_limit')).toBe(hint)
  }
})

test('other commands run while the prompt is open, and its response stops no other timer', async () => {
  const home = await createForgottenTimer()
  const terminal = openTerminal(home)
  terminal.runTt('stop')
  await terminal.waitForText('When did it end?')
  expect(await tt(home, ['start', 'Website/Review'])).toMatchObject({ status: 0 })
  terminal.type('12h ago', 'Enter')
  await terminal.waitForText('exit=3')
  expect(terminal.screen()).toContain('Website / Design has ended, and another timer is running.')
  expect(await ttJson(home, 'status')).toMatchObject({ running: true, task: 'Review' })
})

/** Creates a home with a timer of four hours, during which the machine slept for three. */
async function createSleptTimer(): Promise<string> {
  const home = temporaryDirectory()
  expect(await tt(home, ['start', 'Website/Design', '--at', '-4h'])).toMatchObject({ status: 0 })
  const database = await openSqlite(join(home, 'workspace.db'))
  const { changes } = database
    .prepare("UPDATE snapshot SET value = json_set(value, '$.sleptMs', -10800000) WHERE name = 'timer_sleep'")
    .run([])
  database.close()
  expect(changes).toBe(1)
  return home
}

test.each(['stop', 'start Website/Review', 'continue'])(
  'tt %s prompts for the end of a timer during which the machine slept',
  async (command) => {
    const home = await createSleptTimer()
    expect(await tt(home, ['add', 'Website/Review', '--from', '-6h', '--for', '1h'])).toMatchObject({
      status: 0,
    })
    const terminal = openTerminal(home)
    terminal.runTt(command)
    await terminal.waitForText('When did it end? (now)')
    expect(terminal.screen().replaceAll('\n', ' ')).toMatch(
      /Design has run for 4h 0\dm, since .*, and this machine slept for 3h 0\dm of that time, longer than sleep_limit \(30m\)\./,
    )
    terminal.type('3h30m ago', 'Enter')
    await terminal.waitForText('exit=0')
    expect(terminal.screen()).toMatch(/Stopped Website \/ Design/)
    expect(terminal.screen()).not.toContain('tt edit')
    const stopped = await ttJson<{ duration_seconds: number }>(home, 'show', '1')
    expect(Math.round(stopped.duration_seconds / 60)).toBe(30)
  },
)

test('tt status and tt stop see the clocks of Linux after sleep', async ({ skip }) => {
  skip(!canShiftUptime, 'a process cannot have another uptime here')
  const home = temporaryDirectory()
  expect(await tt(home, ['start', 'Website/Design', '--at', '-3h'])).toMatchObject({ status: 0 })
  const env = cleanEnvironment({ TT_HOME: home })
  const afterSleep = (seconds: number, ...argv: string[]) =>
    run('unshare', ['--time', '--boottime', `${seconds}`, process.execPath, bin, ...argv], { env })
  expect((await afterSleep(1200, 'status')).stderr).toBe('')
  expect((await afterSleep(7230, 'status')).stderr).toBe(
    'This machine slept for 2h 00m while the timer ran.\n',
  )
  expect((await afterSleep(7230, 'stop')).stderr).toMatch(
    /^Stopped Website \/ Design: 3h 00m .*\n.*this machine slept for 2h 00m of that time/,
  )
})

test('tt stop offers to end a timer at its start after the clock was set back', async () => {
  const home = temporaryDirectory()
  expect(await tt(home, ['start', 'Website/Design'])).toMatchObject({ status: 0 })
  const later = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 3_600_000).toISOString()
  const fields = ['-f', `time_start=${later}`]
  expect(await tt(home, ['api', 'PATCH', '/timesheets/1', ...fields])).toMatchObject({ status: 0 })
  expect(await ttJson(home, 'status')).toMatchObject({ running: true })
  const terminal = openTerminal(home)
  terminal.runTt('stop')
  await terminal.waitForText('When did it end?')
  expect(terminal.screen()).toMatch(/Design started at .*, but the clock shows .*: it was set back\./)
  terminal.type('1h ago', 'Enter')
  await terminal.waitForText('"1h ago" is before the start')
  terminal.type('', 'C-u')
  terminal.type('', 'Enter')
  await terminal.waitForText('exit=0')
  expect(await ttJson(home, 'show', '1')).toMatchObject({ running: false, duration_seconds: 0 })
})
