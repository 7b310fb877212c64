import type { RecordKind, WireFields, WireRecord } from '../api-client/types.js'
import type { SqliteStatement } from '../lib/sqlite/connection.js'
import type { ClientState } from './cache/client-state.js'
import type { PlannedChange } from './plan.js'
import {
  columnNames,
  columnParameters,
  fromRow,
  isRejected,
  type QueuedChange,
  toRow,
  unsent,
} from './queued-change.js'

/** How a planned change is stored. */
export interface AppendOptions {
  state?: 'waiting' | 'held'
  /** The number of the change that is sent first. A pending change that this one is merged into does not wait. */
  waitsFor?: number | undefined
}

/** How many changes commands have made in the outbox. */
export interface OutboxProgress {
  lastSeq: number
  /** The sum of the revisions of the pending changes. */
  revisions: number
}

/** The tables `outbox` and `alias` of the client state. */
class OutboxTable {
  readonly #state: ClientState
  readonly #statements = new Map<string, SqliteStatement>()

  constructor(state: ClientState) {
    this.#state = state
  }

  /** Returns all pending and rejected changes, in order. */
  all(): QueuedChange[] {
    return this.rows('ORDER BY seq')
  }

  isEmpty(): boolean {
    return this.#prepare('SELECT 1 FROM outbox LIMIT 1').get() === undefined
  }

  pendingCount(): number {
    const row = this.#prepare("SELECT count(*) AS count FROM outbox WHERE state = 'waiting'").get()
    return (row as { count: number }).count
  }

