import type { RecordKind, WireFields, WireRecord } from '../api/types.js'

/**
 * A change that the service does not have yet.
 *
 * `waiting` is delivered when its turn comes. `held` is a running timer that the service does not take open; it is
 * created whole when it stops. `refused` and `conflict` are set aside: what the service refused, and what somebody
 * else changed there meanwhile. Nothing happens to those by itself.
 */
export interface QueuedChange {
  /** Its number: delivery goes by it, and `tt sync retry` takes it. */
  seq: number
  kind: RecordKind
  op: 'create' | 'update' | 'delete'
  /** The record's id at the service as text, or a local id such as `~3`. */
  record: string
  fields: WireFields
  /** The record as it was known before the change; null for a create. */
  base: WireRecord | null
  /** What nobody else has: the Idempotency-Key of a create. */
  key: string
  state: 'waiting' | 'held' | 'refused' | 'conflict'
  attempts: number
  /** It was sent, and the service may have done it. */
  outcomeUnknown: boolean
  /** When it was last sent, in epoch milliseconds; null when never, or by a version that did not record it. */
  sentAt: number | null
  /** The same in milliseconds since this machine started. */
  sentUptimeMs: number | null
  /** How many requests may have been done, or may still be. */
  sends: number
  /** The last row of `seen` before it was first sent. */
  knownUntil: number | null
  /** Why it is set aside. */
  rejection: Rejection | null
  typedAt: Date
  /** The number of the change that must be done first; null, or one that is gone, where nothing is in the way. */
  waitsFor: number | null
}

/** Why a change is set aside, in words, with what a program may want to know. */
export interface Rejection {
  /** One sentence or two: the service's own words, or both values of a conflict. */
  message: string
  /** The HTTP status, where the service refused. */
  status?: number
  /** The record is no longer at the service. */
  gone?: boolean
}
