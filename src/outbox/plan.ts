import type { RecordKind, WireFields, WireRecord } from '../api-client/types.js'
import type { ClockReading } from './delivery/settling-time.js'
import type { TimerIntention } from './delivery/timer-intentions.js'
import type { WithPending } from './pending.js'
import type { QueuedChange } from './queued-change.js'

/** A planned change of one record. */
export interface PlannedChange {
  kind: RecordKind
  op: 'create' | 'update' | 'delete'
  /** The current record with its pending changes; undefined for a create. */
  record?: WireRecord
  fields?: WireFields
  /** The ID of a deleted record that a create replaces. */
  replaces?: string
  /** The ID of the record that a create takes a part of: the new record is on the same invoice. */
  partOf?: string
  /** Whether no other step of the plan depends on it: its rejection does not fail the command. */
  isIndependent?: boolean
  /** Whether it must not be merged into a pending update of its record: the steps before it are sent first. */
  isSeparate?: boolean
}

/** The changes of a command. */
export interface Plan {
  /** The title in the history: "Stopped Acme / Website / Design". */
  title: string
  steps: PlannedChange[]
  /** When this command has read the records from the service; undefined if they are from the cache or older. */
  readAt: ClockReading | undefined
  /** The number in the history of the change that this one undoes. */
  undoes?: number
  /** The number in the history of the change that this one redoes. */
  redoes?: number
  /** The ID of the import that the changes are. */
  importId?: string
  /** Whether each step is sent after the one before it: a step may remove data that another has copied. */
  inOrder?: boolean
  /** What it starts or stops, if another process sends it: that one reads which timers run. */
  intention?: Pick<TimerIntention, 'kind' | 'at' | 'leaves'>
  /** Whether it is still based on the running timer that is known on this machine. Otherwise it is planned again. */
  isCurrent?(): boolean
  /**
   * Stores the running timer, in the transaction of the changes.
   *
   * @param ids the IDs of the records of the steps; local ones of new records
   */
  saveTimer?(ids: readonly string[]): void
}

/** The changes of a plan that are stored. */
export interface AppliedPlan {
  /** The title of the plan. */
  title: string
  changes: AppliedChange[]
}

/** A record before and after a change; null where it does not exist. */
interface AppliedChange {
  kind: RecordKind
  before: WireRecord | null
  after: WithPending | null
}

/** What has become of a step of a plan after its delivery was attempted. */
export type StepStatus =
  /** Another client has changed the same fields; the service keeps its values. `stored` is its record, if known. */
  | { name: 'conflict'; stored: WireRecord | undefined }
  /** This process has delivered it, even if recording that on the disk has failed. */
  | { name: 'delivered'; response: WireRecord }
  /** The record is deleted; `pending` until the service has deleted it. */
  | { name: 'deleted'; pending: boolean }
  /** Another process has delivered it. */
  | { name: 'delivered_elsewhere'; change: QueuedChange }
  /** The outbox has it, or nothing had to be changed. */
  | { name: 'queued' }

/**
 * Returns the status of a step.
 *
 * @param change the change that the step was written as; undefined if no change remained
 * @param current that change as the outbox has it now; undefined if it has left the outbox
 * @param response the record at the service, if this process has delivered the change or found it in conflict
 */
export function statusOf(
  { op }: Pick<PlannedChange, 'op'>,
  change: QueuedChange | undefined,
  current: QueuedChange | undefined,
  response: WireRecord | undefined,
): StepStatus {
  if (current?.state === 'conflict') return { name: 'conflict', stored: response }
  if (response) return { name: 'delivered', response }
  if (op === 'delete') return { name: 'deleted', pending: current !== undefined }
  if (change && !current) return { name: 'delivered_elsewhere', change }
  return { name: 'queued' }
}
