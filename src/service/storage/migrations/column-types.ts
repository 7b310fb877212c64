import {
  type ColumnDefinitionBuilder,
  type CreateTableBuilder,
  type Kysely,
  type RawBuilder,
  sql,
} from 'kysely'
import type { Dialect, Schema } from '../schema.js'

/** Starts a table whose IDs are never reused after deletion. */
export function createTableWithId(
  db: Kysely<Schema>,
  name: string,
  dialect: Dialect,
): CreateTableBuilder<string, 'id'> {
  const table = db.schema.createTable(name)
  return dialect === 'sqlite'
    ? table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : table.addColumn('id', 'bigint', (column) => column.primaryKey().generatedByDefaultAsIdentity())
}

/** Returns the type of text that is compared byte by byte and folds the case of ASCII only, the default of SQLite. */
export function textType(dialect: Dialect): RawBuilder<string> {
  return dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
}

export const required = (column: ColumnDefinitionBuilder) => column.notNull()
export const to = (table: string) => (column: ColumnDefinitionBuilder) =>
  column.notNull().references(`${table}.id`)
