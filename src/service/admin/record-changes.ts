import { formatInstant } from '../resources/values.js'
import { allOf, sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'

/** The changes of entries and expenses in the audit log. */
export const changeEvents = [
  'entry_created',
  'entry_changed',
  'entry_deleted',
  'expense_created',
  'expense_changed',
  'expense_deleted',
] as const

type ChangeEvent = (typeof changeEvents)[number]

type Fields = Record<string, unknown>

/** A change of an entry or expense. */
export interface RecordChange {
  id: number
  at: Date
  event: ChangeEvent
  /** The email address of the user, or the operating system's user and machine of an administrator. */
  actor: string | null
  /** The email address of the user of the record. */
  user: string | null
  record_id: number
  /** The fields before and after the change; null where the record does not exist. */
  old: Fields | null
  new: Fields | null
}

/** Which changes to read; instants are in epoch milliseconds. */
export interface ChangeFilter {
  since?: number | undefined
  until?: number | undefined
  event?: ChangeEvent | undefined
  /** The email address of the user of the record. */
  user?: string | undefined
  limit: number
}

/** Returns the latest changes that match, oldest first. */
export async function readRecordChanges({ queries }: Storage, filter: ChangeFilter): Promise<RecordChange[]> {
  const { since, until, event, user, limit } = filter
  const matches = allOf(
    since !== undefined && sql`at >= ${since}`,
    until !== undefined && sql`at < ${until}`,
    event !== undefined && sql`event = ${event}`,
    user !== undefined && sql`users.email = ${user}`,
  )
  const rows = await queries.all<ChangeRow>(sql`
    select record_changes.*, users.email from record_changes left join users on users.id = user_id
    where ${matches} order by record_changes.id desc limit ${limit}`)
  return rows.reverse().map(({ id, at, event, email, administrator, record_id, old_fields, new_fields }) => ({
    ...{ id, at: new Date(at), event, actor: administrator ?? email, user: email, record_id },
    old: parseFields(old_fields),
    new: parseFields(new_fields),
  }))
}

interface ChangeRow {
  id: number
  at: number
  event: ChangeEvent
  record_id: number
  /** Who changed it, if not its user. */
  administrator: string | null
  old_fields: string | null
  new_fields: string | null
  email: string | null
}

/** Returns the fields as requests write them. */
function parseFields(json: string | null): Fields | null {
  if (json === null) return null
  const fields = JSON.parse(json) as Fields
  for (const name of ['time_start', 'time_end'])
    if (typeof fields[name] === 'number') fields[name] = formatInstant(fields[name])
  return fields
}
