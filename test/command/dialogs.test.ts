import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { splitCommandLine } from '../support/examples.js'
import { preparedCli } from '../support/prepared-cli.js'
import { createTestCli, type Dialog, type TestCli } from '../support/test-cli.js'

type Row = Record<string, unknown>

const [enter, down, ctrlC, ctrlU] = ['\r', '\u001b[B', '\u0003', '\u0015']

/** Creates a `TestCli` with 9:00–10:30 on Müller / Website / Design and 10:30–11:00 on App / Review, both yesterday. */
const createCli = preparedCli('2024-05-08T12:00:00', async ({ json }) => {
  const add = (task: string, from: string, to: string, notes: string) =>
    json('add', task, '--from', `yesterday ${from}`, '--to', `yesterday ${to}`, '-n', notes)
  await add('Müller/Website/Design', '9:00', '10:30', 'first page')
  await add('App/Review', '10:30', '11:00', 'colours')
})

/** Creates a `TestCli` with an entry of each task. */
async function createCliWith(...tasks: string[]): Promise<TestCli> {
  const cli = createTestCli('2024-05-08T12:00:00')
  for (const task of tasks) await cli.json('add', task, '--from', 'yesterday 9:00', '--for', '1m', '--yes')
  return cli
}

/** Runs a command line in a terminal and types keys. */
async function type(cli: TestCli, line: string, dialog: Dialog) {
  const { status, stderr } = await cli.runWithKeys(dialog, ...splitCommandLine(line))
  return { status, stderr }
}

const entriesOf = (cli: TestCli) => cli.json<Row[]>('log', '--since', '-7d')
const labelsOf = async (cli: TestCli) => (await cli.json<Row[]>('tasks')).map(({ label }) => label)

describe('tt start without a task', () => {
  test('accepts new notes', async () => {
    const cli = await createCli()
    await type(cli, 'start', [
      ['Which task?', 'design'],
      ['❯ Müller / Website / Design', enter],
      ['❯ No notes', 'page'],
      ['❯ page\n  first page', enter],
    ])
    expect(await cli.json('status')).toMatchObject({ project: 'Website', notes: 'page' })
  })

  test('offers the most used task first', async () => {
    const cli = await createCli()
    await cli.json('add', 'design', '--from', 'yesterday 12:00', '--for', '1h')
    expect(
      await type(cli, 'start', [['❯ 1 Müller / Website / Design\r\n  2 App / Review', ctrlC]]),
    ).toMatchObject({ status: 130 })
  })

  test('creates the first task', async () => {
    const cli = createTestCli()
    const { stderr } = await type(cli, 'start -n x', [
      ['Type a name.', 'Website'],
      ['❯ Create Website / General', enter],
    ])
    expect(stderr).toContain('Started Website / General')
    expect(await cli.json('status')).toMatchObject({ project: 'Website', task: 'General' })
  })
})

test('tt start with the first task prompts for nothing', async () => {
  expect(await type(createTestCli(), 'start Website', [])).toEqual({
    status: 0,
    stderr: expect.stringMatching(/Created Website \/ General\.\s+Started Website \/ General at \d/),
  })
})

test('an ambiguous task opens a picker, where typing filters', async () => {
  const cli = await createCliWith('App/Design', 'Website/Design')
  const { stderr } = await type(cli, 'start design -n picked', [
    ['"design" matches several tasks:', 'web'],
    ['tasks: web\r\n❯ Website / Design', enter],
  ])
  expect(stderr).toMatch(/Started Website \/ Design at \d\d:\d\d\./)
  expect(await cli.json('status')).toMatchObject({ project: 'Website', notes: 'picked', running: true })
})

