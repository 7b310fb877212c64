import type { RecordKind, WireFields, WireRecord } from '../../api-client/types.js'
import type { ClientState } from '../cache/client-state.js'
import type { QueuedChange } from '../queued-change.js'
import { type Clocks, remainingSettlingMs, settlingMs } from './settling-time.js'

/** A request that updates or deletes a record, and that the service may still apply. */
interface Attempt {
  /** Its number, in the order of the requests. */
  seq: number
  op: 'update' | 'delete'
  /** The fields that it sent; empty for a deletion. */
  fields: WireFields
  sentAt: number
  sentUptimeMs: number | null
}

/** A record with attempts that the service may still apply. */
export interface UnsettledRecord {
  kind: RecordKind
  /** The ID of the record at the service as text. */
  record: string
  attempts: Attempt[]
  /** The record in the latest response to a change that was sent after an attempt; null without such a response. */
  confirmed: WireRecord | null
}

interface AttemptRow {
  seq: number
  kind: RecordKind
  record: string
  op: Attempt['op']
  fields: string
  sent_at: number
  sent_uptime: number | null
  confirmed: string | null
}

/**
 * The updates and deletes that were sent, and whose outcome is unknown (the table `attempt` of the client state). They are
 * stored by record, not with their change: a repetition of the change may have succeeded, and the service may still apply
 * the first request. Call methods that write within the transaction of the other writes.
 */
export class Attempts {
  readonly #state: ClientState

  constructor(state: ClientState) {
    this.#state = state
  }

  /** Adds an attempt before it is sent; returns its number. */
  add(
    { kind, record, op }: Pick<QueuedChange, 'kind' | 'record' | 'op'>,
    fields: WireFields,
    { clock, uptimeMs }: Clocks,
  ): number {
    const { lastInsertRowid } = this.#state.database
      .prepare(
        'INSERT INTO attempt (kind, record, op, fields, sent_at, sent_uptime) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run([kind, record, op, JSON.stringify(fields), clock().getTime(), uptimeMs?.() ?? null])
    return Number(lastInsertRowid)
  }

  /** Removes an attempt whose outcome is known, or that had no effect. */
  remove(seq: number) {
    this.#state.database.prepare('DELETE FROM attempt WHERE seq = ?').run([seq])
  }

  /** Removes all attempts of a record. */
  removeAll(kind: RecordKind, record: string) {
    this.#state.database.prepare('DELETE FROM attempt WHERE kind = ? AND record = ?').run([kind, record])
  }

  /** Stores the latest response for a record that has attempts. */
  confirm(kind: RecordKind, record: string, response: WireRecord) {
    this.#state.database
      .prepare('UPDATE attempt SET confirmed = ? WHERE kind = ? AND record = ?')
      .run([JSON.stringify(response), kind, record])
  }

  /** Returns the attempts of a record; undefined without any. */
  of(kind: RecordKind, record: string): UnsettledRecord | undefined {
    return this.#read('WHERE kind = ? AND record = ? ORDER BY seq', kind, record)[0]
  }

  /** Returns all records with attempts. */
  all(): UnsettledRecord[] {
    return this.#read('ORDER BY seq')
  }

  /** Sets the time of the attempts of a record to the current one, where no clock shows when they were sent. */
  restart({ kind, record }: UnsettledRecord, { clock, uptimeMs }: Clocks) {
    this.#state.database
      .prepare('UPDATE attempt SET sent_at = ?, sent_uptime = ? WHERE kind = ? AND record = ?')
      .run([clock().getTime(), uptimeMs?.() ?? null, kind, record])
  }

  #read(conditions: string, ...parameters: unknown[]): UnsettledRecord[] {
    const rows = this.#state.database
      .prepare(`SELECT * FROM attempt ${conditions}`)
      .all(parameters) as AttemptRow[]
    const records = new Map<string, UnsettledRecord>()
    for (const { kind, record, confirmed, ...row } of rows) {
      const key = `${kind} ${record}`
      const known = records.get(key) ?? { kind, record, attempts: [], confirmed: null }
      records.set(key, known)
      if (confirmed !== null) known.confirmed = JSON.parse(confirmed) as WireRecord
      const { seq, op, fields, sent_at: sentAt, sent_uptime: sentUptimeMs } = row
      known.attempts.push({ seq, op, fields: JSON.parse(fields) as WireFields, sentAt, sentUptimeMs })
    }
    return [...records.values()]
  }
}

/**
 * Returns the milliseconds until the service can no longer apply any attempt of a record; undefined if no clock shows when
 * one of them was sent.
 */
export function remainingMs({ attempts }: UnsettledRecord, clocks: Clocks): number | undefined {
  const remaining = attempts.map((attempt) => remainingSettlingMs(attempt, clocks))
  return remaining.includes(undefined) ? undefined : Math.max(...remaining.map((ms) => ms ?? settlingMs))
}
