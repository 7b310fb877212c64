import { beforeEach, describe, expect, it } from 'vitest'
import * as administration from '../../../../src/service/admin/administration.js'
import { insertInto, sql } from '../../../../src/service/storage/sql.js'
import type { Storage } from '../../../../src/service/storage/storage.js'
import { clearDatabase, clock, databases, now, useDatabase } from '../fixtures.js'

const { addLink, addProject } = administration

describe.each(databases)('changes of names over %s', (_, open) => {
  const database = useDatabase(open)
  let storage: Storage
  let user: number
  beforeEach(async () => {
    storage = database.storage
    await clearDatabase(storage)
    user = (await administration.addUser(storage, { email: 'ada@example.com', name: 'Ada', clock })).id
  })

  async function track(path: string, notes: string): Promise<number> {
    const [task = '', project = '', client] = path.split('/').reverse()
    const { id } = await addLink(storage, { client, project, task })
    const start = Date.parse('2024-05-01T09:00:00Z')
    const fields = { time_start: start, time_end: start + 3600_000, created_at: start, updated_at: start }
    await storage.queries.all(
      insertInto('time_entries', { user_id: user, notes, task_link_id: Number(id), ...fields }),
    )
    return Number(id)
  }

  /** Returns the labels of the tasks, with the notes of their entries. */
  async function tracked(): Promise<Record<string, string[]>> {
    const entries = await storage.queries.all<{ task_link_id: number; notes: string | null }>(
      sql`select * from time_entries order by id`,
    )
    const tasks = await administration.listProjectTasks(storage)
    return Object.fromEntries(
      tasks.map(({ id, label, active }) => [
        `${label}${active === false ? ' (archived)' : ''}`,
        entries.filter(({ task_link_id }) => task_link_id === id).map(({ notes }) => notes ?? ''),
      ]),
    )
  }

  it('rename a project, a client and a task, whose entries keep their task link', async () => {
    const link = await track('Acme/Webiste/Desing', 'a')
    expect(await administration.renameProject(storage, 'Webiste', ' Website ')).toMatchObject({
      ...{ from: ['Acme', 'Webiste'], to: ['Acme', 'Website'] },
      record: { name: 'Website', client: 'Acme' },
    })
    await administration.renameClient(storage, 'Acme', 'ACME')
    await administration.renameTask(storage, 'Desing', 'Design')
    expect(await tracked()).toEqual({ 'ACME / Website / Design': ['a'] })
    expect(await storage.queries.all(sql`select task_link_id from time_entries`)).toEqual([
      { task_link_id: link },
    ])
  })

  it('move a project to another client, which is created', async () => {
    await track('Website/Design', 'a')
    await administration.renameProject(storage, 'Website', 'Acme/Site')
    expect(await tracked()).toEqual({ 'Acme / Site / Design': ['a'] })
  })

  it('rename a task in all its projects, or in one', async () => {
    await track('Acme/Website/Design', 'a')
    await track('Shop/Design', 'b')
    expect(await administration.projectsOfTask(storage, 'Design')).toEqual(['Shop', 'Acme/Website'])
    expect(await administration.projectsOfTask(storage, 'Shop/Design')).toEqual(['Shop'])
    await administration.renameTask(storage, 'Shop/Design', 'Layout')
    expect(await tracked()).toEqual({ 'Shop / Layout': ['b'], 'Acme / Website / Design': ['a'] })
    await administration.renameTask(storage, 'Acme/Website/Design', 'Layout')
    expect((await administration.listTasks(storage)).map(({ name }) => name)).toEqual(['Layout'])
    await administration.renameTask(storage, 'Layout', 'Drawing')
    expect(await tracked()).toEqual({ 'Shop / Drawing': ['b'], 'Acme / Website / Drawing': ['a'] })
  })

  it('reject a name that another record has, and change nothing', async () => {
    await track('Acme/Website/Design', 'a')
    await track('Acme/Site/Review', 'b')
    await track('Acme/Site/Design', 'c')
    await track('Northwind/Website/Design', 'd')
    const before = await tracked()
    const attempts = [
      () => administration.renameProject(storage, 'Acme/Website', 'site'),
      () => administration.renameProject(storage, 'Northwind/Website', 'Acme/Website'),
      () => administration.renameClient(storage, 'Acme', 'northwind'),
      () => administration.renameTask(storage, 'Design', 'review'),
      () => administration.renameTask(storage, 'Site/Review', 'Design'),
    ]
    for (const attempt of attempts)
      await expect(attempt()).rejects.toMatchObject({
        ...{ code: 'usage', nextStep: expect.objectContaining({ action: 'combine' }) },
        message: expect.stringContaining('already a'),
      })
    expect(await tracked()).toEqual(before)
  })

  it('merge a project with its tasks, entries, expenses and assignments', async () => {
    await track('Acme/Webiste/Design', 'a')
    await track('Acme/Webiste/Tests', 'b')
    await track('Acme/Website/Design', 'c')
    const projects = ['Acme/Webiste', 'Acme/Website']
    const assigned = { email: 'ada@example.com', startsOn: '2024-05-01' }
    await administration.assignProjects(storage, { ...assigned, projects })
    await administration.assignProjects(storage, { email: 'ada@example.com', projects: ['Acme/Webiste'] })
    const [from] = await administration.listProjects(storage)
    const expense = { spent_on: '2024-05-01', amount: '12.50', amount_units: 125_000, currency: 'EUR' }
    const owned = { user_id: user, project_id: Number(from?.id), created_at: 0, updated_at: 0 }
    await storage.queries.all(insertInto('expenses', { ...expense, ...owned }))
    const { record } = await administration.mergeProjects(
      storage,
      { from: 'Webiste', into: 'Acme/Website' },
      now,
    )
    expect(await tracked()).toEqual({
      'Acme / Website / Design': ['a', 'c'],
      'Acme / Website / Tests': ['b'],
    })
    expect(await administration.listProjects(storage)).toEqual([record])
    const assignments = await administration.listAssignments(storage, 'ada@example.com')
    expect(assignments.map(({ project, starts_on }) => [project, starts_on])).toEqual([
      ['Website', '2024-05-01'],
      ['Website', null],
    ])
    const [moved] = await storage.queries.all(sql`select * from expenses`)
    expect(moved).toMatchObject({ project_id: record.id, updated_at: now.getTime() })
    const changed = await storage.queries.all<{ updated_at: number }>(
      sql`select updated_at from time_entries order by id`,
    )
    expect(changed.map(({ updated_at: at }) => at === now.getTime())).toEqual([true, false, false])
  })

  it('archive the tasks that are merged into an archived project', async () => {
    await track('Webiste/Tests', 'a')
    await track('Website/Design', 'b')
    await administration.setProjectActive(storage, 'Website', false)
    await administration.mergeProjects(storage, { from: 'Webiste', into: 'Website' }, now)
    expect(await tracked()).toEqual({
      'Website / Design (archived)': ['b'],
      'Website / Tests (archived)': ['a'],
    })
  })

  it('merge clients whose projects have equal names', async () => {
    await track('Amce/Website/Design', 'a')
    await track('Amce/Shop/Design', 'b')
    await track('Acme/website/Design', 'c')
    await administration.mergeClients(storage, { from: 'Amce', into: 'Acme' }, now)
    expect(await tracked()).toEqual({ 'Acme / Shop / Design': ['b'], 'Acme / website / Design': ['a', 'c'] })
    expect((await administration.listClients(storage)).map(({ name }) => name)).toEqual(['Acme'])
  })

  it('merge a task in all its projects, or one task into another one', async () => {
    await track('Website/Desing', 'a')
    await track('Website/Design', 'b')
    await track('Shop/Desing', 'c')
    await administration.mergeTasks(storage, { from: 'Desing', into: 'Design' }, now)
    expect(await tracked()).toEqual({ 'Shop / Design': ['c'], 'Website / Design': ['a', 'b'] })
    await administration.mergeTasks(storage, { from: 'Shop/Design', into: 'Website/Design' }, now)
    expect(await tracked()).toEqual({ 'Website / Design': ['a', 'b', 'c'] })
    await track('Website/Review', 'd')
    await administration.mergeTasks(storage, { from: 'Website/Review', into: 'Design' }, now)
    expect(await tracked()).toEqual({ 'Website / Design': ['a', 'b', 'c', 'd'] })
    expect((await administration.listTasks(storage)).map(({ name }) => name)).toEqual(['Design'])
    const again = administration.mergeTasks(storage, { from: 'Design', into: 'Design' }, now)
    await expect(again).rejects.toMatchObject({ code: 'usage' })
  })

  it('archive and restore a client with its projects, and one task', async () => {
    await track('Acme/Website/Design', 'a')
    await administration.setClientActive(storage, 'Acme', false)
    expect(await tracked()).toEqual({ 'Acme / Website / Design (archived)': ['a'] })
    for (const attempt of [
      () => addProject(storage, 'Acme/Shop'),
      () => addLink(storage, { client: 'Acme', project: 'Shop', task: 'Design' }),
      () => administration.setProjectActive(storage, 'Website', true),
      () => administration.setTaskActive(storage, 'Website/Design', true),
    ])
      await expect(attempt()).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringMatching(/archived/),
      })
    await administration.setClientActive(storage, 'Acme', true)
    expect(await tracked()).toEqual({ 'Acme / Website / Design': ['a'] })
    await administration.setTaskActive(storage, 'Website/Design', false)
    expect(await tracked()).toEqual({ 'Acme / Website / Design (archived)': ['a'] })
  })

  it('delete only what is unused', async () => {
    await track('Acme/Website/Design', 'a')
    await addLink(storage, { client: 'Acme', project: 'Drafts', task: 'Ideas' })
    for (const attempt of [
      () => administration.removeClient(storage, 'Acme'),
      () => administration.removeProject(storage, 'Website'),
      () => administration.removeTask(storage, 'Website/Design'),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'usage' })
    await administration.removeProject(storage, 'Drafts')
    await addProject(storage, 'Northwind/Shop')
    await administration.removeProject(storage, 'Shop')
    await administration.removeClient(storage, 'Northwind')
    expect(await tracked()).toEqual({ 'Acme / Website / Design': ['a'] })
    expect((await administration.listTasks(storage)).map(({ name }) => name)).toEqual(['Design'])
    expect((await administration.listClients(storage)).map(({ name }) => name)).toEqual(['Acme'])
  })
})
