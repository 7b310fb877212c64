import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import * as administration from '../../../../src/service/admin/administration.js'
import { sql } from '../../../../src/service/storage/sql.js'
import { databases, useDatabase, useServiceFixture } from '../fixtures.js'

/** The last instant of April and the first of May in the time zone of the company, Europe/Berlin. */
const [lastOfApril, firstOfMay] = ['2024-04-30T21:59:59.999Z', '2024-04-30T22:00:00Z']

describe.each(databases)('the closed period with %s', (_, open) => {
  const database = useDatabase(open)
  const at = useServiceFixture(database)

  const close = (closedUntil: string | null) =>
    administration.updateCompany(database.storage, { closedUntil })
  const entryOf = (start: string) => ({ time_start: start, task_link_id: at.link })

  /** Creates a record, and returns its path. */
  async function add(path: string, body: unknown): Promise<string> {
    const response = await at.send('POST', path, body)
    expect(response.status).toBe(201)
    return `${path}/${((await response.json()) as { id: number }).id}`
  }

  async function expectClosed(response: Response, field = 'time_start') {
    expect(await response.json()).toMatchObject({
      error: 'invalid',
      errors: { [field]: ['is in the closed period, up to 2024-04-30'] },
    })
    expect(response.status).toBe(422)
  }

  test('a new entry must start after it, in the time zone of the company', async () => {
    await close('2024-04-30')
    expect(await (await at.get('/companies')).json()).toMatchObject({ closed_until: '2024-04-30' })
    await expectClosed(await at.send('POST', '/timesheets', entryOf(lastOfApril)))
    await add('/timesheets', entryOf(firstOfMay))
  })

  test('an entry in it cannot be changed, moved into or out of it, or deleted', async () => {
    const closed = await add('/timesheets', entryOf(lastOfApril))
    const later = await add('/timesheets', entryOf(firstOfMay))
    await close('2024-04-30')
    const changes = [{ notes: 'late' }, { time_end: '2024-05-01T08:00:00Z' }, { external_id: 'late' }]
    for (const change of [...changes, { time_start: firstOfMay }])
      await expectClosed(await at.send('PATCH', closed, change))
    await expectClosed(await at.send('PATCH', later, { time_start: lastOfApril }))
    await expectClosed(await at.send('PATCH', later, { time_start: lastOfApril, external_id: 'later' }))
    await expectClosed(await at.send('DELETE', closed))
    expect((await at.send('PATCH', later, { notes: 'in time' })).status).toBe(200)
    expect((await at.send('DELETE', later)).status).toBe(204)
    await close(null)
    expect((await at.send('PATCH', closed, { notes: 'late' })).status).toBe(200)
    expect((await at.send('DELETE', closed)).status).toBe(204)
  })

  test('an expense in it is read-only, by its date', async () => {
    const expense = (spent_on: string) => ({ expense: { spent_on, amount: '12.50' } })
    const closed = await add('/expenses', expense('2024-04-30'))
    const later = await add('/expenses', expense('2024-05-01'))
    await close('2024-04-30')
    await expectClosed(await at.send('POST', '/expenses', expense('2024-04-30')), 'spent_on')
    await expectClosed(await at.send('PATCH', closed, { expense: { amount: '1' } }), 'spent_on')
    await expectClosed(await at.send('PATCH', closed, expense('2024-05-02')), 'spent_on')
    await expectClosed(await at.send('PATCH', later, expense('2024-04-29')), 'spent_on')
    await expectClosed(await at.send('DELETE', closed), 'spent_on')
    expect((await at.send('PATCH', later, { expense: { amount: '1' } })).status).toBe(200)
    expect((await at.send('DELETE', later)).status).toBe(204)
  })

  test('a repeated create request gets its record, also when that is closed since', async () => {
    const key = { 'Idempotency-Key': 'one' }
    const create = () => at.send('POST', '/timesheets', entryOf(lastOfApril), undefined, key)
    expect((await create()).status).toBe(201)
    await close('2024-04-30')
    expect((await create()).status).toBe(200)
  })

  test('another time zone of the company moves its end', async () => {
    await close('2024-04-30')
    await administration.updateCompany(database.storage, { timeZone: 'UTC' })
    await expectClosed(await at.send('POST', '/timesheets', entryOf(firstOfMay)))
  })

  test('a record of another user is not found in it', async () => {
    const closed = await add('/timesheets', entryOf(lastOfApril))
    await close('2024-04-30')
    expect((await at.send('DELETE', closed, undefined, at.users[1])).status).toBe(404)
    expect((await at.send('PATCH', closed, { notes: '' }, at.users[1])).status).toBe(404)
  })

  test('a closing waits for changes in progress', async () => {
    await add('/timesheets', entryOf(lastOfApril))
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
    await expect(close(day)).rejects.toMatchObject({ code: 'usage' })
  })
})
