import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openClientState } from '../../src/outbox/cache/client-state.js'
import { readRows, runSql } from '../support/database-files.js'
import { preparedCli } from '../support/prepared-cli.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import { setUpService } from './service-fixtures.js'

type Row = Record<string, unknown>

async function trackEntries(cli: TestCli) {
  await cli.run('add', 'Acme/Webiste/Design', '--from', '9:00', '--for', '1h')
  await cli.run('add', 'Acme/Website/Design', '--from', '10:00', '--for', '1h', '--create')
  await cli.run('add', 'Internal/Design', '--from', '11:00', '--for', '1h')
}

const createTrackedCli = preparedCli('2024-05-03T18:00:00', trackEntries)

/** Returns a column for the rows of each table of names. */
const nameColumns = `
  (SELECT json_group_array(json_array(id, name, active)) FROM clients) AS clients,
  (SELECT json_group_array(json_array(id, client_id, name, active)) FROM projects) AS projects,
  (SELECT json_group_array(json_array(id, name)) FROM tasks) AS tasks,
  (SELECT json_group_array(json_array(id, project_id, task_id, active)) FROM task_links) AS links,
  (SELECT json_group_array(json_array(id, name, active)) FROM expense_types) AS types`

const names = ({ home }: TestCli) => readRows(join(home, 'workspace.db'), `SELECT ${nameColumns}`)

/** Returns all names, and the task of each entry. */
const contents = ({ home }: TestCli) =>
  readRows(
    join(home, 'workspace.db'),
    `SELECT (SELECT json_group_array(json_array(id, task_link_id)) FROM time_entries) AS entries, ${nameColumns}`,
  )

describe('a change of names in the local workspace', () => {
  test.each<[line: string, title: string, earlier?: string]>([
    ['projects rename Webiste Shop', 'Renamed the project Acme/Webiste to Acme/Shop'],
    ['projects merge Webiste Website', 'Merged the project Acme/Webiste into Acme/Website'],
    ['projects archive Webiste', 'Archived the project Acme/Webiste'],
    ['projects restore Webiste', 'Restored the project Acme/Webiste', 'projects archive Webiste'],
    ['projects add Initech/App', 'Added the project Initech/App'],
    ['projects rm Drafts', 'Deleted the project Drafts', 'projects add Drafts'],
    ['clients add Northwind', 'Added the client Northwind'],
    ['clients rename Acme Apex', 'Renamed the client Acme to Apex'],
    ['clients archive Acme', 'Archived the client Acme'],
    ['clients merge Globex Acme', 'Merged the client Globex into Acme', 'add Globex/Shop/Calls 13-14'],
    ['clients restore Acme', 'Restored the client Acme', 'clients archive Acme'],
    ['clients rm Idle', 'Deleted the client Idle', 'clients add Idle'],
    ['tasks archive Internal/Design', 'Archived the task Internal/Design'],
    ['tasks restore Internal/Design', 'Restored the task Internal/Design', 'tasks archive Internal/Design'],
    ['tasks rm Internal/Calls', 'Deleted the task Internal/Calls', 'tasks add Internal/Calls'],
    ['tasks rename Internal/Design Layout', 'Renamed the task Internal/Design to Internal/Layout'],
    ['tasks rename Design Layout --yes', 'Renamed the task Design to Layout in 3 projects'],
    [
      'tasks merge Webiste/Design Website/Design',
      'Merged the task Acme/Webiste/Design into Acme/Website/Design',
    ],
    ['tasks add Internal/Calls', 'Added the task Internal/Calls'],
    ['expenses types add Travel', 'Added the expense type Travel'],
    [
      'expenses types rename Travel Trips',
      'Renamed the expense type Travel to Trips',
      'expenses types add Travel',
    ],
    ['expenses types archive Travel', 'Archived the expense type Travel', 'expenses types add Travel'],
  ])('tt %s is one change for undo and redo', async (line, title, earlier) => {
    const cli = await createTrackedCli()
    if (earlier !== undefined) await cli.json(...earlier.split(' '))
    const before = await contents(cli)
    const changed = await cli.run(...line.split(' '))
    expect(changed).toMatchObject({ status: 0, stderr: expect.stringContaining(`${title}.\n`) })
    const after = await contents(cli)
    expect(after).not.toEqual(before)
    expect((await cli.json<Row[]>('undo', '--list'))[0]).toMatchObject({ what: title })
    expect(await cli.run('undo')).toMatchObject({ status: 0, stderr: `Undid: ${title}.\n` })
    expect(await contents(cli)).toEqual(before)
    expect(await cli.run('redo')).toMatchObject({ status: 0, stderr: `Redid: ${title}.\n` })
    expect(await contents(cli)).toEqual(after)
    await cli.run('undo')
    expect(await contents(cli)).toEqual(before)
  })

  test('is rejected with the reason and another command', async () => {
    const cli = await createTrackedCli()
    const before = await contents(cli)
    const archive = expect.stringContaining('`archive`')
    for (const [line, stderr] of [
      [
        'projects rename Webiste website',
        expect.stringMatching(
          /already a project "Acme\/Website".*\nTo combine the two, run `tt projects merge Acme\/Webiste Acme\/Website`/,
        ),
      ],
      [
        'tasks rename Design Layout',
        expect.stringContaining('Projects with this task: Internal, Acme/Webiste, Acme/Website.'),
      ],
      ['projects rm Webiste', archive],
      ['clients rm Acme', archive],
      ['tasks rm Internal/Design', archive],
    ])
      expect(await cli.run(...line.split(' '))).toMatchObject({ status: 2, stderr })
    expect(await contents(cli)).toEqual(before)
  })

  test('shows the new name of the running timer', async () => {
    const cli = await createTrackedCli()
    await cli.run('start', 'Internal/Design')
    await cli.run('tasks', 'rename', 'Internal/Design', 'Layout')
    expect(await cli.json('status', '--cached')).toMatchObject({ task: 'Layout' })
    expect((await cli.run('undo')).status).toBe(0)
    expect(await cli.json('status', '--cached')).toMatchObject({ task: 'Design' })
  })

  test('that cannot be undone any more is discarded and names the reason', async () => {
    const cli = await createTrackedCli()
    await cli.run('projects', 'rename', 'Webiste', 'Shop')
    await runSql(join(cli.home, 'workspace.db'), "UPDATE projects SET name = 'Other' WHERE name = 'Shop'")
    expect(await cli.run('undo')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('cannot be undone. Since then, the project "Shop" was changed.'),
    })
    expect(await cli.run('undo')).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Undid: Added/) })
    expect(await cli.json('log')).toMatchObject([{ project: 'Other' }, { project: 'Website' }])
  })

  test('is not possible at a service, and the error names who can make it', async () => {
    const { cli } = await setUpService()
    for (const argv of [
      ['projects', 'rename', 'Website', 'Site'],
      ['clients', 'add', 'Acme'],
      ['tasks', 'rm', 'Website/Design'],
      ['expenses', 'types', 'add', 'Travel'],
    ])
      expect(await cli.run(...argv)).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/cannot change these records.*\n.*administrator.*tt admin/),
      })
  })
})

