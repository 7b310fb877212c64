import { beforeEach, describe, expect, test } from 'vitest'
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

describe('tt start without a task', () => {
  test('offers the task links, filtered by words in any order without accents, then earlier notes', async () => {
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

  test('accepts new notes', async () => {
    const { json, terminal } = await createHome()
    terminal.runTt('start')
    await terminal.waitForText('Which task?')
    terminal.type('design')
    await terminal.waitForText(/Which task\? design\n❯ Müller/)
    terminal.type('', 'Enter')
    await terminal.waitForText('❯ No notes')
    terminal.type('page')
    await terminal.waitForText(/❯ page\n {2}first page/)
    terminal.type('', 'Enter')
    await terminal.waitForText('exit=0')
    expect(await json<Row>('status')).toMatchObject({ notes: 'page' })
  })

  test('does not prompt for notes with -n', async () => {
    const { json, terminal } = await createHome()
    terminal.runTt('start -n typed')
    await terminal.waitForText('❯ 1 App / Review')
    terminal.type('', 'Enter')
    await terminal.waitForText('exit=0')
    expect(await json<Row>('status')).toMatchObject({ project: 'App', notes: 'typed' })
  })

  test('offers the most used task link first', async () => {
    const { json, terminal } = await createHome()
    await json('add', 'design', '--from', 'yesterday 12:00', '--for', '1h')
    terminal.runTt('start')
    await terminal.waitForText(/❯ 1 Müller \/ Website \/ Design\n {2}2 App \/ Review/)
    terminal.type('', 'C-c')
    await terminal.waitForText('exit=130')
  })
})

describe('tt add without times', () => {
  test.each([
    ['add', true],
    ['add App', false],
  ])('prompts for them, and prompts again after invalid ones: tt %s', async (line, prompts) => {
    const { entries, terminal } = await createHome()
    terminal.runTt(line)
    if (prompts) {
      await terminal.waitForText('Which task?')
      terminal.type('review', 'Enter')
    }
    await terminal.waitForText('When (9:00-11:30), or how long until now (2h)?')
    terminal.type('lunch', 'Enter')
    await terminal.waitForText('"lunch" is neither a start and an end nor a duration.')
    terminal.type('', 'C-u')
    terminal.type('yesterday 14-15:30', 'Enter')
    await terminal.waitForText('exit=0')
    expect((await entries()).at(-1)).toMatchObject({ project: 'App', duration_seconds: 5400 })
  })

  test('creates nothing after Ctrl-C', async () => {
    const { json, entries, terminal } = await createHome()
    terminal.runTt('add New/Task')
    await terminal.waitForText('how long until now (2h)?')
    terminal.type('', 'C-c')
    await terminal.waitForText('exit=130')
    expect(await entries()).toHaveLength(2)
    expect(await json<Row[]>('tasks')).toHaveLength(2)
  })
})

describe('the picker of entries', () => {
  test('of tt rm shows the entries, newest first, and prompts before the deletion', async () => {
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

  test('of tt continue and tt edit opens with --pick', async () => {
    const { json, terminal } = await createHome()
    terminal.runTt('continue --pick')
    await terminal.waitForText('Which entry should be resumed?')
    terminal.type('first')
    await terminal.waitForText(/resumed\? first\n❯ /)
    terminal.type('', 'Enter')
    await terminal.waitForText('exit=0')
    expect(await json<Row>('status')).toMatchObject({ project: 'Website', notes: 'first page' })
    terminal.runTt('edit --pick -n other')
    await terminal.waitForText(/–running/)
    terminal.type('colours')
    await terminal.waitForText(/changed\? colours\n❯ /)
    terminal.type('', 'Enter')
    await terminal.waitForText('exit=0')
    expect(await json<Row>('show', '2')).toMatchObject({ notes: 'other' })
  })
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

describe('a new entry that overlaps others', () => {
  const add = 'add New/Task --from "yesterday 10:00" --for 1h'

  test('is not added with n or Enter alone, and is added with y', async () => {
    const { json, entries, terminal } = await createHome()
    for (const answer of ['n', '']) {
      terminal.runTt(add)
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
    terminal.runTt(add)
    await terminal.waitForText(/\(y\/N\)/)
    terminal.type('y', 'Enter')
    await terminal.waitForText('exit=0')
    expect(await entries()).toHaveLength(3)
  })

  test('has its times with seconds within one minute', async () => {
    const { json, terminal } = await createHome()
    await json('add', 'App/Review', '--from', 'yesterday 12:00:05', '--to', 'yesterday 12:00:41')
    terminal.runTt('add design --from "yesterday 12:00:10" --for 20s')
    await terminal.waitForText(/Add it anyway\?/)
    expect(terminal.screen()).toMatch(/Müller \/ Website \/ Design .* 12:00:10–12:00:30 overlaps/)
    expect(terminal.screen()).toContain('App / Review (12:00:05–12:00:41) by 20s')
  })

  test('prompts in tt edit', async () => {
    const { json, terminal } = await createHome()
    terminal.runTt('edit @1 --from 10:15')
    await terminal.waitForText(
      /App \/ Review .* 10:15–11:00 overlaps[\s\S]*by 15m\s+\? Change it anyway\? \(y\/N\)/,
    )
    terminal.type('n', 'Enter')
    await terminal.waitForText('exit=1')
    expect(await json<Row>('show', '2')).toMatchObject({ duration_seconds: 1800 })
  })

  test('does not prompt in tt add for an equal external ID', async () => {
    const { entries, terminal } = await createHome()
    for (const _ of ['new', 'existing']) {
      terminal.runTt('add design --from "yesterday 12:00" --for 1h --external-id T-1')
      await terminal.waitForText('exit=0')
    }
    expect(await entries()).toHaveLength(3)
  })

  test('is added with --yes, which prints the overlaps', async () => {
    const { entries, terminal } = await createHome()
    terminal.runTt(`${add} --yes`)
    await terminal.waitForText('exit=0')
    expect(terminal.screen()).not.toContain('y/N')
    expect(terminal.screen().match(/Overlap of 30m/g)).toHaveLength(2)
    expect(await entries()).toHaveLength(3)
  })
})

describe('prompts for the task before prompting for an overlap', () => {
  test('in tt add for a probable typo', async () => {
    const { entries, terminal } = await createHome()
    terminal.runTt('add desgn --from "yesterday 10:00" --for 10m')
    await terminal.waitForText('"desgn" is probably a typo of the task "Design"')
    expect(terminal.screen()).not.toContain('overlaps')
    terminal.type('', 'Enter')
    await terminal.waitForText(/Add it anyway\? \(y\/N\)/)
    terminal.type('n', 'Enter')
    await terminal.waitForText('exit=1')
    expect(await entries()).toHaveLength(2)
  })

  test.each([
    'start app --at "yesterday 10:45"',
    'add app --from "yesterday 10:00" --for 10m',
    'edit 1 --task app --to "yesterday 10:45"',
  ])('and reports an archived project instead of a prompt: tt %s', async (line) => {
    const { json, terminal } = await createHome()
    await json('projects', 'archive', 'App')
    terminal.runTt(line)
    await terminal.waitForText(/y\/N|exit=\d/)
    expect(terminal.screen()).toContain('The project "App" is archived.')
    expect(terminal.screen()).toContain('tt projects restore App')
    expect(terminal.screen()).toContain('exit=2')
  })
})

describe('tt start --at before the end of the last entry', () => {
  const start = 'start New/Task --at "yesterday 10:45"'

  test('offers to trim that entry', async () => {
    const { json, entries, terminal } = await createHome()
    terminal.runTt(start)
    await terminal.waitForText(
      /App \/ Review \(.*\) ends after 10:45\. End it at 10:45 \(15m less\)\? \(y\/N\)/,
    )
    terminal.type('y', 'Enter')
    await terminal.waitForText('exit=0')
    expect(await entries()).toMatchObject([
      { duration_seconds: 5400 },
      { project: 'App', duration_seconds: 900 },
      { project: 'New', running: true },
    ])
    await json('undo')
    expect(await entries()).toMatchObject([{ duration_seconds: 5400 }, { duration_seconds: 1800 }])
  })

  test.each([
    ['n', 2, 1],
    ['y', 3, 0],
  ])('prompts whether to overlap it instead: %s', async (answer, count, status) => {
    const { entries, terminal } = await createHome()
    terminal.runTt(start)
    await terminal.waitForText(/End it at/)
    terminal.type('n', 'Enter')
    await terminal.waitForText(
      /New \/ Task since .* 10:45 overlaps\s+App \/ Review \(.*\) by 15m\s+\? Start it anyway\? \(y\/N\)/,
    )
    terminal.type(answer, 'Enter')
    await terminal.waitForText(`exit=${status}`)
    const found = await entries()
    expect(found).toHaveLength(count)
    expect(found[1]).toMatchObject({ project: 'App', duration_seconds: 1800 })
  })
})

test.each([
  ['start', ['Which task?']],
  ['start', ['Which task?', 'Notes?']],
  ['rm', ['Which entry']],
  ['rm', ['Which entry', 'Delete App']],
  ['edit --pick -n x', ['Which entry']],
  ['continue --pick', ['Which entry']],
  ['add New/Task --from "yesterday 10:00" --for 1h', ['Add it anyway']],
  ['edit @1 --from 10:15', ['Change it anyway']],
  ['start New/Task --at "yesterday 10:45"', ['End it at']],
  ['start New/Task --at "yesterday 10:45"', ['End it at', 'Start it anyway']],
])('Ctrl-C in tt %s at the last prompt of %j exits with 130 and changes nothing', async (line, questions) => {
  const { json, entries, terminal } = await createHome()
  const before = await entries()
  const history = await json<Row[]>('undo', '--list')
  terminal.runTt(line)
  for (const [index, question] of questions.entries()) {
    if (index > 0) terminal.type('', 'Enter')
    await terminal.waitForText(question)
    await terminal.waitForText(/❯|y\/N/)
  }
  terminal.type('', 'C-c')
  await terminal.waitForText('exit=130')
  expect(terminal.screen()).toContain('Nothing was changed.')
  expect(await entries()).toEqual(before)
  expect(await json<Row[]>('tasks')).toHaveLength(2)
  expect(await json<Row[]>('undo', '--list')).toEqual(history)
})

test.each(['--no-input', '--json', '2>messages', '</dev/null'])(
  'with %s there are no prompts: defaults apply, and commands without one exit with 2',
  async (option) => {
    const { entries, terminal } = await createHome()
    for (const [line, status] of [
      ['rm', 2],
      ['add App/Review --from "yesterday 10:45" --for 10m', 0],
      ['edit @1 --from 10:15', 0],
      ['start App/Review --at "yesterday 10:45"', 0],
    ] as const) {
      terminal.runTt(`${line} ${option}`)
      await terminal.waitForText(`exit=${status}`)
      expect(terminal.screen()).not.toMatch(/❯|y\/N/)
    }
    expect(await entries()).toHaveLength(4)
  },
)
