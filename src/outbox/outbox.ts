import type { RecordKind, WireFields, WireRecord } from '../api/types.js'
import type { ClientState } from '../cache/client-state.js'
import type { SqliteStatement } from '../lib/sqlite/connection.js'
import type { QueuedChange, Rejection } from './queued-change.js'

/** A change as it is typed. */
export type NewChange = Pick<QueuedChange, 'kind' | 'op' | 'fields' | 'base'> & {
  /** The record's id, or a local id; undefined for a create. */
  record?: string | undefined
  state?: 'waiting' | 'held'
  /** It is not merged into an update that waits: the order in which the two are sent matters. */
  isSeparate?: boolean | undefined
  /** The number of the change that must be done first; what was never sent and takes this one in does not wait. */
  waitsFor?: number | undefined
}

interface OutboxRow {
  seq: number
  kind: RecordKind
  op: QueuedChange['op']
  record: string
  fields: string
  base: string | null
  key: string
  state: QueuedChange['state']
  attempts: number
  in_doubt: number
  known_until: number | null
  sent_at: number | null
  sent_uptime: number | null
  sends: number
  said: string | null
  typed_at: number
  waits_for: number | null
}

/**
 * The changes that the service does not have yet, in the order in which they were typed.
 *
 * What was never sent is still only here: a further change of the same record is merged into it, so that a day offline
 * is delivered as what came of it. Every method that writes belongs into a transaction with what goes with it.
 */
export class Outbox {
  readonly #state: ClientState
  readonly #prepared = new Map<string, SqliteStatement>()
  readonly #added = new WeakSet<QueuedChange>()

  constructor(state: ClientState) {
    this.#state = state
  }

  /** All that waits or is set aside, in order. */
  all(): QueuedChange[] {
    return this.#rows('SELECT * FROM outbox ORDER BY seq')
  }

  /** How many changes wait for delivery. */
  pendingCount(): number {
    const row = this.#prepare("SELECT count(*) AS count FROM outbox WHERE state = 'waiting'").get()
    return (row as { count: number }).count
  }

  get(seq: number): QueuedChange | undefined {
    return this.#rows('SELECT * FROM outbox WHERE seq = ?', seq)[0]
  }

  /** The changes of one record, in order. */
  changesOf(kind: RecordKind, record: string): QueuedChange[] {
    return this.#rows('SELECT * FROM outbox WHERE kind = ? AND record = ? ORDER BY seq', kind, record)
  }

  /**
   * The change that is delivered next, other than the `postponed` ones. A change whose record is created by a pending
   * one waits for it, and so does an entry that a postponed timer overlaps: a service may reject two open entries.
   */
  next(postponed: ReadonlyMap<number, unknown> = new Map()): QueuedChange | undefined {
    const deliverable = `SELECT * FROM outbox WHERE state = 'waiting' AND NOT EXISTS (
         SELECT 1 FROM outbox AS before WHERE before.kind = outbox.kind AND before.record = outbox.record
           AND before.seq < outbox.seq AND before.op = 'create'
       ) AND NOT EXISTS (
         SELECT 1 FROM outbox AS first WHERE first.seq = outbox.waits_for AND first.state <> 'held'
       ) ORDER BY seq`
    if (postponed.size === 0) return this.#rows(`${deliverable} LIMIT 1`)[0]
    const changes = this.#rows(deliverable)
    const timers = changes.filter((change) => postponed.has(change.seq) && isTimer(change))
    return changes.find(
      (change) => !postponed.has(change.seq) && !timers.some((timer) => isOverlapped(change, timer)),
    )
  }

  /** The changes that wait for that one, and those that wait for them. */
  dependents(seq: number): QueuedChange[] {
    const behind = this.#rows('SELECT * FROM outbox WHERE waits_for = ? ORDER BY seq', seq)
    return behind.flatMap((change) => [change, ...this.dependents(change.seq)])
  }

