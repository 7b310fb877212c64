import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { commandShapes } from '../../src/records/shapes/commands.js'
import { differences } from '../support/described-output.js'
import {
  bin,
  cleanEnvironment,
  temporaryDirectory,
  tt,
  ttJson,
  waitForExit,
  zoneWithHour,
} from '../support/process.js'
import { startTeam } from '../support/team.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'
import { createTestCli } from '../support/test-cli.js'
import { startSlowService } from './slow-service.js'

/** Sets a time zone in which three hours ago is today, also for commands in this process, and returns it. */
function setNoon(): string {
  process.env.TZ = zoneWithHour(12)
  return process.env.TZ
}

/** Creates a home with two entries and a running timer, and runs these commands in it. */
async function createHome(...more: string[][]): Promise<string> {
  const cli = createTestCli(new Date().toISOString())
  for (const argv of [
    ['add', 'Acme/Website/Design', '--from', '-2h', '--for', '30m', '-n', 'first page'],
    ['add', 'Acme/Website/Review', '--from', '-1h', '--for', '20m'],
    ['start', 'Acme/Website/Design', '-n', 'second page'],
    ...more,
  ])
    await cli.json(...argv)
  return cli.home
}

test('tt watch shows changes of this and other processes, fits a small terminal, and restores it', async ({
  skip,
}) => {
  skip(isTmuxMissing, 'tmux is not installed')
  const home = await createHome()
  const terminal = openTerminal(home)
  terminal.resize(120, 24)
  terminal.runTt('watch')
  await terminal.waitForText(/0:00:\d\d {2}Acme \/ Website \/ Design {2}since/)
  expect(terminal.modes()).toEqual({ isAlternate: true, hasCursor: false })

  expect(await tt(home, ['stop'])).toMatchObject({ status: 0 })
  await terminal.waitForText('No timer is running.')
  terminal.type('?')
  await terminal.waitForText(/s, \/ +start a task, or switch to another one/)
  terminal.type('s')
  await terminal.waitForText(/type to filter {3}/)
  terminal.type('review', 'Enter')
  await terminal.waitForText(/Started Acme \/ Website \/ Review at .*\n.*Press u to undo\./)
  expect(await ttJson(home, 'status')).toMatchObject({ task: 'Review' })
  terminal.type('s')
  await terminal.waitForText('Switch to which task?')
  terminal.type('second page', 'Enter')
  await terminal.waitForText('Stopped Acme / Website / Review')
  expect(await ttJson(home, 'status')).toMatchObject({ task: 'Design', notes: 'second page' })
  terminal.type('u')
  await terminal.waitForText('Undid: Started Acme / Website / Design')
  terminal.type('x')
  await terminal.waitForText('Stopped Acme / Website / Review')

  terminal.resize(60, 8)
  terminal.type('x')
  await terminal.waitForText('error: No timer is running.')
  const lines = terminal.screen().trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(8)
  expect(lines.at(-1)).toContain('s start c continue')
  terminal.type('q')
  await terminal.waitForText('exit=0')
  expect(terminal.modes()).toEqual({ isAlternate: false, hasCursor: true })
})

