import type { Staging } from './staging.js'

/** A new entry that overlaps one of the profile. */
export interface Overlap {
  /** The line of the new entry in the source. */
  line: number
  start: Date
  end: Date | null
  /** The ID of the entry of the profile. */
  existing: string
  existingStart: Date
  existingEnd: Date | null
}

export interface Overlaps {
  /** The number of new entries that overlap at least one of the profile. */
  count: number
  /** The first of them, each with one entry that it overlaps. */
  examples: Overlap[]
}

interface NewRow {
  line: number
  start_at: number
  end_at: number | null
}

interface ExistingRow {
  id: string
  start_at: number
  end_at: number | null
}

const maxExamples = 5

/** Finds the entries to create that overlap entries of the profile. Running entries last until `now`. */
export function findOverlaps({ database, tables }: Staging, now: Date): Overlaps {
  const result: Overlaps = { count: 0, examples: [] }
  if (database.prepare(`SELECT 1 FROM ${tables.existing} LIMIT 1`).get() === undefined) return result
  const newRows = database.prepare(
    `SELECT line, start_at, end_at FROM ${tables.entry} WHERE action = 'create' ORDER BY start_at, position`,
  )
  const existingRows = database.prepare(
    `SELECT id, start_at, end_at FROM ${tables.existing} ORDER BY start_at`,
  )
  newRows.withRows([], (created) =>
    existingRows.withRows([], (existing) =>
      addOverlaps(
        result,
        created as IterableIterator<NewRow>,
        existing as IterableIterator<ExistingRow>,
        now,
      ),
    ),
  )
  return result
}

/** Adds the overlaps of rows that are ordered by their start. */
function addOverlaps(
  result: Overlaps,
  newRows: Iterable<NewRow>,
  existingRows: Iterator<ExistingRow>,
  now: Date,
) {
  const endOf = ({ start_at, end_at }: NewRow | ExistingRow) => end_at ?? Math.max(start_at, now.getTime())
  let next = existingRows.next()
  // Of the entries that start at or before the new one, that which ends last.
  let last: ExistingRow | undefined
  for (const row of newRows) {
    while (!next.done && next.value.start_at <= row.start_at) {
      if (last === undefined || endOf(next.value) > endOf(last)) last = next.value
      next = existingRows.next()
    }
    const following = next.done ? undefined : next.value
    const overlapped =
      last !== undefined && endOf(last) > row.start_at && endOf(row) > row.start_at
        ? last
        : following !== undefined && following.start_at < endOf(row)
          ? following
          : undefined
    if (overlapped === undefined) continue
    result.count++
    if (result.examples.length < maxExamples) result.examples.push(toOverlap(row, overlapped))
  }
}

function toOverlap(row: NewRow, existing: ExistingRow): Overlap {
  const time = (ms: number | null) => (ms === null ? null : new Date(ms))
  return {
    line: row.line,
    start: new Date(row.start_at),
    end: time(row.end_at),
    existing: existing.id,
    existingStart: new Date(existing.start_at),
    existingEnd: time(existing.end_at),
  }
}
