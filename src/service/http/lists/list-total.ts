import type { RecordDeclaration } from '../../../records/records.js'
import type { Row } from '../../resources/fields.js'
import type { Condition } from '../../resources/ransack.js'
import type { Queries } from '../../storage/queries.js'
import { allOf, identifier, type Sql, sql, toSqlText } from '../../storage/sql.js'
import type { RequestContext } from '../request-context.js'

const ownedTables: readonly string[] = ['time_entries', 'expenses']

/**
 * Returns the expression for the version of the user's entries and expenses: two statements that read the same version see
 * the same records, whichever process of whichever machine has changed them. Null for a record of the company.
 */
function versionOf({ table }: RecordDeclaration, userId: number): Sql {
  if (!ownedTables.includes(table)) return sql`null`
  return sql`(select cast(coalesce(sum(version), 0) as text) from record_versions where user_id = ${userId})`
}

/** The last column of a page: the version of the list, so that its total needs no statement of its own. */
export const versionColumnOf = (record: RecordDeclaration, userId: number): Sql =>
  sql`, ${versionOf(record, userId)} as list_version`

/** Removes the last column of a page from its rows, and returns its value; undefined for a page without rows. */
export function takeVersion(rows: Row[]): unknown {
  const version = rows[0]?.list_version
  for (const row of rows) delete row.list_version
  return version
}

/**
 * Returns the number of records in a list. Counting takes as long as reading the index entries of all of them, so it uses
 * the cached total unless the version has changed.
 *
 * @param current the version, if it was read with the records
 */
export async function totalOf(
  { queries, userId }: RequestContext,
  record: RecordDeclaration,
  conditions: Condition[],
  current?: unknown,
): Promise<number> {
  const where = allOf(...conditions)
  const version = versionOf(record, userId)
  const key = `${record.table}${toSqlText(where, queries.dialect)}${JSON.stringify(where.values.map(String))}`
  const totals = totalsOf(queries)
  const cached = totals.get(key)
  if (cached) {
    const [read] = current === undefined ? await queries.all<Total>(sql`select ${version} as version`) : []
    if (cached.version === (read?.version ?? current)) return cached.total
  }
  const [counted] = await queries.all<Total>(
    sql`select count(*) as total, ${version} as version from ${identifier(record.table)} where ${where}`,
  )
  if (!counted) return 0
  totals.delete(key)
  if (counted.version !== null && key.length <= maxKeyLength) totals.set(key, counted)
  const [oldest] = totals.keys()
  if (totals.size > maxTotals && oldest !== undefined) totals.delete(oldest)
  return counted.total
}

/** A total, and the version of the records that were counted. */
interface Total {
  total: number
  version: string | null
}

/** Upper bounds of the cache: it takes at most 10 MB. */
const maxTotals = 10_000
const maxKeyLength = 500

const totalsByDatabase = new WeakMap<Queries, Map<string, Total>>()

/** Returns the cached totals of a database, the oldest first. */
function totalsOf(queries: Queries): Map<string, Total> {
  const { origin = queries } = queries
  const known = totalsByDatabase.get(origin) ?? new Map<string, Total>()
  totalsByDatabase.set(origin, known)
  return known
}
