import ICAL from 'ical.js'
import type { ComponentBlock } from '../formats/ical.js'

/** Which version of an event a block is (RFC 5546 section 2.1.5): that with the higher number, then with the later time. */
interface Revision {
  sequence: number
  stamp: string
}

/** Finds, of several versions of an event in a calendar, the last one. */
export class Revisions {
  /** The last versions by the IDs of events. */
  readonly #last = new Map<string, Revision>()

  /** Stores the version of an event. */
  add(block: ComponentBlock) {
    const id = property(block, 'UID')
    if (id === '') return
    const revision = revisionOf(block)
    const known = this.#last.get(id)
    if (!known || isLater(revision, known)) this.#last.set(id, revision)
  }

  /** Whether the calendar has a later version of the event. */
  isSuperseded(block: ComponentBlock): boolean {
    const last = this.#last.get(property(block, 'UID'))
    return last !== undefined && isLater(last, revisionOf(block))
  }
}

/** Returns the last version of each changed occurrence. `keyOf` returns what is equal for those of one occurrence. */
export function lastRevisions<Item extends { block: ComponentBlock }>(
  items: readonly Item[],
  keyOf: (item: Item) => unknown,
): Item[] {
  const last = new Map<unknown, Item>()
  for (const item of items) {
    const key = keyOf(item)
    const known = last.get(key)
    if (!known || !isLater(revisionOf(known.block), revisionOf(item.block))) last.set(key, item)
  }
  return [...last.values()]
}

/** Returns which occurrence of its event a block changes, as written. */
export function recurrenceIdOf(block: ComponentBlock): string {
  return property(block, 'RECURRENCE-ID')
}

function revisionOf(block: ComponentBlock): Revision {
  return { sequence: Number(property(block, 'SEQUENCE')) || 0, stamp: property(block, 'DTSTAMP') }
}

function isLater(a: Revision, b: Revision): boolean {
  return a.sequence === b.sequence ? a.stamp > b.stamp : a.sequence > b.sequence
}

/** Returns the value of a property of the event itself as written; empty without one. Its alarms have IDs too. */
function property({ text }: ComponentBlock, name: string): string {
  const own = text.replaceAll(/^BEGIN:VALARM[\s\S]*?^END:VALARM\s*$/gim, '')
  return new RegExp(`^${name}(?:;[^\r\n:]*)?:(.*)$`, 'im').exec(own)?.[1]?.trim() ?? ''
}

/** A time of RDATE (RFC 5545 section 3.8.5.2). */
interface AdditionalTime {
  time: ICAL.Time
  /** The parameter TZID. */
  zone: string | undefined
  /** The end or the duration of a period; undefined for a time, which has the length of the event. */
  end: ICAL.Time | ICAL.Duration | undefined
}

/** Returns the times of RDATE. A date means the time of day of `start`, which is the start of the event. */
export function additionalTimes(event: ICAL.Component, start: ICAL.Time): AdditionalTime[] {
  return event.getAllProperties('rdate').flatMap((property) => {
    const zone = property.getParameter('tzid') as string | undefined
    return (property.getValues() as (ICAL.Time | ICAL.Period)[]).map((value): AdditionalTime => {
      if (value instanceof ICAL.Period) return { time: value.start, zone, end: value.end ?? value.duration }
      if (!value.isDate) return { time: value, zone, end: undefined }
      const time = start.clone()
      time.year = value.year
      time.month = value.month
      time.day = value.day
      return { time, zone: undefined, end: undefined }
    })
  })
}
