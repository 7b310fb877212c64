import { expect, test } from 'vitest'
import { openSqlite } from '../../../../src/lib/sqlite/open.js'
import { credentialTables, removeCredentials } from '../../../../src/service/storage/credentials.js'
import { temporarySqlite } from '../fixtures.js'

/** The tables that a backup contains. */
const recordTables = [
  ...['assignments', 'clients', 'company', 'expense_types', 'expenses', 'projects', 'spent_keys'],
  ...['task_links', 'tasks', 'time_entries', 'users'],
]

test('every table of the service contains either records or credentials', async () => {
  const { storage, close } = await temporarySqlite()
  const tables = (await storage.db.introspection.getTables()).map(({ name }) => name)
  await close()
  expect(tables.filter((name) => !name.startsWith('sqlite_')).sort()).toEqual(
    [...credentialTables, ...recordTables].sort(),
  )
})

test('removes no credentials from a database without the tables of sign-in', async () => {
  const database = await openSqlite(':memory:')
  database.exec("CREATE TABLE users (id INTEGER, name TEXT); INSERT INTO users VALUES (1, 'Ada')")
  expect(removeCredentials(database)).toBe(0)
  expect(database.prepare('SELECT * FROM users').all()).toEqual([{ id: 1, name: 'Ada' }])
  database.close()
})
