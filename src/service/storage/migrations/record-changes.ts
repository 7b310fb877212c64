import { type Queries, runAll } from '../queries.js'
import { ownerEmail } from '../schema.js'
import { rawSql, sql } from '../sql.js'
import { columnTypes, createIndex, createTable } from './tables.js'

/** The fields of each kind of record in the audit log. */
const fields = {
  time_entries: ['time_start', 'time_end', 'notes', 'task_link_id', 'external_id'],
  expenses: ['spent_on', 'amount', 'currency', 'expense_type_id', 'project_id', 'notes', 'external_id'],
}
const tables = ['time_entries', 'expenses'] as const
const nouns = { time_entries: 'entry', expenses: 'expense' }
const events = { insert: 'created', update: 'changed', delete: 'deleted' } as const

/**
 * Adds the audit log of entries and expenses: triggers write it, with every change by requests, administrators and other
 * programs, in the same transaction. The owner of a local workspace is the only user who needs none.
 *
 * It has no references to users and records, because it stays after them. Unlike `audit_log`, its rows can be deleted.
 */
export async function addRecordChanges(queries: Queries): Promise<void> {
  const { id, text } = columnTypes[queries.dialect]
  await createTable(queries, 'record_changes', {
    id,
    // By the clock of the database.
    at: sql`bigint not null`,
    event: sql`${text} not null`,
    // The user of the record.
    user_id: sql`bigint not null`,
    record_id: sql`bigint not null`,
    // Who changed it, if not its user.
    administrator: text,
    // JSON of the fields before the change; null for a new record.
    old_fields: text,
    // JSON of the fields after the change; null for a deleted record.
    new_fields: text,
  })
  for (const column of ['at', 'user_id'])
    await createIndex(queries, `record_changes_by_${column}`, 'record_changes', column)
  // The administrator whose transaction this is. Each transaction deletes its row before its end.
  await createTable(queries, 'acting_administrator', { name: sql`${text} not null` })
  const statements = queries.dialect === 'sqlite' ? sqliteTriggers() : postgresTriggers()
  await runAll(queries, statements.map(rawSql))
}

const columns = 'at, event, user_id, record_id, administrator, old_fields, new_fields'
const administrator = '(select name from acting_administrator)'

/** Returns the event of a change, and the rows of the record that it has. */
function partsOf(table: (typeof tables)[number], change: keyof typeof events) {
  const event = `'${nouns[table]}_${events[change]}'`
  return { event, hasOld: change !== 'insert', hasNew: change !== 'delete' }
}

function jsonOf(table: (typeof tables)[number], row: string, build: string): string {
  return `${build}(${fields[table].map((field) => `'${field}', ${row}.${field}`).join(', ')})`
}

function sqliteTriggers(): string[] {
  const now = "cast((julianday('now') - 2440587.5) * 86400000 as integer)"
  const changed = (table: (typeof tables)[number]) =>
    `(${fields[table].map((field) => `old.${field} is not new.${field}`).join(' or ')})`
  const create = (table: (typeof tables)[number], change: keyof typeof events) => {
    const { event, hasOld, hasNew } = partsOf(table, change)
    const row = hasNew ? 'new' : 'old'
    const values = [
      ...[now, event, `${row}.user_id`, `${row}.id`, administrator],
      hasOld ? jsonOf(table, 'old', 'json_object') : 'null',
      hasNew ? jsonOf(table, 'new', 'json_object') : 'null',
    ]
    return `
      create trigger ${table}_recorded_${change} after ${change} on ${table}
        when exists (select 1 from users where id = ${row}.user_id and email <> '${ownerEmail}')
          ${hasOld && hasNew ? `and ${changed(table)}` : ''}
      begin
        insert into record_changes (${columns}) values (${values.join(', ')});
      end`
  }
  return [
    ...tables.flatMap((table) =>
      (['insert', 'update', 'delete'] as const).map((change) => create(table, change)),
    ),
    `create trigger record_changes_no_update before update on record_changes
      begin select raise(abort, 'The audit log is append-only.'); end`,
  ]
}

/** The rows of a statement are recorded in one. */
function postgresTriggers(): string[] {
  const now = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint'
  const rowOf = (table: (typeof tables)[number], row: string) =>
    `(${fields[table].map((field) => `${row}.${field}`).join(', ')})`
  const create = (table: (typeof tables)[number], change: keyof typeof events) => {
    const { event, hasOld, hasNew } = partsOf(table, change)
    const name = `${table}_recorded_${change}`
    const row = hasNew ? 'after' : 'before'
    const tablesOf = [...(hasOld ? ['old table as before'] : []), ...(hasNew ? ['new table as after'] : [])]
    const values = [
      ...[now, event, `${row}.user_id`, `${row}.id`, administrator],
      hasOld ? `${jsonOf(table, 'before', 'json_build_object')}::text` : 'null',
      hasNew ? `${jsonOf(table, 'after', 'json_build_object')}::text` : 'null',
    ]
    const source =
      hasOld && hasNew
        ? `before inner join after on after.id = before.id
            where ${rowOf(table, 'before')} is distinct from ${rowOf(table, 'after')}`
        : row
    return [
      `create function record_${name}() returns trigger language plpgsql as $$
        begin
          insert into record_changes (${columns}) select ${values.join(', ')} from ${source};
          return null;
        end $$`,
      `create trigger ${name} after ${change} on ${table} referencing ${tablesOf.join(' ')}
        for each statement execute function record_${name}()`,
    ]
  }
  return [
    ...tables.flatMap((table) =>
      (['insert', 'update', 'delete'] as const).flatMap((change) => create(table, change)),
    ),
    `create trigger record_changes_append_only before update on record_changes
      for each statement execute function reject_audit_change()`,
  ]
}
