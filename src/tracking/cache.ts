import type { Id, WireRecord } from '../api/types.js'
import type { Sqlite } from '../sqlite.js'
import type { Kind } from './change.js'
import type { Bounds } from './entries.js'

/** What the cache knows of a period. */
export interface KnownPeriod {
  /** By where they lie in time. */
  records: WireRecord[]
  /** From when the oldest part is that is needed; undefined where nothing of the period was ever asked for. */
  at: Date | undefined
  /** The whole period was asked for at some time. */
  complete: boolean
}

/** Where a period without a bound ends: in the year 144568, and near enough for sums of milliseconds to be exact. */
const lastInstant = 4.5e15
const firstInstant = -lastInstant

/** What another command has seen within this time after one was typed, that one does not take back; milliseconds. */
const meanwhileMs = 60_000

const dayMs = 86_400_000

interface SeenRow {
  id: string
  body: string
  at: number
}

interface Window {
  from: number
  to: number
  at: number
}

/**
 * Records as the service answered them last, and which periods it was asked for whole (the tables `seen` and `asked`
 * of the client state). An entry lies where it starts, an expense at midnight UTC of the day it was spent on; what
 * has no day lies before everything.
 */
export class Cache {
  readonly #database: Sqlite

  constructor(database: Sqlite) {
    this.#database = database
  }

  /** Keeps a record as the service answered it. */
  keep(kind: Kind, record: WireRecord, at: Date): void {
    this.#keeping()(kind, record, JSON.stringify(record), at)
  }

  forget(kind: Kind, id: Id | string): void {
    this.#database.prepare('DELETE FROM seen WHERE kind = ? AND id = ?').run([kind, String(id)])
  }

  /**
   * Keeps the whole answer for a period, in a transaction of its own: what lies within it and did not come is
   * forgotten. The answer may hold more than the period. `at` is when it was asked for.
   */
  keepPeriod(kind: Kind, bounds: Bounds, records: WireRecord[], at: Date): void {
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
      for (const row of known.values()) if (!seenMeanwhile(row, at)) this.forget(kind, row.id)
      this.#noteAsked(kind, { from, to, at: at.getTime() })
    })
  }

  /** What is known of a period. */
  within(kind: Kind, bounds: Bounds): KnownPeriod {
    const [from, to] = limits(bounds)
    const windows = this.#windows(kind, from, to)
    return {
      records: this.#rows(kind, from, to).map(({ body }) => JSON.parse(body) as WireRecord),
      ...covering(windows, from, to),
    }
  }

  /** The record with that id, and when it was last known to be so. */
  get(kind: Kind, id: string): { record: WireRecord; at: Date } | undefined {
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
  knownAt(kind: Kind, id: string, row: number): boolean {
    return (
      this.#database
        .prepare('SELECT 1 FROM seen WHERE kind = ? AND id = ? AND row <= ?')
        .get([kind, id, row]) !== undefined
    )
  }

  #keeping(): (kind: Kind, record: WireRecord, body: string, at: Date) => void {
    const statement = this.#database.prepare(
      `INSERT INTO seen (kind, id, start_at, body, at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (kind, id) DO UPDATE SET start_at = excluded.start_at, body = excluded.body, at = excluded.at`,
    )
    return (kind, record, body, at) =>
      void statement.run([kind, String(record.id), startOf(kind, record), body, at.getTime()])
  }

  #rows(kind: Kind, from: number, to: number): SeenRow[] {
    return this.#database
      .prepare(
        'SELECT id, body, at FROM seen WHERE kind = ? AND start_at >= ? AND start_at < ? ORDER BY start_at, row',
      )
      .all([kind, from, to]) as SeenRow[]
  }

  /** The periods asked for that overlap this one; they do not overlap each other. */
  #windows(kind: Kind, from: number, to: number): Window[] {
    return this.#database
      .prepare(
        `SELECT from_at AS "from", to_at AS "to", at FROM asked
         WHERE kind = ? AND from_at < ? AND to_at > ?`,
      )
      .all([kind, to, from]) as Window[]
  }

  /** Notes a period. Of those asked for earlier, what sticks out stays. */
  #noteAsked(kind: Kind, window: Window) {
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
  #noteRest(kind: Kind, rest: Window) {
    const { changes } = this.#database
      .prepare('UPDATE asked SET to_at = ?, at = min(at, ?) WHERE kind = ? AND to_at = ? AND from_at >= ?')
      .run([rest.to, rest.at, kind, rest.from, rest.to - dayMs])
    if (Number(changes) === 0) this.#addWindow(kind, rest)
  }

  #addWindow(kind: Kind, { from, to, at }: Window) {
    this.#database
      .prepare('INSERT INTO asked (kind, from_at, to_at, at) VALUES (?, ?, ?, ?)')
      .run([kind, from, to, at])
  }
}

function limits({ from, to }: Bounds): [number, number] {
  return [from?.getTime() ?? firstInstant, to?.getTime() ?? lastInstant]
}

/** Another command was typed later than this one and has learned of it already. */
function seenMeanwhile(row: SeenRow, at: Date): boolean {
  const laterMs = row.at - at.getTime()
  // A row from the far future was written under a wrong clock.
  return laterMs > 0 && laterMs < meanwhileMs
}

function startOf(kind: Kind, record: WireRecord): number {
  const start = Date.parse(String(kind === 'entry' ? record.time_start : record.spent_on))
  return Number.isNaN(start) ? firstInstant : start
}

/** How old the oldest part of a period is, and whether all of it was asked for. */
function covering(windows: readonly Window[], from: number, to: number): Omit<KnownPeriod, 'records'> {
  const covered = windows.reduce(
    (sum, window) => sum + Math.min(window.to, to) - Math.max(window.from, from),
    0,
  )
  const oldest = Math.min(...windows.map(({ at }) => at))
  return { at: windows.length > 0 ? new Date(oldest) : undefined, complete: covered === to - from }
}