test('the lists omit archived records, except with a filter of active', async () => {
  const cli = await createTrackedCli()
  await cli.run('projects', 'archive', 'Internal')
  await cli.run('clients', 'add', 'Northwind')
  await cli.run('clients', 'archive', 'Northwind')
  const list = async (...argv: string[]) => (await cli.json<Row[]>(...argv)).map(({ name }) => name).sort()
  expect(await list('projects')).toEqual(['Webiste', 'Website'])
  expect(await list('clients')).toEqual(['Acme'])
  expect(await list('projects', 'list', '--where', 'active_eq=false')).toEqual(['Internal'])
  expect(await list('clients', 'list', '--where', 'active_eq=false')).toEqual(['Northwind'])
  expect(await cli.json<Row[]>('tasks')).toHaveLength(2)
  expect((await cli.run('projects', 'restore', 'Internal')).status).toBe(0)
  expect(await list('projects')).toEqual(['Internal', 'Webiste', 'Website'])
})

describe('undo of a change of entries', () => {
  const noNames = [{ clients: '[]', projects: '[]', tasks: '[]', links: '[]', types: '[]' }]

  test('removes what add has created, and redo creates it again', async () => {
    const cli = createTestCli()
    await cli.run('add', 'Acme/Website/Design', '--from', '9:00', '--for', '1h')
    const created = await names(cli)
    const entries = await cli.json<Row[]>('log')
    expect(created).not.toEqual(noNames)
    expect(await cli.run('undo')).toMatchObject({ status: 0 })
    expect(await names(cli)).toEqual(noNames)
    expect(await cli.run('redo')).toMatchObject({ status: 0 })
    expect(await names(cli)).toEqual(created)
    expect(await cli.json<Row[]>('log')).toMatchObject(
      entries.map(({ task_link_id, task }) => ({ task_link_id, task })),
    )
    await cli.run('undo')
    expect(await names(cli)).toEqual(noNames)
  })

  test('removes what edit has created', async () => {
    const cli = await createTrackedCli()
    const created = await names(cli)
    expect(await cli.run('edit', '@1', '--task', 'Globex/Shop/Drawing')).toMatchObject({ status: 0 })
    expect(await names(cli)).not.toEqual(created)
    expect(await cli.run('undo', '--yes')).toMatchObject({ status: 0 })
    expect(await names(cli)).toEqual(created)
  })

  test('keeps what something else uses', async () => {
    const cli = createTestCli()
    await cli.run('add', 'Acme/Website/Design', '--from', '9:00', '--for', '1h')
    await runSql(
      join(cli.home, 'workspace.db'),
      `INSERT INTO time_entries (user_id, time_start, task_link_id, created_at, updated_at)
       SELECT user_id, time_start + 36000000, task_link_id, created_at, updated_at FROM time_entries`,
    )
    await cli.run('undo')
    expect(await cli.json<Row[]>('tasks')).toMatchObject([{ label: 'Acme / Website / Design' }])
  })

  test('removes only the new task of an existing project', async () => {
    const cli = createTestCli()
    await cli.run('add', 'Acme/Website/Design', '--from', '9:00', '--for', '1h')
    await cli.run('add', 'Acme/Website/Tests', '--from', '10:00', '--for', '1h')
    await cli.run('undo')
    expect(await cli.json<Row[]>('tasks')).toMatchObject([{ label: 'Acme / Website / Design' }])
  })
})

