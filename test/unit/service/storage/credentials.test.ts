import { expect, test } from 'vitest'
import { openSqlite } from '../../../../src/lib/sqlite/open.js'
import { preservedTables, removeCredentials } from '../../../../src/service/storage/credentials.js'
import { sql } from '../../../../src/service/storage/sql.js'
import { temporarySqlite } from '../fixtures.js'

/** The tables that a backup contains. */
const recordTables = [
  ...['assignments', 'catalog_changes', 'clients', 'company', 'expense_types', 'expenses', 'imports'],
  ...['projects', 'spent_keys', 'task_links', 'tasks', 'time_entries', 'undone_entries', 'users'],
]

test('every table of the service contains records, credentials or the audit log', async () => {
  const { storage, close } = await temporarySqlite()
  const tables = await storage.queries.all<{ name: string }>(
    sql`select name from sqlite_master where type = 'table' and name not like 'sqlite%' order by name`,
  )
  await close()
  expect(tables.map(({ name }) => name)).toEqual([...preservedTables, ...recordTables].sort())
})

test('removes no credentials from a database without the tables of sign-in', async () => {
  const database = await openSqlite(':memory:')
  database.exec("CREATE TABLE users (id INTEGER, name TEXT); INSERT INTO users VALUES (1, 'Ada')")
  expect(await removeCredentials(database)).toBe(0)
  expect(database.prepare('SELECT * FROM users').all()).toEqual([{ id: 1, name: 'Ada' }])
  database.close()
})
