import { isUtf8 } from 'node:buffer'
import type { Driver, DriverStatement, ResultColumn } from './driver.js'

/** The message of the error for text of a damaged file; `damagePattern` of `database-errors.ts` matches it. */
const invalidText = 'The database has malformed text.'

/** Runs a query and returns its rows; undefined for rows with bytes. */
type CheckedQuery = (parameters: readonly unknown[]) => unknown[] | undefined

/**
 * Returns a function that runs a query of libsql and returns its rows; undefined for a query whose columns have no unique
 * names. The function returns undefined for rows with bytes.
 *
 * libsql ends the process when it reads text that is not UTF-8, as in a damaged file. So the query is wrapped: SQLite
 * writes all rows as one JSON text, which is read as bytes and checked here. That takes no longer than reading each value.
 *
 * @param readColumns prepares the query as it is, and returns its columns: called only where its text does not list them
 * @param replacesInvalidText whether to replace invalid bytes by U+FFFD instead of throwing, as `node:sqlite` does
 */
export function prepareChecked(
  driver: Driver,
  sql: string,
  readColumns: () => readonly ResultColumn[],
  replacesInvalidText = false,
): CheckedQuery | undefined {
  const wrap = (columns: readonly ResultColumn[]) => wrapQuery(driver, sql, columns, replacesInvalidText)
  return wrap(listedColumns(sql)) ?? wrap(readColumns())
}

/**
 * Returns the columns of a query that lists columns of tables, such as `select "projects"."id", name as title from
 * projects`; none for any other query. As all tables do, they contain no numbers with fractions and no marked JSON values.
 */
function listedColumns(sql: string): ResultColumn[] {
  const start = sql.slice(0, Math.max(sql.search(/\sfrom\s/i), 0))
  const [, columns] = /^\s*select\s([\w\s.,"]+)$/i.exec(start) ?? []
  if (columns === undefined || (sql.includes('(') && /\b(?:from|join)\s*\(/i.test(sql))) return []
  return columns
    .replaceAll('"', '')
    .split(',')
    .map((column) => {
      const words = column.trim()
      return { name: words.slice(Math.max(words.lastIndexOf('.'), words.lastIndexOf(' ')) + 1), type: 'text' }
    })
}

function wrapQuery(
  driver: Driver,
  sql: string,
  columns: readonly ResultColumn[],
  replacesInvalidText: boolean,
): CheckedQuery | undefined {
  const names = columns.map(({ name }) => name)
  if (names.length === 0 || names.length > maxColumns || new Set(names).size < names.length) return undefined
  const values = columns.map(({ name, type }) => jsonValueOf(quote(name), type))
  const statement = prepareIfPossible(
    driver,
    `SELECT CAST(json_group_array(json_array(${values.join()})) AS BLOB) AS rows FROM (${sql}\n)`,
  )
  if (!statement) return undefined
  return (parameters) => {
    const row = getOrUndefined(statement, parameters)
    if (!row) return undefined
    if (!replacesInvalidText && !isUtf8(row.rows)) throw new Error(invalidText)
    return (JSON.parse(row.rows.toString()) as unknown[][]).map((values) => {
      const named: Record<string, unknown> = {}
      names.forEach((name, index) => {
        named[name] = values[index]
      })
      return named
    })
  }
}

/** Returns the expression for the value of a column in JSON. The texts and integers of tables need no conversion. */
function jsonValueOf(name: string, type: string | null | undefined): string {
  if (/^(text|integer)$/i.test(type ?? '')) return name
  // The cast removes the mark of JSON values, which would be nested instead of quoted.
  return `CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS TEXT)
    WHEN 'real' THEN json(printf('%!.17g', ${name})) ELSE ${name} END`
}

/** Returns undefined for a query whose columns have other names inside another query, such as `rowid`. */
function prepareIfPossible(driver: Driver, sql: string): DriverStatement | undefined {
  try {
    return driver.prepare(sql)
  } catch {
    return undefined
  }
}

/** Returns undefined for rows with bytes, which JSON cannot have. */
function getOrUndefined(
  statement: DriverStatement,
  parameters: readonly unknown[],
): { rows: Buffer } | undefined {
  try {
    return statement.get(...parameters) as { rows: Buffer }
  } catch (error) {
    if (error instanceof Error && error.message.includes('JSON cannot hold BLOB values')) return undefined
    throw error
  }
}

/** The number of arguments that a function of SQLite may have. */
const maxColumns = 100

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Throws if a name in the schema is not UTF-8: libsql ends the process when it reads one. */
export function checkSchemaText(driver: Driver) {
  const query =
    "SELECT CAST(coalesce(group_concat(name || coalesce(sql, '')), '') AS BLOB) AS text FROM sqlite_master"
  const [row] = driver.prepare(query).all() as { text: ArrayBuffer | Uint8Array }[]
  if (row && !isUtf8(row.text)) throw new Error(invalidText)
}

/** Replaces the statements of tables by those of `schema`, and removes everything else from the schema. */
export function repairSchema(driver: Driver, schema: ReadonlyMap<string, string>) {
  const query =
    'SELECT rowid AS id, CAST(type AS BLOB) AS type, CAST(name AS BLOB) AS name FROM sqlite_master'
  const rows = driver.prepare(query).all() as { id: number; type: ArrayBuffer; name: ArrayBuffer }[]
  for (const { id, ...bytes } of rows) {
    const [type, name] = [bytes.type, bytes.name].map((text) => Buffer.from(text).toString()) as [
      string,
      string,
    ]
    const sql = type === 'table' ? schema.get(name) : undefined
    if (sql === undefined) driver.exec(`DELETE FROM sqlite_master WHERE rowid = ${Number(id)}`)
    else
      driver.exec(`UPDATE sqlite_master SET sql = '${sql.replaceAll("'", "''")}' WHERE rowid = ${Number(id)}`)
  }
}