  /**
   * Adds a change, or merges it into one of the same record that was never sent. Answers the change that now stands for
   * it; undefined where nothing is left to be sent.
   */
  append(change: NewChange, typedAt: Date): QueuedChange | undefined {
    if (change.op === 'create' || change.record === undefined) return this.#insert(change, typedAt)
    const before = this.changesOf(change.kind, this.resolve(change.kind, change.record))
    return change.op === 'delete'
      ? this.#appendDelete(change, before, typedAt)
      : this.#appendUpdate(change, before, typedAt)
  }

  /** Whether `append` has made it a change of its own, instead of merging it into another. */
  isNew(change: QueuedChange): boolean {
    return this.#added.has(change)
  }

  /** The name that a record goes by now: what a local id has become, or what took the place of a deleted record. */
  resolve(kind: RecordKind, name: string): string {
    let found = name
    for (let next: string | undefined = name; next !== undefined; next = this.#aliasOf(kind, next))
      found = next
    return found
  }

  /** Whether it is the name of a record that this machine made. */
  isCreatedHere(kind: RecordKind, id: string): boolean {
    return this.#prepare('SELECT 1 FROM alias WHERE kind = ? AND id = ?').get([kind, id]) !== undefined
  }

  /** From now on `name` means the record `id`: the changes that wait are of another record still. */
  setAlias(kind: RecordKind, name: string, id: string) {
    // A service that gives an id again means that record by it, not what took the place of the one before.
    this.#prepare('DELETE FROM alias WHERE kind = ? AND name = ?').run([kind, id])
    this.#prepare('INSERT OR REPLACE INTO alias (kind, name, id) VALUES (?, ?, ?)').run([kind, name, id])
  }

  /** The record `name` is called `id` from now on, in the changes that wait as well. */
  renameRecord(kind: RecordKind, name: string, id: string) {
    this.setAlias(kind, name, id)
    if (this.changesOf(kind, name).length === 0) return
    this.#prepare('UPDATE outbox SET record = ? WHERE kind = ? AND record = ?').run([id, kind, name])
  }

  /** Takes back that `name` means `id`. */
  removeAlias(kind: RecordKind, name: string, id: string) {
    this.#prepare('DELETE FROM alias WHERE kind = ? AND name = ? AND id = ?').run([kind, name, id])
  }

  /** Has a change stand as it stood before, whether or not it is still there. */
  restore(change: QueuedChange) {
    const { seq, kind, op, record, key, typedAt } = change
    this.#prepare(
      `INSERT OR IGNORE INTO outbox (seq, kind, op, record, fields, key, state, typed_at)
       VALUES (?, ?, ?, ?, '{}', ?, 'waiting', ?)`,
    ).run([seq, kind, op, record, key, typedAt.getTime()])
    this.update(change)
  }

  remove(seq: number) {
    this.#prepare('DELETE FROM outbox WHERE seq = ?').run([seq])
  }

