import ICAL from 'ical.js'
import { errorMessage } from '../../lib/errors.js'
import { dayMs } from '../../lib/time-units.js'
import { type ReadOptions, type SourceEntry, type SourceRow, sourceEntry } from '../format.js'
import { InvalidValueError, invalidRow } from '../invalid-row.js'
import type { ComponentBlock } from './component-blocks.js'
import { instantOfTime, type OffsetOf } from './zoned-times.js'

/** Upper bound for the occurrences of an event: more than a century of days. */
const maxOccurrences = 50_000

/** How much earlier than its regular time a changed occurrence can be: 31 days. */
const maxAdvanceMs = 31 * dayMs

const outsidePeriod = 'events outside the period'

/** Calendars of this program contain the names of the task as categories. */
const ownProducer = /^-\/\/tt\/\//

interface Occurrence {
  component: ICAL.Component
  start: Date
  end: Date
  /** The part of the ID that distinguishes the occurrences of an event. */
  id: string
}

/** Converts events to entries. First, all blocks are given to `prepare`, because time zones and changes may follow the events. */
export class CalendarEvents {
  readonly #calendar = new ICAL.Component('vcalendar')
  readonly #zones = new Set<string>()
  /** The blocks of changed occurrences, by the ID of their event. */
  readonly #changes = new Map<string, ComponentBlock[]>()
  readonly #options: ReadOptions
  readonly #offsetOf: OffsetOf

  constructor(options: ReadOptions, offsetOf: OffsetOf) {
    this.#options = options
    this.#offsetOf = offsetOf
  }

  /** Stores a time zone or a changed occurrence. */
  prepare(block: ComponentBlock) {
    if (block.isCut) return
    if (block.kind === 'vtimezone') {
      const zone = parseBlock(block)
      const name = String(zone?.getFirstPropertyValue('tzid') ?? '')
      // Several calendars in one file define the same time zone.
      if (zone && !this.#zones.has(name)) this.#calendar.addSubcomponent(zone)
      this.#zones.add(name)
    } else if (isChange(block)) {
      const uid = uidOf(parseBlock(block))
      this.#changes.set(uid, [...(this.#changes.get(uid) ?? []), block])
    }
  }

  /** Yields the occurrences of an event. Changed occurrences are part of their event. */
  *read(block: ComponentBlock): Generator<SourceRow> {
    if (block.kind !== 'vevent' || (isChange(block) && !block.isCut)) return
    yield* this.#checked(block, (event) => {
      const changes = this.#changes.get(uidOf(event)) ?? []
      this.#changes.delete(uidOf(event))
      return this.#withChanges(event, changes)
    })
  }

  /** Yields the changed occurrences whose events are not in the file. */
  *rest(): Generator<SourceRow> {
    for (const block of [...this.#changes.values()].flat()) {
      yield* this.#checked(block, (event) => this.#single(event))
    }
  }

  *#checked(
    block: ComponentBlock,
    occurrencesOf: (event: ICAL.Component) => Iterable<Occurrence | string>,
  ): Generator<SourceRow> {
    const { line, producer } = block
    try {
      const event = block.isCut ? undefined : parseBlock(block)
      if (!event) throw new InvalidValueError(firstLine(block), 'a complete event of a calendar')
      this.#calendar.addSubcomponent(event)
      try {
        for (const occurrence of occurrencesOf(event)) {
          if (typeof occurrence === 'string') yield { kind: 'skipped', line, reason: occurrence }
          else yield entryOf(line, occurrence, ownProducer.test(producer))
        }
      } finally {
        this.#calendar.removeSubcomponent(event)
      }
    } catch (error) {
      if (error instanceof InvalidValueError) yield invalidRow(error, line)
      // The library throws Error for invalid values.
      else yield invalidRow(new InvalidValueError(errorMessage(error), 'an event that can be read'), line)
    }
  }

  /** Yields the occurrences, or the reason to skip one. */
  *#withChanges(event: ICAL.Component, blocks: readonly ComponentBlock[]): Generator<Occurrence | string> {
    const changes = blocks.flatMap((block) => parseBlock(block) ?? [])
    for (const change of changes) this.#calendar.addSubcomponent(change)
    try {
      const master = new ICAL.Event(event, { exceptions: changes, strictExceptions: false })
      if (master.isRecurring()) yield* this.#repeated(master)
      else yield* this.#single(event)
    } finally {
      for (const change of changes) this.#calendar.removeSubcomponent(change)
    }
  }

  *#single(event: ICAL.Component): Generator<Occurrence | string> {
    const start = timeProperty(event, 'dtstart')
    const recurrenceId = event.getFirstPropertyValue('recurrence-id')
    yield this.#occurrence(event, start.time, recurrenceId === null ? '' : `/${recurrenceId.toString()}`)
  }

  *#repeated(master: ICAL.Event): Generator<Occurrence | string> {
    const { until } = this.#period()
    const { time: first, zone } = timeProperty(master.component, 'dtstart')
    if (first.isDate || isCancelled(master.component)) {
      yield* this.#single(master.component)
      return
    }
    const excluded = this.#excludedTimes(master.component)
    const iterator = master.iterator()
    for (let count = 0, time = iterator.next(); time; time = iterator.next(), count++) {
      if (count === maxOccurrences)
        throw new InvalidValueError(master.summary, `an event that repeats at most ${maxOccurrences} times`)
      const at = this.#instant(time, zone)
      if (at.getTime() >= until.getTime() + maxAdvanceMs) return
      if (excluded.has(at.getTime()) || excluded.has(dateOf(time))) continue
      const { item, startDate } = master.getOccurrenceDetails(time)
      const occurrence = this.#occurrence(item.component, startDate, `/${time.toString()}`)
      // Occurrences outside the period are innumerable.
      if (occurrence !== outsidePeriod) yield occurrence
    }
  }

  #period(): { since: Date; until: Date } {
    const { since, until, now } = this.#options
    return { since: since ?? new Date(-8.64e15), until: until ?? now }
  }

  #excludedTimes(event: ICAL.Component): Set<number | string> {
    return new Set(
      event.getAllProperties('exdate').flatMap((property) => {
        const zone = property.getParameter('tzid') as string | undefined
        const times = property.getValues() as ICAL.Time[]
        return times.map((time) => (time.isDate ? dateOf(time) : this.#instant(time, zone).getTime()))
      }),
    )
  }

  /** Returns an occurrence, or the reason to skip it. `start` replaces the start of the component. */
  #occurrence(component: ICAL.Component, start: ICAL.Time, id: string): Occurrence | string {
    const { time: ownStart, zone } = timeProperty(component, 'dtstart')
    if (isCancelled(component)) return 'cancelled events'
    if (ownStart.isDate) return 'events of whole days'
    const from = this.#instant(start, zone)
    const lengthMs = this.#lengthMs(component, ownStart, zone)
    if (lengthMs < 0)
      throw new InvalidValueError(
        String(component.getFirstPropertyValue('dtend')),
        'a time at or after the start',
        'DTEND',
      )
    const { since, until } = this.#period()
    if (from < since || from >= until) return outsidePeriod
    return { component, start: from, end: new Date(from.getTime() + lengthMs), id }
  }

  /** Returns the exact length, which is that of every occurrence (RFC 5545 section 3.8.5.3). */
  #lengthMs(component: ICAL.Component, start: ICAL.Time, zone: string | undefined): number {
    const from = this.#instant(start, zone).getTime()
    if (component.hasProperty('dtend')) {
      const end = timeProperty(component, 'dtend')
      return this.#instant(end.time, end.zone).getTime() - from
    }
    const duration = component.getFirstPropertyValue('duration')
    if (duration === null) return 0
    const { days, weeks } = duration as ICAL.Duration
    if (days === 0 && weeks === 0) return (duration as ICAL.Duration).toSeconds() * 1000
    // Days and weeks are nominal: the same local time on a later day.
    const end = start.clone()
    end.addDuration(duration as ICAL.Duration)
    return this.#instant(end, zone).getTime() - from
  }

  #instant(time: ICAL.Time, zone: string | undefined): Date {
    return instantOfTime(time, zone, this.#offsetOf)
  }
}

