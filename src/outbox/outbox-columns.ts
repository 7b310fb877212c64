import type { QueuedChange } from './queued-change.js'

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
