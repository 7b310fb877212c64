import type { RecordKind, WireFields, WireRecord } from '../api/types.js'

/**
 * A change that the service does not have yet.
 *
 * `waiting` is pending. `held` is a local timer, which the service rejects while it runs; it is created when it stops.
 * `refused` was rejected by the service, `conflict` was made elsewhere with other values; both are sent again only when
 * the user retries them.
 */
export interface QueuedChange {
  /** Its number, in the order of delivery. */
  seq: number
  kind: RecordKind
  op: 'create' | 'update' | 'delete'
  /** The record's id at the service as text, or a local id such as `~3`. */
  record: string
  fields: WireFields
  /** The record as it was known before the change; null for a create. */
  base: WireRecord | null
  /** The Idempotency-Key of a create. */
  key: string
  state: 'waiting' | 'held' | 'refused' | 'conflict'
  attempts: number
  /** It was sent, and the service may have done it. */
  outcomeUnknown: boolean
  /** When it was last sent, in epoch milliseconds; null when never, or by a version that did not record it. */
  sentAt: number | null
  /** The same in milliseconds since this machine started. */
  sentUptimeMs: number | null
  /** How many of its requests may have been done, or may still be. */
  sends: number
  /** The last row of `seen` before it was first sent. */
  knownUntil: number | null
  /** Why it was rejected or is in conflict. */
  rejection: Rejection | null
  typedAt: Date
  /** The number of the change that must be done first; null, or one that is gone, where there is none. */
  waitsFor: number | null
}

/** Why a change was rejected or is in conflict. */
export interface Rejection {
  /** One or two sentences: the reason of the service, or both values of a conflict. */
  message: string
  /** The HTTP status, where the service rejected it. */
  status?: number
  /** The service no longer has the record. */
  gone?: boolean
}

/** The state of a change whose requests have no effect at the service. */
export const unsent = { outcomeUnknown: false, sentAt: null, sentUptimeMs: null, sends: 0 } as const

/** Whether a change is stored as rejected or in conflict. */
export function isRejected(state: QueuedChange['state']): boolean {
  return state === 'refused' || state === 'conflict'
}
