import { errorMessage } from '../../../lib/errors.js'
import ICAL, { RecurrenceLimit } from '../../../lib/icalendar.js'
import { dayMs } from '../../../lib/time-units.js'
import {
  InvalidValueError,
  invalidRow,
  type ReadOptions,
  type SourceEntry,
  type SourceRow,
  sourceEntry,
} from '../format.js'
import type { ComponentBlock } from '../formats/ical.js'
import { additionalTimes, lastRevisions, Revisions, recurrenceIdOf } from './revisions.js'
import { instantOfTime, type OffsetOf, withQuotedZones, ZoneNames } from './zoned-times.js'

/** Upper bound for the occurrences of an event: more than a century of days. */
const maxOccurrences = 50_000

/** Upper bounds for a file. */
const maxOccurrencesInFile = 100_000
const maxZones = 1000
const maxChangesOfEvent = 2000

/** How much earlier than its regular time a changed occurrence can be: 31 days. */
const maxAdvanceMs = 31 * dayMs

const outsidePeriod = 'events outside the period'
const superseded = 'earlier versions of events'

/** Calendars of this program contain the names of the task as categories. */
const ownProducer = /^-\/\/tt\/\//

/** What identifies an occurrence of an event: its regular start in epoch milliseconds, or its date as text. */
type OccurrenceKey = number | string

