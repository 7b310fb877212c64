// @module-tag slow

import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { notificationCommand, notify } from '../../src/commands/remind/due-reminders.js'
import { dropRequest, type Fault } from '../support/proxy.js'
import { shortenTimers } from '../support/short-timers.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import { setUpService } from './service-fixtures.js'

/** Creates a CLI whose PATH has only the given shell scripts, which store their arguments. */
function createCli(time: string, scripts: Record<string, string> = {}): TestCli {
  const cli = createTestCli(time)
  const directory = join(cli.home, 'bin')
  mkdirSync(directory)
  for (const [name, script] of Object.entries(scripts))
    writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  cli.env.PATH = directory
  cli.env.LOG = join(cli.home, 'arguments')
  cli.env.XDG_CONFIG_HOME = join(cli.home, 'my 100% $config')
  return cli
}

/** notify-send and systemd are for Linux. */
const onLinux = test.runIf(process.platform === 'linux')

const record = 'printf "%s\\n" "$@" >> "$LOG"; echo . >> "$LOG"'

/** Returns the arguments of each call, and forgets them. */
function calls(cli: TestCli): string[][] {
  const path = join(cli.home, 'arguments')
  if (!existsSync(path)) return []
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, '')
  return text
    .split('\n.\n')
    .filter((call) => call !== '')
    .map((call) => call.split('\n'))
}

// 2024-05-02 is a Thursday.
test('a working day without tracked time is due from remind.tracked_by, and reported once a day', async () => {
  const cli = createCli('2024-05-02T09:59:00')
  await cli.run('status') // Announces the workspace.
  expect(await cli.run('remind', 'check')).toMatchObject({ status: 0, stdout: '', stderr: '' })
  cli.setTime('2024-05-02T10:00:00')
  expect(await cli.run('remind', 'check')).toMatchObject({
    status: 0,
    stdout: 'No time is tracked today.\n',
    stderr: '',
  })
  expect(await cli.json('remind', 'check')).toEqual([])
  expect(await cli.json('remind', 'status')).toMatchObject({ due: [{ kind: 'untracked' }] })
  cli.setTime('2024-05-03T11:00:00')
  expect(await cli.json('remind', 'check')).toEqual([
    { kind: 'untracked', message: 'No time is tracked today.', notified: false },
  ])
})

test('tt remind is tt remind status, and reports nothing as done', async () => {
  const cli = createCli('2024-05-02T10:00:00')
  expect(await cli.json('remind')).toMatchObject({
    installed: false,
    due: [{ kind: 'untracked', message: 'No time is tracked today.' }],
  })
  expect(await cli.json('remind')).toEqual(await cli.json('remind', 'status'))
  expect((await cli.runInTerminal(100, 'remind')).stdout).toContain('No time is tracked today.')
  expect(await cli.json('remind', 'check')).toHaveLength(1)
})

test('two checks at the same time report it once', async () => {
  const cli = createCli('2024-05-02T11:00:00')
  const reports = await Promise.all([1, 2, 3].map(() => cli.json<unknown[]>('remind', 'check')))
  expect(reports.flat()).toHaveLength(1)
})

test('a weekend, a holiday, "none" and tracked time are quiet', async () => {
  const cli = createCli('2024-05-04T11:00:00')
  expect(await cli.json('remind', 'check')).toEqual([])
  cli.setTime('2024-05-02T11:00:00')
  await cli.run('config', 'set', 'holidays', '2024-05-02')
  expect(await cli.json('remind', 'check')).toEqual([])
  await cli.run('config', 'unset', 'holidays')
  await cli.run('config', 'set', 'remind.tracked_by', 'none')
  expect(await cli.json('remind', 'check')).toEqual([])
  await cli.run('config', 'unset', 'remind.tracked_by')
  await cli.run('add', 'Website/Design', '--from', '9:00', '--to', '9:10')
  expect(await cli.json('remind', 'check')).toEqual([])
})

test('a timer longer than entry_limit is due, with its start and task', async () => {
  const cli = createCli('2024-05-02T09:00:00')
  await cli.run('start', 'Website/-- <b>Design')
  cli.setTime('2024-05-02T19:00:00')
  expect(await cli.json('remind', 'check')).toEqual([])
  cli.setTime('2024-05-02T19:00:01')
  const log = await cli.json('log')
  expect(await cli.json('remind', 'check')).toMatchObject([
    {
      kind: 'entry_limit',
      message: expect.stringMatching(/^A timer has run for 10h 00m, since 09:00: Website \/ .*Design\./),
    },
  ])
  expect(await cli.json('log')).toEqual(log)
})