test('a word with a probable typo prompts for the tasks of that name, or creates the project', async () => {
  const cli = await createCliWith('App/Design')
  for (const [key, project] of [
    ['1', 'App'],
    ['2', 'Desing'],
  ] as const) {
    const question = [
      '? "Desing" is probably a typo of the task "Design": ',
      '❯ 1 App / Design',
      '  2 Create Desing / General',
    ].join('\r\n')
    expect(await type(cli, 'start Desing', [[question, key]])).toMatchObject({ status: 0 })
    expect(await cli.json('status')).toMatchObject({ project })
  }
})

test('tt edit prompts for an ambiguous task, and creates another one', async () => {
  const cli = await createCliWith('App/Review', 'App/Design')
  await type(cli, 'edit @1 --task app', [
    ['? "app" matches several tasks:', 'App/Plan'],
    ['  Create App / Plan', down],
    ['❯ Create App / Plan', enter],
  ])
  expect(await cli.json('show', '@1')).toMatchObject({ project: 'App', task: 'Plan' })
})

const times: Dialog = [
  ['When (9:00-11:30), or how long until now (2h)?', `lunch${enter}`],
  ['"lunch" is neither a start and an end nor a duration.', `${ctrlU}yesterday 14-15:30${enter}`],
]

test.each<[string, Dialog]>([
  ['add', [['Which task?', 'review'], ['❯ App / Review', enter], ...times]],
  ['add App', times],
])('tt add without times prompts for them, and again after invalid ones: tt %s', async (line, dialog) => {
  const cli = await createCli()
  expect(await type(cli, line, dialog)).toMatchObject({ status: 0 })
  expect((await entriesOf(cli)).at(-1)).toMatchObject({ project: 'App', duration_seconds: 5400 })
})

test('tt continue and tt edit open a picker of entries with --pick', async () => {
  const cli = await createCli()
  await type(cli, 'continue --pick', [
    ['Which entry should be resumed?', 'first'],
    ['resumed? first\r\n❯ ', enter],
  ])
  expect(await cli.json('status')).toMatchObject({ project: 'Website', notes: 'first page' })
  await type(cli, 'edit --pick -n other', [
    ['–running', 'colours'],
    ['changed? colours\r\n❯ ', enter],
  ])
  expect(await cli.json('show', '2')).toMatchObject({ notes: 'other' })
})

describe('tt rm', () => {
  test.each([
    ['n', `n${enter}`, 1, 2],
    ['Enter alone', enter, 1, 2],
    ['y', `y${enter}`, 0, 1],
  ])('prompts, and after %s exits with the status', async (_, keys, status, count) => {
    const cli = await createCli()
    const outcome = await type(cli, 'rm @1', [['(y/N)', keys]])
    expect(outcome.status).toBe(status)
    expect(outcome.stderr).toContain('Delete App / Review, 2024-05-07 10:30, 30m')
    expect(outcome.stderr).toContain(
      status === 0 ? 'Deleted App / Review' : 'Cancelled. Nothing was changed.',
    )
    expect(outcome.stderr).not.toContain('error:')
    expect(await entriesOf(cli)).toHaveLength(count)
  })
})

describe('a new entry that overlaps others', () => {
  test('has its times with seconds within one minute', async () => {
    const cli = await createCli()
    await cli.json('add', 'App/Review', '--from', 'yesterday 12:00:05', '--to', 'yesterday 12:00:41')
    const { stderr } = await type(cli, 'add design --from "yesterday 12:00:10" --for 20s', [
      ['Add it anyway?', enter],
    ])
    expect(stderr).toMatch(/Müller \/ Website \/ Design .* 12:00:10–12:00:30 overlaps/)
    expect(stderr).toContain('App / Review (12:00:05–12:00:41) by 20s')
  })

  test('prompts in tt edit', async () => {
    const cli = await createCli()
    const { status, stderr } = await type(cli, 'edit @1 --from 10:15', [
      ['Change it anyway? (y/N)', `n${enter}`],
    ])
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/App \/ Review .* 10:15–11:00 overlaps[\s\S]*by 15m\s+\? Change/),
    })
    expect(await cli.json('show', '2')).toMatchObject({ duration_seconds: 1800 })
  })

  test('is added with --yes, which prints the overlaps', async () => {
    const cli = await createCli()
    const { stderr } = await type(cli, 'add New/Task --from "yesterday 10:00" --for 1h --yes', [])
    expect(stderr.match(/Overlap of 30m/g)).toHaveLength(2)
    expect(await entriesOf(cli)).toHaveLength(3)
  })
})