/** An event that repeats. */
interface Series {
  master: ICAL.Event
  /** The parameter TZID of its start. */
  zone: string | undefined
  excluded: ReadonlySet<OccurrenceKey>
  changes: ReadonlyMap<OccurrenceKey, ICAL.Component>
  /** The occurrences so far: several rules and dates can have the same one. */
  found: Set<number>
}

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
  readonly #limit = new RecurrenceLimit()
  #occurrenceCount = 0
  /** The problems of time zones, by their lines. */
  readonly #invalidZones = new Map<number, InvalidValueError>()
  /** The blocks of changed occurrences, by the ID of their event. */
  readonly #changes = new Map<string, ComponentBlock[]>()
  readonly #revisions = new Revisions()
  readonly #options: ReadOptions
  readonly #zoneNames: ZoneNames

  /** @param offsetOf accepts IANA names and offsets */
  constructor(options: ReadOptions, offsetOf: OffsetOf) {
    this.#options = options
    this.#zoneNames = new ZoneNames(offsetOf)
  }

  /** Stores a time zone, a changed occurrence, or which version of an event it is. */
  prepare(block: ComponentBlock) {
    if (block.isCut) return
    this.#zoneNames.add(block)
    if (block.kind === 'vtimezone') this.#addZone(block)
    else if (isChange(block)) {
      const uid = uidOf(parseBlock(block))
      const changes = this.#changes.get(uid)
      // One too many shows that there are more.
      if (changes && changes.length <= maxChangesOfEvent) changes.push(block)
      else if (!changes) this.#changes.set(uid, [block])
    } else this.#revisions.add(block)
  }

  /** Loads what the events need, after the last `prepare` and before the first `read`. */
  async load(): Promise<void> {
    await this.#zoneNames.resolve((name) => this.#zones.has(name))
  }

  /** Adds a time zone, unless another calendar in the file has defined it, or its changes cannot be computed. */
  #addZone(block: ComponentBlock) {
    const zone = parseBlock(block)
    const name = String(zone?.getFirstPropertyValue('tzid') ?? '')
    if (!zone || this.#zones.has(name)) return
    this.#zones.add(name)
    try {
      if (this.#zones.size > maxZones)
        throw new InvalidValueError(name, `one of at most ${maxZones} time zones`, 'TZID')
      this.#limit.run(() => new ICAL.Timezone(zone).utcOffset(ICAL.Time.fromJSDate(this.#options.now, true)))
      this.#calendar.addSubcomponent(zone)
    } catch (error) {
      this.#invalidZones.set(block.line, toInvalidValue(error, 'a time zone that can be read'))
    }
  }

  /** Yields the occurrences of an event. Changed occurrences are part of their event. */
  *read(block: ComponentBlock): Generator<SourceRow> {
    const invalidZone = this.#invalidZones.get(block.line)
    if (invalidZone) yield invalidRow(invalidZone, block.line)
    if (block.kind !== 'vevent' || (isChange(block) && !block.isCut)) return
    if (!block.isCut && this.#revisions.isSuperseded(block)) {
      yield { kind: 'skipped', line: block.line, reason: superseded }
      return
    }
    yield* this.#checked(block, (event) => {
      const changes = this.#changes.get(uidOf(event)) ?? []
      this.#changes.delete(uidOf(event))
      return this.#withChanges(event, changes)
    })
  }

  /** Yields the changed occurrences whose events are not in the file. */
  *rest(): Generator<SourceRow> {
    for (const blocks of this.#changes.values()) {
      const changes = blocks.map((block) => ({ block }))
      const last = lastRevisions(changes, ({ block }) => recurrenceIdOf(block))
      for (const change of changes) {
        const { block } = change
        if (last.includes(change)) yield* this.#checked(block, (event) => this.#single(event))
        else yield { kind: 'skipped', line: block.line, reason: superseded }
      }
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
        const occurrences = occurrencesOf(event)[Symbol.iterator]()
        for (;;) {
          const { value: occurrence, done } = this.#limit.run(() => occurrences.next())
          if (done) break
          if (typeof occurrence === 'string') yield { kind: 'skipped', line, reason: occurrence }
          else yield entryOf(line, occurrence, ownProducer.test(producer))
        }
      } finally {
        this.#calendar.removeSubcomponent(event)
      }
    } catch (error) {
      yield invalidRow(toInvalidValue(error, 'an event that can be read'), line)
    }
  }

  /** Yields the occurrences, or the reason to skip one. */
  *#withChanges(event: ICAL.Component, blocks: readonly ComponentBlock[]): Generator<Occurrence | string> {
    if (blocks.length > maxChangesOfEvent)
      throw new InvalidValueError(
        uidOf(event),
        `an event with at most ${maxChangesOfEvent} changed occurrences`,
      )
    const all = blocks.flatMap((block) => {
      const component = parseBlock(block)
      return component ? [{ block, component }] : []
    })
    for (const { component } of all) this.#calendar.addSubcomponent(component)
    try {
      const changes = lastRevisions(all, ({ component }) => this.#changedOccurrence(component))
      for (const change of all) if (!changes.includes(change)) yield superseded
      yield* this.#occurrences(
        event,
        changes.map(({ component }) => component),
      )
    } finally {
      for (const { component } of all) this.#calendar.removeSubcomponent(component)
    }
  }

  *#occurrences(event: ICAL.Component, changes: readonly ICAL.Component[]): Generator<Occurrence | string> {
    const laterToo = changes.filter(changesLaterOccurrences)
    const master = new ICAL.Event(event, { exceptions: laterToo, strictExceptions: false })
    if (!master.isRecurring()) yield* this.#single(event)
    else {
      const single = changes.filter((change) => !changesLaterOccurrences(change))
      yield* this.#repeated(
        master,
        new Map(single.map((change) => [this.#changedOccurrence(change), change])),
      )
    }
  }

  *#single(event: ICAL.Component): Generator<Occurrence | string> {
    const recurrenceId = event.getFirstPropertyValue('recurrence-id')
    yield this.#occurrence(event, recurrenceId === null ? '' : `/${recurrenceId.toString()}`)
  }

  *#repeated(master: ICAL.Event, changes: Series['changes']): Generator<Occurrence | string> {
    const { component } = master
    const { time: first, zone } = timeProperty(component, 'dtstart')
    if (first.isDate || isCancelled(component)) {
      yield* this.#single(component)
      return
    }
    if (component.hasProperty('exrule'))
      throw new InvalidValueError(master.summary, 'an event without EXRULE, which RFC 5545 has removed')
    const series = {
      master,
      zone,
      changes,
      excluded: this.#excludedTimes(component),
      found: new Set<number>(),
    }
    const additional = additionalTimes(component, first)
    // The library reads neither periods nor times in other zones, and omits the first occurrence without a rule.
    component.removeAllProperties('rdate')
    // With several rules, the library loses occurrences where one of them ends.
    const rules = component.getAllProperties('rrule')
    for (const rule of rules.length > 0 ? rules : [undefined]) {
      component.removeAllProperties('rrule')
      if (rule) component.addProperty(rule)
      yield* this.#byRule(series)
    }
    for (const { time, zone: ownZone, end } of additional) {
      const start = this.#instant(time, ownZone ?? zone)
      const lengthMs = end && this.#lengthUntil(end, time, ownZone ?? zone)
      yield* this.#repetition(series, time, start, lengthMs)
    }
  }

  *#byRule(series: Series): Generator<Occurrence | string> {
    const { master, zone } = series
    const { until } = this.#period()
    const iterator = master.iterator()
    for (let count = 0, time = iterator.next(); time; time = iterator.next(), count++) {
      if (count === maxOccurrences)
        throw new InvalidValueError(nameOf(master), `an event that repeats at most ${maxOccurrences} times`)
      const at = this.#instant(time, zone)
      if (at.getTime() >= until.getTime() + maxAdvanceMs) return
      yield* this.#repetition(series, time, at)
    }
  }

  /** Yields the occurrence with the regular start `at`, unless it is excluded or known. */
  *#repetition(
    { master, excluded, changes, found }: Series,
    time: ICAL.Time,
    at: Date,
    lengthMs?: number,
  ): Generator<Occurrence | string> {
    const [key, date] = [at.getTime(), dateOf(time)]
    if (excluded.has(key) || excluded.has(date) || found.has(key)) return
    found.add(key)
    const id = `/${time.toString()}`
    const change = changes.get(key) ?? changes.get(date)
    const occurrence = change ? this.#occurrence(change, id) : this.#regular(master, time, id, at, lengthMs)
    // Occurrences outside the period are innumerable.
    if (occurrence === outsidePeriod) return
    if (++this.#occurrenceCount > maxOccurrencesInFile)
      throw new InvalidValueError(
        nameOf(master),
        `within the ${maxOccurrencesInFile} occurrences of repeated events that a file can have`,
      )
    yield occurrence
  }

  /** Returns an occurrence that has no change of its own; a change of an earlier one may apply to it. */
  #regular(
    master: ICAL.Event,
    time: ICAL.Time,
    id: string,
    at: Date,
    lengthMs: number | undefined,
  ): Occurrence | string {
    const { item, startDate } = master.getOccurrenceDetails(time)
    if (item.component === master.component) return this.#occurrence(item.component, id, at, lengthMs)
    const { zone } = timeProperty(item.component, 'dtstart')
    return this.#occurrence(item.component, id, this.#instant(startDate, zone))
  }

  /** Returns which occurrence of its event a component changes. */
  #changedOccurrence(change: ICAL.Component): OccurrenceKey {
    const property = change.getFirstProperty('recurrence-id')
    const time = property?.getFirstValue()
    if (!(time instanceof ICAL.Time)) return String(time)
    return time.isDate
      ? dateOf(time)
      : this.#instant(time, property?.getParameter('tzid') as string | undefined).getTime()
  }

  #period(): { since: Date; until: Date } {
    const { since, until, now } = this.#options
    return { since: since ?? new Date(-8.64e15), until: until ?? now }
  }

  #excludedTimes(event: ICAL.Component): Set<OccurrenceKey> {
    return new Set(
      event.getAllProperties('exdate').flatMap((property) => {
        const zone = property.getParameter('tzid') as string | undefined
        const times = property.getValues() as ICAL.Time[]
        return times.map((time) => (time.isDate ? dateOf(time) : this.#instant(time, zone).getTime()))
      }),
    )
  }

  /** Returns an occurrence, or the reason to skip it. `start` and `lengthMs` replace those of the component. */
  #occurrence(component: ICAL.Component, id: string, start?: Date, lengthMs?: number): Occurrence | string {
    const { time: ownStart, zone } = timeProperty(component, 'dtstart')
    if (isCancelled(component)) return 'cancelled events'
    if (ownStart.isDate) return 'events of whole days'
    const from = start ?? this.#instant(ownStart, zone)
    const length = lengthMs ?? this.#lengthMs(component, ownStart, zone)
    if (length < 0)
      throw new InvalidValueError(
        String(component.getFirstPropertyValue('dtend')),
        'a time at or after the start',
        'DTEND',
      )
    const { since, until } = this.#period()
    if (from < since || from >= until) return outsidePeriod
    return { component, start: from, end: new Date(from.getTime() + length), id }
  }

  /** Returns the exact length, which is that of every occurrence (RFC 5545 section 3.8.5.3). */
  #lengthMs(component: ICAL.Component, start: ICAL.Time, zone: string | undefined): number {
    if (component.hasProperty('dtend')) {
      const end = timeProperty(component, 'dtend')
      return this.#instant(end.time, end.zone).getTime() - this.#instant(start, zone).getTime()
    }
    const duration = component.getFirstPropertyValue('duration')
    return duration === null ? 0 : this.#lengthUntil(duration as ICAL.Duration, start, zone)
  }

  /** Returns the length from a start to an end in the same time zone, or of a duration. */
  #lengthUntil(end: ICAL.Time | ICAL.Duration, start: ICAL.Time, zone: string | undefined): number {
    const from = this.#instant(start, zone).getTime()
    if (end instanceof ICAL.Time) return this.#instant(end, zone).getTime() - from
    if (end.days === 0 && end.weeks === 0) return end.toSeconds() * 1000
    // Days and weeks are nominal: the same local time on a later day.
    const later = start.clone()
    later.addDuration(end)
    return this.#instant(later, zone).getTime() - from
  }

  #instant(time: ICAL.Time, zone: string | undefined): Date {
    return instantOfTime(time, zone, this.#zoneNames.offsetOf)
  }
}