describe('a command that fails', () => {
  const task = 'Globex/Shop/Drawing'
  const createClosedCli = preparedCli('2024-05-03T18:00:00', async (cli) => {
    await trackEntries(cli)
    await cli.run('add', 'Internal/Design', '--from', '2024-04-30 9:00', '--for', '1h')
    await cli.run('expenses', 'add', '5', '--type', 'Travel', '--on', '2024-04-30')
    await cli.json('admin', 'company', '--closed-until', '2024-04-30')
  })

  test.each<[name: string, line: string, earlier?: string]>([
    ['start', `start ${task} --at 16:00 --yes`, 'start Internal/Design --at 17:00'],
    ['add', `add ${task} 2024-04-30 9-10 --yes`],
    [
      'add with an external ID in use',
      `add ${task} 13-14 --external-id a`,
      'add Internal/Design 13-14 --external-id a',
    ],
    ['edit', `edit 4 --task ${task}`],
    ['edit of several entries', `edit 1 4 --task ${task}`],
    ['join', `join 1 4 --task ${task} --yes`],
    ['expenses add', 'expenses add 5 --type Hotel --on 2024-04-30'],
    [
      'expenses add with an external ID in use',
      'expenses add 5 --type Hotel --external-id a',
      'expenses add 5 --type Travel --external-id a',
    ],
    ['expenses edit', 'expenses edit 1 --type Hotel'],
    ['a probable typo of an expense type', 'expenses add 1 --type Travle'],
    ['a number as an expense type', 'expenses add 1 --type 7'],
    ['a reference as an expense type', 'expenses add 1 --type @1'],
    ['a new expense type with an unknown project', 'expenses add 1 --type Meals --project nonesuch'],
  ])('creates no names: %s', async (_, line, earlier) => {
    const cli = await createClosedCli()
    if (earlier !== undefined) await cli.json(...earlier.split(' '))
    const namesBefore = await names(cli)
    const changes = await cli.json('undo', '--list')
    const { status, stderr } = await cli.run(...line.split(' '))
    expect(status).toBeGreaterThan(0)
    expect(stderr).not.toContain('Created')
    expect(await names(cli)).toEqual(namesBefore)
    expect(await cli.json('undo', '--list')).toEqual(changes)
  })
})

test('a new expense type is created on first use, and removed by undo', async () => {
  const cli = createTestCli()
  expect(await cli.run('expenses', 'add', '12.50', '--type', 'Travel')).toMatchObject({
    ...{ status: 0, stderr: expect.stringContaining('Created the expense type Travel.\n') },
  })
  expect(await cli.json('expenses', 'types')).toMatchObject([{ name: 'Travel' }])
  expect(await cli.json('expenses', 'add', '5', '--type', 'travel')).toMatchObject({
    expense_type: 'Travel',
  })
  await cli.run('undo', '2', '--yes')
  expect(await cli.json('expenses', 'types')).toEqual([])
  await cli.run('redo', '2', '--yes')
  expect(await cli.json<Row[]>('expenses')).toMatchObject([
    { expense_type: 'Travel' },
    { expense_type: 'Travel' },
  ])
})

