import type { RecordKind } from '../../api-client/types.js'
import type { Sqlite } from '../../lib/sqlite/connection.js'
import { dayMs } from '../../lib/time-units.js'

/** A range from `from` up to, but not including, `to`, and when it was fetched; epoch milliseconds. */
interface FetchedRange {
  from: number
  to: number
  at: number
}

/** What a range is about: records whose time is in it, or entries that overlap it. */
type RangeKind = RecordKind | 'overlap'

/** How much of a range was fetched. */
export interface Coverage {
  /** When its oldest part was fetched; undefined where nothing was. */
  at: Date | undefined
  /** Every part of the range was fetched at some time. */
  complete: boolean
}

/** The ranges of time whose complete lists were fetched (the table `asked` of the client state). */
export class FetchedRanges {
  readonly #database: Sqlite

  constructor(database: Sqlite) {
    this.#database = database
  }

  /** Returns how much of the range from `from` to `to` was fetched. */
  coverage(kind: RangeKind, from: number, to: number): Coverage {
    const ranges = this.#overlapping(kind, from, to)
    const covered = ranges.reduce(
      (sum, range) => sum + Math.min(range.to, to) - Math.max(range.from, from),
      0,
    )
    const oldest = Math.min(...ranges.map(({ at }) => at))
    return { at: ranges.length > 0 ? new Date(oldest) : undefined, complete: covered === to - from }
  }

  /** Returns the fetched ranges that overlap this one; they do not overlap each other. */
  #overlapping(kind: RangeKind, from: number, to: number): FetchedRange[] {
    return this.#database
      .prepare(
        `SELECT from_at AS "from", to_at AS "to", at FROM asked
         WHERE kind = ? AND from_at < ? AND to_at > ?`,
      )
      .all([kind, to, from]) as FetchedRange[]
  }

  /** Adds a range. Earlier ranges keep the parts outside it. */
  add(kind: RangeKind, range: FetchedRange) {
    const { from, to } = range
    for (const old of this.#overlapping(kind, from, to)) {
      this.#database.prepare('DELETE FROM asked WHERE kind = ? AND from_at = ?').run([kind, old.from])
      if (old.from < from) this.#addRemainder(kind, { ...old, to: from })
      if (to < old.to) this.#addRemainder(kind, { ...old, from: to })
    }
    this.#insert(kind, range)
  }

  /**
   * Adds the remainder of an earlier range. Each command for "the last 31 days" leaves one: those of one day are merged,
   * with the time of the oldest.
   */
  #addRemainder(kind: RangeKind, remainder: FetchedRange) {
    const { changes } = this.#database
      .prepare('UPDATE asked SET to_at = ?, at = min(at, ?) WHERE kind = ? AND to_at = ? AND from_at >= ?')
      .run([remainder.to, remainder.at, kind, remainder.from, remainder.to - dayMs])
    if (Number(changes) === 0) this.#insert(kind, remainder)
  }

  #insert(kind: RangeKind, { from, to, at }: FetchedRange) {
    this.#database
      .prepare('INSERT INTO asked (kind, from_at, to_at, at) VALUES (?, ?, ?, ?)')
      .run([kind, from, to, at])
  }
}