  /** Returns two numbers; one of them grows when a command adds or changes a pending change. */
  progress(): OutboxProgress {
    const row = this.#prepare(
      `SELECT (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'outbox') AS last,
         (SELECT coalesce(sum(revision), 0) FROM outbox WHERE state = 'waiting') AS revisions`,
    ).get() as { last: number; revisions: number }
    return { lastSeq: row.last, revisions: row.revisions }
  }

  /** Returns the number of changes that the user must decide about. */
  rejectedCount(): number {
    const states = "('refused', 'conflict', 'ambiguous')"
    const row = this.#prepare(`SELECT count(*) AS count FROM outbox WHERE state IN ${states}`).get()
    return (row as { count: number }).count
  }

  get(seq: number): QueuedChange | undefined {
    return this.rows('WHERE seq = ?', seq)[0]
  }

  /** Returns the changes of one record, in order. */
  changesOf(kind: RecordKind, record: string): QueuedChange[] {
    return this.rows('WHERE kind = ? AND record = ? ORDER BY seq', kind, record)
  }

  /** Returns the creates that were sent, and that the service may have applied. */
  createsWithUnknownOutcome(kind: RecordKind): QueuedChange[] {
    return this.rows("WHERE in_doubt = 1 AND op = 'create' AND kind = ? ORDER BY seq", kind)
  }

  /** Returns the changes that wait for this one, directly or through others. */
  dependents(seq: number): QueuedChange[] {
    const direct = this.rows('WHERE waits_for = ? ORDER BY seq', seq)
    return direct.flatMap((change) => [change, ...this.dependents(change.seq)])
  }

  remove(seq: number) {
    this.#prepare('DELETE FROM outbox WHERE seq = ?').run([seq])
  }

  /** Updates a change, and returns its new version. Has no effect if the outbox no longer has it. */
  update(change: QueuedChange): QueuedChange {
    this.#prepare(`UPDATE outbox SET (${columnNames}) = (${columnParameters}) WHERE seq = ?`).run([
      ...toRow(change),
      change.seq,
    ])
    return this.get(change.seq) ?? change
  }

  /** Restores an earlier version of a change, whether or not the outbox still has it. */
  restore(change: QueuedChange) {
    const { revision } = this.get(change.seq) ?? change
    this.#prepare(`INSERT OR REPLACE INTO outbox (${columnNames}) VALUES (${columnParameters})`).run(
      toRow({ ...change, revision: revision + 1 }),
    )
  }

  /** Makes all changes that wait for `seq` wait for `other` instead, which must not wait for any of them. */
  moveAfter(seq: number, other: number) {
    this.#prepare('UPDATE outbox SET waits_for = ? WHERE waits_for = ?').run([other, seq])
  }

  /** Returns the current ID of a record, from a local ID or from the ID of a deleted record that was replaced. */
  resolve(kind: RecordKind, name: string): string {
    let resolved = name
    for (let next: string | undefined = name; next !== undefined; next = this.#aliasOf(kind, next))
      resolved = next
    return resolved
  }

  /** Whether this machine has created the record. */
  isCreatedHere(kind: RecordKind, id: string): boolean {
    return this.#prepare('SELECT 1 FROM alias WHERE kind = ? AND id = ?').get([kind, id]) !== undefined
  }

  /** Makes `name` refer to the record `id`; does not change the pending changes of `name`. */
  setAlias(kind: RecordKind, name: string, id: string) {
    // If a service reuses an ID, it refers to the new record, not to the replacement of the old one.
    this.#prepare('DELETE FROM alias WHERE kind = ? AND name = ?').run([kind, id])
    this.#prepare('INSERT OR REPLACE INTO alias (kind, name, id) VALUES (?, ?, ?)').run([kind, name, id])
  }

  /** Makes `name` refer to the record `id`, also in its pending changes. */
  renameRecord(kind: RecordKind, name: string, id: string) {
    this.setAlias(kind, name, id)
    if (this.changesOf(kind, name).length === 0) return
    this.#prepare('UPDATE outbox SET record = ? WHERE kind = ? AND record = ?').run([id, kind, name])
  }

  removeAlias(kind: RecordKind, name: string, id: string) {
    this.#prepare('DELETE FROM alias WHERE kind = ? AND name = ? AND id = ?').run([kind, name, id])
  }

  protected insert(
    { kind, op, record, fields = {} }: PlannedChange,
    typedAt: Date,
    { state = 'waiting', waitsFor }: AppendOptions,
  ): QueuedChange {
    // The local ID of a create is its number. SQLite makes the key: loading Node's cryptography slows short commands.
    const row = this.#prepare(
      `INSERT INTO outbox (kind, op, record, fields, base, key, state, typed_at, waits_for) VALUES (
         ?, ?, coalesce(?, '~' || (SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'outbox')),
         ?, ?, lower(hex(randomblob(16))), ?, ?, ?
       ) RETURNING *`,
    ).get([
      ...[kind, op, record ? this.resolve(kind, String(record.id)) : null, JSON.stringify(fields)],
      ...[record ? JSON.stringify(record) : null, state, typedAt.getTime(), waitsFor ?? null],
    ])
    return fromRow(row)
  }

  /** Returns the changes that the rest of a query selects. */
  protected rows(conditions: string, ...parameters: unknown[]): QueuedChange[] {
    return this.#prepare(`SELECT ${columnNames} FROM outbox ${conditions}`)
      .all(parameters)
      .map((row) => fromRow(row))
  }

  #aliasOf(kind: RecordKind, name: string): string | undefined {
    const row = this.#prepare('SELECT id FROM alias WHERE kind = ? AND name = ?').get([kind, name])
    return (row as { id: string } | undefined)?.id
  }

  #prepare(sql: string): SqliteStatement {
    const statement = this.#statements.get(sql) ?? this.#state.database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

/**
 * The changes that the service does not have yet, in the order of the commands.
 *
 * A change is merged into an earlier one of the same record that was not sent, so that only the result of a day offline
 * is delivered. Methods that write must be called within the transaction of the other writes of the command.
 */
