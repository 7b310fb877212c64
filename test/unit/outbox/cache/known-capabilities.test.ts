import { expect, test } from 'vitest'
import { openSqlite } from '../../../../src/lib/sqlite/open.js'
import { dayMs } from '../../../../src/lib/time-units.js'
import { openClientState } from '../../../../src/outbox/cache/client-state.js'
import { openCapabilities } from '../../../../src/outbox/cache/known-capabilities.js'
import { migrations } from '../../../../src/outbox/cache/state-schema.js'
import { temporaryDirectory } from '../../../support/process.js'
import { openTestState } from '../fixtures.js'

const now = new Date('2024-05-01T12:00:00Z')

test.each([
  ['openEntries', 'refused', 30],
  ['compactLists', 'refused', 30],
  ['endFilter', 'unsupported', 30],
  ['endFilter', 'failed', 1],
] as const)('%s: %s is tried again after %d days', async (name, value, days) => {
  const state = await openTestState()
  const after = (passed: number) => openCapabilities(state, () => new Date(now.getTime() + passed * dayMs))
  expect(after(0).get(name)).toBeUndefined()
  after(0).set(name, value)
  expect(after(0.9 * days).get(name)).toEqual({ value, at: now })
  expect(after(1.1 * days).get(name)).toBeUndefined()
  after(1.1 * days).set(name, value)
  expect(after(1.9 * days).get(name)?.value).toBe(value)
  after(1.9 * days).set(name, undefined)
  expect(after(1.9 * days).get(name)).toBeUndefined()
})

test('a name and a page size are known until a response shows others', async () => {
  const capabilities = openCapabilities(await openTestState(), () => now)
  capabilities.set('expenseDate', { name: 'date', isFilterable: true })
  capabilities.set('pageSize /timesheets', null)
  expect(capabilities.get('expenseDate')).toEqual({ value: { name: 'date', isFilterable: true }, at: now })
  expect(capabilities.get('pageSize /timesheets')?.value).toBeNull()
})

test('what a state of an earlier version knows stays known', async () => {
  const path = `${temporaryDirectory()}/state.db`
  const former = migrations.length - 1
  const database = await openSqlite(path)
  for (const migration of migrations.slice(0, former)) database.exec(migration)
  database.exec(`
    INSERT INTO snapshot VALUES ('open_entries', '"refused"', 1), ('expense_date', 'null', 2), ('paging /tasks', '25', 3),
      ('paging /projects', 'null', 4), ('filter /timesheets time_end_gteq', '"failed"', 5), ('delivery', '{}', 6);
    PRAGMA user_version = ${former}`)
  database.close()
  const state = await openClientState(path)
  expect(state.snapshot('capabilities')?.value).toEqual({
    openEntries: { value: 'refused', at: 1 },
    'pageSize /tasks': { value: 25, at: 3 },
    'pageSize /projects': { value: null, at: 4 },
    endFilter: { value: 'failed', at: 5 },
  })
  expect(state.database.prepare('SELECT name FROM snapshot ORDER BY name').all()).toEqual([
    { name: 'capabilities' },
    { name: 'delivery' },
  ])
  state.close()
})
