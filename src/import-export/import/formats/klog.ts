import { addDays, type Day } from '../../../lib/calendar/day.js'
import type { Interval } from '../../../lib/calendar/interval.js'
import { replaceTags, tagsIn } from '../../../lib/text/tags.js'
import { dayMs } from '../../../lib/time-units.js'
import {
  type ImportFormat,
  InvalidValueError,
  invalidRow,
  type ReadOptions,
  type SourceEntry,
  type SourceRow,
  sourceEntry,
} from '../format.js'
import { type KlogEntry, type KlogRange, parseRecord, recordHeader } from '../klog/record-syntax.js'
import { requireFormat } from '../source/sample.js'
import { lineBatches } from '../source/text-source.js'
import { Placement, placementNote, wallTime } from '../values/entry-times.js'
import { resolveTimes, type SourceTime } from '../values/local-times.js'

/** An entry whose times are known, except the start of a duration. */
interface TimedEntry {
  entry: KlogEntry
  /** undefined for a duration. */
  start: Date | undefined
  /** In seconds; null for an open range. */
  seconds: number | null
}

/** Matches a tag with a value, such as `#project="Front end"` (klog file format specification, section "Tags"). */
const nameTag = () => /#(client|project|task)=("[^"]*"|'[^']*'|[\p{L}\p{N}_-]+)/giu
const firstNameTag = () => new RegExp(String.raw`^(?:${nameTag().source})(?:\s+|$)`, 'iu')

type Names = Pick<Partial<SourceEntry>, 'client' | 'project' | 'task'>

/** The tags that contain names, in lower case. */
const nameTags = new Set(['client', 'project', 'task'])

/** Whether a tag contains a name, so that it is no tag of the entry. */
function isNameTag(tag: string): boolean {
  return nameTags.has(tag)
}