function isCancelled(event: ICAL.Component): boolean {
  return String(event.getFirstPropertyValue('status') ?? '').toUpperCase() === 'CANCELLED'
}

function isChange({ text }: ComponentBlock): boolean {
  return /^RECURRENCE-ID[;:]/im.test(text)
}

function firstLine({ text }: ComponentBlock): string {
  return text.split('\r\n', 1)[0] ?? ''
}

/** Returns the component; undefined if its text is not iCalendar. */
function parseBlock({ text }: ComponentBlock): ICAL.Component | undefined {
  try {
    return new ICAL.Component(ICAL.parse(withSingleCategories(text)) as [string, unknown[], unknown[]])
  } catch {
    return undefined
  }
}

/** Matches a property CATEGORIES (RFC 5545 section 3.8.1.2), which may be folded. */
const categoriesLine = /^(CATEGORIES(?:"[^"]*"|[^":\r\n])*:)([^\r\n]*(?:\r\n[ \t][^\r\n]*)*)/gim

/** Writes each category as a property, because the library does not divide values after an escaped backslash. */
function withSingleCategories(text: string): string {
  return text.replace(categoriesLine, (_, name: string, values: string) => {
    const unfolded = values.replace(/\r\n[ \t]/g, '')
    return (unfolded.match(/(?:\\.|[^\\,])+/g) ?? []).map((value) => `${name}${value}`).join('\r\n')
  })
}

function uidOf(event: ICAL.Component | undefined): string {
  return String(event?.getFirstPropertyValue('uid') ?? '')
}

/** Returns the date of a time as text, which differs from all numbers. */
function dateOf(time: ICAL.Time): string {
  return `${time.year}-${time.month}-${time.day}`
}

function timeProperty(
  event: ICAL.Component,
  name: 'dtstart' | 'dtend',
): { time: ICAL.Time; zone: string | undefined } {
  const property = event.getFirstProperty(name)
  const time = property?.getFirstValue()
  if (!property || !(time instanceof ICAL.Time)) throw new InvalidValueError('', 'a time', name.toUpperCase())
  return { time, zone: property.getParameter('tzid') as string | undefined }
}

function entryOf(
  line: number,
  { component, start, end, id }: Occurrence,
  isOwn: boolean,
): SourceEntry | SourceRow {
  if (!isOwn && start.getTime() === end.getTime())
    return { kind: 'skipped', line, reason: 'events without a duration' }
  const text = (name: string) => String(component.getFirstPropertyValue(name) ?? '')
  const categories = component
    .getAllProperties('categories')
    .flatMap((property) => property.getValues().map(String))
  const uid = uidOf(component)
  const given = { line, start, end, sourceId: uid === '' ? null : `${uid}${id}` }
  if (!isOwn) return sourceEntry({ ...given, notes: text('summary'), tags: categories })
  const [task, project, client] = categories.toReversed()
  const isRunning = text('status').toUpperCase() === 'TENTATIVE'
  return sourceEntry({
    ...given,
    end: isRunning ? null : end,
    notes: text('description'),
    client: client ?? null,
    project: project ?? task ?? null,
    task: project === undefined ? null : (task ?? null),
  })
}