describe('settings and aliases that name a renamed record', () => {
  const settings = async (cli: TestCli) =>
    JSON.parse(readFileSync(join(cli.home, 'config.json'), 'utf8')) as Record<string, string>
  const aliases = async (cli: TestCli) =>
    Object.fromEntries(
      (await cli.json<{ name: string; expansion: string }[]>('alias')).map((alias) => [
        alias.name,
        alias.expansion,
      ]),
    )

  const createSettings = preparedCli('2024-05-03T18:00:00', async (cli) => {
    await trackEntries(cli)
    await cli.json('config', 'set', 'rate.Acme/Webiste', '95')
    await cli.json('config', 'set', 'rate.*/*/Design', '80')
    await cli.json('config', 'set', 'billable', 'Acme,!Acme/webiste/Design')
    await cli.json('config', 'set', 'import.task', 'Webiste/Design')
    await cli.json('config', 'set', 'default_task', 'Design')
    await cli.run('alias', 'set', 'work', 'start Acme/Webiste/Design')
    await cli.run('alias', 'set', 'sh', '!echo Acme/Webiste', '--shell')
  })

  test('are changed with it, listed, and reverted by undo', async () => {
    const cli = await createSettings()
    const [before, aliasesBefore] = [await settings(cli), await aliases(cli)]
    const { stderr } = await cli.run('projects', 'rename', 'Webiste', 'Shop')
    expect(stderr).toBe(
      'Renamed the project Acme/Webiste to Acme/Shop.\n' +
        'Not changed, because other records match, too: alias sh.\n' +
        'Changed with it: rate.Acme/Shop, billable, import.task, alias work.\n',
    )
    const after = await settings(cli)
    expect(after).toEqual({
      'rate.*/*/Design': '80',
      default_task: 'Design',
      'rate.Acme/Shop': '95',
      billable: 'Acme,!Acme/Shop/Design',
      'import.task': 'Shop/Design',
    })
    expect(await aliases(cli)).toMatchObject({ work: 'start Acme/Shop/Design' })
    await cli.run('undo')
    expect([await settings(cli), await aliases(cli)]).toEqual([before, aliasesBefore])
    await cli.run('redo')
    expect(await settings(cli)).toEqual(after)
  })

  test('are only listed if they name another record, too, or another profile has the name', async () => {
    const cli = await createSettings()
    const before = await settings(cli)
    expect((await cli.run('tasks', 'rename', 'Internal/Design', 'Layout')).stderr).toContain(
      'Not changed, because other records match, too: rate.*/*/Design, default_task (Design).\n',
    )
    expect(await settings(cli)).toEqual(before)

    const profile = {
      ...{ base_url: 'http://127.0.0.1:9/api/v1', auth_url: 'http://127.0.0.1:9', method: 'key' },
      ...{ storage: 'file', state: 'acme-1' },
    }
    writeFileSync(join(cli.home, 'profiles.json'), JSON.stringify({ profiles: { acme: profile } }))
    const path = join(cli.home, 'profiles/acme-1/state.db')
    mkdirSync(dirname(path), { recursive: true })
    const state = await openClientState(path)
    const projects = [{ id: 1, name: 'webiste', client_id: null }]
    const value = { projects, clients: [], tasks: [], links: [] }
    state.saveSnapshot('catalog', { value, doubtful: false }, new Date(cli.nowMs()))
    state.close()
    expect((await cli.run('projects', 'rename', 'Webiste', 'Shop')).stderr).toContain(
      'Not changed, because the profile acme has that name, too: ' +
        'rate.Acme/Webiste, billable, import.task, alias work, alias sh.\n',
    )
    expect(await settings(cli)).toEqual(before)
  })

  test('do not include the directory file, which the message names', async () => {
    const cli = await createTrackedCli()
    const path = join(cli.home, '.tt.json')
    writeFileSync(path, '{"task": "Webiste/Design"}')
    expect((await cli.run('projects', 'rename', 'Webiste', 'Shop')).stderr).toContain(
      `Not changed: ${path}, which names the task Webiste/Design.\n`,
    )
  })
})
