import type { ExportedEntry, ExportFormat } from './export-format.js'

/** Entries that need the attention of the user: their number, and the first of them. */
export class Examples<Item> {
  count = 0
  readonly first: Item[] = []

  add(item: Item) {
    this.count++
    if (this.first.length < 5) this.first.push(item)
  }
}

/** What the format could not express, collected while the entries are written. */
export class ExportFindings {
  /** The number of entries written. */
  entries = 0
  readonly omittedRunning = new Examples<ExportedEntry>()
  /** Pairs of entries at the same time. */
  readonly overlaps = new Examples<[ExportedEntry, ExportedEntry]>()
  /** The number of entries whose notes are lost. */
  lostNotes = 0
  /** Entries whose duration differs from that of their local times, because the clocks change in between. */
  readonly clockChanges = new Examples<ExportedEntry>()
}

/**
 * Yields the entries that the format can express, in the order in which it does, and adds to `findings` what it cannot.
 *
 * @param batches entries in the order of their starts
 * @param now the end of running entries
 */
export async function* expressibleEntries<Row extends ExportedEntry>(
  { running, rejectsOverlaps, usesLocalTimes, lacksNotes }: ExportFormat,
  batches: AsyncIterable<readonly Row[]>,
  { findings, now }: { findings: ExportFindings; now: Date },
): AsyncGenerator<Row[]> {
  const overlaps = rejectsOverlaps === undefined ? undefined : new OverlapSearch(findings, now)
  let last: Row | undefined
  const isExpressible = (entry: Row) => {
    if (entry.end !== null || running === 'all') return true
    const omitted = running === 'none' ? entry : last
    if (omitted) findings.omittedRunning.add(omitted)
    if (running === 'last') last = entry
    return false
  }
  const check = (entry: Row) => {
    findings.entries++
    overlaps?.add(entry)
    if (lacksNotes !== undefined && entry.notes !== '') findings.lostNotes++
    if (usesLocalTimes !== undefined && hasClockChange(entry, now)) findings.clockChanges.add(entry)
  }
  for await (const batch of batches) {
    const entries = batch.filter(isExpressible)
    for (const entry of entries) check(entry)
    yield entries
  }
  if (!last) return
  check(last)
  yield [last]
}

/** Finds overlaps of entries in the order of their starts. */
class OverlapSearch {
  readonly #findings: ExportFindings
  readonly #now: Date
  #latest: { entry: ExportedEntry; endMs: number } | undefined

  constructor(findings: ExportFindings, now: Date) {
    this.#findings = findings
    this.#now = now
  }

  add(entry: ExportedEntry) {
    const startMs = entry.start.getTime()
    const endMs = Math.max(startMs, (entry.end ?? this.#now).getTime())
    const latest = this.#latest
    if (latest && startMs < latest.endMs) this.#findings.overlaps.add([latest.entry, entry])
    if (!latest || endMs > latest.endMs) this.#latest = { entry, endMs }
  }
}

function hasClockChange({ start, end }: ExportedEntry, now: Date): boolean {
  return start.getTimezoneOffset() !== (end ?? now).getTimezoneOffset()
}