test('a day below its target is due from remind.target_at, and not while a timer runs', async () => {
  const cli = createCli('2024-05-02T17:59:00')
  await cli.run('config', 'set', 'target.daily', '8h')
  await cli.run('add', 'Website/Design', '--from', '9:00', '--to', '12:30')
  expect(await cli.json('remind', 'check')).toEqual([])
  cli.setTime('2024-05-02T18:00:00')
  await cli.run('start', 'Website/Design')
  expect(await cli.json('remind', 'check')).toEqual([])
  await cli.run('cancel', '--yes')
  expect(await cli.json('remind', 'check')).toEqual([
    { kind: 'below_target', message: "Today's tracked time is 3h 30m of 8h 00m.", notified: false },
  ])
  await cli.run('add', 'Website/Design', '--from', '12:30', '--to', '17:00')
  expect(await cli.json('remind', 'status')).toMatchObject({ due: [] })
})

onLinux('notify-send gets the text as an argument, and then nothing is printed', async () => {
  const cli = createCli('2024-05-02T09:00:00', { 'notify-send': record })
  await cli.run('start', 'Website/A & <b>B $(touch x)')
  cli.setTime('2024-05-02T20:00:00')
  expect(await cli.run('remind', 'check')).toMatchObject({ status: 0, stdout: '', stderr: '' })
  const [args = [], ...others] = calls(cli)
  expect(others).toEqual([])
  expect(args.slice(0, 3)).toEqual(['--app-name=tt', '--', 'tt'])
  expect(args[3]).toContain('Website / A &amp; &lt;b&gt;B $(touch x).')
})

test('a failing notify-send prints the reminder instead', async () => {
  const cli = createCli('2024-05-02T11:00:00', { 'notify-send': 'exit 1' })
  expect((await cli.run('remind', 'check')).stdout).toBe('No time is tracked today.\n')
})

onLinux('a notify-send that ignores signals is ended at its time limit', async () => {
  const { env } = createCli('2024-05-02T11:00:00', {
    'notify-send': "trap '' TERM; while :; do /bin/sleep 1; done",
  })
  expect(await notify('Stop the timer.', env, 100)).toBe(false)
})

test('osascript and PowerShell get the text outside of their scripts', () => {
  const text = 'A timer: "; do shell script "x'
  const { args } = notificationCommand('darwin', text)
  expect(args.slice(-2)).toEqual(['--', text])
  expect(args.slice(0, -1).join(' ')).not.toContain(text)
  expect(notificationCommand('win32', text).args.join(' ')).not.toContain(text)
})

const knownTimerOnly = 'only the timer that is known on this machine was checked.'

test.each<[what: string, fault: Fault]>([
  ['does not respond', ({ closed }) => closed.then(() => undefined)],
  ['closes connections', dropRequest],
])('a check while the service %s reports the known timer and no missing time', async (_, fault) => {
  const { cli, proxy, sendAsOtherClient } = await setUpService()
  cli.env.PATH = '' // Shows no notification.
  // This day was read before another machine tracked time.
  expect(await cli.json('log', 'today')).toEqual([])
  await sendAsOtherClient('POST', '/timesheets', {
    task_link_id: 1,
    ...{ time_start: '2024-05-08T10:00:00Z', time_end: '2024-05-08T11:00:00Z' },
  })
  proxy.fault = fault
  shortenTimers()
  const first = await cli.run('remind', 'check')
  expect(first).toMatchObject({ status: 0, stdout: '', stderr: expect.stringContaining(knownTimerOnly) })
  expect(await cli.run('start', 'design')).toMatchObject({ status: 0 })
  cli.setTime('2024-05-08T23:30:00Z')
  expect(await cli.run('remind', 'check')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^A timer has run for 11h 30m/),
    stderr: expect.stringContaining(knownTimerOnly),
  })
})

test('invalid settings are usage errors', async () => {
  const cli = createCli('2024-05-02T09:00:00')
  const invalid = await cli.run('config', 'set', 'remind.tracked_by', '25:00')
  expect(invalid).toMatchObject({ status: 2 })
  expect(invalid.stderr).toContain('remind.tracked_by: "25:00" is not a time of day')
  expect(await cli.run('remind', 'install', '--print', 'cron')).toMatchObject({ status: 2 })
})

const unitsOf = (cli: TestCli) =>
  ['tt-remind.service', 'tt-remind.timer'].map((name) =>
    join(cli.env.XDG_CONFIG_HOME ?? '', 'systemd', 'user', name),
  )

