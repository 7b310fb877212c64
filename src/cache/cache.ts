import type { IdSet } from '../api/paging/id-set.js'
import type { RecordList } from '../api/paging/paging.js'
import type { Id, RecordKind, WireRecord } from '../api/types.js'
import type { TimeRange } from '../calendar/interval.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import { type Coverage, FetchedRanges } from './fetched-ranges.js'

/** What the cache knows of a period. */
export interface CachedRange extends Coverage {
  /** By where they lie in time. */
  records: WireRecord[]
}

/** A long answer for a period, which is kept in batches as it comes, each in a transaction of its own. */
export interface StreamedList {
  store(records: readonly WireRecord[]): void
  /** All has come: what lies within the period and is not among these ids is forgotten. */
  finish(came: IdSet): void
}

/** Where a period without a bound ends: in the year 144568, and near enough for sums of milliseconds to be exact. */
const lastInstant = 4.5e15
const firstInstant = -lastInstant

/** What another command has seen within this time after one was typed, that one does not take back; milliseconds. */
const meanwhileMs = 60_000

/** How many records are taken up at a time, where there may be very many. */
const batchRows = 2000

interface SeenRow {
  id: string
  body: string
  at: number
}

/** With where it lies among the others. */
interface PlacedRow extends SeenRow {
  row: number
  start_at: number
}

/**
 * Records as the service answered them last, and which periods it was asked for whole (the tables `seen` and `asked`
 * of the client state). An entry lies where it starts, an expense at midnight UTC of the day it was spent on; what
 * has no day lies before everything.
 */
export class Cache {
  readonly #database: Sqlite
  readonly #asked: FetchedRanges

  constructor(database: Sqlite) {
    this.#database = database
    this.#asked = new FetchedRanges(database)
  }

  /** Keeps a record as the service answered it. */
  store(kind: RecordKind, record: WireRecord, at: Date): void {
    this.#keeping()(kind, record, JSON.stringify(record), at)
  }

  remove(kind: RecordKind, id: Id | string): void {
    this.#database.prepare('DELETE FROM seen WHERE kind = ? AND id = ?').run([kind, String(id)])
  }

