import type { RecordKind, WireRecord } from '../api-client/types.js'
import type { ClientState } from './cache/client-state.js'

/** A change of one record, before and after it; null where the record did not or does not exist. */
export interface HistoryStep {
  kind: RecordKind
  /** The record's id, or its local id. */
  record: string
  before: WireRecord | null
  after: WireRecord | null
}

/** The changes of one command. */
export interface HistoryEntry {
  seq: number
  /** Its title: "Stopped Acme / Website / Design". */
  title: string
  steps: HistoryStep[]
  /** The ID of the import that it is. An import into the local workspace has no steps. */
  importId?: string
  /**
   * The ID of the change of the catalog of the local workspace that it is, without steps, or that has created the records
   * that its steps need.
   */
  catalogChange?: string
  /** The ID of the invoice that it is. An invoice has no steps. */
  invoice?: string
  at: Date
}

interface HistoryRow {
  seq: number
  what: string
  steps: string
  at: number
  import: string | null
  catalog_change: string | null
  invoice: string | null
}

/** What a change of the history is, or needs; see `HistoryEntry`. */
interface Origin {
  importId?: string | undefined
  catalogChange?: string | undefined
  invoice?: string | undefined
}

/** The number of changes that can be undone. */
const maxChanges = 1000

/** Values of the column `undone`. A `discarded` change can be neither undone nor redone. */
const states = { done: 0, discarded: 1, undone: 2 }

const forgetUpdatedContents = `
  UPDATE imported SET content = '' WHERE external_id IN (
    SELECT json_extract(value, '$.after.external_id') FROM history, json_each(steps)
    WHERE seq = ? AND json_type(value, '$.before') = 'object')`

/** The changes made on this machine, for undo and redo. Call methods that write within the transaction of the change. */
export class History {
  readonly #state: ClientState

  constructor(state: ClientState) {
    this.#state = state
  }

