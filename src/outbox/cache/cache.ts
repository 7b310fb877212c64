import type { IdSet, RecordList } from '../../api-client/paging/record-list.js'
import type { Id, RecordKind, WireRecord } from '../../api-client/types.js'
import type { TimeRange } from '../../lib/calendar/interval.js'
import { monotonicMs } from '../../lib/monotonic-clock.js'
import type { Sqlite, SqliteStatement } from '../../lib/sqlite/connection.js'
import { dayMs } from '../../lib/time-units.js'
import { type Coverage, FetchedRanges } from './fetched-ranges.js'
import { readSnapshot } from './snapshots.js'
import { VersionCheck } from './version-check.js'

/** The cached records of a range, and how much of it was fetched. */
export interface CachedRecords extends Coverage {
  /** In the order of their times. */
  records: WireRecord[]
}

/** A list that is stored in batches while it arrives, each in a transaction. */
export interface StreamedList {
  store(records: readonly WireRecord[]): void
  /** Removes the records of the range that are not among these ids: the list is complete. */
  finish(ids: IdSet): void
}

/** The end of an unbounded range: in the year 144568, small enough for exact sums of milliseconds. */
const lastInstant = 4.5e15
const firstInstant = -lastInstant

/** A command does not overwrite records that another one has stored within this time after it, in milliseconds. */
const concurrencyMs = 60_000

/** Finished entries are at least assumed to be as long as this, in milliseconds, where the longest one is not known. */
const minLongestMs = 7 * dayMs

/** How many records are read at a time from a long range. */
const batchRows = 1000

interface SeenRow {
  id: string
  body: string
  at: number
  end_at: number | null
}

/** The condition for rows that start at a time, or earlier and do not end before it. */
const startsOrEndsAfter = '(start_at >= ? OR end_at IS NULL OR end_at >= ?)'

/** A row with its place in the order. */
interface OrderedRow extends SeenRow {
  row: number
  start_at: number
}

/**
 * The latest records of the service, and the ranges whose complete lists were fetched (the tables `seen` and `asked` of
 * the client state). The time of an entry is its start, that of an expense midnight UTC of its day; a record without a
 * time comes first.
 */
export class Cache {
  readonly #database: Sqlite
  readonly #fetched: FetchedRanges
  /** The statement of `wasKnownAt`, which is called for each record of a list. */
  #selectKnown: SqliteStatement | undefined

  constructor(database: Sqlite) {
    this.#database = database
    this.#fetched = new FetchedRanges(database)
  }

  /** Returns the time zone of the company (IANA name) as it was last read; undefined if it is unknown. */
  timeZone(): string | undefined {
    return readSnapshot(this.#database, 'company')?.value?.value?.time_zone ?? undefined
  }

  /** Stores a record as the service has it. */
  store(kind: RecordKind, record: WireRecord, at: Date): void {
    this.#storeStatement()(kind, record, JSON.stringify(record), at)
  }

  remove(kind: RecordKind, id: Id | string): void {
    this.#database.prepare('DELETE FROM seen WHERE kind = ? AND id = ?').run([kind, String(id)])
  }

  /**
   * Stores the list of a range in a transaction, and removes the records of the range that are not in it. The list may
   * have records outside the range. `at` is the time of the request. An incomplete list removes nothing.
   */
  storeRange(kind: RecordKind, range: TimeRange, records: RecordList<WireRecord>, at: Date): void {
    const [from, to] = boundsOf(range)
    this.#database.transaction(() => {
      const known = new Map(this.#rows(kind, from, to).map((row) => [row.id, row]))
      const store = this.#storeStatement()
      for (const record of records) {
        const id = String(record.id)
        const body = JSON.stringify(record)
        const row = known.get(id)
        known.delete(id)
        // Most records of a long list are unchanged and need no write.
        if (!row || (row.body !== body && !isFromLaterCommand(row, at))) store(kind, record, body, at)
      }
      if (records.incomplete !== undefined) return
      for (const row of known.values()) if (!isFromLaterCommand(row, at)) this.remove(kind, row.id)
      this.#fetched.add(kind, { from, to, at: at.getTime() })
    })
  }

