import type { Id } from '../records/records.js'

export type {
  Assignment,
  Client,
  Company,
  Expense,
  ExpenseType,
  Id,
  NamedRecord,
  Project,
  Task,
  TaskLink,
  TimeEntry,
  WireRecord,
} from '../records/records.js'

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

export const scopes = ['service:read', 'service:write'] as const
export type Scope = (typeof scopes)[number]

/** The kinds of records that users change. */
export type RecordKind = 'entry' | 'expense'

/** The fields of a request that creates or updates a record (service-api-v1.md section 4). */
export type WireFields = Record<string, unknown>