  /** Keeps what has become of a change. */
  update(change: QueuedChange): void {
    const {
      fields,
      base,
      key,
      state,
      attempts,
      outcomeUnknown,
      knownUntil,
      rejection,
      seq,
      op,
      record,
      waitsFor,
    } = change
    const { sentAt, sentUptimeMs, sends } = change
    this.#prepare(
      `UPDATE outbox SET op = ?, record = ?, fields = ?, base = ?, key = ?, state = ?, attempts = ?, in_doubt = ?,
         known_until = ?, sent_at = ?, sent_uptime = ?, sends = ?, said = ?, waits_for = ? WHERE seq = ?`,
    ).run([
      op,
      record,
      JSON.stringify(fields),
      base && JSON.stringify(base),
      key,
      state,
      attempts,
      outcomeUnknown ? 1 : 0,
      knownUntil,
      sentAt,
      sentUptimeMs,
      sends,
      rejection && JSON.stringify(rejection),
      waitsFor,
      seq,
    ])
  }

  /** Takes back a deletion that was never sent. Answers the record as the service has it; undefined when there is none. */
  undelete(kind: RecordKind, record: string): WireRecord | undefined {
    const deletion = this.changesOf(kind, record).find(
      (change) => change.op === 'delete' && isMergeable(change),
    )
    if (deletion) this.remove(deletion.seq)
    return deletion?.base ?? undefined
  }

  /** A running timer that is held here takes in what waited behind it. Answers the change that came of it. */
  makeLocal(change: QueuedChange): QueuedChange | undefined {
    const unsent = { outcomeUnknown: false, sentAt: null, sentUptimeMs: null, sends: 0 }
    const held: QueuedChange = { ...change, ...unsent, state: 'held', key: crypto.randomUUID() }
    for (const later of this.changesOf(change.kind, change.record)) {
      if (later.seq === change.seq) continue
      this.remove(later.seq)
      if (later.op === 'delete') {
        this.remove(change.seq)
        return undefined
      }
      held.fields = { ...held.fields, ...later.fields }
    }
    const settled = asSendable(held)
    this.update(settled)
    return settled
  }

  /**
   * The user says anew what these fields are to be: an update that was set aside is so for the others only. Answers the
   * numbers of those that nothing is left of.
   */
  supersede(kind: RecordKind, record: string, names: string[]): number[] {
    const overtaken: number[] = []
    for (const aside of this.changesOf(kind, this.resolve(kind, record))) {
      if (aside.op !== 'update' || !isRejected(aside.state)) continue
      const left = without(aside.fields, names)
      if (Object.keys(left).length > 0) this.update({ ...aside, fields: left })
      else {
        this.remove(aside.seq)
        overtaken.push(aside.seq)
      }
    }
    return overtaken
  }

  /** What waits for the one change waits for the other instead, which waits for none itself. */
  moveAfter(seq: number, instead: number) {
    this.#prepare('UPDATE outbox SET waits_for = ? WHERE waits_for = ?').run([instead, seq])
  }

  #appendUpdate(change: NewChange, before: QueuedChange[], typedAt: Date): QueuedChange | undefined {
    const create = before.find(({ op }) => op === 'create')
    if (create && isMergeable(create)) {
      // What waited behind it when it was refused was never sent either.
      const behind = before.filter(({ seq }) => seq !== create.seq)
      for (const { seq } of behind) this.remove(seq)
      const fields = Object.assign({}, ...[create, ...behind, change].map((one) => one.fields))
      const merged = asSendable({ ...asPending(create), fields })
      this.update(merged)
      return merged
    }
    const last = before.at(-1)
    if (change.isSeparate || last?.op !== 'update' || last.state !== 'waiting' || !isMergeable(last))
      return this.#insert(change, typedAt)
    const fields = changedFields(last.base, { ...last.fields, ...change.fields })
    const merged = { ...last, fields }
    if (Object.keys(fields).length === 0) this.remove(last.seq)
    else this.update(merged)
    return Object.keys(fields).length === 0 ? undefined : merged
  }

  #appendDelete(change: NewChange, before: QueuedChange[], typedAt: Date): QueuedChange | undefined {
    const unsent = before.filter(isMergeable)
    for (const { seq } of unsent) this.remove(seq)
    if (unsent.some(({ op }) => op === 'create')) return undefined
    const known = unsent.find(({ state }) => state === 'waiting')?.base
    return this.#insert({ ...change, base: known ?? change.base }, typedAt)
  }

  #insert(typed: NewChange, typedAt: Date): QueuedChange {
    const { kind, op, record, fields, base, state = 'waiting', waitsFor = null } = typed
    // A create is named after its number. The key comes from SQLite: for a short command, Node's cryptography is long.
    const row = this.#prepare(
      `INSERT INTO outbox (kind, op, record, fields, base, key, state, typed_at, waits_for) VALUES (
         ?, ?, coalesce(?, '~' || (SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'outbox')),
         ?, ?, lower(hex(randomblob(16))), ?, ?, ?
       ) RETURNING *`,
    ).get([
      kind,
      op,
      record === undefined ? null : this.resolve(kind, record),
      JSON.stringify(fields),
      base && JSON.stringify(base),
      state,
      typedAt.getTime(),
      waitsFor,
    ])
    const change = fromRow(row as OutboxRow)
    this.#added.add(change)
    return change
  }

  #aliasOf(kind: RecordKind, name: string): string | undefined {
    const row = this.#prepare('SELECT id FROM alias WHERE kind = ? AND name = ?').get([kind, name])
    return (row as { id: string } | undefined)?.id
  }

  #rows(sql: string, ...parameters: unknown[]): QueuedChange[] {
    return (this.#prepare(sql).all(parameters) as OutboxRow[]).map(fromRow)
  }

  #prepare(sql: string): SqliteStatement {
    const known = this.#prepared.get(sql) ?? this.#state.database.prepare(sql)
    this.#prepared.set(sql, known)
    return known
  }
}

