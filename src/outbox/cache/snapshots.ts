import type { Capabilities } from '../../api-client/capabilities.js'
import type { CircuitRecord } from '../../api-client/http/circuit-breaker.js'
import type {
  Assignment,
  Client,
  Company,
  ExpenseType,
  Project,
  Task,
  TaskLink,
} from '../../api-client/types.js'
import type { Sqlite, SqliteStatement } from '../../lib/sqlite/connection.js'
import type { ResentCreate } from '../delivery/resent-creates.js'
import type { TimerIntention } from '../delivery/timer-intentions.js'
import type { LastDelivery, StoredNotices } from '../notices.js'

/** The snapshots of the client state: the JSON value of each name. Values of earlier versions may lack fields. */
export type Snapshots = {
  /** The JSON of the running entry; null when none was running. */
  timer: Record<string, unknown> | null
  /** How long this machine had been on and had slept when the running timer became known; null without that clock. */
  timer_sleep: { uptimeMs: number; sleptMs: number } | null
  /** The record of an open circuit; null while it is closed. */
  circuit_breaker: CircuitRecord | null
  /** What commands have started and stopped without knowing which timers run at the service, the earliest first. */
  timer_intentions: TimerIntention[]
  /** The numbers of the changes to send before all others, in their order; they may have been sent. */
  urgent_changes: number[]
  /** How the last delivery ended. */
  delivery: LastDelivery
  /** What the next command prints about deliveries in the background. */
  notices: StoredNotices
  /** What the service accepts, and when that became known, in epoch milliseconds. */
  capabilities: { [Name in keyof Capabilities]?: { value: Capabilities[Name]; at: number } }
  /** The creates that were sent more than once. Its time is that of the last lookup of their duplicates. */
  resent: ResentCreate[]
  /** The reminders that were reported on a day (YYYY-MM-DD), by their keys. */
  reminders: { day: string; keys: string[] }
  /** The identities of entries in exported calendars. */
  calendar: CalendarIds
} & {
  [Kind in keyof ReferenceData]: StoredReference<ReferenceData[Kind]>
}

/** The lists of the catalog, always fetched together so that they are consistent. */
export interface CatalogLists {
  links: TaskLink[]
  projects: Project[]
  clients: Client[]
  tasks: Task[]
}

/** The kinds of reference data; each key is also the name of its snapshot in the client state. */
export interface ReferenceData {
  catalog: CatalogLists
  assignments: Assignment[]
  company: Company
  expense_types: ExpenseType[]
  frequent: TaskLink[]
}

/** Reference data of the service. */
export interface StoredReference<Value> {
  value: Value
  /** Whether the value is known to be outdated or incomplete. It is used only while the service cannot be reached. */
  doubtful: boolean
}

export interface CalendarIds {
  /** Stands for the profile in the UIDs of entries without a service that is reachable from elsewhere. */
  profile: string
  /** The UIDs of the entries that were exported before their delivery, by their local IDs. */
  pending: Record<string, string>
}

/** A snapshot, and when it was saved. */
export interface SavedSnapshot<Name extends keyof Snapshots> {
  value: Snapshots[Name]
  at: Date
}

/** The statement of each database: commands read several snapshots. */
const selects = new WeakMap<Sqlite, SqliteStatement>()

/** Reads a snapshot; returns undefined where there is none. Another process may have the database open. */
export function readSnapshot<Name extends keyof Snapshots>(
  database: Sqlite,
  name: Name,
): SavedSnapshot<Name> | undefined {
  const select = selects.get(database) ?? database.prepare('SELECT value, at FROM snapshot WHERE name = ?')
  selects.set(database, select)
  const row = select.get([name])
  if (row === undefined) return undefined
  const { value, at } = row as { value: string; at: number }
  return { value: JSON.parse(value) as Snapshots[Name], at: new Date(at) }
}
