import type { RecordKind } from '../api-client/types.js'
import type { SqliteStatement } from '../lib/sqlite/connection.js'
import type { ClientState } from './cache/client-state.js'
import { columnNames, columnParameters, fromRow, toRow } from './outbox-columns.js'
import type { PlannedChange } from './plan.js'
import type { QueuedChange } from './queued-change.js'

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
export class OutboxTable {
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