test('tt add does not prompt for an equal external ID', async () => {
  const cli = await createCli()
  for (const _ of ['new', 'existing'])
    expect(
      await type(cli, 'add design --from "yesterday 12:00" --for 1h --external-id T-1', []),
    ).toMatchObject({ status: 0 })
  expect(await entriesOf(cli)).toHaveLength(3)
})

describe('prompts for the task before prompting for an overlap', () => {
  test('in tt add for a probable typo', async () => {
    const cli = await createCli()
    const { status, stderr } = await type(cli, 'add desgn --from "yesterday 10:00" --for 10m', [
      ['"desgn" is probably a typo of the task "Design"', enter],
      ['Add it anyway? (y/N)', `n${enter}`],
    ])
    expect(status).toBe(1)
    expect(stderr.indexOf('overlaps')).toBeGreaterThan(stderr.indexOf('✔'))
    expect(await entriesOf(cli)).toHaveLength(2)
  })

  test.each([
    'start app --at "yesterday 10:45"',
    'add app --from "yesterday 10:00" --for 10m',
    'edit 1 --task app --to "yesterday 10:45"',
  ])('and reports an archived project instead of a prompt: tt %s', async (line) => {
    const cli = await createCli()
    await cli.json('projects', 'archive', 'App')
    const outcome = await type(cli, line, [])
    expect(outcome).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('The project "App" is archived.'),
    })
    expect(outcome.stderr).toContain('tt projects restore App')
  })
})

describe('tt start --at before the end of the last entry', () => {
  const start = 'start New/Task --at "yesterday 10:45"'

  test('offers to trim that entry', async () => {
    const cli = await createCli()
    const { status, stderr } = await type(cli, start, [['End it at', `y${enter}`]])
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(
        /App \/ Review \(.*\) ends after 10:45\. End it at 10:45 \(15m less\)\? .*\(y\/N\)/,
      ),
    })
    expect(await entriesOf(cli)).toMatchObject([
      { duration_seconds: 5400 },
      { project: 'App', duration_seconds: 900 },
      { project: 'New', running: true },
    ])
  })

  test.each([
    ['n', 2, 1],
    ['y', 3, 0],
  ])('prompts whether to overlap it instead: %s', async (answer, count, status) => {
    const cli = await createCli()
    const outcome = await type(cli, start, [
      ['End it at', `n${enter}`],
      ['Start it anyway? (y/N)', `${answer}${enter}`],
    ])
    expect(outcome).toEqual({
      status,
      stderr: expect.stringMatching(
        /New \/ Task since .* 10:45 overlaps\s+App \/ Review \(.*\) by 15m\s+\? Start it anyway/,
      ),
    })
    const found = await entriesOf(cli)
    expect(found).toHaveLength(count)
    expect(found[1]).toMatchObject({ project: 'App', duration_seconds: 1800 })
  })
})

