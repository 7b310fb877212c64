import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { createPostgresStorage } from '../../src/service/storage/postgres/pool.js'
import { identifier, sql } from '../../src/service/storage/sql.js'
import { openStorage, type Storage } from '../../src/service/storage/storage.js'
import { previousSqliteFile, readPreviousDump, readPreviousService } from '../support/previous-service.js'
import { emptyPostgres, sharedDirectory } from '../unit/service/fixtures.js'

type Row = Record<string, unknown>

/** A database of schema version 4, and how to read it before its migration. */
interface PreviousDatabase {
  read(query: string): Promise<Row[]>
  migrate(): Promise<Storage>
  close(): Promise<void>
}

const places: ['sqlite' | 'postgres', () => Promise<PreviousDatabase>][] = [
  ['sqlite', copySqlite],
  ['postgres', restorePostgres],
]

const tables = [
  ...['company', 'users', 'tokens', 'clients', 'projects', 'tasks', 'task_links', 'assignments'],
  ...['time_entries', 'expense_types', 'expenses', 'spent_keys', 'applications', 'grants'],
  ...['authorization_codes', 'refresh_tokens', 'sessions', 'sign_in_attempts'],
]

it.each(places)(
  'a database of schema version 4 in %s keeps every value of every record, except the access of inactive users',
  async (name, open) => {
    const database = await open()
    onTestFinished(() => database.close())
    const before = new Map<string, Row[]>()
    for (const table of tables) before.set(table, await database.read(`select * from ${table}`))
    const cleo = readPreviousService(name).users.Cleo?.id
    const storage = await database.migrate()
    for (const [table, rows] of before) {
      expect(rows, table).not.toEqual([])
      const current = await storage.queries.all<Row>(sql`select * from ${identifier(table)}`)
      const kept = rows.filter((row) => table !== 'sessions' || Number(row.user_id) !== cleo)
      const isRevocable = ['tokens', 'grants'].includes(table)
      const comparable = (row: Row, columns: readonly string[]) =>
        JSON.stringify(
          columns.map((column) => {
            const isHidden = isRevocable && column === 'revoked_at' && Number(row.user_id) === cleo
            return isHidden ? null : row[column] === null ? null : String(row[column])
          }),
        )
      const columns = Object.keys(rows[0] ?? {})
      const [expected, actual] = [kept, current].map((some) =>
        some.map((row) => comparable(row, columns)).sort(),
      )
      expect(actual, table).toEqual(expected)
      if (isRevocable)
        for (const row of current)
          if (Number(row.user_id) === cleo) expect(row.revoked_at, table).not.toBeNull()
    }
    await storage.close()
  },
)

async function copySqlite(): Promise<PreviousDatabase> {
  const directory = await sharedDirectory()
  const path = join(directory.path, 'service.sqlite')
  await copyFile(previousSqliteFile, path)
  return {
    async read(query) {
      const sqlite = await openSqlite(path)
      const rows = sqlite.prepare(query).all([]) as Row[]
      sqlite.close()
      return rows
    },
    migrate: () => openStorage(`sqlite:${path}`),
    close: () => directory.remove(),
  }
}

async function restorePostgres(): Promise<PreviousDatabase> {
  const postgres = await emptyPostgres()
  await postgres.exec(readPreviousDump())
  return {
    async read(query) {
      const pool = await postgres.openPool()
      const client = await pool.connect()
      const { rows } = await client.query(query)
      client.release()
      await pool.end()
      return rows as Row[]
    },
    migrate: async () => createPostgresStorage(await postgres.openPool(), 'a test database'),
    close: () => postgres.close(),
  }
}
