import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import * as administration from '../../../../src/service/admin/administration.js'
import { sql } from '../../../../src/service/storage/sql.js'
import { createServiceFixture, databases, type ServiceFixture, useDatabase } from '../fixtures.js'

const closedError = (field: string) => ({
  error: 'invalid',
  errors: { [field]: ['is in the closed period, up to 2024-04-30'] },
})

/** The last instant of April and the first of May in the time zone of the company, Europe/Berlin. */
const [lastOfApril, firstOfMay] = ['2024-04-30T21:59:59.999Z', '2024-04-30T22:00:00Z']

describe.each(databases)('the closed period with %s', (_, open) => {
  const database = useDatabase(open)

  const close = (closedUntil: string | null) =>
    administration.updateCompany(database.storage, { closedUntil })
  const createFixture = () => createServiceFixture(database.storage)
  const entryOf = ({ link }: ServiceFixture, start: string) => ({ time_start: start, task_link_id: link })

  /** Creates a record, and returns its path. */
  async function add({ send }: ServiceFixture, path: string, body: unknown): Promise<string> {
    const response = await send('POST', path, body)
    expect(response.status).toBe(201)
    return `${path}/${((await response.json()) as { id: number }).id}`
  }

  async function expectClosed(response: Response, field = 'time_start') {
    expect(await response.json()).toMatchObject(closedError(field))
    expect(response.status).toBe(422)
  }

  test('a new entry must start after it, in the time zone of the company', async () => {
    const fixture = await createFixture()
    await close('2024-04-30')
    expect(await (await fixture.get('/companies')).json()).toMatchObject({ closed_until: '2024-04-30' })
    await expectClosed(await fixture.send('POST', '/timesheets', entryOf(fixture, lastOfApril)))
    await add(fixture, '/timesheets', entryOf(fixture, firstOfMay))
  })

  test('an entry in it cannot be changed, moved into or out of it, or deleted', async () => {
    const fixture = await createFixture()
    const { send } = fixture
    const closed = await add(fixture, '/timesheets', entryOf(fixture, lastOfApril))
    const later = await add(fixture, '/timesheets', entryOf(fixture, firstOfMay))
    await close('2024-04-30')
    const changes = [{ notes: 'late' }, { time_end: '2024-05-01T08:00:00Z' }, { external_id: 'late' }]
    for (const change of [...changes, { time_start: firstOfMay }])
      await expectClosed(await send('PATCH', closed, change))
    await expectClosed(await send('PATCH', later, { time_start: lastOfApril }))
    await expectClosed(await send('PATCH', later, { time_start: lastOfApril, external_id: 'later' }))
    await expectClosed(await send('DELETE', closed))
    expect((await send('PATCH', later, { notes: 'in time' })).status).toBe(200)
    expect((await send('DELETE', later)).status).toBe(204)
    await close(null)
    expect((await send('PATCH', closed, { notes: 'late' })).status).toBe(200)
    expect((await send('DELETE', closed)).status).toBe(204)
  })

  test('an expense in it is read-only, by its date', async () => {
    const fixture = await createFixture()
    const { send } = fixture
    const expense = (spent_on: string) => ({ expense: { spent_on, amount: '12.50' } })
    const closed = await add(fixture, '/expenses', expense('2024-04-30'))
    const later = await add(fixture, '/expenses', expense('2024-05-01'))
    await close('2024-04-30')
    await expectClosed(await send('POST', '/expenses', expense('2024-04-30')), 'spent_on')
    await expectClosed(await send('PATCH', closed, { expense: { amount: '1' } }), 'spent_on')
    await expectClosed(await send('PATCH', closed, expense('2024-05-02')), 'spent_on')
    await expectClosed(await send('PATCH', later, expense('2024-04-29')), 'spent_on')
    await expectClosed(await send('DELETE', closed), 'spent_on')
    expect((await send('PATCH', later, { expense: { amount: '1' } })).status).toBe(200)
    expect((await send('DELETE', later)).status).toBe(204)
  })

  test('a repeated create request gets its record, also when that is closed since', async () => {
    const fixture = await createFixture()
    const key = { 'Idempotency-Key': 'one' }
    const create = () => fixture.send('POST', '/timesheets', entryOf(fixture, lastOfApril), undefined, key)
    expect((await create()).status).toBe(201)
    await close('2024-04-30')
    expect((await create()).status).toBe(200)
  })

  test('another time zone of the company moves its end', async () => {
    const fixture = await createFixture()
    await close('2024-04-30')
    await administration.updateCompany(database.storage, { timeZone: 'UTC' })
    await expectClosed(await fixture.send('POST', '/timesheets', entryOf(fixture, firstOfMay)))
  })

  test('a record of another user is not found in it', async () => {
    const fixture = await createFixture()
    const closed = await add(fixture, '/timesheets', entryOf(fixture, lastOfApril))
    await close('2024-04-30')
    expect((await fixture.send('DELETE', closed, undefined, fixture.users[1])).status).toBe(404)
    expect((await fixture.send('PATCH', closed, { notes: '' }, fixture.users[1])).status).toBe(404)
  })

  test('a closing waits for changes in progress', async () => {
    const fixture = await createFixture()
    await add(fixture, '/timesheets', entryOf(fixture, lastOfApril))
    const order: string[] = []
    let closing: Promise<unknown> | undefined
    await database.storage.queries.transaction(async (transaction) => {
      await transaction.all(sql`update time_entries set notes = 'in time'`)
      closing = close('2024-04-30').then(() => order.push('closed'))
      await Promise.race([closing, delay(200)])
      order.push('changed')
    })
    await closing
    expect(order).toEqual(['changed', 'closed'])
  })

  test.each(['2024-02-30', '2024-4-30', ''])('is not closed until %j', async (day) => {
    await createFixture()
    await expect(close(day)).rejects.toMatchObject({ code: 'usage' })
  })
})
