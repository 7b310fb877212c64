import type { RecordKind, WireFields, WireRecord } from '../api-client/types.js'
import { type AppendOptions, OutboxTable } from './outbox-table.js'
import type { PlannedChange } from './plan.js'
import { isRejected, type QueuedChange, unsent } from './queued-change.js'

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