/** Returns the names in the tags `#client=…`, `#project=…` and `#task=…` of texts; the first text takes precedence. */
function namesIn(...texts: readonly string[]): Names {
  const names: Names = {}
  for (const text of texts) {
    if (!text.includes('#')) continue
    for (const [, key = '', value = ''] of text.matchAll(nameTag())) {
      names[key.toLowerCase() as keyof Names] ??= value.replace(/^(["'])(.*)\1$/s, '$2')
    }
  }
  return names
}

/** Returns the text without the tags with names at its beginning, where an export of this program writes them. */
function withoutNameTags(text: string): string {
  if (!text.startsWith('#')) return text
  let rest = text
  for (let tag = firstNameTag().exec(rest); tag; tag = firstNameTag().exec(rest))
    rest = rest.slice(tag[0].length)
  return rest
}

/** Reads the records of a file in order. */
class KlogRecordReader {
  readonly #placement: Placement
  readonly #options: ReadOptions
  #hasNotedPlacement = false

  constructor(options: ReadOptions) {
    this.#options = options
    this.#placement = new Placement(options.workStartMinutes)
  }

  /** Yields the entries of a record, which begins in the line `firstLine`. */
  *read(firstLine: number, lines: readonly string[]): Generator<SourceRow> {
    try {
      const record = parseRecord(firstLine, lines)
      for (const { line, error } of record.errors) yield invalidRow(error, line)
      if (record.entries.length === 0 && record.errors.length === 0)
        yield { kind: 'skipped', line: firstLine, reason: 'records without entries' }
      yield* this.#entries(record.day, record.summary, record.entries)
    } catch (error) {
      yield invalidRow(error, firstLine)
    }
  }

  *#entries(day: Day, recordSummary: string[], entries: readonly KlogEntry[]): Generator<SourceRow> {
    const timed: TimedEntry[] = []
    let hasOpenRange = false
    for (const entry of entries) {
      try {
        const isOpen = 'to' in entry.value && entry.value.to === null
        if (isOpen && hasOpenRange)
          throw new InvalidValueError(entry.text, 'the only open range of its record')
        hasOpenRange ||= isOpen
        timed.push(timesOf(day, entry))
      } catch (error) {
        yield invalidRow(error, entry.line, entry.column)
      }
    }
    yield* subtractBreaks(timed)
    const imported = timed
      .filter((item) => !isBreak(item.entry) && !isCovered(item))
      .map(({ entry }) => entry)
    const notes = notesOf(imported, recordSummary)
    const occupied = timed.flatMap((item) => intervalOf(item) ?? [])
    for (const item of timed) {
      const { entry, start, seconds } = item
      if (isBreak(entry)) continue
      if (isCovered(item)) {
        yield { kind: 'skipped', line: entry.line, reason: 'entries that breaks cover completely' }
        continue
      }
      if (start === undefined && !this.#hasNotedPlacement) {
        this.#hasNotedPlacement = true
        yield { kind: 'note', message: placementNote(this.#options.workStartMinutes) }
      }
      const times = start
        ? { start, end: seconds === null ? null : new Date(start.getTime() + seconds * 1000) }
        : { ...this.#placement.place(day, seconds ?? 0, occupied), placedOn: day }
      yield sourceEntry({
        line: entry.line,
        ...times,
        ...describe(entry.summary, recordSummary),
        notes: notes.get(entry) ?? '',
      })
    }
  }
}

/**
 * Returns the notes of the entries of a record. Its own summary is the notes of those without one; if all have one, the
 * first gets it in addition, so that no text is lost.
 */
function notesOf(entries: readonly KlogEntry[], recordSummary: readonly string[]): Map<KlogEntry, string> {
  const common = withoutNameTags(recordSummary.join('\n')).trim()
  const own = new Map(entries.map((entry) => [entry, withoutNameTags(entry.summary.join('\n')).trim()]))
  const isUsed = entries.some(({ summary }) => summary.length === 0)
  const [first] = entries
  // Tags belong to all entries anyway.
  const hasText = replaceTags(common, () => '').trim() !== ''
  if (first && !isUsed && hasText) own.set(first, [own.get(first), common].filter(Boolean).join('\n'))
  for (const entry of entries) if (entry.summary.length === 0) own.set(entry, common)
  return own
}

/** Returns the names and tags of an entry. Those of its record belong to it too. */
function describe(summary: readonly string[], recordSummary: readonly string[]): Partial<SourceEntry> {
  const [own, common] = [summary.join('\n'), recordSummary.join('\n')]
  const tags = new Set([...tagsIn(own), ...tagsIn(common)].filter((tag) => !isNameTag(tag)))
  return { ...namesIn(own, common), tags: [...tags] }
}

/** Whether the entry is a negative duration; `-0m` is one too. */
function isBreak({ value, text }: KlogEntry): boolean {
  return 'seconds' in value && text.startsWith('-')
}

/** Whether breaks have the length of the whole entry. */
function isCovered({ entry, seconds }: TimedEntry): boolean {
  return seconds === 0 && !isZero(entry)
}

/** Whether the entry has no length in the file already. */
function isZero({ value }: KlogEntry): boolean {
  return 'seconds' in value ? value.seconds === 0 : value.from === value.to
}

function timesOf(day: Day, entry: KlogEntry): TimedEntry {
  if ('seconds' in entry.value) return { entry, start: undefined, seconds: entry.value.seconds }
  const { from, to } = entry.value as KlogRange
  const resolved = resolveTimes(wallTimeAt(day, from), to === null ? null : wallTimeAt(day, to), undefined)
  if ('part' in resolved) throw new InvalidValueError(entry.text, `a range with ${resolved.expectation}`)
  const { start, end } = resolved
  return { entry, start, seconds: end && (end.getTime() - start.getTime()) / 1000 }
}

/** Returns the local time some minutes after the midnight of a day; negative minutes are on the day before. */
function wallTimeAt(day: Day, minutes: number): SourceTime {
  const days = Math.floor(minutes / (24 * 60))
  const rest = minutes - days * 24 * 60
  const time = { hour: Math.floor(rest / 60), minute: rest % 60, second: 0, millisecond: 0 }
  return wallTime(days === 0 ? day : addDays(day, days), time)
}

function intervalOf({ start, seconds }: TimedEntry): Interval | undefined {
  if (!start) return undefined
  return {
    start,
    end: new Date(seconds === null ? start.getTime() + dayMs : start.getTime() + seconds * 1000),
  }
}

/**
 * Shortens the entries of a record by its negative durations, so that the total remains: each one the entries before it,
 * from the nearest one, then those after it. What remains delays the start of an open range. Yields an invalid row for a
 * break that is longer than all entries.
 */
function* subtractBreaks(timed: TimedEntry[]): Generator<SourceRow> {
  for (const [index, { entry, seconds }] of timed.entries()) {
    if (!isBreak(entry)) continue
    let rest = Math.abs(seconds ?? 0)
    const others = [...timed.slice(0, index).reverse(), ...timed.slice(index + 1)]
    for (const other of others) {
      const part = Math.min(rest, Math.max(0, other.seconds ?? 0))
      if (part === 0) continue
      other.seconds = (other.seconds ?? 0) - part
      rest -= part
    }
    if (rest === 0) continue
    const open = timed.find((other) => other.start && other.seconds === null)
    if (open?.start) open.start = new Date(open.start.getTime() + rest * 1000)
    else {
      const error = new InvalidValueError(
        entry.text,
        'a break that is not longer than the other entries of its record',
      )
      yield invalidRow(error, entry.line, entry.column)
    }
  }
}

/**
 * klog (file format specification 1.4): records with a date, and indented ranges and durations. It has no projects; the tags
 * `#client=…`, `#project=…` and `#task=…` are names. The tags of a record belong to each of its entries, its
 * text to those without a summary or to the first one.
 */
export const klog: ImportFormat = {
  name: 'klog',
  detect: ({ lines }) => recordHeader.test(lines.find((line) => line.trim() !== '') ?? ''),
  async *read(source, options) {
    await requireFormat(source, klog)
    const reader = new KlogRecordReader(options)
    let record: { line: number; lines: string[] } | undefined
    for await (const { first, lines } of lineBatches(source)) {
      for (const [index, line] of lines.entries()) {
        if (line.trim() !== '') {
          record ??= { line: first + index, lines: [] }
          record.lines.push(line)
        } else if (record) {
          yield* reader.read(record.line, record.lines)
          record = undefined
        }
      }
    }
    if (record) yield* reader.read(record.line, record.lines)
  },
}
