import type { EntryTimes } from '../../api-client/types.js'
import type { TimeRange } from '../../lib/calendar/interval.js'
import type { Sqlite, SqliteStatement } from '../../lib/sqlite/connection.js'

/**
 * Compares a complete list of entry times, in the order of their starts and IDs, with the cached records of a range: an
 * entry is unchanged if its `updated_at` is the cached one. Neither the list nor the records are in memory as a whole.
 */
export class VersionCheck {
  readonly #select: SqliteStatement
  readonly #range: TimeRange
  readonly #first: number
  readonly #end: number
  /** The start of the part that is not compared yet. */
  #start: number
  /** The versions of the entries in that part so far, and the number of those that start before `#latest`. */
  #versions: string[] = []
  #complete = 0
  /** The start of the latest entry: further entries with the same start may follow. */
  #latest: number
  #isOrdered = true
  /** The parts that differ, in epoch milliseconds. */
  readonly #changed: [from: number, to: number][] = []

  /** @param bounds the start and the end of the range in epoch milliseconds */
  constructor(database: Sqlite, range: TimeRange, bounds: readonly [number, number]) {
    this.#range = range
    ;[this.#first, this.#end] = bounds
    this.#start = this.#first
    this.#latest = this.#first
    this.#select = database.prepare(
      `SELECT group_concat(id || ':' || coalesce(updated_at, '')) AS versions FROM (
         SELECT id, updated_at FROM seen
         WHERE kind = 'entry' AND start_at >= ? AND start_at < ? ORDER BY start_at
       )`,
    )
  }

  /** Compares the next entries of the list; those outside the range are ignored. */
  add(batch: readonly EntryTimes[]): void {
    for (const { id, time_start: start, updated_at: version } of batch) {
      if (start < this.#first || start >= this.#end) continue
      if (start < this.#latest) this.#isOrdered = false
      if (start > this.#latest) {
        this.#latest = start
        this.#complete = this.#versions.length
      }
      this.#versions.push(`${id}:${version}`)
    }
    this.#compare(this.#versions.splice(0, this.#complete), this.#latest)
    this.#complete = 0
  }

  /** Returns the parts of the range whose entries differ; all of it for a list in another order. */
  finish(): TimeRange[] {
    if (!this.#isOrdered) return [this.#range]
    this.#compare(this.#versions, this.#end)
    const { start, end } = this.#range
    return this.#changed.map(([from, to]) => ({
      ...(start || from !== this.#first ? { start: new Date(from) } : {}),
      ...(end || to !== this.#end ? { end: new Date(to) } : {}),
    }))
  }

  /** Compares the entries of the part that ends here. */
  #compare(listed: readonly string[], end: number): void {
    const start = this.#start
    if (start === end) return
    const { versions } = this.#select.get([start, end]) as { versions: string | null }
    this.#start = end
    if (areSame(listed, versions ?? '')) return
    const previous = this.#changed.at(-1)
    if (previous?.[1] === start) previous[1] = end
    else this.#changed.push([start, end])
  }
}

/** Whether both have the same versions; those of entries with the same start may be in another order. */
function areSame(listed: readonly string[], cached: string): boolean {
  return listed.join() === cached || [...listed].sort().join() === cached.split(',').sort().join()
}
