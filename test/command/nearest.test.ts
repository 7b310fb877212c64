import { expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import { createTestCli } from '../support/test-cli.js'

const createCli = preparedCli('2024-05-08T12:00:00', async (cli) => {
  await cli.json('add', 'Acme/Website/Design', '--from', '9:00', '--for', '1h', '-n', '#logo')
  await cli.json('add', 'Acme/Website/Review', '--from', '10:00', '--for', '1h')
  await cli.json('admin', 'projects', 'add', 'Unused')
  await cli.json('admin', 'expense-types', 'add', 'Travel')
})

/** Command lines with their exit code, message and candidates. */
const lines: [line: string, status: number, message: string, candidates: string[]][] = [
  [
    'start website',
    2,
    '"website" matches several tasks: Acme / Website / Design; Acme / Website / Review.',
    ['Acme / Website / Design', 'Acme / Website / Review'],
  ],
  ['start desing', 2, '"desing" is probably a typo of the task "Design".', ['Design']],
  ['start Webiste', 2, '"Webiste" is probably a typo of the project "Website".', ['Website']],
  ['expenses add 5 --project Webiste', 2, '"Webiste" matches no project. Did you mean Website?', ['Website']],
  ['config get week_strat', 2, 'There is no setting "week_strat". Did you mean week_start?', ['week_start']],
  ['status --profile lcoal', 3, 'There is no profile "lcoal". Did you mean local?', ['local']],
  ['strat', 2, 'Unknown command "strat". Did you mean start?', ['start']],
  ['start --ta 9:30', 2, 'Unknown option "--ta". Did you mean --at?', ['--at']],
  ['expenses --snice may', 2, 'Unknown option "--snice". Did you mean --since?', ['--since']],
  ['help tiems', 2, 'Unknown command or topic "tiems". Did you mean time?', ['time']],
]

test('mistyped and ambiguous names are rejected with the nearest ones, which are candidates in JSON', async () => {
  const cli = await createCli()
  for (const [line, status, message, candidates] of lines) {
    const rejected = await cli.run(...line.split(' '))
    expect(rejected).toMatchObject({ status, stdout: '' })
    expect(rejected.stderr.split('\n')[0]).toBe(`error: ${message}`)
    const { stderr } = await cli.run(...line.split(' '), '--json')
    expect(JSON.parse(stderr).error).toMatchObject({
      message,
      candidates: expect.arrayContaining(candidates),
    })
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
