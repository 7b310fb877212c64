import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { splitCommandLine } from '../support/examples.js'
import { preparedCli } from '../support/prepared-cli.js'
import { rejection } from '../support/rejection.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

type Row = Record<string, unknown>

/** Creates a `TestCli` with one project with a task, and a second user. */
const createTeamCli = preparedCli('2024-05-03T18:00:00', async (cli) => {
  await cli.json('admin', 'projects', 'add', 'Acme/Website')
  await cli.json('admin', 'tasks', 'add', 'Acme/Website/Design')
  await cli.json('admin', 'user', 'add', 'ada@example.com', '--name', 'Ada L.')
})

/** Returns the records that the subcommand manages. */
async function listRecords(cli: TestCli, kind = ''): Promise<unknown> {
  if (kind === 'company') return cli.json('admin', 'company')
  if (kind === 'assign') return cli.json('admin', 'assignments')
  if (kind === 'seed') return cli.json('log', '--since', '1990-01-01')
  return cli.json('admin', kind, 'list')
}

async function expectRejection(cli: TestCli, line: string, status: number, message: string) {
  const argv = splitCommandLine(line)
  const before = await listRecords(cli, argv[0])
  const rejected = await cli.run('admin', ...argv)
  expect(rejected).toMatchObject(rejection(status, message))
  expect(await listRecords(cli, argv[0])).toEqual(before)
}

describe('user', () => {
  test('add prints the token on stdout, and a message on stderr', async () => {
    const cli = await createTeamCli()
    const scopes = 'service:read,service:write'
    const added = await cli.run('admin', 'user', 'add', 'Bob@Example.com', '--scope', scopes)
    expect(added.stdout).toMatch(/^bob@example\.com\ttt_[0-9a-f]{12}_[\w-]{43}\n$/)
    expect(added.stderr).toContain('cannot be shown again')
    expect(await cli.json('admin', 'user', 'list')).toMatchObject([
      { email: 'you@localhost', active: true },
      { email: 'ada@example.com', name: 'Ada L.', active: true },
      { email: 'bob@example.com', name: 'Bob', active: true },
    ])
    const [, token = ''] = added.stdout.trim().split('\t')
    expect(readFileSync(join(cli.home, 'workspace.db')).includes(token)).toBe(false)
  })
})

describe('project and task', () => {
  test.each(['1', 'website', 'acme/web', 'Acme / Website', 'WEB'])(
    'archive finds the project by %j',
    async (typed) => {
      const archived = await (await createTeamCli()).run('admin', 'projects', 'archive', typed)
      expect(archived.stderr).toBe('Archived the project Acme/Website.\n')
    },
  )

  test('an archived project keeps its entries, and accepts new ones only after restore', async () => {
    const cli = await createTeamCli()
    await cli.json('add', 'design', '--from', '9:00', '--for', '1h')
    await cli.json('admin', 'projects', 'archive', 'Acme/Website')
    expect(await cli.json('log')).toMatchObject([{ project: 'Website', task: 'Design' }])
    expect(await cli.json('tasks')).toEqual([])
    expect(await cli.json('tasks', '--where', 'active_eq=false')).toMatchObject([{ active: false }])
    await expectRejection(cli, 'tasks add Website/Review', 2, 'is archived')
    await expectRejection(cli, 'tasks add Website/Review', 2, '`tt admin projects restore Acme/Website`')
    expect(await cli.run('start', 'design')).toMatchObject(rejection(2, 'there are no tasks'))
    expect((await cli.run('start', 'Acme/Website/Design')).status).toBe(2)
    await cli.json('admin', 'projects', 'restore', 'Website')
    expect(await cli.json('start', 'design')).toMatchObject({ project: 'Website' })
  })

  test('a project name that several clients have needs its client', async () => {
    const cli = await createTeamCli()
    await cli.json('admin', 'projects', 'add', 'Northwind/Website')
    await expectRejection(cli, 'projects archive Website', 2, 'Enter it as Client/Project')
    await expectRejection(cli, 'tasks add Website/Review', 2, 'Enter it as Client/Project')
    await cli.json('admin', 'projects', 'add', 'Northwind/Web shop')
    const projects = 'Acme/Website; Northwind/Web shop; Northwind/Website'
    await expectRejection(cli, 'projects archive web', 2, `"web" matches several projects: ${projects}.`)
  })
})

