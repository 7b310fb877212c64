import { expect, test } from 'vitest'
import { importedAt, newProfile, sourceEntry, stage } from '../../import-export/importer/fixtures.js'

type Entry = { id: number; task_link_id: number; created_at: string; updated_at: string; etag: string }

/** Sets up a workspace with functions that call its API. */
async function setUp() {
  const profile = await newProfile()
  const { workspace } = profile
  const call = async (method: string, path: string, fields?: object) => {
    const { status, text } = await workspace.fetch(`http://localhost/api/v1${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer local' },
      ...{ redirect: 'manual' as const, signal: new AbortController().signal },
      ...(fields ? { body: JSON.stringify(fields) } : {}),
    })
    const body = await text()
    return { status, body: body === '' ? null : (JSON.parse(body) as unknown) }
  }
  const list = async <Row = Entry>(path = '/timesheets') => (await call('GET', path)).body as Row[]
  const create = async (fields: object) => (await call('POST', '/timesheets', fields)).body as Entry
  const names = async (path: string) => (await list<{ name: string }>(path)).map(({ name }) => name)
  const createLink = async (names: { client?: string; project: string; task: string }) =>
    Number((await workspace.createLink(names)).id)
  return { ...profile, call, list, create, names, createLink }
}

test('an import creates its entries in the order of their start, with the names that do not exist', async () => {
  const { imports, database, list, names, createLink } = await setUp()
  await createLink({ client: 'Acme', project: 'Website', task: 'Review' })
  const { tables } = stage(database, [
    sourceEntry('10:00', { notes: 'second' }),
    sourceEntry('09:00', { task: 'Review', end: null }),
    sourceEntry('11:00', { client: null, project: 'Home', task: ' Design ' }),
    sourceEntry('12:00', { action: 'unchanged' } as object),
  ])
  expect(await imports.apply('one', tables)).toEqual({ created: 3, updated: 0 })
  const entries = await list()
  expect(entries).toMatchObject([
    { id: 1, time_start: '2024-05-01T09:00:00.000Z', time_end: null, notes: null, task_link_id: 1 },
    { id: 2, time_start: '2024-05-01T10:00:00.000Z', time_end: '2024-05-01T10:30:00.000Z', notes: 'second' },
    { id: 3, notes: null },
  ])
  expect(new Set(entries.map(({ task_link_id: link }) => link)).size).toBe(3)
  for (const { created_at, updated_at } of entries)
    expect([created_at, updated_at]).toEqual([importedAt.toISOString(), importedAt.toISOString()])
  expect(await names('/projects')).toEqual(['Home', 'Website'])
  expect(await names('/clients')).toEqual(['Acme'])
  expect(await names('/tasks')).toEqual(['Design', 'Review'])
})

test('a project of the same name of another client is another project', async () => {
  const { imports, database, list, createLink } = await setUp()
  const id = await createLink({ client: 'Beta', project: 'Website', task: 'Design' })
  const { tables } = stage(database, [sourceEntry('10:00')])
  await imports.apply('one', tables)
  expect(await list('/projects')).toMatchObject([{ name: 'Website' }, { name: 'Website' }])
  const [entry] = await list()
  expect(entry?.task_link_id).not.toBe(id)
})

test('an entry whose external ID is in use is not created, and stays when the import is reverted', async () => {
  const { imports, database, list, create, createLink } = await setUp()
  const link = await createLink({ project: 'Website', task: 'Design' })
  const fields = { time_start: '2024-04-01T09:00:00Z', external_id: 'toggl/7' }
  const existing = await create({ ...fields, task_link_id: link })
  const { tables } = stage(database, [sourceEntry('10:00', { sourceId: '7' }), sourceEntry('11:00')])
  expect(await imports.apply('one', tables)).toEqual({ created: 1, updated: 0 })
  expect(await imports.changesSince('one')).toEqual({ changed: 0, deleted: 0 })
  await imports.revert('one')
  expect(await list()).toEqual([existing])
})

test('a reverted import leaves only what something else uses, and gets the same IDs again', async () => {
  const { imports, database, list, create, names } = await setUp()
  const { tables } = stage(database, [
    sourceEntry('10:00'),
    sourceEntry('11:00', { client: 'Beta', project: 'App', task: 'Code' }),
  ])
  await imports.apply('one', tables)
  const [before, links, projects] = [await list(), await list('/task_links'), await list('/projects')]
  const [first] = before
  const own = await create({ time_start: '2024-05-02T09:00:00Z', task_link_id: first?.task_link_id })
  expect(await imports.revert('one')).toEqual([])
  expect(await list()).toEqual([own])
  expect([await names('/clients'), await names('/projects'), await names('/tasks')]).toEqual([
    ['Acme'],
    ['Website'],
    ['Design'],
  ])

  await imports.repeat('one')
  const again = await list()
  expect(again).toEqual([...before.map((entry) => ({ ...entry, etag: expect.any(String) })), own])
  expect(new Set([...before, ...again].map(({ etag }) => etag)).size).toBe(5)
  expect(await list('/task_links')).toEqual(links)
  expect(await list('/projects')).toEqual(projects)
  await create({ time_start: '2024-05-03T09:00:00Z', task_link_id: first?.task_link_id })
  expect((await list()).map(({ id }) => id)).toEqual([1, 2, 3, 4])
})

test('a redone import uses records that have been created under its names since', async () => {
  const { imports, database, list, createLink } = await setUp()
  const { tables } = stage(database, [sourceEntry('10:00')])
  await imports.apply('one', tables)
  await imports.revert('one')
  const id = await createLink({ client: 'Acme', project: 'Website', task: 'Design' })
  await imports.repeat('one')
  expect(await list()).toMatchObject([{ id: 1, task_link_id: id }])
  await imports.revert('one')
  expect(await list('/task_links')).toMatchObject([{ id }])
})

test('an update is restored, with the changes that were made before it', async () => {
  const { imports, database, list, create, call, createLink } = await setUp()
  const [design, review] = [
    await createLink({ project: 'Website', task: 'Design' }),
    await createLink({ project: 'Website', task: 'Review' }),
  ]
  const fields = { time_start: '2024-05-01T08:00:00Z', time_end: null, task_link_id: design }
  const { id } = await create({ ...fields, notes: 'own', external_id: 'toggl/7' })
  const changed = sourceEntry('10:00', { task: 'Review', sourceId: '7', notes: 'new' })
  const { tables } = stage(database, [{ ...changed, action: 'update', record: id }], { Review: review })
  const [before] = await list()
  expect(await imports.apply('one', tables)).toEqual({ created: 0, updated: 1 })
  const [updated] = await list()
  expect(updated).toMatchObject({
    ...{ id, time_start: '2024-05-01T10:00:00.000Z', time_end: '2024-05-01T10:30:00.000Z' },
    ...{ notes: 'new', task_link_id: review, external_id: 'toggl/7' },
  })
  // Clients recognize a changed record by this time.
  expect(Date.parse(updated?.updated_at ?? '')).toBeGreaterThan(Date.parse(before?.updated_at ?? ''))
  expect(await imports.changesSince('one')).toEqual({ changed: 0, deleted: 0 })
  await call('PATCH', `/timesheets/${id}`, { notes: 'later' })
  expect(await imports.changesSince('one')).toEqual({ changed: 1, deleted: 0 })
  expect(await imports.revert('one')).toEqual(['toggl/7'])
  const [restored] = await list()
  expect(restored).toMatchObject({ ...before, updated_at: expect.any(String), etag: expect.any(String) })
  expect(new Set([before?.etag, updated?.etag, restored?.etag]).size).toBe(3)
})

test.each<[string, Parameters<typeof sourceEntry>[1], string | undefined]>([
  ['an end before the start', { end: new Date('2024-05-01T09:59:59Z') }, 'time_end'],
  ['an end at the start', { end: new Date('2024-05-01T10:00:00Z') }, undefined],
  ['the longest notes', { notes: '😀'.repeat(32_768) }, undefined],
  ['longer notes', { notes: 'ü'.repeat(65_537) }, 'notes'],
  ['notes of too many symbols', { notes: '😀'.repeat(32_769) }, 'notes'],
  ['notes with NUL', { notes: 'a\0b' }, 'notes'],
  ['the longest external ID', { externalId: 'ü'.repeat(255) }, undefined],
  ['a longer external ID', { externalId: 'ü'.repeat(256) }, 'external_id'],
  ['an empty external ID', { externalId: '' }, 'external_id'],
])('%s is valid exactly if the service accepts it', async (_, differences, field) => {
  const { imports, database, list, call, createLink } = await setUp()
  const link = await createLink({ project: 'Website', task: 'Design' })
  const entry = sourceEntry('10:00', differences)
  const { tables } = stage(database, [sourceEntry('08:00'), entry], { Design: link })
  const found = await imports.invalidEntries(tables)
  const response = await call('POST', '/timesheets', {
    ...{ time_start: entry.start, time_end: entry.end, notes: entry.notes, task_link_id: link },
    external_id: entry.externalId,
  })
  if (field === undefined) {
    expect(found).toEqual([])
    expect(response.status).toBe(201)
    return
  }
  expect(found).toEqual([{ position: 2, line: 3, field, reason: expect.stringMatching(/^[A-Z].*\.$/) }])
  expect(response).toMatchObject({ status: 422, body: { errors: { [field]: [expect.any(String)] } } })
  await expect(imports.apply('one', tables)).rejects.toThrow(
    expect.objectContaining({ code: 'rejected', message: expect.stringContaining('line 3') }),
  )
  expect(await list()).toEqual([])
})

test.each<[string, object, string, RegExp]>([
  ['a project with a slash', { project: 'a/b' }, 'project', /cannot contain a slash/],
  ['an empty client', { client: ' ' }, 'client', /cannot be empty/],
  ['a long task', { task: 'x'.repeat(256) }, 'task', /longer than 255/],
  ['an archived project', { project: 'Old' }, 'project', /"Old" is archived/],
  ['an archived client', { client: 'Gone', project: 'New' }, 'client', /"Gone" is archived/],
  ['an archived link', { client: null, project: 'Idle' }, 'task', /"Design" of "Idle" is archived/],
  ['neither a link nor names', { project: null, tags: ['x'] }, 'task_link_id', /does not exist/],
])('an entry with %s is invalid', async (_, differences, field, reason) => {
  const { imports, database, createLink } = await setUp()
  await createLink({ client: 'Acme', project: 'Old', task: 'Design' })
  await createLink({ project: 'Idle', task: 'Design' })
  database.exec("INSERT INTO clients (name, active) VALUES ('Gone', 0)")
  database.exec("UPDATE projects SET active = 0 WHERE name = 'Old'; UPDATE task_links SET active = 0")
  const { tables } = stage(database, [sourceEntry('08:00'), sourceEntry('10:00', differences)])
  expect(await imports.invalidEntries(tables)).toEqual([
    { position: 2, line: 3, field, reason: expect.stringMatching(reason) },
  ])
})

test('an archived link is valid only for an update that does not change it', async () => {
  const { imports, database, create, createLink } = await setUp()
  const link = await createLink({ project: 'Website', task: 'Design' })
  const { id } = await create({ time_start: '2024-05-01T08:00:00Z', task_link_id: link })
  database.exec('UPDATE task_links SET active = 0')
  const entries = [
    { ...sourceEntry('08:00'), action: 'update' as const, record: id },
    sourceEntry('10:00'),
    { ...sourceEntry('11:00'), action: 'unchanged' as const },
  ]
  const { tables } = stage(database, entries, { Design: link })
  expect(await imports.invalidEntries(tables)).toEqual([
    { position: 2, line: 3, field: 'task_link_id', reason: 'The task is no longer active.' },
  ])
})

test('an entry is invalid in the closed period, also one that an update moves out of it', async () => {
  const { imports, database, create, createLink } = await setUp()
  const link = await createLink({ project: 'Website', task: 'Design' })
  const { id } = await create({ time_start: '2024-05-01T08:00:00Z', task_link_id: link })
  const end = Date.parse('2024-05-02T00:00:00Z')
  database.exec(`UPDATE company SET closed_until = '2024-05-01', closed_before = ${end}`)
  const later = { start: new Date(end), end: new Date(end + 1000) }
  const entries = [
    { ...sourceEntry('08:00', later), action: 'update' as const, record: id },
    sourceEntry('10:00'),
    sourceEntry('11:00', later),
  ]
  const { tables } = stage(database, entries, { Design: link })
  expect(await imports.invalidEntries(tables)).toMatchObject([
    { position: 1, field: 'time_start', reason: 'The start is in the closed period, up to 2024-05-01.' },
    { position: 2, field: 'time_start' },
  ])
})