test('tt watch shows the hours of the day, projects and the target, edits and switches in 40 columns', async () => {
  const env = {
    TZ: setNoon(),
    LC_ALL: 'C.UTF-8',
    EDITOR: `sed -i 's/Review/Layout/'`,
    NO_COLOR: '1',
  }
  const home = await createHome(
    ['config', 'set', 'target.daily', '8h'],
    ['config', 'set', 'working_days', 'mon,tue,wed,thu,fri,sat,sun'],
    ['add', 'Acme/Shop/Design', '--from', '-3h', '--for', '20m'],
  )
  const terminal = openTerminal(home, env)
  terminal.resize(40, 30)
  terminal.runTt('watch')
  await terminal.waitForText('quit')
  const screen = terminal.screen()
  for (const line of screen.split('\n')) expect(line.length).toBeLessThanOrEqual(40)
  expect(screen).toMatch(/^Today +1h 10m of +8h 00m +[█▏▎▍▌▋▊▉]+ *│$/m)
  expect(screen).toMatch(/^Week +1h 10m of +\d+h 00m +[█▏▎▍▌▋▊▉]+ *│/m)
  expect(screen).toMatch(/^09 +10 +11 +12/m)
  expect(screen).toMatch(/^·*▓+·+█+·+█+·+█·*$/m)
  expect(screen).toContain('█ Website 50m   ▓ Shop 20m')

  terminal.type('e')
  await terminal.waitForText('Edit which entry?')
  terminal.type('review', 'Enter')
  await terminal.waitForText(/Changed entry \d+:[\s\S]*Layout/)
  expect(terminal.modes()).toEqual({ isAlternate: true, hasCursor: false })
  terminal.type('/')
  await terminal.waitForText('Switch to which task?')
  terminal.type('layout', 'Enter')
  await terminal.waitForText('Press u to undo.')
  expect(await ttJson(home, 'status')).toMatchObject({ task: 'Layout' })
  terminal.type('q')
  await terminal.waitForText('exit=0')
})

test('tt watch leaves the terminal as it was after Ctrl-Z, Ctrl-C and signals', async ({ skip }) => {
  skip(isTmuxMissing, 'tmux is not installed')
  const home = await createHome()
  const terminal = openTerminal(home, { NO_COLOR: '1' })
  const start = async () => {
    terminal.runShell(
      `sh -c 'echo $$ > pid; exec "${process.execPath}" "${bin}" watch'; echo "exit=$?"; stty -a`,
    )
    await terminal.waitForText('q quit')
  }
  const restored = async (text: string) => {
    await terminal.waitForText(text)
    await terminal.waitForText(/ icanon/)
    expect(terminal.modes()).toEqual({ isAlternate: false, hasCursor: true })
  }
  await start()
  terminal.type('', 'C-z')
  await restored('Stopped')
  terminal.type('fg', 'Enter')
  await terminal.waitForText('q quit')
  terminal.type('', 'C-c')
  await vi.waitFor(() => expect(terminal.modes()).toEqual({ isAlternate: false, hasCursor: true }))
  for (const [signal, status] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const) {
    await start()
    process.kill(Number(readFileSync(join(home, 'pid'), 'utf8')), signal)
    await restored(`exit=${status}`)
  }
})

test('tt watch resumes in the size of the terminal, and reads each key once after SIGSTOP', async ({
  skip,
}) => {
  skip(isTmuxMissing, 'tmux is not installed')
  const home = await createHome()
  const terminal = openTerminal(home, { NO_COLOR: '1' })
  terminal.runShell(`sh -c 'echo $$ > pid; exec "${process.execPath}" "${bin}" watch'`)
  await terminal.waitForText('q quit')
  terminal.type('', 'C-z')
  await terminal.waitForText('Stopped')
  terminal.resize(60, 12)
  terminal.type('fg', 'Enter')
  await terminal.waitForText('q quit')
  const lines = terminal.screen().trimEnd().split('\n')
  expect(Math.max(...lines.map((line) => line.length))).toBe(60)
  expect(lines[0]).toMatch(/^tt watch: local workspace .* \d\d:\d\d$/)

  // The shell writes after the text that was drawn last: in 60 columns, a line may end within the word.
  terminal.resize(100, 12)
  process.kill(Number(readFileSync(join(home, 'pid'), 'utf8')), 'SIGSTOP')
  await terminal.waitForText('Stopped')
  terminal.type('fg', 'C-j') // The terminal is still in raw mode, where Enter is no line feed.
  await vi.waitFor(() => expect(terminal.screen()).not.toContain('Stopped'), { timeout: 120_000 })
  terminal.type('s')
  await terminal.waitForText('Switch to which task?')
  terminal.type('review')
  await terminal.waitForText('Switch to which task? review▏')
})

test('tt watch ends with q before the service has responded, also after other keys', async ({ skip }) => {
  skip(isTmuxMissing, 'tmux is not installed')
  const { url } = await startSlowService()
  const env = { TT_BASE_URL: url, TT_TOKEN: 'token' }
  const terminal = openTerminal(temporaryDirectory(), env)
  terminal.runTt('watch')
  await terminal.waitForText('Waiting for the service')
  terminal.type('xsq')
  await terminal.waitForText('exit=0')
})

