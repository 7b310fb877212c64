import { beforeEach, describe, expect, it } from 'vitest'
import * as administration from '../../../../src/service/admin/administration.js'
import { collectionRoutes } from '../../../../src/service/http/routes.js'
import { type Sql, sql } from '../../../../src/service/storage/sql.js'
import type { Storage } from '../../../../src/service/storage/storage.js'
import { createServiceFixture, databases, observed, type ServiceFixture, useDatabase } from '../fixtures.js'

type Row = Record<string, unknown>

describe.each(databases)('assignments over %s', (_, open) => {
  const database = useDatabase(open)
  let service: ServiceFixture
  /** The task links of the projects Website (which both users may see), Shop, and Internal without a client. */
  let links: { website: number; shop: number; internal: number }
  beforeEach(async () => {
    service = await createServiceFixture(database.storage)
    const add = async (client: string | undefined, project: string) => {
      const names = { ...(client === undefined ? {} : { client }), project, task: 'Design' }
      return Number((await administration.addLink(database.storage, names)).id)
    }
    links = {
      website: service.link,
      shop: await add('Northwind', 'Shop'),
      internal: await add(undefined, 'Internal'),
    }
  })

  const [ann, ben] = ['a@example.org', 'b@example.org']
  const assign = (email: string, project: string, startsOn?: string, endsOn?: string) =>
    administration.assign(database.storage, { email, project, startsOn, endsOn })
  const enforce = () => administration.updateCompany(database.storage, { visibility: 'assigned' })
  const request = async (method: string, path: string, body?: unknown, user = service.users[0]) => {
    const response = await service.send(method, path, body, user)
    return { status: response.status, body: (await response.json()) as Row & Row[] }
  }
  const names = async (list: string, user = service.users[0]) =>
    (await request('GET', list, undefined, user)).body.map(({ name }) => name)
  /** Returns the names of projects, clients and tasks, and the task links, that a user sees. */
  const seen = async (user = service.users[0]) => ({
    projects: await names('/projects', user),
    clients: await names('/clients', user),
    tasks: (await names('/tasks', user)).toSorted(),
    links: (await request('GET', '/task_links', undefined, user)).body.map(({ id }) => id),
  })
  const addEntry = (link: number, start = '2024-05-08T09:00:00+02:00', user = service.users[0]) =>
    request('POST', '/timesheets', { task_link_id: link, time_start: start, time_end: null }, user)
  const notAssigned = (day: string) => ({
    status: 422,
    body: { error: 'invalid', errors: { task_link_id: [`is not assigned to you on ${day}`] } },
  })

  it('limit projects, clients and task links to those of the user', async () => {
    await assign(ann, 'Website')
    await assign(ben, 'Website')
    await assign(ben, 'Shop', '2030-01-01')
    await enforce()
    const tasks = ['Design']
    expect(await seen()).toEqual({
      ...{ projects: ['Website'], clients: ['Acme'], tasks, links: [links.website] },
    })
    expect(await seen(service.users[1])).toEqual({
      ...{ projects: ['Shop', 'Website'], clients: ['Acme', 'Northwind'], tasks },
      links: [links.website, links.shop],
    })
    expect((await request('GET', '/assignments')).body).toHaveLength(1)
    const filtered = `/projects?q=${encodeURIComponent('{"name_cont":"o"}')}&per_page=10`
    expect((await service.get(filtered)).headers.get('X-Total-Count')).toBe('0')
  })

  it('show nothing of other projects in any list', async () => {
    const merger = { client: 'Rival', project: 'Merger', task: 'Secret talks' }
    await administration.addLink(database.storage, merger)
    await administration.addExpenseType(database.storage, 'Travel')
    await assign(ann, 'Website')
    await assign(ben, 'Shop')
    await assign(ben, 'Merger')
    await enforce()
    const [, other] = service.users
    await addEntry(links.shop, undefined, other)
    const lists = Object.entries(collectionRoutes).filter(([, methods]) => methods.GET)
    expect(lists).not.toHaveLength(0)
    for (const [path] of lists) {
      const text = JSON.stringify((await request('GET', path)).body)
      for (const name of ['Rival', 'Merger', 'Secret', 'Northwind', 'Shop', ben])
        expect({ path, text }).toEqual({ path, text: expect.not.stringContaining(name) })
    }
    expect((await seen()).tasks).toEqual(['Design'])
    expect((await seen(other)).tasks).toEqual(['Design', 'Secret talks'])
  })

  it('limit new entries, and name task_link_id in the error', async () => {
    await assign(ann, 'Website')
    await assign(ben, 'Shop')
    await enforce()
    expect(await addEntry(links.website)).toMatchObject({ status: 201 })
    expect(await addEntry(links.shop)).toMatchObject(notAssigned('2024-05-08'))
    expect(await addEntry(999_999)).toMatchObject(notAssigned('2024-05-08'))
    expect(await addEntry(links.shop, undefined, service.users[1])).toMatchObject({ status: 201 })
    const both = await request('POST', '/timesheets', { task_link_id: links.shop, time_start: 'soon' })
    expect(both.body.errors).toMatchObject({ time_start: [expect.any(String)] })
  })

  it.each([
    ['2024-05-01T00:00:00+02:00', true],
    ['2024-04-30T23:59:59+02:00', false],
    ['2024-05-31T23:59:59+02:00', true],
    ['2024-05-31T22:00:00Z', false],
  ])(
    'apply to the day of the entry in the time zone of the company: %s is accepted: %s',
    async (start, isAccepted) => {
      await assign(ann, 'Website', '2024-05-01', '2024-05-31')
      await assign(ann, 'Shop')
      await enforce()
      expect((await addEntry(links.website, start)).status).toBe(isAccepted ? 201 : 422)
      const { body: entry } = await addEntry(links.shop, start)
      const moved = await request('PATCH', `/timesheets/${entry.id}`, { task_link_id: links.website })
      expect(moved.status).toBe(isAccepted ? 200 : 422)
    },
  )

  it('leave past entries readable and their notes and times editable after they end', async () => {
    await assign(ann, 'Website')
    await enforce()
    const { body: entry } = await addEntry(links.website, '2024-05-09T09:00:00+02:00')
    const patch = (body: unknown) => request('PATCH', `/timesheets/${entry.id}`, body)
    expect(await patch({ time_start: '2024-05-08T09:00:00+02:00' })).toMatchObject({ status: 200 })
    await administration.unassign(database.storage, {
      ...{ email: ann, projects: ['Website'], lastDay: '2024-05-01' },
    })
    expect(await patch({ notes: 'done' })).toMatchObject({ status: 200, body: { notes: 'done' } })
    expect(await patch({ time_end: '2024-05-08T10:00:00+02:00' })).toMatchObject({ status: 200 })
    const sameDay = { task_link_id: links.website, time_start: '2024-05-08T08:00:00+02:00' }
    expect(await patch(sameDay)).toMatchObject({ status: 200 })
    expect(await patch({ time_start: '2024-05-07T08:00:00+02:00' })).toMatchObject(notAssigned('2024-05-07'))
    expect(await addEntry(links.website)).toMatchObject(notAssigned('2024-05-08'))
    expect((await request('GET', '/timesheets')).body).toHaveLength(1)
  })

  it('leave the names of past entries and expenses visible after they are removed, for that user only', async () => {
    await addEntry(links.website)
    const { body: projects } = await request('GET', '/projects')
    const shop = projects.find(({ name }) => name === 'Shop')?.id
    const expense = { spent_on: '2024-05-08', amount: '1', project_id: shop }
    expect((await request('POST', '/expenses', { expense })).status).toBe(201)
    await enforce()
    expect(await seen()).toEqual({
      ...{ projects: ['Shop', 'Website'], clients: ['Acme', 'Northwind'] },
      ...{ tasks: ['Design'], links: [links.website] },
    })
    expect((await request('GET', '/timesheets/most_used_tasks')).body).toHaveLength(1)
    const [, other] = service.users
    expect(await seen(other)).toEqual({ projects: [], clients: [], tasks: [], links: [] })
    expect((await request('GET', '/timesheets/most_used_tasks', undefined, other)).body).toEqual([])
  })

  it('limit the projects of expenses, without revealing which exist', async () => {
    const { body: projects } = await request('GET', '/projects')
    const idOf = (project: string) => projects.find(({ name }) => name === project)?.id
    await assign(ann, 'Website', undefined, '2024-05-01')
    await enforce()
    const add = (project: unknown) =>
      request('POST', '/expenses', {
        expense: { spent_on: '2024-05-08', amount: '1', project_id: project },
      })
    expect(await add(idOf('Website'))).toMatchObject({ status: 201 })
    const hidden = { status: 422, body: { errors: { project_id: ['does not exist'] } } }
    expect([await add(idOf('Shop')), await add(999_999)]).toMatchObject([hidden, hidden])
  })

  it('report an archived project where it is assigned', async () => {
    await assign(ann, 'Website')
    await enforce()
    await administration.setProjectActive(database.storage, 'Website', false)
    expect((await addEntry(links.website)).body.errors).toEqual({ task_link_id: ['is no longer active'] })
  })

  it('are assigned to several projects at once, all or none, and end for one user', async () => {
    const { storage } = database
    const list = async (email: string) =>
      (await administration.listAssignments(storage, email)).map(({ project, ends_on }) => [project, ends_on])
    const assignBoth = (projects: string[]) =>
      administration.assignProjects(storage, { email: ann, projects })
    await expect(assignBoth(['Website', 'Nonesuch'])).rejects.toMatchObject({ code: 'not_found' })
    expect(await list(ann)).toEqual([])
    await assignBoth(['Acme/Website', 'Internal'])
    await assign(ben, 'Internal')
    await assign(ann, 'Shop', '2024-06-01')
    const end = (projects: string[]) =>
      administration.unassign(storage, { email: ann, projects, lastDay: '2024-05-08' })
    await expect(end(['Internal', 'Nonesuch'])).rejects.toMatchObject({ code: 'not_found' })
    await end(['Internal', 'Shop'])
    await expect(end(['Shop'])).rejects.toMatchObject({ code: 'usage' })
    expect((await list(ann)).toSorted()).toEqual([
      ['Internal', '2024-05-08'],
      ['Website', null],
    ])
    expect(await list(ben)).toEqual([['Internal', null]])
  })

  it('are found without reading all entries of the user', async () => {
    const { storage } = database
    const queries: Sql[] = []
    const recording = observed(storage.queries, (query) => queries.push(query))
    service = await createServiceFixture({ ...storage, queries: recording })
    await enforce()
    const [user] = service.users
    // New statistics in between change the plan.
    if (storage.dialect === 'postgres')
      await storage.queries.all(sql`alter table time_entries set (autovacuum_enabled = false)`)
    await storage.queries.all(sql`
      with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < 20000)
      insert into time_entries (user_id, time_start, task_link_id, created_at, updated_at)
      select ${user}, value, ${service.link}, 1, 1 from numbers`)
    for (const list of ['/projects', '/clients', '/task_links']) {
      queries.length = 0
      expect((await request('GET', list, undefined, user)).body).toHaveLength(1)
      const reading = queries.filter(({ texts }) => texts.join('').includes('time_entries'))
      const plans = await Promise.all(reading.map((query) => entriesPlan(storage, query)))
      expect(plans).not.toEqual([])
      for (const plan of plans) expect([...new Set(plan)], list).toEqual(lookUps[storage.dialect])
    }
  })
})

const index = 'SEARCH time_entries USING COVERING INDEX time_entries_by_task_link_id'

/** The steps that look up the first task link of a user, and then the next one. Both end at one entry: they are minima. */
const lookUps = {
  sqlite: [`${index} (user_id=?)`, `${index} (user_id=? AND task_link_id>?)`],
  postgres: ['1 row'],
}

/** Returns the steps of a plan that read entries: in SQLite their text, in PostgreSQL how many rows they have read. */
async function entriesPlan({ dialect, queries }: Storage, query: Sql): Promise<string[]> {
  if (dialect === 'sqlite') {
    const steps = await queries.all<{ detail: string }>(sql`explain query plan ${query}`)
    return steps.map(({ detail }) => detail).filter((detail) => detail.includes('time_entries'))
  }
  const lines = await queries.all<{ 'QUERY PLAN': string }>(sql`explain (analyze, timing off) ${query}`)
  return lines
    .map((line) => line['QUERY PLAN'])
    .filter((line) => line.includes(' on time_entries') && !line.includes('never executed'))
    .map((line) => (/actual rows=[01](\.0+)? /.test(line) ? '1 row' : line))
}
