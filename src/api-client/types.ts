/**
 * The records of the service after decoding (service-api-v1.md section 2; fields that it does not show: design section 5).
 * Times are RFC 3339 in UTC, and a relation is an ID even if the service nests the record. Unknown fields are preserved.
 */

/** The ID of a record: a number or text, depending on the service. */
export type Id = number | string

export interface WireRecord {
  id: Id
  [field: string]: unknown
}

export interface TimeEntry extends WireRecord {
  /** RFC 3339, UTC. */
  time_start: string
  /** RFC 3339, UTC; null while the entry is open. */
  time_end: string | null
  notes: string | null
  task_link_id: Id | null
  external_id?: string | null
}

/** The times of an entry in epoch milliseconds, and its task link. */
export type EntryTimes = {
  id: Id
  time_start: number
  time_end: number | null
  task_link_id: Id | null
  /** When the record last changed, in epoch milliseconds. */
  updated_at?: number
}

/**
 * The media type of a list of time entries with their times only, which the service of this program offers to its own
 * client (docs/decisions/entry-times.md).
 */
export const entryTimesType = 'application/vnd.tt.entry-times+json'

export interface NamedRecord extends WireRecord {
  name: string
}

export interface Project extends NamedRecord {
  client_id: Id | null
  active?: boolean
}

export interface Client extends NamedRecord {
  active?: boolean
}

export type Task = NamedRecord

export interface TaskLink extends WireRecord {
  project_id: Id | null
  task_id: Id | null
  active?: boolean
}

export interface Assignment extends WireRecord {
  project_id: Id | null
  /** YYYY-MM-DD */
  starts_on?: string | null
  /** YYYY-MM-DD */
  ends_on?: string | null
}

export interface Company extends NamedRecord {
  currency?: string | null
  /** IANA name. */
  time_zone?: string | null
  /** The last day (YYYY-MM-DD) whose entries and expenses are read-only. */
  closed_until?: string | null
}

export interface ExpenseType extends NamedRecord {
  active?: boolean
}

export interface Expense extends WireRecord {
  /** YYYY-MM-DD */
  spent_on?: string | null
  /** A decimal string, such as "12.50". */
  amount?: string | null
  /** ISO 4217. */
  currency?: string | null
  expense_type_id?: Id | null
  project_id?: Id | null
  notes?: string | null
  external_id?: string | null
}

export const scopes = ['service:read', 'service:write'] as const
export type Scope = (typeof scopes)[number]

/** The kinds of records that users change. */
export type RecordKind = 'entry' | 'expense'

/** The fields of a request that creates or updates a record (service-api-v1.md section 4). */
export type WireFields = Record<string, unknown>