export function isRejected(state: QueuedChange['state']): boolean {
  return state === 'refused' || state === 'conflict'
}

/** The fields whose value differs from that of the record. */
export function changedFields(record: WireRecord | null, fields: WireFields): WireFields {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => !record || !isSame(record[name], value)),
  )
}

/** No value and null are the same to the service. */
function isSame(known: unknown, value: unknown): boolean {
  return (known ?? null) === (value ?? null)
}

/** Still only here: never sent, or surely not done. */
function isMergeable({ outcomeUnknown }: QueuedChange): boolean {
  return !outcomeUnknown
}

/**
 * A change that was set aside goes its way again: as another request, so that no service repeats its refusal, unless
 * the service may have done it.
 */
export function asPending(change: QueuedChange): QueuedChange {
  if (!isRejected(change.state)) return change
  const key = change.outcomeUnknown ? change.key : crypto.randomUUID()
  return { ...change, key, state: 'waiting', rejection: null, attempts: 0 }
}

/** A timer that has an end need not be held any longer. */
function asSendable(change: QueuedChange): QueuedChange {
  const ended = typeof change.fields.time_end === 'string'
  return change.state === 'held' && ended ? { ...change, state: 'waiting', attempts: 0 } : change
}

/** A create of an entry without an end. */
function isTimer({ kind, op, fields }: QueuedChange): boolean {
  return kind === 'entry' && op === 'create' && (fields.time_end ?? null) === null
}

/** Whether a later change leaves another entry open, or in the time after the start of the timer. */
function isOverlapped({ kind, op, seq, fields }: QueuedChange, timer: QueuedChange): boolean {
  if (kind !== 'entry' || seq < timer.seq || (op === 'update' && fields.time_end !== null)) return false
  const isOpen = (fields.time_end ?? null) === null
  return op !== 'delete' && (isOpen || isAfter(fields.time_end, timer.fields.time_start))
}

function isAfter(time: unknown, other: unknown): boolean {
  return Date.parse(String(time)) > Date.parse(String(other))
}

function without(fields: WireFields, names: string[]): WireFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

function fromRow(row: OutboxRow): QueuedChange {
  return {
    seq: row.seq,
    kind: row.kind,
    op: row.op,
    record: row.record,
    fields: JSON.parse(row.fields) as WireFields,
    base: row.base === null ? null : (JSON.parse(row.base) as WireRecord),
    key: row.key,
    state: row.state,
    attempts: row.attempts,
    outcomeUnknown: row.in_doubt === 1,
    knownUntil: row.known_until,
    sentAt: row.sent_at,
    sentUptimeMs: row.sent_uptime,
    sends: row.sends,
    rejection: row.said === null ? null : (JSON.parse(row.said) as Rejection),
    typedAt: new Date(row.typed_at),
    waitsFor: row.waits_for,
  }
}