  /**
   * Begins to store a list like `storeRange`. The range counts as fetched at the end, and records that were first stored
   * after the beginning are not removed: they come from another process.
   */
  beginStreamedList(kind: RecordKind, range: TimeRange, at: Date): StreamedList {
    const [from, to] = boundsOf(range)
    const [lastRow, startMs] = [this.lastRow(), monotonicMs()]
    const isNewer = (row: SeenRow) => isFromLaterCommand(row, at, monotonicMs() - startMs)
    return {
      store: (records) => {
        const bodies = new Map(records.map((record) => [String(record.id), JSON.stringify(record)]))
        this.#database.transaction(() => {
          const known = new Map(this.#rowsWithIds(kind, [...bodies.keys()]).map((row) => [row.id, row]))
          const store = this.#storeStatement()
          for (const record of records) {
            const [row, body = ''] = [known.get(String(record.id)), bodies.get(String(record.id))]
            if (!row || (row.body !== body && !isNewer(row))) store(kind, record, body, at)
          }
        })
      },
      finish: (ids) => {
        for (const rows of this.#batches(kind, from, to)) {
          const missing = rows.filter((row) => row.row <= lastRow && !ids.has(row.id) && !isNewer(row))
          if (missing.length === 0) continue
          this.#database.transaction(() => {
            for (const { id } of missing) this.remove(kind, id)
          })
        }
        this.#database.transaction(() => this.#fetched.add(kind, { from, to, at: at.getTime() }))
      },
    }
  }

  /** Returns the cached records of a range. */
  readRange(kind: RecordKind, range: TimeRange): CachedRecords {
    const [from, to] = boundsOf(range)
    return { records: this.#rows(kind, from, to).map(recordOf), ...this.#fetched.coverage(kind, from, to) }
  }

  /**
   * Stores the complete list of the finished entries that start before `before` and end at `from` or later, and removes
   * those that are not in it. The list may have further entries.
   */
  storeEarlier(from: Date, before: Date, records: readonly WireRecord[], at: Date): void {
    const ids = new Set(records.map(({ id }) => String(id)))
    this.#database.transaction(() => {
      for (const record of records) this.store('entry', record, at)
      for (const row of this.#earlierRows(from.getTime(), before.getTime())) {
        if (!ids.has(row.id) && !isFromLaterCommand(row, at)) this.remove('entry', row.id)
      }
    })
  }

  /** Remembers that all entries that start in the range, or all that overlap it, are cached. */
  addFetchedRange(kind: 'entry' | 'overlap', range: TimeRange, at: Date): void {
    const [from, to] = boundsOf(range)
    this.#database.transaction(() => this.#fetched.add(kind, { from, to, at: at.getTime() }))
  }

  /** Begins to compare a list of entry times with the cached entries of a range; undefined if none of it was fetched. */
  beginVersionCheck(range: TimeRange): VersionCheck | undefined {
    const [from, to] = boundsOf(range)
    const isUnknown = this.#fetched.coverage('entry', from, to).at === undefined
    return isUnknown ? undefined : new VersionCheck(this.#database, range, [from, to])
  }

  /** Returns the cached entries that overlap a range: those that start in it or earlier, and end in it or later. */
  readOverlapping(range: TimeRange): CachedRecords {
    const [from, to] = boundsOf(range)
    const records = this.#rows('entry', this.#earliestStart(from), to, from).map(recordOf)
    return { records, ...this.#overlapCoverage(from, to) }
  }

  /** Returns the same in batches. */
  readOverlappingInBatches(
    range: TimeRange,
  ): Coverage & { batches: Iterable<WireRecord[]>; isEmpty: boolean } {
    const [from, to] = boundsOf(range)
    const start = this.#earliestStart(from)
    const batches = this.#batches('entry', start, to, from)
    return {
      ...this.#overlapCoverage(from, to),
      isEmpty: this.#batches('entry', start, to, from).next().done === true,
      batches: (function* () {
        for (const rows of batches) yield rows.map(recordOf)
      })(),
    }
  }

  /** Whether a cached entry starts before an instant. */
  hasEntryBefore(instant: Date): boolean {
    const found = this.#database
      .prepare("SELECT 1 FROM seen WHERE kind = 'entry' AND start_at > ? AND start_at < ? LIMIT 1")
      .get([firstInstant, instant.getTime()])
    return found !== undefined
  }

  /** Returns the duration of the longest cached entry in milliseconds; at least a week. */
  longestEntryMs(): number {
    const { longest } = this.#database
      .prepare('SELECT max(end_at - start_at) AS longest FROM seen WHERE end_at - start_at > 86400000')
      .get() as { longest: number | null }
    return Math.max(longest ?? 0, minLongestMs)
  }

  /** Returns the cached entries without an end that start at `from` or later. */
  openEntries(from: Date): WireRecord[] {
    const rows = this.#database
      .prepare("SELECT body FROM seen WHERE kind = 'entry' AND end_at IS NULL AND start_at >= ?")
      .all([from.getTime()]) as { body: string }[]
    return rows.map(({ body }) => JSON.parse(body) as WireRecord)
  }

  /** Returns the record with that id, and when the service last had it in this version. */
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

  /** Returns the field `created_at` of the record that was stored last; undefined without one. */
  latestCreation(kind: RecordKind): unknown {
    const latest = this.#database
      .prepare(
        "SELECT json_extract(body, '$.created_at') AS created FROM seen WHERE kind = ? ORDER BY row DESC LIMIT 1",
      )
      .get([kind]) as { created: unknown } | undefined
    return latest?.created
  }

  /** Returns the last row of `seen`: records that are stored later have higher ones. An update keeps the row. */
  lastRow(): number {
    const { last } = this.#database.prepare('SELECT coalesce(max(row), 0) AS last FROM seen').get() as {
      last: number
    }
    return last
  }

  /** Whether the record was cached when `lastRow()` returned `row`. */
  wasKnownAt(kind: RecordKind, id: string, row: number): boolean {
    this.#selectKnown ??= this.#database.prepare('SELECT 1 FROM seen WHERE kind = ? AND id = ? AND row <= ?')
    return this.#selectKnown.get([kind, id, row]) !== undefined
  }

  #storeStatement(): (kind: RecordKind, record: WireRecord, body: string, at: Date) => void {
    const statement = this.#database.prepare(
      `INSERT INTO seen (kind, id, start_at, end_at, updated_at, body, at) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (kind, id) DO UPDATE
         SET start_at = excluded.start_at, end_at = excluded.end_at, updated_at = excluded.updated_at,
           body = excluded.body, at = excluded.at`,
    )
    return (kind, record, body, at) => {
      const times = [startOf(kind, record), timeOf(kind, record.time_end), timeOf(kind, record.updated_at)]
      statement.run([kind, String(record.id), ...times, body, at.getTime()])
    }
  }

  /** Returns the rows that start from `from` to `to`, without those that end before `endsFrom`. */
  #rows(kind: RecordKind, from: number, to: number, endsFrom = from): SeenRow[] {
    return this.#database
      .prepare(
        `SELECT id, body, at, end_at FROM seen
         WHERE kind = ? AND start_at >= ? AND start_at < ? AND ${startsOrEndsAfter} ORDER BY start_at, row`,
      )
      .all([kind, from, to, endsFrom, endsFrom]) as SeenRow[]
  }

  /** Returns the rows of finished entries that start before `before` and end at `from` or later. */
  #earlierRows(from: number, before: number): SeenRow[] {
    const rows = this.#rows('entry', this.#earliestStart(from), before, from)
    return rows.filter(({ end_at: end }) => end !== null && end >= from)
  }

  /** Yields the same as `#rows` in batches, each read when it is needed. */
  *#batches(kind: RecordKind, from: number, to: number, endsFrom = from): Generator<OrderedRow[]> {
    const select = this.#database.prepare(
      `SELECT row, id, start_at, body, at, end_at FROM seen
       WHERE kind = ? AND (start_at, row) > (?, ?) AND start_at >= ? AND start_at < ? AND ${startsOrEndsAfter}
       ORDER BY start_at, row LIMIT ${batchRows}`,
    )
    for (let [start, row] = [from, 0]; ; ) {
      const rows = select.all([kind, start, row, start, to, endsFrom, endsFrom]) as OrderedRow[]
      const last = rows.at(-1)
      if (!last) return
      yield rows
      start = last.start_at
      row = last.row
    }
  }

  /** Returns a time at or before the start of all entries that end at `from` or later: most are shorter than a day. */
  #earliestStart(from: number): number {
    const { earliest } = this.#database
      .prepare(
        `SELECT min(start_at) AS earliest FROM (
           SELECT start_at FROM seen WHERE end_at - start_at > 86400000 AND end_at >= ?
           UNION ALL SELECT min(start_at) FROM seen WHERE kind = 'entry' AND end_at IS NULL
         )`,
      )
      .get([from]) as { earliest: number | null }
    return Math.min(from - dayMs, earliest ?? from)
  }

  /**
   * Returns how much is known of the entries that overlap a range. Lists by start suffice if they begin earlier than the
   * range by the length of the longest known entry.
   */
  #overlapCoverage(from: number, to: number): Coverage {
    const overlapping = this.#fetched.coverage('overlap', from, to)
    if (overlapping.complete) return overlapping
    const start = from === firstInstant ? from : from - this.longestEntryMs()
    const starting = this.#fetched.coverage('entry', start, to)
    return starting.at === undefined ? overlapping : starting
  }

  #rowsWithIds(kind: RecordKind, ids: string[]): SeenRow[] {
    return this.#database
      .prepare(
        'SELECT id, body, at, end_at FROM seen WHERE kind = ? AND id IN (SELECT value FROM json_each(?))',
      )
      .all([kind, JSON.stringify(ids)]) as SeenRow[]
  }
}

/** Returns the bounds as the database stores them, in epoch milliseconds. */
function boundsOf({ start, end }: TimeRange): [number, number] {
  return [start?.getTime() ?? firstInstant, end?.getTime() ?? lastInstant]
}

function recordOf({ body }: SeenRow): WireRecord {
  return JSON.parse(body) as WireRecord
}

/** Whether a later command has stored the row. `elapsedMs` is the time that this command has been running. */
function isFromLaterCommand(row: SeenRow, at: Date, elapsedMs = 0): boolean {
  const laterMs = row.at - at.getTime()
  // A row from the far future was written while the clock was wrong.
  return laterMs > 0 && laterMs < concurrencyMs + elapsedMs
}

/** Returns a time of an entry in epoch milliseconds; null without one. */
function timeOf(kind: RecordKind, value: unknown): number | null {
  const time = kind === 'entry' ? Date.parse(String(value)) : Number.NaN
  return Number.isNaN(time) ? null : time
}

function startOf(kind: RecordKind, record: WireRecord): number {
  const start = Date.parse(String(kind === 'entry' ? record.time_start : record.spent_on))
  return Number.isNaN(start) ? firstInstant : start
}
