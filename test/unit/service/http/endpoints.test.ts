import { describe, expect, it } from 'vitest'
import type { Expense, TimeEntry } from '../../../../src/api-client/types.js'
import * as administration from '../../../../src/service/admin/administration.js'
import { clock, databases, q, useDatabase, useServiceFixture } from '../fixtures.js'

const start = '2024-05-08T09:30:00+02:00'
const end = '2024-05-08T10:45:30.250+02:00'

describe.each(databases)('the endpoints over %s', (_, open) => {
  const database = useDatabase(open)
  const at = useServiceFixture(database)

  const post = (fields: object, user?: number) =>
    at.send('POST', '/timesheets', { time_start: start, task_link_id: at.link, ...fields }, user)
  const create = async (fields: object) => {
    const response = await post(fields)
    expect(response.status).toBe(201)
    return (await response.json()) as TimeEntry
  }

  /** Expects the times of the record: by the clock of the database server, or by that of the service, which stands still. */
  function expectTimes(record: TimeEntry | Expense, previous?: TimeEntry | Expense) {
    const msOf = (time: unknown) => Date.parse(String(time))
    const [createdMs, updatedMs] = [msOf(record.created_at), msOf(record.updated_at)]
    if (database.storage.dialect === 'postgres') expect(Math.abs(updatedMs - Date.now())).toBeLessThan(60_000)
    else expect(createdMs).toBe(clock().getTime())
    if (!previous) expect(updatedMs).toBe(createdMs)
    // Every version of a record differs from the one before.
    else expect(updatedMs).toBeGreaterThan(msOf(previous.updated_at))
  }

  describe('time entries', () => {
    it('are created, shown, listed, updated and deleted', async () => {
      const entry = await create({ time_end: end, notes: 'Übersicht 🚀', external_id: 'X-1', unknown: 1 })
      expect(entry).toEqual({
        ...{ id: expect.any(Number), time_start: '2024-05-08T07:30:00.000Z' },
        ...{ time_end: '2024-05-08T08:45:30.250Z', notes: 'Übersicht 🚀', task_link_id: at.link },
        ...{ external_id: 'X-1', created_at: expect.any(String), updated_at: expect.any(String) },
        etag: expect.stringMatching(/^"\d+"$/),
      })
      expectTimes(entry)
      expect(await (await at.get(`/timesheets/${entry.id}`)).json()).toEqual([entry])
      expect(await (await at.get('/timesheets')).json()).toEqual([entry])
      const updated = await at.send('PATCH', `/timesheets/${entry.id}`, { notes: null, time_end: null })
      expect(updated.status).toBe(200)
      const changed = (await updated.json()) as TimeEntry
      expect(changed).toEqual({
        ...entry,
        ...{ notes: null, time_end: null, updated_at: expect.any(String) },
        etag: expect.not.stringContaining(String(entry.etag)),
      })
      expectTimes(changed, entry)
      const deleted = await at.send('DELETE', `/timesheets/${entry.id}`)
      expect([deleted.status, await deleted.text()]).toEqual([204, ''])
      expect((await create({})).id).not.toBe(entry.id)
    })

    it('may be open, and accept a task link ID as text', async () => {
      const entry = await create({ task_link_id: String(at.link) })
      expect(entry).toMatchObject({ time_end: null, notes: null, external_id: null, task_link_id: at.link })
    })

    it.each([
      [{ time_start: undefined }, 'time_start'],
      [{ time_start: '2024-05-08T09:30:00' }, 'time_start'],
      [{ time_end: '2024-05-08T09:29:59+02:00' }, 'time_end'],
      [{ time_end: 5 }, 'time_end'],
      [{ notes: 5 }, 'notes'],
      [{ notes: 'x'.repeat(65_537) }, 'notes'],
      [{ notes: 'nul \0' }, 'notes'],
      [{ external_id: '' }, 'external_id'],
      [{ external_id: 'x'.repeat(256) }, 'external_id'],
      [{ task_link_id: undefined }, 'task_link_id'],
      [{ task_link_id: 99_999 }, 'task_link_id'],
      [{ task_link_id: 1.5 }, 'task_link_id'],
    ])('are rejected with %j, naming the field', async (fields, field) => {
      const response = await post(fields)
      expect(response.status).toBe(422)
      const { error, message, errors } = (await response.json()) as Record<string, unknown>
      expect([error, message]).toEqual(['invalid', expect.stringContaining(field)])
      expect(Object.keys(errors as object)).toEqual([field])
      expect(await at.ids('/timesheets')).toEqual([])
    })

    it('are validated as a whole when one field changes', async () => {
      const entry = await create({ time_end: end })
      for (const change of [{ time_start: '2024-05-08T12:00:00Z' }, { time_end: '2024-05-08T07:29:59Z' }]) {
        const invalid = await at.send('PATCH', `/timesheets/${entry.id}`, change)
        expect(invalid.status).toBe(422)
        expect(Object.keys(((await invalid.json()) as { errors: object }).errors)).toEqual(['time_end'])
      }
      expect((await at.send('PATCH', `/timesheets/${entry.id}`, { time_end: start })).status).toBe(200)
    })

    it('of an archived project can be edited but not created', async () => {
      const entry = await create({})
      await administration.setProjectActive(database.storage, 'Acme/Website', false)
      const body = { notes: 'late', task_link_id: at.link }
      expect((await at.send('PATCH', `/timesheets/${entry.id}`, body)).status).toBe(200)
      expect((await post({})).status).toBe(422)
    })

    it('with a known external ID are returned as stored, and no other entry gets it', async () => {
      const entry = await create({ external_id: 'X-1', notes: 'first' })
      const again = await post({ external_id: 'X-1', notes: 'second' })
      expect([again.status, await again.json()]).toEqual([200, entry])
      const found = await at.get('/timesheets/find_by_external_id?external_id=X-1')
      expect(await found.json()).toEqual([entry])
      expect((await at.get('/timesheets/find_by_external_id?external_id=X-3')).status).toBe(404)
      expect((await at.get('/timesheets/find_by_external_id')).status).toBe(400)
      const other = await create({ external_id: 'X-2' })
      const taken = await at.send('PATCH', `/timesheets/${other.id}`, { external_id: 'X-1' })
      expect([taken.status, await taken.json()]).toMatchObject([
        409,
        { error: 'conflict', errors: { external_id: [expect.any(String)] } },
      ])
      expect((await at.send('PATCH', `/timesheets/${entry.id}`, { external_id: 'X-1' })).status).toBe(200)
    })

    it('created in parallel with one external ID are created once', async () => {
      const responses = await Promise.all([1, 2, 3, 4].map(() => post({ external_id: 'X-1' })))
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201])
      expect(await at.ids('/timesheets')).toHaveLength(1)
    })

    it('of another user do not exist', async () => {
      const { id } = await create({ external_id: 'X-1' })
      const [, other] = at.users
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const body = method === 'PATCH' ? { notes: 'mine' } : undefined
        expect((await at.send(method, `/timesheets/${id}`, body, other)).status).toBe(404)
      }
      const found = await at.send('GET', '/timesheets/find_by_external_id?external_id=X-1', undefined, other)
      expect(found.status).toBe(404)
      expect(await (await at.send('GET', '/timesheets', undefined, other)).json()).toEqual([])
      expect((await post({ external_id: 'X-1' }, other)).status).toBe(201)
    })
  })

  describe('lists', () => {
    it('are in the order of the starts, and their pages link to those that exist', async () => {
      const later = await create({ time_start: '2024-05-08T12:00:00Z' })
      const earlier = await create({})
      expect(await at.ids('/timesheets')).toEqual([earlier.id, later.id])
      const linksOf = async (page: number) => {
        const { headers } = await at.get(`/timesheets?per_page=1&page=${page}`)
        return headers.get('Link')?.match(/\d+>; rel="\w+"/g)
      }
      expect(await linksOf(1)).toEqual(['1>; rel="first"', '2>; rel="next"', '2>; rel="last"'])
      expect(await linksOf(2)).toEqual(['1>; rel="first"', '1>; rel="prev"', '2>; rel="last"'])
      expect(await at.ids('/timesheets?per_page=1&page=2')).toEqual([later.id])
    })

    it.each(['per_page=1001', 'per_page=0', 'per_page=x', 'page=2', 'per_page=10&page=0'])(
      'are not divided into pages by %s',
      async (query) => {
        expect((await at.get('/timesheets?per_page=1000')).status).toBe(200)
        expect((await at.get(`/timesheets?${query}`)).status).toBe(400)
      },
    )
  })

  it('return the most used task links of the last 7 days, by count, then by last use', async () => {
    const { storage } = database
    const rare = Number((await administration.addLink(storage, { project: 'Internal', task: 'Meetings' })).id)
    const late = Number((await administration.addLink(storage, { project: 'Internal', task: 'Design' })).id)
    await create({ time_start: '2024-05-02T12:00:00Z', task_link_id: rare })
    await create({ time_start: '2024-05-03T12:00:00Z', task_link_id: late })
    await create({ time_start: '2024-05-01T12:00:00Z' })
    await create({ time_start: '2024-05-02T08:00:00Z' })
    await create({ time_start: '2024-05-01T11:59:59.999Z', task_link_id: rare })
    await create({ time_start: '2024-05-09T12:00:00Z', task_link_id: rare })
    const used = (await (await at.get('/timesheets/most_used_tasks')).json()) as Record<string, unknown>[]
    expect(used.map(({ id, entries }) => [id, entries])).toEqual([
      [at.link, 2],
      [late, 1],
      [rare, 1],
    ])
    expect(await at.ids(`/timesheets/most_used_tasks?${q({ id_eq: rare })}`)).toEqual([rare])
  })

  it('return the reference data', async () => {
    const { storage } = database
    await administration.addProject(storage, 'Alone')
    await administration.assign(storage, { email: 'a@example.org', project: 'Alone', startsOn: '2024-05-01' })
    await administration.addExpenseType(storage, 'Travel')
    await administration.addExpenseType(storage, 'Old')
    await administration.setExpenseTypeActive(storage, 'Old', false)
    const read = async (path: string) => (await at.get(path)).json()
    const id = expect.any(Number)
    expect(await read('/companies')).toEqual({
      ...{ id, name: 'Acme', currency: 'EUR', time_zone: 'Europe/Berlin', closed_until: null },
    })
    expect(await read('/clients')).toEqual([{ id, name: 'Acme', active: true }])
    expect(await read('/projects')).toEqual([
      { id, name: 'Alone', client_id: null, active: true },
      { id, name: 'Website', client_id: id, active: true },
    ])
    expect(await read('/tasks')).toEqual([{ id, name: 'Design' }])
    expect(await read('/task_links')).toEqual([{ id: at.link, project_id: id, task_id: id, active: true }])
    expect(await read('/assignments')).toEqual([
      { id, project_id: id, starts_on: '2024-05-01', ends_on: null },
    ])
    expect(await read('/expense_types')).toEqual([{ id, name: 'Travel', active: true }])
    const [, other] = at.users
    expect(await (await at.send('GET', '/assignments', undefined, other)).json()).toEqual([])
  })

  describe('expenses', () => {
    const spend = async (fields: object) =>
      at.send('POST', '/expenses', { expense: { spent_on: '2024-05-08', amount: '12.5', ...fields } })

    it('are created, listed, updated and deleted under the key expense', async () => {
      const { id: type } = await administration.addExpenseType(database.storage, 'Travel')
      const created = await spend({ expense_type_id: type, notes: 'Taxi', external_id: 'R-1' })
      expect(created.status).toBe(201)
      const expense = (await created.json()) as Expense
      expect(expense).toEqual({
        ...{ id: expect.any(Number), spent_on: '2024-05-08', amount: '12.50', currency: 'EUR' },
        ...{ expense_type_id: type, project_id: null, notes: 'Taxi', external_id: 'R-1' },
        ...{ created_at: expect.any(String), updated_at: expect.any(String) },
        etag: expect.stringMatching(/^"\d+"$/),
      })
      expectTimes(expense)
      expect(await (await at.get('/expenses')).json()).toEqual([expense])
      const body = { expense: { amount: '13', currency: 'CHF' } }
      const updated = await at.send('PATCH', `/expenses/${expense.id}`, body)
      const changed = (await updated.json()) as Expense
      expectTimes(changed, expense)
      expect(changed).toEqual({
        ...expense,
        ...{ amount: '13.00', currency: 'CHF', updated_at: expect.any(String) },
        etag: expect.not.stringContaining(String(expense.etag)),
      })
      const noted = await at.send('PATCH', `/expenses/${expense.id}`, { expense: { notes: 'Bus' } })
      expect(await noted.json()).toMatchObject({ notes: 'Bus', amount: '13.00', currency: 'CHF' })
      expect(await at.ids(`/expenses?${q({ amount_gteq: '13', amount_lt: 13.0001 })}`)).toEqual([expense.id])
      expect((await at.send('DELETE', `/expenses/${expense.id}`)).status).toBe(204)
      expect(await at.ids('/expenses')).toEqual([])
    })

    it.each([
      [7, '7.00'],
      ['007.1234', '7.1234'],
      ['-3.1', '-3.10'],
      ['999999999999.9999', '999999999999.9999'],
      ['-0', '0.00'],
    ])('store the amount %s as %s', async (amount, stored) => {
      const response = await spend({ amount })
      expect(((await response.json()) as Expense).amount).toBe(stored)
      expect(await at.ids(`/expenses?${q({ amount_eq: amount })}`)).toHaveLength(1)
      expect(await at.ids(`/expenses?${q({ amount_lt: amount })}`)).toHaveLength(0)
    })

    it.each([
      [{ spent_on: undefined }, 'spent_on'],
      [{ spent_on: '2024-02-30' }, 'spent_on'],
      [{ amount: undefined }, 'amount'],
      [{ amount: '1,50' }, 'amount'],
      [{ amount: '1.23456' }, 'amount'],
      [{ amount: '1000000000000' }, 'amount'],
      [{ currency: 'ABC' }, 'currency'],
      [{ expense_type_id: 99_999 }, 'expense_type_id'],
      [{ project_id: 99_999 }, 'project_id'],
    ])('are rejected with %j, naming the field', async (fields, field) => {
      const response = await spend(fields)
      expect(response.status).toBe(422)
      expect(Object.keys(((await response.json()) as { errors: object }).errors)).toEqual([field])
    })

    it('keep a type that was archived later, but do not get it', async () => {
      const { id: type } = await administration.addExpenseType(database.storage, 'Travel')
      const { id } = (await (await spend({ expense_type_id: type })).json()) as Expense
      await administration.setExpenseTypeActive(database.storage, 'Travel', false)
      const body = { expense: { notes: 'Taxi', expense_type_id: type } }
      expect((await at.send('PATCH', `/expenses/${id}`, body)).status).toBe(200)
      expect((await spend({ expense_type_id: type })).status).toBe(422)
    })

    it('are rejected when the fields are not under the key expense', async () => {
      const response = await at.send('POST', '/expenses', { spent_on: '2024-05-08', amount: '1' })
      expect(response.status).toBe(400)
      expect(((await response.json()) as { message: string }).message).toContain('under the key "expense"')
    })
  })
})
