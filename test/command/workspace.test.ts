import { describe, expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

type Row = Record<string, unknown>

const createTrackedCli = preparedCli('2024-05-03T18:00:00', async (cli) => {
  const entries = [
    ['Acme/Website/Design', '2024-05-03 09:00'],
    ['Acme/Website/Review', '2024-05-03 10:00'],
    ['Acme/Website/Design', '2024-05-02 09:00'],
    ['Internal/Support', '2024-04-20 09:00'],
  ] as const
  for (const [task, from] of entries) await cli.run('add', task, '--from', from, '--for', '30m')
})

async function expectRejected(cli: TestCli, argv: readonly string[], status: number, message: string) {
  const stderr = expect.stringContaining(message)
  expect({ argv, ...(await cli.run(...argv)) }).toMatchObject({ argv, status, stdout: '', stderr })
}

describe('lists', () => {
  test('show the records of the workspace with the names of related records', async () => {
    const cli = await createTrackedCli()
    expect(await cli.json('projects')).toMatchObject([
      { name: 'Internal', client: null, client_id: null, active: true },
      { name: 'Website', client: 'Acme', client_id: 1, active: true },
    ])
    expect(await cli.json('clients')).toEqual([{ id: 1, name: 'Acme', active: true }])
    expect(await cli.json('tasks')).toMatchObject([
      {
        ...{ id: 1, task_id: 1, project_id: 1, client_id: 1, active: true },
        ...{ label: 'Acme / Website / Design', client: 'Acme', project: 'Website', task: 'Design' },
      },
      { label: 'Acme / Website / Review' },
      { label: 'Internal / Support', client: null, client_id: null },
    ])
    expect(await cli.json('company')).toEqual({
      id: 1,
      name: 'Local workspace',
      currency: 'EUR',
      time_zone: 'Europe/Berlin',
      closed_until: null,
    })
  })

  test('are tables in a terminal, and the company is a list of fields', async () => {
    const cli = await createTrackedCli()
    const shown = async (...argv: string[]) => (await cli.runInTerminal(60, ...argv)).stdout
    expect(await shown('projects')).toMatchInlineSnapshot(`
      "ID  Name      Client  Active
       2  Internal          yes
       1  Website   Acme    yes
      "
    `)
    expect(await shown('tasks')).toMatchInlineSnapshot(`
      "ID  Client  Project   Task     Active
       1  Acme    Website   Design   yes
       2  Acme    Website   Review   yes
       3          Internal  Support  yes
      "
    `)
    expect(await shown('company')).toMatchInlineSnapshot(`
      "ID            1
      Name          Local workspace
      Currency      EUR
      Time zone     Europe/Berlin
      Closed until  none
      "
    `)
  })

  test.each([
    ['projects', 'No projects. `tt start Project/Task` creates one'],
    ['clients', 'No clients. `tt clients add NAME` adds one'],
    ['tasks', 'No tasks. `tt start Project/Task` creates one'],
    ['assignments', 'No assignments. `tt tasks` lists all tasks.'],
    ['frequent', 'No tasks in the last 7 days. `tt tasks` lists all.'],
    ['log', 'No entries. `tt add TASK 9:00-11:30` adds one.'],
    ['tags', 'No tags. `tt edit --append-notes "#tag"` adds one to'],
    ['alias', 'No aliases. `tt alias set NAME COMMAND` creates one.'],
    ['expenses', 'No expenses. `tt expenses add 12.50` adds one.'],
  ])('of an empty workspace are [] in JSON, and a message in a terminal: %s', async (command, message) => {
    const cli = createTestCli()
    const shown = { status: 0, stdout: '' }
    expect((await cli.run(command, '--json')).stdout).toBe('[]\n')
    const stderr = expect.stringContaining(message)
    expect(await cli.runInTerminal(80, command)).toMatchObject({ ...shown, stderr })
    expect(await cli.runInTerminal(80, command, '--quiet')).toMatchObject({ ...shown, stderr: '' })
  })

  test('reject conditions, options and arguments that they do not have', async () => {
    const cli = await createTrackedCli()
    for (const [argv, status, message] of [
      [['tasks', '--where', 'colour_eq=red'], 7, 'colour'],
      [['company', '--where', 'id_eq=1'], 2, '--where'],
      [['projects', 'Website'], 2, 'Unknown command "Website"'],
    ] as const)
      await expectRejected(cli, argv, status, message)
  })

  test('tasks lists what start accepts, and its IDs are those of --task', async () => {
    const cli = await createTrackedCli()
    await cli.run('add', 'Internal/Design', '--from', '2024-05-03 11:00', '--for', '30m')
    const task = (await cli.json<Row[]>('tasks')).find(({ label }) => label === 'Internal / Design')
    expect(task).toMatchObject({ id: 4, task_id: 1 })
    expect(await cli.json('start', '4')).toMatchObject({ project: 'Internal', task: 'Design' })
    expect(await cli.json('cancel', '--yes')).toMatchObject({ task_link_id: 4 })
    const labels = async (...argv: string[]) =>
      (await cli.json<Row[]>('log', '--since', '2024-04-01', ...argv)).map(
        ({ project, task }) => `${project}/${task}`,
      )
    expect(await labels('--task', '4')).toEqual(['Internal/Design'])
    expect(await labels('--task', '!4', '--task', '!1')).toEqual(['Internal/Support', 'Website/Review'])
    expect((await cli.run('log', '--task', '9')).stderr).toContain('"9" matches no task.')
  })

  test('frequent lists the tasks of the last 7 days by number of entries', async () => {
    const cli = await createTrackedCli()
    const used = await cli.json<{ id: number }[]>('frequent')
    expect(used).toMatchObject([
      { label: 'Acme / Website / Design', entries: 2 },
      { label: 'Acme / Website / Review', entries: 1 },
    ])
    const log =
      await cli.json<{ task_link_id: number; seconds_in_period: number; time_start: string }[]>('log')
    for (const { id, ...use } of used) {
      const entries = log.filter(({ task_link_id }) => task_link_id === id)
      const seconds = entries.reduce((sum, { seconds_in_period }) => sum + seconds_in_period, 0)
      expect(use).toMatchObject({ seconds, last_used: entries.at(-1)?.time_start })
    }
    const { stdout } = await cli.runInTerminal(100, 'frequent')
    expect(stdout).toMatch(/^ID {2}Client {2}Project {2}Task {4}Entries {2}Duration {2}Last used\n/)
    const started = await cli.json('start', String(used[1]?.id))
    expect(started).toMatchObject({ task: 'Review' })
    await cli.json('cancel', '--yes')
    cli.setTime('2024-06-03T18:00:00')
    expect(await cli.json('frequent')).toEqual([])
  })

  test('assignments show their project', async () => {
    const cli = await createTrackedCli()
    await cli.run('admin', 'assign', 'you@localhost', 'Website', '--until', '2024-06-30')
    expect(await cli.json('assignments')).toEqual([
      { id: 1, project_id: 1, project: 'Website', starts_on: null, ends_on: '2024-06-30' },
    ])
  })
})

describe('api', () => {
  test('prints the response of the service', async () => {
    const cli = await createTrackedCli()
    const [entry] = await cli.json<Row[]>('api', 'GET', '/timesheets/1')
    expect(entry).toMatchObject({ id: 1, time_start: '2024-05-03T07:00:00.000Z', task_link_id: 1 })
    expect(await cli.json('api', 'get', '/projects', '-q', 'name_cont=web')).toMatchObject([{ id: 1 }])
    expect(await cli.json('api', 'GET', '/timesheets?per_page=2&page=2')).toHaveLength(2)
  })

  test('sends fields as text or JSON, and nests dotted keys', async () => {
    const cli = await createTrackedCli()
    const entry = await cli.json(
      ...['api', 'POST', '/timesheets', '-f', 'task_link_id:=1', '-f', 'notes=a=b'],
      ...['-f', 'time_start=2024-05-01T09:00:00Z', '-f', 'time_end=2024-05-01T10:00:00Z'],
    )
    expect(entry).toMatchObject({ id: 5, notes: 'a=b' })
    expect(await cli.json('api', 'PATCH', '/timesheets/5', '-f', 'notes:=null')).toMatchObject({
      notes: null,
    })
    const expense = ['-f', 'expense.amount=12.50', '-f', 'expense.spent_on=2024-05-01']
    expect(await cli.json('api', 'POST', '/expenses', ...expense)).toMatchObject({ amount: '12.50' })
    expect(await cli.run('api', 'DELETE', '/timesheets/5')).toMatchObject({
      status: 0,
      stdout: '',
      stderr: '',
    })
    expect((await cli.run('api', 'DELETE', '/timesheets/5')).status).toBe(3)
  })

  test('rejects invalid requests and prints errors of the service, and changes nothing', async () => {
    const cli = await createTrackedCli()
    const before = await cli.json('api', 'GET', '/timesheets')
    for (const [argv, status, message] of [
      [['FETCH', '/timesheets'], 2, 'method: "FETCH" is not one of GET'],
      [['GET', 'timesheets'], 2, 'does not begin with a slash'],
      [['GET', 'http://127.0.0.1:9/api/v1/timesheets'], 2, 'does not begin with a slash'],
      [['GET'], 2, '"path"'],
      [[], 2, '"method"'],
      [['GET', '/timesheets', 'more'], 2, 'Too many arguments'],
      [['GET', '/timesheets', '-q', 'notes'], 2, '"notes" has no "="'],
      [['GET', '/timesheets', '-q', 'colour_eq=red'], 7, 'colour'],
      [['GET', '/timesheets', '-f', 'notes=x'], 2, 'A GET request cannot have fields'],
      [['POST', '/timesheets', '-f', 'notes'], 2, '--field takes KEY=VALUE, not "notes"'],
      [['POST', '/timesheets', '-f', 'notes:={'], 2, '--field notes:= is not followed by JSON'],
      [['POST', '/timesheets', '-f', 'a=1', '-f', 'a=2'], 2, '--field sets a twice'],
      [
        ['POST', '/expenses', '-f', 'expense=3', '-f', 'expense.amount=1'],
        2,
        '-f sets both expense and fields',
      ],
      [['GET', '/timesheets', '-q', 'notes_eq=x', '-q', 'notes_eq=y'], 2, '--query sets notes_eq twice'],
      [['POST', '/timesheets'], 7, 'not JSON'],
      [['POST', '/timesheets', '-f', 'notes=x'], 7, 'time_start'],
      [['PUT', '/timesheets/1', '-f', 'notes=x'], 7, '405'],
      [['GET', '/nonesuch'], 3, '/nonesuch'],
      [['GET', '//127.0.0.1:9/timesheets'], 3, 'no resource'],
      [['GET', '/timesheets/99'], 3, 'no time entry 99'],
      [['GET', '/timesheets', '--csv'], 2, '--csv'],
    ] as const)
      await expectRejected(cli, ['api', ...argv], status, message)
    expect(await cli.json('api', 'GET', '/timesheets')).toEqual(before)
  })
})

test('an empty response is null under --json', async () => {
  const cli = createTestCli()
  await cli.run('start', 'Website/Design')
  expect((await cli.run('api', 'DELETE', '/timesheets/1', '--json')).stdout).toBe('null\n')
})