export class Outbox extends OutboxTable {
  /**
   * Returns the next change to deliver, without the `postponed` ones and those of `unavailable` kinds. A change waits for a
   * pending create of its record. An entry also waits for a postponed change of a timer that overlaps it, because a service
   * may reject two open entries.
   */
  next(
    postponed: ReadonlyMap<number, unknown> = new Map(),
    unavailable: ReadonlySet<RecordKind> = new Set(),
  ): QueuedChange | undefined {
    if (postponed.size === 0 && unavailable.size === 0)
      return this.rows(`${deliverable} ORDER BY seq LIMIT 1`)[0]
    const [seqs, kinds] = [postponed.keys(), unavailable].map((values) => JSON.stringify([...values]))
    const timers = this.rows(
      `${deliverable} AND seq IN (SELECT value FROM json_each(?)) AND kind = 'entry' AND (
         (op = 'create' AND json_extract(fields, '$.time_end') IS NULL)
         OR (op = 'update' AND json_extract(base, '$.time_end') IS NULL)
       ) ORDER BY seq`,
      seqs,
    )
    const records = new Set(this.rows('WHERE seq IN (SELECT value FROM json_each(?))', seqs).map(nameOf))
    // Mostly the first change is the next one: of thousands only a few are read.
    for (let after = 0; ; ) {
      const changes = this.rows(
        `${deliverable} AND seq > ? AND seq NOT IN (SELECT value FROM json_each(?))
           AND kind NOT IN (SELECT value FROM json_each(?)) ORDER BY seq LIMIT ${changesPerRead}`,
        after,
        seqs,
        kinds,
      )
      // A later change of the same record must not overtake a postponed one.
      const next = changes.find(
        (change) => !records.has(nameOf(change)) && !timers.some((timer) => isOverlapped(change, timer)),
      )
      if (next || changes.length < changesPerRead) return next
      after = changes.at(-1)?.seq ?? after
    }
  }

  /**
   * Adds a change, or merges it into one of the same record that was not sent. Returns the change to deliver; undefined
   * if no change remains.
   */
  append(change: PlannedChange, typedAt: Date, options: AppendOptions = {}): QueuedChange | undefined {
    const { kind, op, record } = change
    if (op === 'create' || !record) return this.insert(change, typedAt, options)
    const earlier = this.changesOf(kind, this.resolve(kind, String(record.id)))
    return op === 'delete'
      ? this.#appendDelete(change, earlier, typedAt, options)
      : this.#appendUpdate(change, earlier, typedAt, options)
  }

  /** Removes a deletion that was not sent. Returns the record at the service; undefined if there is none. */
  undelete(kind: RecordKind, record: string): WireRecord | undefined {
    const deletion = this.changesOf(kind, record).find(
      (change) => change.op === 'delete' && isMergeable(change),
    )
    if (deletion) this.remove(deletion.seq)
    return deletion?.base ?? undefined
  }

  /**
   * Makes the create of a running timer local, and merges the later changes of its record into it. Returns the result;
   * undefined if the timer was deleted.
   */
  makeLocal(change: QueuedChange): QueuedChange | undefined {
    const local: QueuedChange = { ...change, ...unsent, state: 'held', key: crypto.randomUUID() }
    for (const later of this.changesOf(change.kind, change.record)) {
      if (later.seq === change.seq) continue
      this.remove(later.seq)
      if (later.op === 'delete') {
        this.remove(change.seq)
        return undefined
      }
      local.fields = { ...local.fields, ...later.fields }
    }
    const merged = pendingIfEnded(local)
    return this.update(merged)
  }

  /**
   * Removes these fields from the rejected updates of a record, because a new change sets them. Removes updates without
   * other fields, and returns their numbers.
   */
  supersede(kind: RecordKind, record: string, names: string[]): number[] {
    const superseded: number[] = []
    for (const rejected of this.changesOf(kind, this.resolve(kind, record))) {
      if (rejected.op !== 'update' || !isRejected(rejected.state)) continue
      const fields = without(rejected.fields, names)
      if (Object.keys(fields).length > 0) this.update({ ...rejected, fields })
      else {
        this.remove(rejected.seq)
        superseded.push(rejected.seq)
      }
    }
    return superseded
  }

  /** Makes a rejected change pending again. A deletion includes the unsent updates of its record. */
  retry(change: QueuedChange) {
    const { kind, op, record } = change
    const included = op === 'delete' ? this.changesOf(kind, record) : []
    for (const update of included) if (update.op === 'update' && isMergeable(update)) this.remove(update.seq)
    this.update(asPending(change))
  }