/** Returns the error for the row; the library throws Error for invalid values. */
function toInvalidValue(error: unknown, expectation: string): InvalidValueError {
  return error instanceof InvalidValueError ? error : new InvalidValueError(errorMessage(error), expectation)
}

/** Returns the name of an event for an error. */
function nameOf({ summary, uid }: ICAL.Event): string {
  return summary || uid || 'an event without a summary'
}

function isCancelled(event: ICAL.Component): boolean {
  return String(event.getFirstPropertyValue('status') ?? '').toUpperCase() === 'CANCELLED'
}

/** Whether a changed occurrence changes all later ones too. */
function changesLaterOccurrences(change: ICAL.Component): boolean {
  return change.getFirstProperty('recurrence-id')?.getParameter('range') === 'THISANDFUTURE'
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
    return new ICAL.Component(
      ICAL.parse(withQuotedZones(withSingleCategories(text))) as [string, unknown[], unknown[]],
    )
  } catch {
    return undefined
  }
}

/** Matches a property CATEGORIES (RFC 5545 section 3.8.1.2). */
const categoriesLine = /^(CATEGORIES(?:"[^"]*"|[^":\r\n])*:)([^\r\n]*)/gim

/** Writes each category as a property, because the library does not divide values after an escaped backslash. */
function withSingleCategories(text: string): string {
  return text.replace(categoriesLine, (_, name: string, values: string) =>
    (values.match(/(?:\\.|[^\\,])+/g) ?? []).map((value) => `${name}${value}`).join('\r\n'),
  )
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
