import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import { isTmuxMissing, openTerminal, type Terminal } from '../support/terminal.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

beforeEach(({ skip }) => skip(isTmuxMissing, 'tmux is not installed'))

type Row = Record<string, unknown>

const paths = [
  'Müller & Söhne GmbH/Relaunch of the website/Design review',
  'App/設計とレビュー',
  'App/Design',
]
const help = '↑↓ select • Enter choose • Esc cancel'

const now = () => new Date().toISOString()

async function addTasks({ json }: TestCli, tasks: readonly string[]) {
  for (const task of tasks) await json('add', task, '--from', 'yesterday 9:00', '--for', '1m', '--yes')
}

const createCli = preparedCli(now(), (cli) => addTasks(cli, paths))

/** Creates a home with the tasks of `paths`, and a terminal. */
async function createHome({ columns = 100 } = {}) {
  const cli = await createCli()
  const terminal = openTerminal(cli.home)
  terminal.resize(columns, 40)
  return { cli, home: cli.home, terminal }
}

/** Returns the screen from the question on. */
const shown = (terminal: Terminal) =>
  terminal
    .screen()
    .replace(/^[\s\S]*?\n(?=[?✔] )/, '')
    .trimEnd()
    .split('\n')

const labels = async ({ json }: TestCli) => (await json<Row[]>('tasks')).map(({ label }) => label)

/** Returns the timer of a command that has just ended. */
function running(cli: TestCli): Promise<Row | null> {
  cli.setTime(now())
  return cli.json<Row | null>('status')
}

test('the picker at 40 columns shows the tasks, filters them and creates what was typed', async () => {
  const { cli, terminal } = await createHome({ columns: 40 })
  terminal.runTt('start -n x')
  await terminal.waitForText('Esc cancel')
  // The last column stays empty.
  expect(shown(terminal)).toEqual([
    '? Which task?',
    '❯ 1 Müller & Söhne GmbH / Relaunch of …',
    '  2 App / 設計とレビュー',
    '  3 App / Design',
    help,
  ])
  terminal.type('design')
  await terminal.waitForText('Create design')
  expect(shown(terminal)).toEqual([
    '? Which task? design',
    '❯ Müller & Söhne GmbH / Relaunch of th…',
    '  App / Design',
    '  Create design / General',
    help,
  ])
  terminal.type(' of the new pages and forms')
  await terminal.waitForText('  Create design of')
  terminal.type('', 'Enter') // Nothing is selected.
  terminal.type('', 'Down')
  await terminal.waitForText('❯ Create')
  expect(shown(terminal)).toEqual([
    '? Which task? … the new pages and forms',
    '❯ Create design of the new pages and f…',
    help,
  ])
  terminal.type('', 'Enter')
  await terminal.waitForText('exit=0')
  expect(await running(cli)).toMatchObject({
    project: 'design of the new pages and forms',
    task: 'General',
  })
})

test('the picker uses the height of the terminal, and follows its size', async () => {
  const tasks = Array.from({ length: 30 }, (_, index) => `App/Task ${index + 10}`)
  const cli = createTestCli(now())
  writeFileSync(
    join(cli.home, 'tasks.csv'),
    [
      'project,task,start,end',
      ...tasks.map((task) => `${task.replace('/', ',')},2024-05-01 9:00,2024-05-01 9:30`),
    ].join('\n'),
  )
  await cli.json('import', 'tasks.csv', '--yes')
  const terminal = openTerminal(cli.home)
  terminal.runTt('start')
  await terminal.waitForText('Task 39')
  expect(shown(terminal)).toHaveLength(32)
  for (const [columns, rows] of [
    [30, 12],
    [40, 36],
  ] as const) {
    terminal.resize(columns, rows)
    // The question and the keys need a line each, and one stays empty.
    await expect.poll(() => shown(terminal).length, { timeout: 120_000 }).toBe(Math.min(32, rows - 1))
    expect(shown(terminal)[0]).toBe('? Which task?')
    expect(shown(terminal)[1]).toBe('❯ 1 App / Task 10')
    expect(shown(terminal).at(-1)).toBe(
      help.slice(0, columns - 2) + (columns < help.length + 1 ? '…' : help.slice(columns - 2)),
    )
  }
  terminal.type('', ...Array.from({ length: 29 }, () => 'Down'))
  await terminal.waitForText('❯   App / Task 39')
  terminal.type('', 'Escape')
  await terminal.waitForText('exit=130')
  expect(await running(cli)).toBeNull()
})

test('the picker accepts 10 kB of pasted text without choosing', async () => {
  const { cli, terminal } = await createHome()
  terminal.runTt('start')
  await terminal.waitForText('Esc cancel')
  terminal.paste('one line\n'.repeat(1200))
  await terminal.waitForText(/Which task\? …/)
  terminal.type('', 'C-u')
  terminal.type('review')
  await terminal.waitForText(/Which task\? review/)
  terminal.type('', 'C-c')
  await terminal.waitForText('exit=130')
  expect(await running(cli)).toBeNull()
  expect(await labels(cli)).toHaveLength(3)
})

test('tt watch creates a task', async () => {
  const { cli, terminal } = await createHome()
  terminal.runTt('watch')
  await terminal.waitForText('s start')
  terminal.type('s')
  await terminal.waitForText('Start which task?')
  await terminal.waitForText(/❯ 1 App \/ Design/)
  terminal.type('Garden/Trees')
  await terminal.waitForText('  Create Garden / Trees')
  terminal.type('', 'Down', 'Enter')
  await terminal.waitForText('Started Garden / Trees')
  terminal.type('s')
  await terminal.waitForText('Switch to which task?')
  await terminal.waitForText(/2 App \/ /)
  terminal.type('1')
  await terminal.waitForText(/Started App \/ Design/)
  terminal.type('q')
  await terminal.waitForText('exit=0')
  expect(await running(cli)).toMatchObject({ project: 'App', task: 'Design' })
})