test('an archived expense type is listed only for the administrator', async () => {
  const cli = await createTeamCli()
  const added = await cli.run('admin', 'expense-types', 'add', 'Travel')
  expect(added.stderr).toBe('Added the expense type Travel.\n')
  await cli.json('admin', 'expense-types', 'add', 'Meals')
  const archived = await cli.run('admin', 'expense-types', 'archive', 'Meals')
  expect(archived.stderr).toBe('Archived the expense type Meals.\n')
  expect(await cli.json('admin', 'expense-types', 'list')).toMatchObject([
    { name: 'Meals', active: false },
    { name: 'Travel', active: true },
  ])
  expect(await cli.json('expenses', 'types')).toMatchObject([{ name: 'Travel' }])
  await cli.json('admin', 'expense-types', 'add', 'meals')
  expect(await cli.json('expenses', 'types')).toMatchObject([{ name: 'Meals' }, { name: 'Travel' }])
  await expectRejection(cli, "expense-types add ' Travel'", 2, 'already an expense type "Travel"')
  await expectRejection(cli, "expense-types add ''", 2, 'The name of an expense type cannot be empty')
  await expectRejection(cli, 'expense-types archive Nonesuch', 3, 'no expense type "Nonesuch"')
})

const seed = async (...argv: string[]) => {
  const cli = createTestCli()
  const summary = await cli.json('admin', 'seed', '--entries', '200', '--until', '2024-04-30', ...argv)
  const log = await cli.json<Row[]>('log', '--since', '1990-01-01')
  const expenses = await cli.json<Row[]>('expenses')
  return { summary, log: log.map(withoutStamps), expenses: expenses.map(withoutStamps) }
}
const withoutStamps = ({ created_at: _, updated_at: __, etag: ___, ...rest }: Row) => rest

test('seed --random defaults to 1, and another number generates another history', {
  tags: 'slow',
}, async () => {
  const first = await seed()
  expect(first.summary).toMatchObject({ entries: 200, expenses: 10, last_day: '2024-04-30' })
  expect([first.log.length, first.expenses.length]).toEqual([200, 10])
  expect(await seed('--random', '1')).toEqual(first)
  expect((await seed('--random', '8')).log).not.toEqual(first.log)
})

test.each([
  ['user add ada@example.com', 2, 'already a user "ada@example.com"'],
  ['user add ada', 2, '"ada" is not an email address'],
  ["user add eve@example.com --name ' '", 2, 'cannot be empty'],
  ["user add eve@example.com --scope 'service:read admin'", 2, '"admin" is not a scope'],
  ["user add eve@example.com --scope ''", 2, '--scope is empty'],
  ['user token eve@example.com', 3, 'no user "eve@example.com"'],
  ['user sessions eve@example.com', 3, 'no user "eve@example.com"'],
  ['user deactivate eve@example.com', 3, 'no user "eve@example.com"'],
  ['user activate eve@example.com', 3, 'no user "eve@example.com"'],
  ['projects add Acme/Website', 2, 'already a project "Acme/Website"'],
  ['projects add Acme/Website/Design', 2, 'name of a client cannot contain a slash'],
  ['projects add /Website', 2, 'empty name'],
  ['projects add Acme/', 2, 'cannot be empty'],
  ['projects archive Websiet', 3, 'There is no project "Websiet". Did you mean Website?'],
  ['projects archive ebs', 3, 'There is no project "ebs".'],
  ['projects archive Acme', 3, 'There is no project "Acme".'],
  ['projects archive Acme/Website/Design', 3, 'no project "Acme/Website/Design"'],
  ['projects restore Other/Website', 3, 'no project "Other/Website"'],
  ['assign ada@example.com Nonesuch', 3, 'no project "Nonesuch"'],
  ['assign eve@example.com Website', 3, 'no user "eve@example.com"'],
  ['assign ada@example.com', 2, '"project"'],
  ['assign ada@example.com Website --from 2024-06-01 --until 2024-05-31', 2, 'before it starts'],
  ['tasks add Design', 2, '"Design" names no project'],
  ['tasks add Website/Design', 2, 'already a task "Acme/Website/Design"'],
  ['tasks add Shop/Design', 3, 'There is no project "Shop".'],
  ['company --currency francs', 2, '"FRANCS" is not a currency'],
  ['company --time-zone Mars/Olympus', 2, '"Mars/Olympus" is not a time zone'],
  ["company --name Acme --currency ''", 2, '"" is not a currency'],
  ['company --legacy-keys maybe --name Other', 2, '"maybe" is not one of on and off.'],
  ['company --legacy-key-days 0 --name Other', 2, '"0"'],
  ['company --closed-until april', 2, 'april'],
  ['seed --entries many', 2, '--entries takes a whole number from 0 to 3000000, not "many"'],
  ['seed --random -1', 2, '--random takes a whole number'],
  ['seed --user eve@example.com', 3, 'no user "eve@example.com"'],
])('admin %s exits %i and changes nothing', async (line, status, message) => {
  await expectRejection(await createTeamCli(), line, status, message)
})