  /**
   * Keeps the whole answer for a period, in a transaction of its own: what lies within it and did not come is
   * forgotten. The answer may hold more than the period. `at` is when it was asked for. Of an incomplete list, only the
   * records are kept.
   */
  storeRange(kind: RecordKind, bounds: TimeRange, records: RecordList<WireRecord>, at: Date): void {
    const [from, to] = limits(bounds)
    this.#database.transaction(() => {
      const known = new Map(this.#rows(kind, from, to).map((row) => [row.id, row]))
      const keep = this.#keeping()
      for (const record of records) {
        const id = String(record.id)
        const body = JSON.stringify(record)
        const row = known.get(id)
        known.delete(id)
        // Most of a long list is as it was: that is not written again.
        if (!row || (row.body !== body && !seenMeanwhile(row, at))) keep(kind, record, body, at)
      }
      if (records.incomplete !== undefined) return
      for (const row of known.values()) if (!seenMeanwhile(row, at)) this.remove(kind, row.id)
      this.#asked.add(kind, { from, to, at: at.getTime() })
    })
  }

  /**
   * Begins to keep a whole answer for a period like `keepPeriod`. The period counts as asked for at the end alone, and
   * what was first seen after the beginning is not forgotten: another process has learned of it meanwhile.
   */
  beginStreamedList(kind: RecordKind, bounds: TimeRange, at: Date): StreamedList {
    const [from, to] = limits(bounds)
    const [lastRow, begunMs] = [this.lastRow(), performance.now()]
    const isNews = (row: SeenRow) => seenMeanwhile(row, at, performance.now() - begunMs)
    return {
      store: (records) => {
        const bodies = new Map(records.map((record) => [String(record.id), JSON.stringify(record)]))
        this.#database.transaction(() => {
          const known = new Map(this.#named(kind, [...bodies.keys()]).map((row) => [row.id, row]))
          const keep = this.#keeping()
          for (const record of records) {
            const [row, body = ''] = [known.get(String(record.id)), bodies.get(String(record.id))]
            if (!row || (row.body !== body && !isNews(row))) keep(kind, record, body, at)
          }
        })
      },
      finish: (came) => {
        for (const rows of this.#batches(kind, from, to)) {
          const gone = rows.filter((row) => row.row <= lastRow && !came.has(row.id) && !isNews(row))
          if (gone.length === 0) continue
          this.#database.transaction(() => {
            for (const { id } of gone) this.remove(kind, id)
          })
        }
        this.#database.transaction(() => this.#asked.add(kind, { from, to, at: at.getTime() }))
      },
    }
  }

  /** What is known of a period. */
  readRange(kind: RecordKind, bounds: TimeRange): CachedRange {
    const [from, to] = limits(bounds)
    return { records: this.#rows(kind, from, to).map(recordOf), ...this.#asked.coverage(kind, from, to) }
  }

  /** The same in batches, for a long period. */
  readRangeInBatches(
    kind: RecordKind,
    bounds: TimeRange,
  ): Coverage & { batches: Iterable<WireRecord[]>; isEmpty: boolean } {
    const [from, to] = limits(bounds)
    const batches = this.#batches(kind, from, to)
    return {
      ...this.#asked.coverage(kind, from, to),
      isEmpty: this.#batches(kind, from, to).next().done === true,
      batches: (function* () {
        for (const rows of batches) yield rows.map(recordOf)
      })(),
    }
  }

  /** The record with that id, and when it was last known to be so. */
  get(kind: RecordKind, id: string): { record: WireRecord; at: Date } | undefined {
    const row = this.#database
      .prepare(
        `SELECT body, max(at, coalesce((
           SELECT asked.at FROM asked
           WHERE asked.kind = seen.kind AND from_at <= start_at AND start_at < to_at
         ), at)) AS at
         FROM seen WHERE kind = ? AND id = ?`,
      )
      .get([kind, id]) as { body: string; at: number } | undefined
    return row && { record: JSON.parse(row.body) as WireRecord, at: new Date(row.at) }
  }

  /** The last row of `seen`: what is seen later has a higher one. A record keeps its row when it is seen again. */
  lastRow(): number {
    const { last } = this.#database.prepare('SELECT coalesce(max(row), 0) AS last FROM seen').get() as {
      last: number
    }
    return last
  }

  /** Whether the record was known when `lastRow()` was that. */
  wasKnownAt(kind: RecordKind, id: string, row: number): boolean {
    return (
      this.#database
        .prepare('SELECT 1 FROM seen WHERE kind = ? AND id = ? AND row <= ?')
        .get([kind, id, row]) !== undefined
    )
  }

  #keeping(): (kind: RecordKind, record: WireRecord, body: string, at: Date) => void {
    const statement = this.#database.prepare(
      `INSERT INTO seen (kind, id, start_at, body, at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (kind, id) DO UPDATE SET start_at = excluded.start_at, body = excluded.body, at = excluded.at`,
    )
    return (kind, record, body, at) =>
      void statement.run([kind, String(record.id), startOf(kind, record), body, at.getTime()])
  }

  #rows(kind: RecordKind, from: number, to: number): SeenRow[] {
    return this.#database
      .prepare(
        'SELECT id, body, at FROM seen WHERE kind = ? AND start_at >= ? AND start_at < ? ORDER BY start_at, row',
      )
      .all([kind, from, to]) as SeenRow[]
  }

  /** The same, each batch as it is when its turn comes. */
  *#batches(kind: RecordKind, from: number, to: number): Generator<PlacedRow[]> {
    const select = this.#database.prepare(
      `SELECT row, id, start_at, body, at FROM seen
       WHERE kind = ? AND (start_at, row) > (?, ?) AND start_at >= ? AND start_at < ?
       ORDER BY start_at, row LIMIT ${batchRows}`,
    )
    for (let [start, row] = [from, 0]; ; ) {
      const rows = select.all([kind, start, row, start, to]) as PlacedRow[]
      const last = rows.at(-1)
      if (!last) return
      yield rows
      start = last.start_at
      row = last.row
    }
  }

  #named(kind: RecordKind, ids: string[]): SeenRow[] {
    return this.#database
      .prepare('SELECT id, body, at FROM seen WHERE kind = ? AND id IN (SELECT value FROM json_each(?))')
      .all([kind, JSON.stringify(ids)]) as SeenRow[]
  }
}

function limits({ from, to }: TimeRange): [number, number] {
  return [from?.getTime() ?? firstInstant, to?.getTime() ?? lastInstant]
}

function recordOf({ body }: SeenRow): WireRecord {
  return JSON.parse(body) as WireRecord
}

/** Another command was typed later than this one, which has taken `tookMs` so far, and has learned of it already. */
function seenMeanwhile(row: SeenRow, at: Date, tookMs = 0): boolean {
  const laterMs = row.at - at.getTime()
  // A row from the far future was written under a wrong clock.
  return laterMs > 0 && laterMs < meanwhileMs + tookMs
}

function startOf(kind: RecordKind, record: WireRecord): number {
  const start = Date.parse(String(kind === 'entry' ? record.time_start : record.spent_on))
  return Number.isNaN(start) ? firstInstant : start
}