  /** Adds a change; returns its number. */
  record(
    title: string,
    steps: HistoryStep[],
    at: Date,
    { importId, catalogChange, invoice }: Origin = {},
  ): number {
    const { database } = this.#state
    const { lastInsertRowid } = database
      .prepare(
        'INSERT INTO history (what, steps, at, import, catalog_change, invoice) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run([
        ...[title, JSON.stringify(steps), at.getTime()],
        ...[importId ?? null, catalogChange ?? null, invoice ?? null],
      ])
    const seq = Number(lastInsertRowid)
    if (seq % 100 === 0) database.prepare('DELETE FROM history WHERE seq <= ?').run([seq - maxChanges])
    return seq
  }

  /** Returns the changes that can be undone, the latest first. */
  undoable(limit: number): HistoryEntry[] {
    return this.#entries('undone = 0 ORDER BY seq DESC', limit)
  }

  /** Returns the changes that can be redone, the last undone one first. */
  redoable(limit: number): HistoryEntry[] {
    return this.#entries('undone = 2 ORDER BY seq', limit)
  }

  /** Whether the change has that state. */
  hasState(seq: number, state: keyof typeof states): boolean {
    const { database } = this.#state
    return (
      database.prepare('SELECT 1 FROM history WHERE seq = ? AND undone = ?').get([seq, states[state]]) !==
      undefined
    )
  }

  /** Returns the IDs of the imports that can be undone or redone. */
  importIds(): string[] {
    const rows = this.#state.database
      .prepare('SELECT import AS id FROM history WHERE import IS NOT NULL AND undone IN (0, 2)')
      .all() as { id: string }[]
    return rows.map(({ id }) => id)
  }

  /** Returns the IDs of the changes of the catalog that can be undone or redone, or whose records they need. */
  catalogChanges(): string[] {
    const rows = this.#state.database
      .prepare(
        'SELECT catalog_change AS id FROM history WHERE catalog_change IS NOT NULL AND undone IN (0, 2)',
      )
      .all() as { id: string }[]
    return rows.map(({ id }) => id)
  }

  /**
   * Sets the state of a change. The entries that an import has created are remembered as imported only while it is done.
   * The contents of those that it has updated are forgotten when it is undone: the next import compares their fields.
   */
  setState(seq: number, state: keyof typeof states) {
    const { database } = this.#state
    const row = database
      .prepare('UPDATE history SET undone = ? WHERE seq = ? RETURNING import')
      .get([states[state], seq]) as { import: string | null } | undefined
    if (state === 'discarded' || !row || row.import === null) return
    database
      .prepare('UPDATE imported SET undone = ? WHERE import = ?')
      .run([state === 'undone' ? 1 : 0, row.import])
    if (state === 'undone') database.prepare(forgetUpdatedContents).run([seq])
  }

  /**
   * Discards the changes that could be redone, because a new change replaces them, and returns their numbers. Undo starts
   * with the latest change, so all of them follow the latest one that is not undone; earlier rows are not read.
   */
  discardRedoable(): number[] {
    const rows = this.#state.database
      .prepare(
        `UPDATE history SET undone = 1 WHERE undone = 2
           AND seq > coalesce((SELECT seq FROM history WHERE undone = 0 ORDER BY seq DESC LIMIT 1), 0) RETURNING seq`,
      )
      .all() as { seq: number }[]
    return rows.map(({ seq }) => seq)
  }

  /** Discards the change that an invoice is: a cancellation cannot be undone. */
  discardInvoice(invoice: string) {
    this.#state.database
      .prepare('UPDATE history SET undone = ? WHERE invoice = ?')
      .run([states.discarded, invoice])
  }

  #entries(condition: string, limit: number): HistoryEntry[] {
    const rows = this.#state.database
      .prepare(
        `SELECT seq, what, steps, at, import, catalog_change, invoice FROM history WHERE ${condition} LIMIT ?`,
      )
      .all([limit]) as HistoryRow[]
    return rows.map(({ seq, what, steps, at, import: importId, catalog_change: catalogChange, invoice }) => ({
      seq,
      title: what,
      steps: JSON.parse(steps) as HistoryStep[],
      ...(importId === null ? {} : { importId }),
      ...(catalogChange === null ? {} : { catalogChange }),
      ...(invoice === null ? {} : { invoice }),
      at: new Date(at),
    }))
  }

  /** Returns the names of the fields that commands on this machine have sent for records of that kind. */
  sentFields(kind: RecordKind): Set<string> {
    const names = new Set<string>()
    for (const { kind: stepKind, before, after } of this.#entries('true', maxChanges).flatMap(
      ({ steps }) => steps,
    )) {
      if (stepKind !== kind || !after) continue
      for (const name of Object.keys(after))
        if (name !== 'id' && JSON.stringify(before?.[name]) !== JSON.stringify(after[name])) names.add(name)
    }
    return names
  }

  /** Replaces the steps of a change; removes the change if there are none. */
  replaceSteps(seq: number, steps: HistoryStep[]) {
    const { database } = this.#state
    if (steps.length === 0) database.prepare('DELETE FROM history WHERE seq = ?').run([seq])
    else database.prepare('UPDATE history SET steps = ? WHERE seq = ?').run([JSON.stringify(steps), seq])
  }
}

/** Merges the steps of each record into one, at the position of the last. A record that is created again has another one. */
export function mergeSteps(steps: readonly HistoryStep[]): HistoryStep[] {
  const merged: (HistoryStep | undefined)[] = []
  /** The position of the step that a later one of the same record is merged with. */
  const positions = new Map<string, number>()
  for (const step of steps) {
    const { kind, record, after } = step
    const key = `${kind} ${record}`
    const position = positions.get(key)
    const first = position === undefined ? undefined : merged[position]
    if (position !== undefined) merged[position] = undefined
    if (after) positions.set(key, merged.length)
    else positions.delete(key)
    merged.push(first ? { ...step, before: first.before } : step)
  }
  return merged.filter((step) => step !== undefined)
}