test('tt watch scrolls back at once after more keys than there are entries', async ({ skip }) => {
  skip(isTmuxMissing, 'tmux is not installed')
  const env = { NO_COLOR: '1', TZ: setNoon() } // The list has the entries of today.
  const terminal = openTerminal(await createHome(), env)
  terminal.resize(60, 6)
  terminal.runTt('watch')
  await terminal.waitForText('second page')
  terminal.type('', ...Array.from({ length: 9 }, () => 'Up'))
  await terminal.waitForText('first page')
  terminal.type('', 'Down')
  await vi.waitFor(() => expect(terminal.screen()).not.toContain('first page'), { timeout: 120_000 })
})

interface Event {
  type: string
  time: string
  entry?: { id: number | string; task: string; pending: boolean }
}

/** Starts `tt watch --json` and collects its events. It ends with the test. */
function startWatch(home: string, env: Record<string, string> = {}) {
  const child: ChildProcess = spawn(process.execPath, [bin, 'watch', '--json'], {
    env: cleanEnvironment({ TT_HOME: home, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = waitForExit(child)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exit
  })
  let output = ''
  child.stdout?.on('data', (text: string) => {
    output += text
  })
  const events = () =>
    output
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        expect(commandShapes.watch && differences('watch', commandShapes.watch.json, line)).toEqual([])
        return JSON.parse(line) as Event
      })
  const untilTypes = (...types: string[]) =>
    vi.waitFor(() => expect(events().map(({ type }) => type)).toEqual(types), {
      timeout: 120_000,
      interval: 20,
    })
  return { child, exit, events, untilTypes }
}

test('tt watch --json prints the state and the changes of other processes, and ends silently on Ctrl-C', async () => {
  const home = await createHome()
  const watch = startWatch(home)
  await watch.untilTypes('state')
  expect(watch.events()[0]).toMatchObject({ timer: { task: 'Design' }, connection: 'local' })
  await tt(home, ['start', 'Acme/Website/Review'])
  await watch.untilTypes('state', 'stopped', 'started')
  await tt(home, ['edit', '-n', 'new'])
  await watch.untilTypes('state', 'stopped', 'started', 'changed')
  await tt(home, ['cancel', '--yes'])
  await watch.untilTypes('state', 'stopped', 'started', 'changed', 'deleted')
  expect(watch.events()[4]?.entry).toMatchObject({ task: 'Review' })
  watch.child.kill('SIGINT')
  expect(await watch.exit).toMatchObject({ status: 130, stderr: '' })
})

test('tt watch --json ends silently when its reader is gone', async () => {
  const home = await createHome()
  const watch = startWatch(home)
  await watch.untilTypes('state')
  watch.child.stdout?.destroy()
  await tt(home, ['stop'])
  await vi.waitFor(() => expect(watch.child.exitCode).toBe(0), { timeout: 120_000 })
  expect(await watch.exit).toMatchObject({ status: 0, stderr: '' })
})

test('tt watch --json shows changes of a service, that it stops responding, and pending changes', async () => {
  const { serveProcess, tokens } = await startTeam(1)
  const env = { TT_BASE_URL: serveProcess.url, TT_TOKEN: tokens[0] ?? '' }
  const home = temporaryDirectory()
  const watch = startWatch(home, env)
  await watch.untilTypes('state')
  await tt(home, ['start', 'design'], env)
  await watch.untilTypes('state', 'started')
  expect(watch.events()[1]?.entry).toMatchObject({ task: 'Design', pending: false })
  serveProcess.child.kill('SIGTERM')
  await serveProcess.exit
  await tt(home, ['stop'], env)
  await watch.untilTypes('state', 'started', 'stopped', 'offline')
  expect(watch.events()[2]?.entry).toMatchObject({ task: 'Design', pending: true })
})

test('tt watch without a terminal names --json', async () => {
  expect(await tt(temporaryDirectory(), ['watch'])).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringContaining('Use `tt watch --json` for a program'),
  })
})
