import type { WireRecord } from '../api/types.js'
import type { Kind } from './change.js'
import type { ClientState } from './state.js'

/** What one change did to one record; null where there was, or is, none. */
export interface HistoryStep {
  kind: Kind
  /** The record's id, or its local id. */
  record: string
  before: WireRecord | null
  after: WireRecord | null
}

/** A command that changed something. */
export interface HistoryEntry {
  seq: number
  /** What it did, as it was told: "Stopped Acme / Website / Design". */
  what: string
  steps: HistoryStep[]
  at: Date
}

/** Older changes than this many can no longer be undone. */
const kept = 1000

/** What was changed from this machine, for undo. Its writes belong into the transaction of the change itself. */
export class History {
  readonly #state: ClientState

  constructor(state: ClientState) {
    this.#state = state
  }

  record(what: string, steps: HistoryStep[], at: Date): number {
    const { database } = this.#state
    const { lastInsertRowid } = database
      .prepare('INSERT INTO history (what, steps, at) VALUES (?, ?, ?)')
      .run([what, JSON.stringify(steps), at.getTime()])
    const seq = Number(lastInsertRowid)
    if (seq % 100 === 0) database.prepare('DELETE FROM history WHERE seq <= ?').run([seq - kept])
    return seq
  }

  /** What can be undone, the latest first. */
  undoable(limit: number): HistoryEntry[] {
    const rows = this.#state.database
      .prepare('SELECT seq, what, steps, at FROM history WHERE undone = 0 ORDER BY seq DESC LIMIT ?')
      .all([limit]) as { seq: number; what: string; steps: string; at: number }[]
    return rows.map(({ seq, what, steps, at }) => ({
      seq,
      what,
      steps: JSON.parse(steps) as HistoryStep[],
      at: new Date(at),
    }))
  }

  markUndone(seq: number, undone = true) {
    this.#state.database.prepare('UPDATE history SET undone = ? WHERE seq = ?').run([undone ? 1 : 0, seq])
  }

  /** Keeps only those steps: the others came to nothing. */
  reduce(seq: number, steps: HistoryStep[]) {
    const { database } = this.#state
    if (steps.length === 0) database.prepare('DELETE FROM history WHERE seq = ?').run([seq])
    else database.prepare('UPDATE history SET steps = ? WHERE seq = ?').run([JSON.stringify(steps), seq])
  }
}
