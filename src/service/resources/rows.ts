import { type RecordDeclaration, type RecordOf, timeEntry } from '../../records/records.js'
import { identifier, joinSql, type Sql, sql } from '../storage/sql.js'
import { fieldTypes } from './fields.js'

/** A record as it is stored. */
export type Row = Record<string, unknown>

/** The column of fields of the type `tag`. */
export const versionColumn = 'version'

/** The times of entries as they are stored, which the media type `entryTimesType` has. */
export const entryTimes = {
  ...timeEntry,
  fields: {
    id: timeEntry.fields.id,
    time_start: { type: 'instant' },
    time_end: { type: 'instant', isNullable: true },
    task_link_id: timeEntry.fields.task_link_id,
    updated_at: { type: 'instant' },
  },
} as const satisfies RecordDeclaration

/** Returns the columns of the fields of a record, for `select` and `returning`. */
export function columnsOf(record: RecordDeclaration): Sql {
  const known = columns.get(record)
  if (known) return known
  const created = joinSql(
    Object.entries(record.fields).map(([name, { type }]) =>
      type === 'tag'
        ? sql`${identifier(record.table, versionColumn)} as ${identifier(name)}`
        : identifier(record.table, name),
    ),
  )
  columns.set(record, created)
  return created
}

const columns = new WeakMap<RecordDeclaration, Sql>()

/**
 * Converts rows to JSON records and returns them. Changes the rows themselves, which have exactly the columns of the
 * record: a copy of each would take longer than reading it.
 */
export function toRecords<Declaration extends RecordDeclaration>(
  record: Declaration,
  rows: Row[],
): RecordOf<Declaration>[] {
  for (const [name, { type }] of Object.entries(record.fields)) {
    const { toJson } = fieldTypes[type]
    if (toJson) for (const row of rows) if (row[name] !== null) row[name] = toJson(row[name])
  }
  return rows as RecordOf<Declaration>[]
}

/** Returns the fields of a row as a JSON record. The row may have further columns. */
export function toRecord<Declaration extends RecordDeclaration>(
  record: Declaration,
  row: Row,
): RecordOf<Declaration> {
  const fields = Object.fromEntries(Object.keys(record.fields).map((name) => [name, row[name]]))
  toRecords(record, [fields])
  return fields as RecordOf<Declaration>
}
