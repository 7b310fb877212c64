import { addDays, type Day } from '../../../lib/calendar/day.js'
import {
  InvalidValueError,
  invalidRow,
  type ReadOptions,
  type SourceEntry,
  type SourceRow,
  sourceEntry,
} from '../format.js'
import type { TextSource } from '../source/text-source.js'
import { type DateOrder, dateExpectation, dependsOnOrder, parseDate } from '../values/dates.js'
import {
  type DurationUnit,
  dateTimeExpectation,
  durationExpectation,
  durationUnitOf,
  Placement,
  parseDateTime,
  parseDecimal,
  parseDuration,
  parseTimeOfDay,
  placementNote,
  type TimeOfDay,
  timeOfDayExpectation,
  wallTime,
} from '../values/entry-times.js'
import { resolveTimes, type SourceTime } from '../values/local-times.js'
import type { CsvField } from './csv-fields.js'
import { type CsvLayout, dateOf, decideDateOrder } from './csv-layout.js'
import { type CsvRow, csvRows, withoutFormulaGuard } from './csv-rows.js'

/** What a service does differently from other CSV files. */
export interface CsvRules {
  /** Text that stands for an empty field. */
  emptyMark?: string
  /** Returns the user whose entry it is, if no single column contains it. */
  person?(fields: readonly string[]): string
  /** Returns the kind of a row that is not an entry, in the plural; undefined for an entry. */
  skipReason?(fields: readonly string[]): string | undefined
}

/** Reads the entries of a CSV file. Throws AmbiguousDateOrderError, and TtError `usage` for what is not CSV. */
export async function* readCsvEntries(
  source: TextSource,
  layout: CsvLayout,
  options: ReadOptions,
  rules: CsvRules = {},
): AsyncGenerator<SourceRow> {
  const reader = new RowReader(layout, options, rules)
  let isHeader = true
  for await (const row of csvRows(source)) {
    if (isHeader) {
      isHeader = false
      continue
    }
    if (reader.order === undefined && reader.needsOrder(row)) {
      reader.order = await decideDateOrder(source, layout)
      yield { kind: 'note', message: orderNote(reader.order) }
    }
    const read = reader.read(row)
    if (read.kind === 'entry' && read.placedOn !== null && !reader.hasNotedPlacement) {
      reader.hasNotedPlacement = true
      yield { kind: 'note', message: placementNote(options.workStartMinutes) }
    }
    yield read
  }
}

function orderNote(order: DateOrder): string {
  return `The dates begin with the ${order === 'day-month' ? 'day' : 'month'}.`
}

class RowReader {
  order: DateOrder | undefined
  hasNotedPlacement = false
  readonly #layout: CsvLayout
  readonly #rules: CsvRules
  readonly #placement: Placement
  readonly #durationUnit: DurationUnit | undefined
  readonly #currency: string | null
  #fields: readonly string[] = []

  constructor(layout: CsvLayout, options: ReadOptions, rules: CsvRules) {
    this.#layout = layout
    this.#rules = rules
    this.order = options.dateOrder
    this.#placement = new Placement(options.workStartMinutes)
    this.#durationUnit = durationUnitOf(this.#name('duration'))
    this.#currency = /\((.+)\)$/.exec(this.#name('amount'))?.[1] ?? null
  }