  #appendUpdate(
    change: PlannedChange,
    earlier: QueuedChange[],
    typedAt: Date,
    options: AppendOptions,
  ): QueuedChange | undefined {
    const create = earlier.find(({ op }) => op === 'create')
    if (create && isMergeable(create)) {
      // The changes after a rejected create were not sent either.
      const later = earlier.filter(({ seq }) => seq !== create.seq)
      for (const { seq } of later) this.remove(seq)
      const fields = Object.assign({}, ...[create, ...later, change].map((each) => each.fields))
      const merged = pendingIfEnded({ ...asPending(create), fields })
      return this.update(merged)
    }
    const last = earlier.at(-1)
    if (change.isSeparate || last?.op !== 'update' || last.state !== 'waiting' || !isMergeable(last))
      return this.insert(change, typedAt, options)
    const fields = changedFields(last.base, { ...last.fields, ...change.fields })
    if (Object.keys(fields).length === 0) {
      this.remove(last.seq)
      return undefined
    }
    const merged = { ...last, fields }
    return this.update(merged)
  }

  #appendDelete(
    change: PlannedChange,
    earlier: QueuedChange[],
    typedAt: Date,
    options: AppendOptions,
  ): QueuedChange | undefined {
    const unsent = earlier.filter(isMergeable)
    for (const { seq } of unsent) this.remove(seq)
    if (unsent.some(({ op }) => op === 'create')) return undefined
    const base = unsent.find(({ state }) => state === 'waiting')?.base
    return this.insert(base ? { ...change, record: base } : change, typedAt, options)
  }
}

const changesPerRead = 20

const deliverable = `WHERE state = 'waiting' AND NOT EXISTS (
    SELECT 1 FROM outbox AS before WHERE before.kind = outbox.kind AND before.record = outbox.record
      AND before.seq < outbox.seq AND before.op = 'create'
  ) AND NOT EXISTS (
    SELECT 1 FROM outbox AS first WHERE first.seq = outbox.waits_for AND first.state <> 'held'
  )`

/** Returns the fields whose value differs from that of the record. */
export function changedFields(record: WireRecord | null, fields: WireFields): WireFields {
  // The service does not distinguish a missing value from null.
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => !record || (record[name] ?? null) !== (value ?? null)),
  )
}

/**
 * Makes a rejected change pending again. Unless its outcome is unknown, it gets another key: with the same key, a service
 * may repeat its earlier response.
 */
export function asPending(change: QueuedChange): QueuedChange {
  if (!isRejected(change.state)) return change
  if (change.state === 'ambiguous') {
    // The user knows that none of the candidates is its record. Without candidates, it is looked up again.
    const known = change.candidates?.length ? { ...unsent, knownUntil: null } : { candidates: null }
    return { ...change, ...known, state: 'waiting', rejection: null, attempts: 0 }
  }
  const key = change.outcomeUnknown ? change.key : crypto.randomUUID()
  return { ...change, key, state: 'waiting', rejection: null, attempts: 0 }
}

/** Whether the service certainly does not have a change. */
function isMergeable({ outcomeUnknown }: QueuedChange): boolean {
  return !outcomeUnknown
}

/** Makes a local timer pending if it has an end. */
function pendingIfEnded(change: QueuedChange): QueuedChange {
  const isEnded = typeof change.fields.time_end === 'string'
  return change.state === 'held' && isEnded ? { ...change, state: 'waiting', attempts: 0 } : change
}

function nameOf({ kind, record }: QueuedChange): string {
  return `${kind} ${record}`
}

/** Whether a later change keeps another entry open, or ends it after the start of the timer. */
function isOverlapped({ kind, op, seq, fields }: QueuedChange, timer: QueuedChange): boolean {
  if (kind !== 'entry' || seq < timer.seq || (op === 'update' && fields.time_end !== null)) return false
  const isOpen = (fields.time_end ?? null) === null
  const start = timer.fields.time_start ?? timer.base?.time_start
  return op !== 'delete' && (isOpen || isAfter(fields.time_end, start))
}

function isAfter(time: unknown, other: unknown): boolean {
  return Date.parse(String(time)) > Date.parse(String(other))
}

function without(fields: WireFields, names: string[]): WireFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}
