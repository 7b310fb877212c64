import type { RecordKind, WireFields, WireRecord } from '../api-client/types.js'

/**
 * A change that the service does not have yet.
 *
 * State `waiting` is a pending change. `held` is a local timer, which the service rejects while it runs; it is sent after
 * it has stopped. `refused` is a change that the service rejected, `conflict` one whose fields another client has changed,
 * `ambiguous` a create that was sent and that one of `candidates` may be; the user decides about these three.
 */
export interface QueuedChange {
  /** Its number, in the order of delivery. */
  seq: number
  kind: RecordKind
  op: 'create' | 'update' | 'delete'
  /** The ID of the record at the service as text, or a local ID such as `~3`. */
  record: string
  fields: WireFields
  /** The known record before the change; null for a create. */
  base: WireRecord | null
  /** The Idempotency-Key of a create. */
  key: string
  state: 'waiting' | 'held' | 'refused' | 'conflict' | 'ambiguous'
  attempts: number
  /** Whether it was sent, and the service may have applied it. */
  outcomeUnknown: boolean
  /** The time of the last request in epoch milliseconds; null if there was none or an old version did not record it. */
  sentAt: number | null
  /** The time of the last request in milliseconds since this machine started; null like `sentAt`. */
  sentUptimeMs: number | null
  /** The number of its requests that the service may have applied, or may still apply. */
  sends: number
  /** The time of the first request in epoch milliseconds; null like `sentAt`. */
  firstSentAt: number | null
  /** How far the clock of the service was ahead of this one then, in milliseconds; null if that was unknown. */
  clockOffsetMs: number | null
  /** The IDs of the records at the service that an ambiguous create may be; null for any other change. */
  candidates: string[] | null
  /** When the records of its day were listed before it was first sent, in epoch milliseconds; null if they were not. */
  listedAt: number | null
  /** The last row of `seen` before it was first sent. */
  knownUntil: number | null
  /** The reason for the rejection or the conflict. */
  rejection: Rejection | null
  typedAt: Date
  /** The number of the change that is sent first; null or the number of a removed change if there is none. */
  waitsFor: number | null
  /**
   * How often a command has changed it in the outbox: each command that merges into a change or retries it gives it other
   * fields or another key. What the delivery records does not count, such as a send, an ID or a rejection. Another number
   * in the outbox means that this version is outdated.
   */
  revision: number
}

/** The reason for a rejection or a conflict. */
export interface Rejection {
  /** One or two sentences: the reason of the service, or both values of a conflict. */
  message: string
  /** The HTTP status, if the service rejected the change. */
  status?: number
  /** Whether the service no longer has the record. */
  gone?: boolean
}

/** The fields of a change whose requests had no effect at the service. */
export const unsent = {
  ...{ outcomeUnknown: false, sentAt: null, sentUptimeMs: null, sends: 0 },
  ...{ firstSentAt: null, clockOffsetMs: null, listedAt: null, candidates: null },
} as const

/** Whether a change is not sent until the user decides: it is rejected, in conflict or ambiguous. */
export function isRejected(state: QueuedChange['state']): boolean {
  return state === 'refused' || state === 'conflict' || state === 'ambiguous'
}