describe('--database', () => {
  test('selects another database, which is created with a company', async () => {
    const cli = createTestCli()
    const other = ['--database', `sqlite:${cli.home}/team.db`]
    await cli.json('admin', 'projects', 'add', 'Website', ...other)
    expect(await cli.json('admin', 'projects', 'list', ...other)).toHaveLength(1)
    expect(await cli.json('admin', 'company', ...other)).toMatchObject({ name: 'Company' })
    expect(await cli.json('admin', 'user', 'list', ...other)).toEqual([])
    expect(await cli.run('admin', 'seed', ...other)).toMatchObject(
      rejection(2, 'no user for the generated entries'),
    )
    expect(existsSync(join(cli.home, 'workspace.db'))).toBe(false)
    expect(await cli.json('projects')).toEqual([])
  })

  test.each([
    ['sqlite:', 2, 'empty'],
    ['team', 2, 'is not a database location'],
    ['sqlite:/dev/null/team.db', 1, 'cannot be opened'],
  ])('%j exits %i', async (location, status, message) => {
    const rejected = await createTestCli().run('admin', 'user', 'list', '--database', location)
    expect(rejected).toMatchObject(rejection(status, message))
  })
})

test.each([
  ['postgress://tt:hidden@db.example.com/tt', 'TT_DATABASE: "postgress://…@db.example.com/tt"'],
  ['mysql://tt:hid@den@db.example.com/tt', 'TT_DATABASE: "mysql://…@db.example.com/tt"'],
  [
    'pg://db.example.com/tt?user=tt&password=hidden',
    'TT_DATABASE: "pg://db.example.com/tt?user=tt&password=…"',
  ],
])('the message about %j names the variable, and has no password', async (location, shown) => {
  const cli = createTestCli()
  cli.env.TT_DATABASE = location
  const { status, stderr } = await cli.run('serve')
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(shown) })
  expect(stderr).not.toMatch(/hid/)
})

test('company --closed-until closes entries and expenses up to a day, and warns about timers', async () => {
  const cli = createTestCli('2024-05-03T18:00:00')
  await cli.run('start', 'Website/Design', '--at', '2024-04-30 23:00')
  const closed = await cli.run('admin', 'company', '--closed-until', '2024-04-30', '--json')
  expect(closed).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('1 timer started in the closed period and is still running.'),
  })
  expect(closed.json()).toMatchObject({ closed_until: '2024-04-30' })
  expect(await cli.json('company')).toMatchObject({ closed_until: '2024-04-30' })
  const reopened = await cli.run('admin', 'company', '--closed-until', 'none')
  expect(reopened).toMatchObject({ status: 0, stderr: '' })
  expect(await cli.json('company')).toMatchObject({ closed_until: null })
})
