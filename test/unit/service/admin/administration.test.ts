import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as administration from '../../../../src/service/admin/administration.js'
import type { Storage } from '../../../../src/service/storage/storage.js'
import { clearDatabase, clock, databases, useDatabase } from '../fixtures.js'

const { addExpenseType, addLink, addProject, addTask, addUser, assign } = administration

describe.each(databases)('administration over %s', (_, open) => {
  const database = useDatabase(open)
  let storage: Storage
  beforeAll(async () => {
    storage = database.storage
  })
  beforeEach(() => clearDatabase(storage))

  const company = { name: 'Acme', currency: 'EUR', time_zone: 'Europe/Berlin' }

  it('creates the company once', async () => {
    await expect(administration.companyOf(storage)).rejects.toMatchObject({ code: 'not_found' })
    const other = { ...company, name: 'Other' }
    const create = (fields: typeof company) => administration.ensureCompany(storage, fields)
    const [one, another] = await Promise.all([create(company), create(other)])
    expect(one).toEqual(another)
  })

  it('lists assignments to projects without a client first', async () => {
    await administration.addUser(storage, { email: 'ada@example.com', name: 'Ada', clock })
    const projects = ['Acme/Website', 'Internal', 'Beta/App']
    for (const name of projects) await administration.addProject(storage, name)
    await administration.assignProjects(storage, { email: 'ada@example.com', projects })
    const assignments = await administration.listAssignments(storage, 'ada@example.com')
    expect(assignments.map(({ project }) => project)).toEqual(['Internal', 'Website', 'App'])
  })

  it('changes different settings of the company at the same time', async () => {
    await administration.ensureCompany(storage, company)
    await Promise.all([
      administration.updateCompany(storage, { legacyKeys: false }),
      administration.updateCompany(storage, { visibility: 'assigned' }),
      administration.updateCompany(storage, { name: 'Acme Ltd' }),
    ])
    expect(await administration.companyOf(storage)).toMatchObject({
      ...{ legacy_keys: false, visibility: 'assigned', name: 'Acme Ltd', currency: 'EUR' },
    })
  })

  it('changes the given fields of the company and rejects invalid values', async () => {
    await administration.ensureCompany(storage, company)
    const changed = await administration.updateCompany(storage, { timeZone: 'Asia/Tokyo', name: undefined })
    expect(changed).toMatchObject({ ...company, time_zone: 'Asia/Tokyo' })
    expect(await administration.companyOf(storage)).toEqual(changed)
    for (const changes of [{ timeZone: 'Mars/Olympus' }, { currency: 'euro' }, { name: ' ' }]) {
      await expect(administration.updateCompany(storage, changes)).rejects.toMatchObject({ code: 'usage' })
    }
  })

  it('adds each user once per email address', async () => {
    const user = await addUser(storage, { email: ' Ann@Example.org', name: 'Ann', clock })
    expect(user).toEqual({ id: expect.any(Number), email: 'ann@example.org', name: 'Ann', active: true })
    await expect(addUser(storage, { email: 'ann@example.org', name: 'A', clock })).rejects.toMatchObject({
      code: 'usage',
      message: 'There is already a user "ann@example.org".',
    })
    expect(await administration.deactivateUser(storage, 'ANN@example.org', clock)).toEqual({
      ...user,
      active: false,
      revoked: { tokens: 0, grants: 0, sessions: 0 },
    })
    expect(await administration.listUsers(storage)).toEqual([{ ...user, active: false }])
  })

  it('adds each project once, with a missing client', async () => {
    const website = await addProject(storage, 'Acme/ Website ')
    expect(website).toEqual({
      ...{ id: expect.any(Number), name: 'Website', active: true },
      ...{ client_id: expect.any(Number), client: 'Acme' },
    })
    await addProject(storage, 'Website')
    const app = await addProject(storage, ' Acme/App')
    expect(app.client_id).toBe(website.client_id)
    await addProject(storage, 'Northwind/Shop')
    for (const again of ['Acme/Website', 'acme/website', 'Website']) {
      await expect(addProject(storage, again)).rejects.toMatchObject({ code: 'usage' })
    }
    const listed = await administration.listProjects(storage)
    expect(listed.map(({ client, name }) => [client, name])).toEqual([
      ['Acme', 'App'],
      ['Northwind', 'Shop'],
      ['Acme', 'Website'],
      [null, 'Website'],
    ])
    expect((await administration.listClients(storage)).map(({ name }) => name)).toEqual(['Acme', 'Northwind'])
  })

  it('adds and links tasks', async () => {
    await addProject(storage, 'Acme/Website')
    await addProject(storage, 'Northwind/Website')
    const task = await addTask(storage, 'Acme/Website/Design')
    expect(task).toMatchObject({ label: 'Acme / Website / Design', task: 'Design', active: true })
    expect(await addTask(storage, 'Northwind/Website/design')).toMatchObject({ task_id: task.task_id })
    await addTask(storage, 'Acme/Website/Review')
    expect((await administration.listTasks(storage)).map(({ name }) => name)).toEqual(['Design', 'Review'])
  })

  it('creates a link with missing records, and finds it again', async () => {
    const names = { client: 'Acme', project: 'Website', task: 'Design' }
    const created = await Promise.all([1, 2, 3].map(() => addLink(storage, names)))
    expect(created[0]).toMatchObject({ id: expect.any(Number), active: true })
    expect(new Set(created.map(({ id }) => id)).size).toBe(1)
    expect(await addLink(storage, { project: 'Website', task: 'Design' })).toEqual(created[0])
    const alone = await addLink(storage, { project: 'Internal', task: 'Design' })
    expect(alone.task_id).toBe(created[0]?.task_id)
    await addProject(storage, 'Northwind/Website')
    const ambiguous = addLink(storage, { project: 'Website', task: 'Design' })
    await expect(ambiguous).rejects.toMatchObject({ code: 'usage' })
  })

  it('creates nothing for an invalid link', async () => {
    const attempt = addLink(storage, { client: 'Acme', project: 'Website', task: 'a/b' })
    await expect(attempt).rejects.toMatchObject({ code: 'usage' })
    expect(await administration.listClients(storage)).toEqual([])
  })

  it('assigns users to projects and rejects an end before the start', async () => {
    await addUser(storage, { email: 'ann@example.org', name: 'Ann', clock })
    const { id } = await addProject(storage, 'Website')
    const fields = { email: 'ann@example.org', project: 'Website', startsOn: '2024-05-01' }
    expect(await assign(storage, { ...fields, endsOn: '2024-05-01' })).toEqual({
      id: expect.any(Number),
      project_id: id,
      starts_on: '2024-05-01',
      ends_on: '2024-05-01',
    })
    for (const change of [{ endsOn: '2024-04-30' }, { startsOn: '1 May' }])
      await expect(assign(storage, { ...fields, ...change })).rejects.toMatchObject({ code: 'usage' })
  })

  it('adds each expense type once', async () => {
    const travel = await addExpenseType(storage, 'Travel / hotel')
    await expect(addExpenseType(storage, 'Travel / hotel')).rejects.toMatchObject({ code: 'usage' })
    expect(await administration.setExpenseTypeActive(storage, travel.name, false)).toEqual({
      ...travel,
      active: false,
    })
    expect(await administration.listExpenseTypes(storage)).toEqual([{ ...travel, active: false }])
    expect(await addExpenseType(storage, 'travel / Hotel')).toEqual(travel)
    const unknown = administration.setExpenseTypeActive(storage, 'Meals', false)
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' })
  })

  it.each(['', '  ', 'a/b/c', 'a/', '/b', 'line\nbreak', 'nul\0', 'x'.repeat(256)])(
    'rejects the name %j',
    async (name) => {
      await expect(addProject(storage, `${name}/Website`)).rejects.toMatchObject({ code: 'usage' })
      await expect(addProject(storage, name)).rejects.toMatchObject({ code: 'usage' })
      const code = name === 'a/b/c' ? 'not_found' : 'usage'
      await expect(addTask(storage, name)).rejects.toMatchObject({ code })
    },
  )
})