  /** Whether a date of the row depends on the order of day and month. */
  needsOrder({ fields }: CsvRow): boolean {
    this.#fields = fields
    const dates = [this.#text('date'), dateOf(this.#text('start'))]
    return dates.some(dependsOnOrder)
  }

  read({ line, fields }: CsvRow): SourceRow {
    this.#fields = fields
    try {
      const { header } = this.#layout
      const extra = fields.slice(header.length).findIndex((text) => text.trim() !== '')
      if (extra >= 0) {
        const column = header.length + extra
        throw new InvalidValueError(fields[column] ?? '', `one of ${header.length} fields`, null, column + 1)
      }
      const reason = this.#rules.skipReason?.(fields)
      return reason === undefined ? this.#entry(line) : { kind: 'skipped', line, reason }
    } catch (error) {
      return invalidRow(error, line)
    }
  }

  #entry(line: number): SourceEntry {
    const amount = parseDecimal(this.#text('amount'), true)
    return sourceEntry({
      line,
      ...this.#times(),
      client: this.#text('client'),
      project: this.#text('project'),
      task: this.#text('task'),
      notes: this.#text('notes'),
      tags: splitTags(this.#text('tags')),
      billable: readBoolean(this.#text('billable')),
      amount: amount === undefined ? null : { value: amount, currency: this.#currency },
      sourceId: this.#text('id'),
      person: this.#person(),
    })
  }

  #person(): string {
    return this.#rules.person?.(this.#fields) ?? this.#text('person')
  }

  #times(): Pick<SourceEntry, 'start' | 'end' | 'placedOn'> {
    const seconds = this.#duration()
    if (!this.#has('start') && !this.#has('start_time')) {
      const day = this.#date('date')
      if (seconds === undefined) throw this.#invalid('duration', durationExpectation)
      return { ...this.#placement.place(day, seconds, [], this.#person()), placedOn: day }
    }
    const end = this.#end()
    // A duration in minutes or decimal hours is less exact than the times.
    const isExact = /:\d\d:\d\d/.test(this.#text('duration'))
    const resolved = resolveTimes(this.#start(), end, end && !isExact ? undefined : seconds)
    if (!('part' in resolved)) return { ...resolved, placedOn: null }
    throw this.#invalid(this.#fieldOf(resolved.part), resolved.expectation)
  }

  /** Returns the field that contains the duration, or the time of day of a start or end. */
  #fieldOf(part: 'start' | 'end' | 'duration'): CsvField {
    if (part === 'duration') return part
    return this.#has(`${part}_time`) ? `${part}_time` : part
  }

  #start(): SourceTime {
    if (this.#has('start_time')) return wallTime(this.#date('date'), this.#timeOfDay('start_time'))
    return this.#moment('start', this.#has('date') ? this.#date('date') : undefined)
  }

  /** Returns the end; null if it is empty, undefined without such a column. */
  #end(): SourceTime | null | undefined {
    const field = this.#fieldOf('end')
    if (!this.#has(field)) return undefined
    if (this.#text(field) === '') return null
    if (field === 'end') {
      const day = this.#has('date') ? this.#date('date') : undefined
      const end = this.#moment('end', day)
      return day !== undefined && parseTimeOfDay(this.#text('end')) ? this.#sameOrNextDay(day, end) : end
    }
    if (this.#text('end_date') !== '') return wallTime(this.#date('end_date'), this.#timeOfDay('end_time'))
    const day = this.#date('date')
    return this.#sameOrNextDay(day, wallTime(day, this.#timeOfDay('end_time')))
  }

  /** Returns the end on the day of the start, or on the next one if it would be before the start. */
  #sameOrNextDay(day: Day, end: SourceTime): SourceTime {
    const start = this.#start()
    if (start instanceof Date || end instanceof Date) return end
    const seconds = ({ hour, minute, second }: TimeOfDay) => hour * 3600 + minute * 60 + second
    if (seconds(end) >= seconds(start)) return end
    const { hour, minute, second, millisecond } = end
    return wallTime(addDays(day, 1), { hour, minute, second, millisecond })
  }

  #moment(field: 'start' | 'end', day: Day | undefined): SourceTime {
    const text = this.#text(field)
    const time = day === undefined ? undefined : parseTimeOfDay(text)
    const moment = day !== undefined && time ? wallTime(day, time) : parseDateTime(text, this.order)
    if (moment) return moment
    throw this.#invalid(field, day === undefined ? dateTimeExpectation : timeOfDayExpectation)
  }

  #date(field: 'date' | 'end_date'): Day {
    const day = parseDate(this.#text(field), this.order)
    if (day !== undefined) return day
    throw this.#invalid(field, dateExpectation)
  }

  #timeOfDay(field: 'start_time' | 'end_time'): TimeOfDay {
    const time = parseTimeOfDay(this.#text(field))
    if (time) return time
    throw this.#invalid(field, timeOfDayExpectation)
  }

  /** Returns the duration in seconds; undefined if it is empty. */
  #duration(): number | undefined {
    const text = this.#text('duration')
    if (text === '') return undefined
    const seconds = parseDuration(text, this.#durationUnit)
    if (seconds === undefined) throw this.#invalid('duration', durationExpectation)
    return seconds
  }

  #invalid(field: CsvField, expectation: string): InvalidValueError {
    const column = this.#layout.index[field]
    return new InvalidValueError(
      this.#text(field),
      expectation,
      column === undefined ? field : this.#name(field),
      column === undefined ? 1 : column + 1,
    )
  }

  #has(field: CsvField): boolean {
    return this.#layout.index[field] !== undefined
  }

  #name(field: CsvField): string {
    return this.#layout.header[this.#layout.index[field] ?? -1] ?? ''
  }

  #text(field: CsvField): string {
    const column = this.#layout.index[field]
    const text = column === undefined ? '' : (this.#fields[column]?.trim() ?? '')
    if (text === '' || text === this.#rules.emptyMark) return ''
    return text.startsWith("'") ? withoutFormulaGuard(text).trim() : text
  }
}

function splitTags(text: string): string[] {
  return text === '' ? [] : text.split(/\s*,\s*/).filter((tag) => tag !== '')
}

function readBoolean(text: string): boolean | null {
  if (/^(yes|true|1|billable|ja)$/i.test(text)) return true
  return /^(no|false|0|non-billable|nein)$/i.test(text) ? false : null
}