test.each([
  ['start', ['Which task?']],
  ['start', ['Which task?', 'Notes?']],
  ['rm', ['Which entry']],
  ['rm', ['Which entry', 'Delete App']],
  ['rm @1', ['Delete App']],
  ['edit --pick -n x', ['Which entry']],
  ['continue --pick', ['Which entry']],
  ['add New/Task', ['how long until now (2h)?']],
  ['add New/Task --from "yesterday 10:00" --for 1h', ['Add it anyway']],
  ['edit @1 --from 10:15', ['Change it anyway']],
  ['start New/Task --at "yesterday 10:45"', ['End it at']],
  ['start New/Task --at "yesterday 10:45"', ['End it at', 'Start it anyway']],
])('Ctrl-C in tt %s at the last prompt of %j exits with 130 and changes nothing', async (line, questions) => {
  const cli = await createCli()
  const before = await entriesOf(cli)
  const history = await cli.json('undo', '--list')
  const dialog = questions.map(
    (question, index) => [question, index + 1 < questions.length ? enter : ctrlC] as const,
  )
  const outcome = await type(cli, line, dialog)
  expect(outcome).toMatchObject({ status: 130, stderr: expect.stringContaining('Nothing was changed.') })
  expect(outcome.stderr).not.toContain('error:')
  expect(await entriesOf(cli)).toEqual(before)
  expect(await labelsOf(cli)).toHaveLength(2)
  expect(await cli.json('undo', '--list')).toEqual(history)
})

test.each(['--no-input', '--json'])('with %s there are no prompts, but defaults', async (option) => {
  const cli = await createCli()
  for (const [line, status] of [
    ['start', 2],
    ['start Desing', 2],
    ['rm', 2],
    ['rm @1', 2],
    ['add App/Review --from "yesterday 10:45" --for 10m', 0],
    ['edit @1 --from 10:15', 0],
    ['start App/Review --at "yesterday 10:45"', 0],
  ] as const)
    expect(await type(cli, `${line} ${option}`, [])).toMatchObject({ status })
  expect(await entriesOf(cli)).toHaveLength(4)
  expect(await labelsOf(cli)).toHaveLength(2)
})

describe('tt import', () => {
  test('may be the first command, with a report without tasks', async () => {
    const cli = createTestCli()
    const header =
      'User,Email,Client,Project,Task,Description,Billable,Start date,Start time,End date,End time,Duration,Tags'
    const rows = [
      'Ada,,Acme,Website,,page,No,2024-05-01,09:00:00,2024-05-01,10:00:00,01:00:00,',
      'Ada,,,Calls,,,No,2024-05-01,11:00:00,2024-05-01,11:30:00,00:30:00,',
    ]
    writeFileSync(join(cli.home, 'report.csv'), [header, ...rows].join('\n'))
    const question = '? Import 2 entries from report.csv? (y/N)'
    expect(await type(cli, 'import report.csv', [[question, `n${enter}`]])).toMatchObject({ status: 1 })
    expect([await entriesOf(cli), await labelsOf(cli)]).toEqual([[], []])
    await type(cli, 'import report.csv', [[question, `y${enter}`]])
    expect(await labelsOf(cli)).toEqual(['Acme / Website / General', 'Calls / General'])
  })

  test('preselects no task of another client in its picker', async () => {
    const cli = await createCliWith('Beta/Website/Design', 'Acme/Website/Review', 'Acme/Website/Test')
    const rows = ['9:00,2024-05-01 10:00,Acme,Website', '10:00,2024-05-01 11:00,Gamma,']
    writeFileSync(
      join(cli.home, 'jobs.csv'),
      ['start,end,client,project', ...rows.map((row) => `2024-05-01 ${row}`), ''].join('\n'),
    )
    const { stderr } = await type(cli, 'import jobs.csv', [
      ['❯ 1 Acme / Website / Review', enter],
      ['3 Beta / Website / Design', enter],
      ['', 'Shop'],
      ['  Create Gamma / Shop / General', down],
      ['❯ Create Gamma / Shop / General', enter],
      ['? Import 2 entries from jobs.csv? (y/N)', `y${enter}`],
    ])
    expect(stderr).toMatch(/\(1\/2\) Task for Acme \/ Website.*\r\n❯ 1 Acme/)
    expect(stderr).toMatch(/\(2\/2\) Task for Gamma.*\r\n {2}1 .*\r\n {2}2 .*\r\n {2}3 Beta/)
    expect(await labelsOf(cli)).toContain('Gamma / Shop / General')
  })
})
