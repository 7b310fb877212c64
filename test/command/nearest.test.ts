import { expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import { createTestCli } from '../support/test-cli.js'

const createCli = preparedCli('2024-05-08T12:00:00', async (cli) => {
  await cli.json('add', 'Acme/Website/Design', '--from', '9:00', '--for', '1h', '-n', '#logo')
  await cli.json('admin', 'projects', 'add', 'Unused')
  await cli.json('admin', 'expense-types', 'add', 'Travel')
})

/** Mistyped command lines with their exit code and message. */
const typos: [line: string[], status: number, message: string][] = [
  [['satrt'], 2, 'Unknown command "satrt". Did you mean start?'],
  [['profiles', 'lsit', '--json'], 2, 'Unknown command "lsit". Did you mean list?'],
  [['config', 'gte', 'week_start'], 2, 'Unknown command "gte". Did you mean get?'],
  [['sync', 'completely'], 2, 'Unknown command "completely".'],
  [['start', '--ta', '9:30'], 2, 'Unknown option "--ta". Did you mean --at?'],
  [['expenses', '--snice', 'may'], 2, 'Unknown option "--snice". Did you mean --since?'],
  [['start', 'desing'], 2, '"desing" is probably a typo of the task "Design".'],
  [['expenses', 'add', '5', '--type', 'Travle'], 2, '"Travle" matches no expense type. Did you mean Travel?'],
  [
    ['expenses', 'add', '5', '--project', 'Webiste'],
    2,
    '"Webiste" matches no project. Did you mean Website?',
  ],
  [['config', 'get', 'weekstart'], 2, 'There is no setting "weekstart". Did you mean week_start?'],
  [['status', '--profile', 'lcoal'], 3, 'There is no profile "lcoal". Did you mean local?'],
  [['profiles', 'use', 'lcoal'], 3, 'There is no profile "lcoal". Did you mean local?'],
]

test('typos are rejected with the nearest name', async () => {
  const cli = await createCli()
  for (const [line, status, message] of typos) {
    const rejected = await cli.run(...line)
    expect(rejected).toMatchObject({ status, stdout: '' })
    if (line.includes('--json')) expect(JSON.parse(rejected.stderr)).toMatchObject({ error: { message } })
    else expect(rejected.stderr.split('\n')[0]).toBe(`error: ${message}`)
  }
})

test('a filter by an unknown name that is similar to no name is reported, also beside a known one', async () => {
  const cli = await createCli()
  for (const command of [
    'log',
    'export',
    'report',
    'report --chart',
    'report --html',
    'timesheet',
    'tags',
  ] as const) {
    for (const known of [[], ['--project', 'Website', '--client', 'Acme', '--task', 'Design']]) {
      const filters = ['--project', 'qqq', '--client', 'zzz', '--task', 'kkk', '--project', '!nope']
      expect(await cli.run(...command.split(' '), ...known, ...filters)).toMatchObject({
        status: 0,
        stderr: '"qqq" matches no project.\n"zzz" matches no client.\n"kkk" matches no task.\n',
      })
    }
    const silent = ['--project', 'web', '--project', 'unused', '--task', '!zzz']
    expect((await cli.run(...command.split(' '), ...silent)).stderr).toBe('')
  }
})

test('a filter by name in an empty workspace warns that nothing matches', async () => {
  expect(await createTestCli().run('export', '--project', 'nope')).toMatchObject({
    status: 0,
    stdout: '[]\n',
    stderr: expect.stringMatching(/^"nope" matches no project\.$/m),
  })
})

test('a command group without a subcommand prints its full help', async () => {
  const { status, stdout, stderr } = await createTestCli().run('admin')
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(/^Administer [\s\S]*Usage: tt admin[\s\S]*Examples:/)
})
