import type { RecordKind } from '../api/types.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import { dayMs } from '../lib/time-units.js'

/** Epoch milliseconds, half-open; `at` is when it was asked for. */
interface FetchedRange {
  from: number
  to: number
  at: number
}

/** How far a period was asked for. */
export interface Coverage {
  /** When the oldest part was asked for; undefined where nothing of the period ever was. */
  at: Date | undefined
  /** The whole period was asked for at some time. */
  complete: boolean
}

/** Which periods the service was asked for whole (the table `asked` of the client state). */
export class FetchedRanges {
  readonly #database: Sqlite

  constructor(database: Sqlite) {
    this.#database = database
  }

  /** How much of the period from `from` to `to` was asked for. */
  coverage(kind: RecordKind, from: number, to: number): Coverage {
    const windows = this.#windows(kind, from, to)
    const covered = windows.reduce(
      (sum, window) => sum + Math.min(window.to, to) - Math.max(window.from, from),
      0,
    )
    const oldest = Math.min(...windows.map(({ at }) => at))
    return { at: windows.length > 0 ? new Date(oldest) : undefined, complete: covered === to - from }
  }

  /** The periods asked for that overlap this one; they do not overlap each other. */
  #windows(kind: RecordKind, from: number, to: number): FetchedRange[] {
    return this.#database
      .prepare(
        `SELECT from_at AS "from", to_at AS "to", at FROM asked
         WHERE kind = ? AND from_at < ? AND to_at > ?`,
      )
      .all([kind, to, from]) as FetchedRange[]
  }

  /** Notes a period. Of those asked for earlier, what sticks out stays. */
  add(kind: RecordKind, window: FetchedRange) {
    const { from, to } = window
    for (const old of this.#windows(kind, from, to)) {
      this.#database.prepare('DELETE FROM asked WHERE kind = ? AND from_at = ?').run([kind, old.from])
      if (old.from < from) this.#noteRest(kind, { ...old, to: from })
      if (to < old.to) this.#noteRest(kind, { ...old, from: to })
    }
    this.#addWindow(kind, window)
  }

  /**
   * Notes what is left of a period. "The last 31 days" leaves a piece of itself at each command: those of one day
   * become one, as old as the oldest.
   */
  #noteRest(kind: RecordKind, rest: FetchedRange) {
    const { changes } = this.#database
      .prepare('UPDATE asked SET to_at = ?, at = min(at, ?) WHERE kind = ? AND to_at = ? AND from_at >= ?')
      .run([rest.to, rest.at, kind, rest.from, rest.to - dayMs])
    if (Number(changes) === 0) this.#addWindow(kind, rest)
  }

  #addWindow(kind: RecordKind, { from, to, at }: FetchedRange) {
    this.#database
      .prepare('INSERT INTO asked (kind, from_at, to_at, at) VALUES (?, ?, ?, ?)')
      .run([kind, from, to, at])
  }
}
