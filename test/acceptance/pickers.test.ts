import { beforeEach, expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import { bin, zoneWithHour } from '../support/process.js'
import { isTmuxMissing, openTerminal, type Terminal } from '../support/terminal.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

beforeEach(({ skip }) => skip(isTmuxMissing, 'tmux is not installed'))

type Row = Record<string, unknown>

/** At noon, all tests are of the same day. */
const zone = zoneWithHour(12)
process.env.TZ = zone

const now = () => new Date().toISOString()

/** Creates a home with 9:00–10:30 on Müller / Website / Design and 10:30–11:00 on App / Review, both yesterday. */
const createCli = preparedCli(now(), async ({ json }) => {
  const add = (task: string, from: string, to: string, notes: string) =>
    json('add', task, '--from', `yesterday ${from}`, '--to', `yesterday ${to}`, '-n', notes)
  await add('Müller/Website/Design', '9:00', '10:30', 'first page')
  await add('App/Review', '10:30', '11:00', 'colours')
})

/** Opens a terminal whose commands use the home of `cli`. Commands in this process read and prepare its records. */
function openHome(cli: TestCli) {
  const json: TestCli['json'] = (...argv) => {
    cli.setTime(now())
    return cli.json(...argv)
  }
  const entries = () => json<Row[]>('log', '--since', '-7d')
  return { json, entries, terminal: openTerminal(cli.home, { TZ: zone }) }
}

const createHome = async () => openHome(await createCli())

/** Returns the screen without dates and without the command line. */
const stableScreen = (terminal: Terminal) =>
  terminal
    .screen()
    .replace(/(\b\w{3} )?\d{4}-\d\d-\d\d/g, 'DAY')
    .replace(/^[\s\S]*?(?=[?✔] |New \/ Task )/, '') // The command line contains the paths of Node and tt.
    .trimEnd()

test('tt start offers the task links, filtered by words in any order without accents, then earlier notes', async () => {
  const { json, terminal } = await createHome()
  terminal.runTt('start')
  await terminal.waitForText(/Which task\?[\s\S]*App \/ Review[\s\S]*Müller \/ Website \/ Design/)
  terminal.type('des muller/we')
  await terminal.waitForText('❯ Müller / Website / Design')
  expect(stableScreen(terminal)).toBe(
    [
      '? Which task? des muller/we',
      '❯ Müller / Website / Design',
      '  Create des muller / we',
      '↑↓ select • Enter choose • Esc cancel',
    ].join('\n'),
  )
  terminal.type('', 'Enter')
  await terminal.waitForText('❯ No notes')
  expect(stableScreen(terminal)).toBe(
    [
      '✔ Which task? Müller / Website / Design',
      '? Notes?',
      '❯ No notes',
      '  first page',
      'type a note, or choose a recent one • ↑↓ select • Enter choose • Ctrl-C cancel',
    ].join('\n'),
  )
  terminal.type('', 'Down')
  await terminal.waitForText('❯ first page')
  terminal.type('', 'Enter')
  await terminal.waitForText('exit=0')
  expect(await json<Row>('status')).toMatchObject({ project: 'Website', notes: 'first page' })
})

test('the picker of tt rm shows the entries, newest first, and prompts before the deletion', async () => {
  const { entries, terminal } = await createHome()
  terminal.runTt('rm')
  await terminal.waitForText('❯')
  expect(stableScreen(terminal)).toBe(
    [
      '? Which entry should be deleted?',
      '❯ DAY 10:30–11:00      30m  App / Review  colours',
      '  DAY 09:00–10:30   1h 30m  Müller / Website / Design  first page',
      '↑↓ select • Enter choose • Esc cancel',
    ].join('\n'),
  )
  terminal.type('1h30 first') // A duration consists of two words.
  await terminal.waitForText('Nothing matches.')
  terminal.type('', 'C-u')
  terminal.type('30m first')
  await terminal.waitForText(/deleted\? 30m first\n❯ .*first page/)
  terminal.type('', 'Enter')
  await terminal.waitForText(/Delete Müller \/ Website \/ Design, .* \(y\/N\)/)
  terminal.type('y', 'Enter')
  await terminal.waitForText('exit=0')
  expect(await entries()).toMatchObject([{ project: 'App' }])
})

test('a command suggested by tt check runs in a terminal without prompts and keeps all time', async () => {
  const { json, entries, terminal } = openHome(createTestCli(now()))
  for (const [from, to] of [
    ['8:00', '14:00'],
    ['9:00', '9:30'],
    ['10:00', '10:30'],
    ['11:00', '11:30'],
  ]) {
    await json('add', 'App/Review', '--from', `yesterday ${from}`, '--to', `yesterday ${to}`)
  }
  const [overlap] = await json<Row[]>('check', '--overlaps', '--since', '-7d')
  terminal.type(
    `tt() { '${process.execPath}' '${bin}' "$@"; }; clear; ${String(overlap?.mend)}; echo exit=$?`,
    'Enter',
  )
  await terminal.waitForText(/exit=\d/)
  expect(terminal.screen()).toContain('exit=0')
  const lengths = (await entries()).map(({ duration_seconds }) => Number(duration_seconds))
  expect(lengths.reduce((sum, seconds) => sum + seconds, 0)).toBe(6 * 3600)
  expect(await json<Row[]>('check', '--overlaps', '--since', '-7d')).toEqual([])
})

test('a new entry that overlaps others is not added with n or Enter alone, and is added with y', async () => {
  const { json, entries, terminal } = await createHome()
  for (const answer of ['n', '']) {
    terminal.runTt('add New/Task --from "yesterday 10:00" --for 1h')
    await terminal.waitForText(/Add it anyway\? \(y\/N\)/)
    expect(stableScreen(terminal)).toBe(
      [
        'New / Task DAY 10:00–11:00 overlaps',
        '  Müller / Website / Design (09:00–10:30) by 30m',
        '  App / Review (10:30–11:00) by 30m',
        '? Add it anyway? (y/N)',
      ].join('\n'),
    )
    terminal.type(answer, 'Enter')
    await terminal.waitForText('exit=1')
    expect(terminal.screen()).toContain('Nothing was changed.')
    expect(await entries()).toHaveLength(2)
    expect(await json<Row[]>('tasks')).toHaveLength(2)
  }
  terminal.runTt('add New/Task --from "yesterday 10:00" --for 1h')
  await terminal.waitForText(/\(y\/N\)/)
  terminal.type('y', 'Enter')
  await terminal.waitForText('exit=0')
  expect(await entries()).toHaveLength(3)
})
