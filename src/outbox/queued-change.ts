import type { RecordKind, WireFields, WireRecord } from '../api-client/types.js'

/** A column of the table `outbox`. */
interface Column<Value> {
  name: string
  encode(value: Value): unknown
  decode(stored: unknown): Value
}

/** The columns of the table `outbox`, by the fields of a change. */
const columns: { readonly [Field in keyof QueuedChange]: Column<QueuedChange[Field]> } = {
  seq: plain('seq'),
  kind: plain('kind'),
  op: plain('op'),
  record: plain('record'),
  fields: json('fields'),
  base: json('base'),
  key: plain('key'),
  state: plain('state'),
  attempts: plain('attempts'),
  outcomeUnknown: { name: 'in_doubt', encode: Number, decode: (stored) => stored === 1 },
  knownUntil: plain('known_until'),
  sentAt: plain('sent_at'),
  sentUptimeMs: plain('sent_uptime'),
  sends: plain('sends'),
  firstSentAt: plain('first_sent_at'),
  clockOffsetMs: plain('clock_offset'),
  listedAt: plain('listed_at'),
  candidates: json('candidates'),
  rejection: json('said'),
  typedAt: {
    name: 'typed_at',
    encode: (time) => time.getTime(),
    decode: (stored) => new Date(stored as number),
  },
  waitsFor: plain('waits_for'),
  revision: plain('revision'),
}

const columnList = Object.entries(columns) as [keyof QueuedChange, Column<unknown>][]

/** The SQL text of all columns, and of as many parameters. */
export const columnNames = columnList.map(([, { name }]) => name).join(', ')
export const columnParameters = columnList.map(() => '?').join(', ')

/** Returns the values of a change in the order of the columns. */
export function toRow(change: QueuedChange): unknown[] {
  return columnList.map(([field, { encode }]) => encode(change[field]))
}

/** Returns the change of a row, with the fields whose columns the row has. */
export function fromRow<Field extends keyof QueuedChange = keyof QueuedChange>(
  row: unknown,
): Pick<QueuedChange, Field> {
  const stored = row as Record<string, unknown>
  const change: Record<string, unknown> = {}
  for (const [field, { name, decode }] of columnList) if (name in stored) change[field] = decode(stored[name])
  return change as Pick<QueuedChange, Field>
}

/** A column that stores the value as it is. */
function plain<Value>(name: string): Column<Value> {
  return { name, encode: (value) => value, decode: (stored) => stored as Value }
}

/** A column that stores the value as JSON text, and null as null. */
function json<Value>(name: string): Column<Value> {
  return {
    name,
    encode: (value) => (value === null ? null : JSON.stringify(value)),
    decode: (stored) => (stored === null ? null : JSON.parse(stored as string)) as Value,
  }
}

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
