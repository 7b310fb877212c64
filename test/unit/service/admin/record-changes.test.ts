import { beforeEach, describe, expect, test } from 'vitest'
import { dayMs } from '../../../../src/lib/time-units.js'
import { removeUser } from '../../../../src/service/accounts/remove-user.js'
import { withAudit } from '../../../../src/service/admin/audit-log.js'
import { readRecordChanges } from '../../../../src/service/admin/record-changes.js'
import { deleteExpired } from '../../../../src/service/operation/clean-up.js'
import { ownerEmail } from '../../../../src/service/storage/schema.js'
import { sql } from '../../../../src/service/storage/sql.js'
import { clock, databases, useDatabase, useServiceFixture } from '../fixtures.js'

const start = '2024-05-01T08:00:00.000Z'

describe.each(databases)('the audit log of entries and expenses over %s', (name, open) => {
  const database = useDatabase(open)
  const at = useServiceFixture(database)

  const changes = (filter = {}) => readRecordChanges(database.storage, { limit: 100, ...filter })
  const eventsOf = async (filter = {}) => (await changes(filter)).map(({ event }) => event)

  beforeEach(() => database.storage.queries.all(sql`delete from record_changes`))

  const add = async (path: string, body: unknown, user?: number) => {
    const response = await at.send('POST', path, body, user)
    expect(response.status).toBe(201)
    return ((await response.json()) as { id: number }).id
  }
  const addEntry = (user?: number) =>
    add('/timesheets', { time_start: start, task_link_id: at.link, notes: 'draft' }, user)

  test('has who changed a record, when, and its fields before and after', async () => {
    const before = Date.now() - 1000
    const id = await addEntry()
    await at.send('PATCH', `/timesheets/${id}`, { notes: 'final', time_end: '2024-05-01T09:00:00Z' })
    await at.send('PATCH', `/timesheets/${id}`, { external_id: 'x' })
    await at.send('DELETE', `/timesheets/${id}`)
    const created = {
      time_start: start,
      time_end: null,
      notes: 'draft',
      task_link_id: at.link,
      external_id: null,
    }
    const edited = { ...created, notes: 'final', time_end: '2024-05-01T09:00:00.000Z' }
    const identified = { ...edited, external_id: 'x' }
    const record = { user: 'a@example.org', actor: 'a@example.org', record_id: id }
    const log = await changes()
    expect(log).toMatchObject([
      { ...record, event: 'entry_created', old: null, new: created },
      { ...record, event: 'entry_changed', old: created, new: edited },
      { ...record, event: 'entry_changed', old: edited, new: identified },
      { ...record, event: 'entry_deleted', old: identified, new: null },
    ])
    for (const { at } of log) {
      expect(at.getTime()).toBeGreaterThan(before)
      expect(at.getTime()).toBeLessThan(Date.now() + 1000)
    }
  })

  test('has expenses with their exact amounts', async () => {
    const expense = { spent_on: '2024-05-01', amount: '12.50', notes: 'train' }
    const id = await add('/expenses', { expense })
    await at.send('PATCH', `/expenses/${id}`, { expense: { amount: '99999999999.1234' } })
    await at.send('DELETE', `/expenses/${id}`)
    expect(await changes()).toMatchObject([
      { event: 'expense_created', old: null, new: { ...expense, currency: 'EUR' } },
      { event: 'expense_changed', old: { amount: '12.50' }, new: { amount: '99999999999.1234' } },
      { event: 'expense_deleted', new: null },
    ])
  })

  test('has no record of a change that changes nothing or was rejected', async () => {
    const id = await addEntry()
    await at.send('PATCH', `/timesheets/${id}`, { notes: 'draft' })
    await at.send('PATCH', `/timesheets/${id}`, { time_end: '2024-04-01T09:00:00Z' })
    await at.send('POST', '/timesheets', { time_start: start, task_link_id: 999_999 })
    await database.storage.queries
      .transaction(async (transaction) => {
        await transaction.all(sql`update time_entries set notes = 'undone'`)
        throw new Error('Rolled back.')
      })
      .catch(() => {})
    expect(await eventsOf()).toEqual(['entry_created'])
  })

  test('names the administrator, in that transaction only', async () => {
    const id = await addEntry()
    await withAudit(database.storage, { command: 'task merge', clock }, (within) =>
      within.queries.all(sql`update time_entries set notes = 'merged'`),
    )
    await at.send('PATCH', `/timesheets/${id}`, { notes: 'mine' })
    expect((await changes()).map(({ actor, user }) => [actor, user])).toEqual([
      ['a@example.org', 'a@example.org'],
      [expect.stringMatching(/^[^@]+@[^@]*$/), 'a@example.org'],
      ['a@example.org', 'a@example.org'],
    ])
    const [, merged] = await changes()
    expect(merged?.actor).not.toBe('a@example.org')
  })

  test('filters by user, event and time', async () => {
    const id = await addEntry()
    await addEntry(at.users[1])
    await at.send('DELETE', `/timesheets/${id}`)
    expect(await eventsOf({ user: 'b@example.org' })).toEqual(['entry_created'])
    expect(await eventsOf({ event: 'entry_deleted' })).toEqual(['entry_deleted'])
    expect(await eventsOf({ limit: 1 })).toEqual(['entry_deleted'])
    expect(await eventsOf({ since: Date.now() + dayMs })).toEqual([])
    expect(await eventsOf({ until: Date.now() - dayMs })).toEqual([])
  })

  test('keeps changes for the given time', async () => {
    await addEntry()
    const cleanUp = (days: number) =>
      deleteExpired(database.storage, Date.now() + days * dayMs, {
        ...{ sizes: { least: 10, most: 10, batches: 10 }, pause: async () => {}, changesMs: 30 * dayMs },
      })
    await cleanUp(29)
    expect(await eventsOf()).toEqual(['entry_created'])
    await cleanUp(31)
    expect(await eventsOf()).toEqual([])
  })

  test.each(['keep', 'delete'] as const)('loses the changes of a removed user (%s)', async (action) => {
    await addEntry()
    await addEntry(at.users[1])
    await removeUser(database.storage, { email: 'a@example.org', action, clock })
    expect((await changes()).map(({ user }) => user)).toEqual(['b@example.org'])
  })

  test('rejects changes of its rows', async () => {
    await addEntry()
    const change = database.storage.queries.all(sql`update record_changes set new_fields = null`)
    await expect(change).rejects.toThrow(/append-only/)
  })

  test.runIf(name === 'SQLite')('has nothing of the owner of a local workspace', async () => {
    await database.storage.queries.all(
      sql`update users set email = ${ownerEmail} where email = 'a@example.org'`,
    )
    await addEntry()
    expect(await changes()).toEqual([])
  })
})
