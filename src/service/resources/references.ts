import type { Queries } from '../storage/queries.js'
import { identifier, joinSql, type Sql, sql } from '../storage/sql.js'
import type { FieldValidation } from './field-validation.js'
import type { Row } from './resources.js'

interface Reference {
  field: string
  /** The table that the field refers to. */
  table: 'expense_types' | 'projects'
  /** The new values of the record. */
  columns: Row
  /** The stored record; undefined for a new one. */
  stored: Row | undefined
  /** Conditions for the records that the user sees. */
  visible?: Sql[]
}

/**
 * Adds a problem when a field refers to a record that does not exist, is not visible or is archived. An unchanged reference to a record
 * that was archived later is valid, so that the other fields can still be changed.
 */
export async function checkReference(
  checks: FieldValidation,
  queries: Queries,
  { field, table, columns, stored, visible = [] }: Reference,
): Promise<void> {
  const id = columns[field]
  if (typeof id !== 'number' || id === stored?.[field]) return
  const [record] = await queries.all<{ active: number }>(
    sql`select active from ${identifier(table)} where ${joinSql([sql`id = ${id}`, ...visible], ' and ')}`,
  )
  if (!record) checks.add(field, 'does not exist')
  else if (record.active === 0) checks.add(field, 'is no longer active')
}
