import type { WireRecord } from '../api-client/types.js'
import type { PlannedChange } from './plan.js'
import type { QueuedChange } from './queued-change.js'

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
