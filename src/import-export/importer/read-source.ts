import { dayOf, timeOnDay } from '../../lib/calendar/day.js'
import type { ImportFormat, InvalidRow, ReadOptions, SourceEntry, SourceRow } from '../import/format.js'
import type { TextSource } from '../import/source/text-source.js'
import type { Staging } from './staging.js'

/** Which entries of the source are imported; all without a filter. */
export interface SourceFilter {
  /** The user whose entries are imported, as in the source. */
  person?: string | undefined
  /** The entries that start from `since` up to, but not including, `until`. */
  since?: Date | undefined
  until?: Date | undefined
  /** What happens with entries without an end; by default, the last one of today becomes the running timer. */
  openEnd?: OpenEnd | undefined
}

/** The result of reading a source. */
export interface Reading {
  /** The number of staged entries. */
  entries: number
  /** The first invalid rows, at most 1,000. */
  invalid: InvalidRow[]
  invalidCount: number
  /** The rows that are not imported, by their kind in the plural. */
  skipped: { reason: string; count: number }[]
  /** How the source is interpreted, one sentence each. */
  notes: string[]
  /** The users whose entries the source has, whether or not they are imported; most entries first. */
  people: { name: string; entries: number }[]
  /** Whether entries have amounts of money, which are not imported. */
  hasAmounts: boolean
}

/** Upper bound for the invalid rows that are kept. */
const maxInvalid = 1000
/** The number of entries that are staged at once. */
const batchSize = 1000

/**
 * Stages the entries of a source. Throws TtError `usage` if the source as a whole cannot be read, and
 * AmbiguousDateOrderError.
 *
 * @param onProgress receives the number of entries read so far, from time to time
 */
export async function readSource(
  source: TextSource,
  format: ImportFormat,
  options: ReadOptions,
  staging: Staging,
  filter: SourceFilter = {},
  onProgress: (entries: number) => void = () => {},
): Promise<Reading> {
  const rows = new RowSorter(filter, options.now)
  for await (const row of format.read(source, options)) {
    rows.add(row)
    if (rows.entries.length < batchSize) continue
    staging.add(rows.entries)
    rows.entries = []
    onProgress(staging.count)
  }
  staging.add(rows.rest())
  const { repeatedEntries, repeatedIds } = staging.completeIds()
  if (repeatedEntries > 0) rows.countSkipped('repeated entries', repeatedEntries)
  for (const { externalId, line, firstLine } of repeatedIds) {
    const expectation = `an ID that only one entry has: that of line ${firstLine} is another one`
    rows.addInvalid({ kind: 'invalid', line, column: 1, field: 'ID', value: externalId, expectation })
  }
  return { ...rows.reading(), entries: staging.count }
}

/**
 * What happens with entries without an end: `skip` imports none; otherwise they end at a time of their day, in minutes after
 * midnight, or after a duration, but not after now.
 */
export type OpenEnd = 'skip' | { untilMinutes: number } | { seconds: number }

/** Why entries without an end are not imported, in the plural. */
export const openReasons = {
  chosen: 'entries without an end',
  /** Their end is unknown. */
  earlier: 'entries without an end that are not of today',
  /** There is only one running timer. */
  further: 'further entries without an end',
  late: 'entries without an end that begin after the chosen one',
} as const

/**
 * Decides which entries without an end are imported. Without a decision of the user, the last one of today becomes the
 * running timer.
 */
class OpenEntries {
  readonly #openEnd: OpenEnd | undefined
  readonly #now: Date
  #timer: SourceEntry | undefined

  constructor(openEnd: OpenEnd | undefined, now: Date) {
    this.#openEnd = openEnd
    this.#now = now
  }

  /** The entry that becomes the running timer, after all entries were decided. */
  get timer(): SourceEntry | undefined {
    return this.#timer
  }

  /** Returns the entry with its end, or why an entry is not imported; undefined for the running timer. */
  decide(entry: SourceEntry): SourceEntry | string | undefined {
    if (this.#openEnd === undefined) return this.#asTimer(entry)
    if (this.#openEnd === 'skip') return openReasons.chosen
    const end = endOf(entry.start, this.#openEnd)
    if (end <= entry.start) return openReasons.late
    return { ...entry, end: end > this.#now ? this.#now : end }
  }

  #asTimer(entry: SourceEntry): string | undefined {
    if (dayOf(entry.start) !== dayOf(this.#now) || entry.start > this.#now) return openReasons.earlier
    const earlier = this.#timer
    if (!earlier || entry.start >= earlier.start) this.#timer = entry
    return earlier ? openReasons.further : undefined
  }
}

function endOf(start: Date, openEnd: Exclude<OpenEnd, 'skip'>): Date {
  if ('seconds' in openEnd) return new Date(start.getTime() + openEnd.seconds * 1000)
  return timeOnDay(dayOf(start), openEnd.untilMinutes)
}

/** Sorts the rows of a source by their kinds. */
class RowSorter {
  entries: SourceEntry[] = []
  readonly #filter: SourceFilter
  readonly #invalid: InvalidRow[] = []
  #invalidCount = 0
  readonly #skipped = new Map<string, number>()
  readonly #notes = new Set<string>()
  readonly #people = new Map<string, number>()
  readonly #open: OpenEntries
  #hasAmounts = false

  constructor(filter: SourceFilter, now: Date) {
    this.#filter = filter
    this.#open = new OpenEntries(filter.openEnd, now)
  }

  add(row: SourceRow) {
    if (row.kind === 'entry') this.#addEntry(row)
    else if (row.kind === 'invalid') this.addInvalid(row)
    else if (row.kind === 'skipped') this.countSkipped(row.reason)
    else this.#notes.add(row.message)
  }

  /** Returns the last entries; call it after the last row. */
  rest(): SourceEntry[] {
    const { timer } = this.#open
    return timer ? [...this.entries, timer] : this.entries
  }

  addInvalid(row: InvalidRow) {
    this.#invalidCount++
    if (this.#invalid.length < maxInvalid) this.#invalid.push(row)
  }

  countSkipped(reason: string, count = 1) {
    this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + count)
  }

  reading(): Omit<Reading, 'entries'> {
    return {
      invalid: this.#invalid.toSorted((a, b) => a.line - b.line),
      invalidCount: this.#invalidCount,
      skipped: [...this.#skipped].map(([reason, count]) => ({ reason, count })),
      notes: [...this.#notes],
      people: [...this.#people]
        .map(([name, entries]) => ({ name, entries }))
        .sort((a, b) => b.entries - a.entries),
      hasAmounts: this.#hasAmounts,
    }
  }

  #addEntry(entry: SourceEntry) {
    const { person, since, until } = this.#filter
    if (entry.person !== null) this.#people.set(entry.person, (this.#people.get(entry.person) ?? 0) + 1)
    if (person !== undefined && entry.person !== person) this.countSkipped('entries of other users')
    else if ((since && entry.start < since) || (until && entry.start >= until))
      this.countSkipped('entries outside the period')
    else {
      this.#hasAmounts ||= entry.amount !== null
      const decided = entry.end === null ? this.#open.decide(entry) : entry
      if (typeof decided === 'string') this.countSkipped(decided)
      else if (decided) this.entries.push(decided)
    }
  }
}