onLinux('install writes and starts the units, and remove stops and deletes them', async () => {
  const cli = createCli('2024-05-02T09:00:00', { systemctl: record })
  const units = unitsOf(cli)
  expect(await cli.json('remind', 'install')).toEqual({ files: units, active: true })
  expect(calls(cli)).toEqual([
    ['--user', '--no-pager', 'daemon-reload'],
    ['--user', '--no-pager', 'enable', '--now', 'tt-remind.timer'],
  ])
  expect(units.map((path) => existsSync(path))).toEqual([true, true])
  // Installing again is possible.
  expect(await cli.run('remind', 'install')).toMatchObject({ status: 0 })
  calls(cli)
  expect(await cli.json('remind', 'remove')).toEqual({ removed: units, edited: [] })
  expect(calls(cli)[0]).toEqual(['--user', '--no-pager', 'disable', '--now', 'tt-remind.timer'])
  expect(units.map((path) => existsSync(path))).toEqual([false, false])
  expect((await cli.run('remind', 'remove')).stderr).toBe('No reminders of tt are installed in systemd.\n')
})

onLinux('install overwrites an edited unit only with --force', async () => {
  const cli = createCli('2024-05-02T09:00:00', { systemctl: record })
  await cli.run('remind', 'install')
  const [service = '', timer = ''] = unitsOf(cli)
  const edited = readFileSync(timer, 'utf8').replace('0/15', '0/5')
  writeFileSync(timer, edited)
  const refused = await cli.run('remind', 'install')
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('Add --force') })
  expect(readFileSync(timer, 'utf8')).toBe(edited)
  expect([existsSync(service), existsSync(timer)]).toEqual([true, true])
  expect(await cli.run('remind', 'install', '--force')).toMatchObject({ status: 0 })
  expect(readFileSync(timer, 'utf8')).not.toBe(edited)
})

onLinux('remove with an edited unit keeps both units and the timer, and --force removes them', async () => {
  const cli = createCli('2024-05-02T09:00:00', { systemctl: record })
  await cli.run('remind', 'install')
  const units = unitsOf(cli)
  const [service = ''] = units
  writeFileSync(service, `${readFileSync(service, 'utf8')}# mine\n`)
  calls(cli)
  const refused = await cli.run('remind', 'remove')
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain(`${service} was edited: nothing was removed, and the reminders continue.`)
  expect(refused.stderr).toContain('tt remind remove --force')
  expect(units.map((path) => existsSync(path))).toEqual([true, true])
  expect(calls(cli)).toEqual([])
  expect(await cli.json('remind', 'remove', '--force')).toEqual({ removed: units, edited: [] })
  expect(calls(cli)[0]).toEqual(['--user', '--no-pager', 'disable', '--now', 'tt-remind.timer'])
  expect(units.map((path) => existsSync(path))).toEqual([false, false])
})

onLinux('status shows whether the timer is active and when it runs next', async () => {
  const active = 'echo ActiveState=active; echo NextElapseUSecRealtime=@1714644900'
  const cli = createCli('2024-05-02T09:00:00', { systemctl: active })
  await cli.run('remind', 'install')
  expect(await cli.json('remind', 'status')).toEqual({
    ...{ installed: true, active: true, next_run: '2024-05-02T12:15:00+02:00', edited: false },
    ...{ problem: null, files: unitsOf(cli), due: [] },
  })
  expect((await cli.runInTerminal(120, 'remind', 'status')).stdout).toMatch(
    /^Installed, active\. Next run: .*12:15\. Nothing is due/,
  )
})

onLinux('without a user manager, install and remove change the files and warn', async () => {
  const failing = 'echo "Failed to connect to bus: No medium found" >&2; exit 1'
  const cli = createCli('2024-05-02T09:00:00', { systemctl: failing })
  const installed = await cli.run('remind', 'install')
  expect(installed.status).toBe(0)
  expect(installed.stderr).toContain('The timer is not active: systemctl: Failed to connect to bus')
  expect(await cli.json('remind', 'status')).toMatchObject({
    ...{ installed: true, active: null, next_run: null },
    problem: 'Failed to connect to bus: No medium found',
  })
  const units = unitsOf(cli)
  const link = join(cli.env.XDG_CONFIG_HOME ?? '', 'systemd/user/timers.target.wants/tt-remind.timer')
  mkdirSync(dirname(link))
  symlinkSync(units[1] ?? '', link)
  const removed = await cli.run('remind', 'remove')
  expect(removed.status).toBe(0)
  expect(removed.stderr).toContain('The timer may still be active: systemctl: Failed to connect to bus')
  expect([...units, link].filter((path) => lstatSync(path, { throwIfNoEntry: false }))).toEqual([])
})

onLinux('without systemd, install names another way, and with TT_TOKEN it fails', async () => {
  const cli = createCli('2024-05-02T09:00:00')
  expect(await cli.run('remind', 'install')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('cron'),
  })
  Object.assign(cli.env, { TT_BASE_URL: 'http://127.0.0.1:9', TT_TOKEN: 'token' })
  expect(await cli.run('remind', 'install')).toMatchObject({ status: 2 })
})
