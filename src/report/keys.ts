import type { Id } from '../api-client/types.js'
import { shortWeekdayName, weekdayNames } from '../lib/calendar/calendar-names.js'
import {
  addDays,
  countDays,
  type Day,
  dayInWeek,
  isoWeek,
  parts,
  quarterOf,
  startOfWeek,
  type Weekday,
  weekday,
} from '../lib/calendar/day.js'
import { pad } from '../lib/calendar/zoned-time.js'
import { tagsIn } from '../lib/text/tags.js'
import type { CalendarDimension, Dimension } from '../records/report-names.js'
import type { Entry } from '../tracking/entries/entry.js'

/** The group of an entry or expense in one dimension. */
export interface Key {
  /** Unique within the dimension; calendar groups are sorted by it. */
  identity: string
  /** See `Group`. */
  key: string | null
  id: Id | null
  label: string
  /** Added to the label when another group has the same label. */
  qualifier?: string | undefined
}

export function isOfCalendar(dimension: Dimension): dimension is CalendarDimension {
  return dimension in calendarKeys
}

/** The key of a day. `weekStart` is the first day of the user's own weeks. */
export function calendarKey(dimension: CalendarDimension, day: Day, weekStart: Weekday): Key {
  return calendarKeys[dimension](day, weekStart)
}

const calendarKeys: Record<CalendarDimension, (day: Day, weekStart: Weekday) => Key> = {
  day: (day) => ({ ...textKey(day), label: `${day} ${shortWeekdayName(weekday(day))}` }),
  week(day, weekStart) {
    const first = startOfWeek(day, weekStart)
    return {
      ...textKey(first),
      label: weekStart === 1 ? `${isoWeek(first)} from ${first}` : `week of ${first}`,
    }
  },
  month: (day) => textKey(day.slice(0, 7)),
  quarter: (day) => textKey(`${day.slice(0, 4)}-Q${quarterOf(day)}`),
  year: (day) => textKey(day.slice(0, 4)),
  weekday(day, weekStart) {
    return { ...textKey(weekdayNames[weekday(day)]), identity: String(dayInWeek(day, weekStart)) }
  },
}

function textKey(text: string): Key {
  return { identity: text, key: text, id: null, label: text }
}

/** Returns the keys of the tags of an entry; without tags, one key for that. */
export function tagKeys({ notes }: Pick<Entry, 'notes'>): Key[] {
  const tags = tagsIn(notes)
  return tags.length > 0 ? tags.map(tagKey) : [untagged]
}

function tagKey(tag: string): Key {
  return { identity: `#${tag}`, key: tag, id: null, label: `#${tag}` }
}

const untagged: Key = { identity: '', key: null, id: null, label: 'no tag' }

function userKey(user: Entry['user']): Key {
  if (!user) return { identity: '', key: null, id: null, label: 'no user' }
  const { id, name, email } = user
  return { identity: `id ${id}`, key: name, id, label: name, qualifier: email }
}

/** The key of an entry in a dimension in which it has one group. */
export function entryKey(
  dimension: Exclude<Dimension, CalendarDimension | 'tag'>,
  { link, notes, wire, user }: Entry,
): Key {
  if (dimension === 'user') return userKey(user)
  if (dimension === 'notes') {
    const text = notes.trim()
    return { identity: text, key: text || null, id: null, label: text || 'no notes' }
  }
  const record = link?.[dimension]
  if (record) {
    const qualifier = dimension === 'project' ? link?.client?.name : undefined
    return {
      identity: `id ${record.id}`,
      key: record.name,
      id: record.id,
      label: record.name,
      qualifier: qualifier,
    }
  }
  // A task that cannot be read is identified by its ID.
  const isUnknownLink = dimension === 'task' && !link && wire.task_link_id !== null
  const label = isUnknownLink ? `task ${wire.task_link_id}` : `no ${dimension}`
  return { identity: label, key: null, id: null, label }
}

/** A unit of the calendar by which a report is grouped. */
type CalendarUnit = Exclude<CalendarDimension, 'weekday'>

const epoch: Day = '1970-01-01'
const monthsIn = { month: 1, quarter: 3, year: 12 } as const

export function isCalendarUnit(by: Dimension): by is CalendarUnit {
  return isOfCalendar(by) && by !== 'weekday'
}

/** Returns the first day of the unit with this key (see `Group`). */
export function firstDayOf(unit: CalendarUnit, key: string): Day {
  if (unit === 'quarter') return `${key.slice(0, 4)}-${pad(3 * Number(key.slice(-1)) - 2)}-01`
  return unit === 'month' ? `${key}-01` : unit === 'year' ? `${key}-01-01` : key
}

/** Returns how many units the unit of `day` is after that of `since`: 1 for the next month. */
export function unitsBetween(unit: CalendarUnit, since: Day, day: Day, weekStart: Weekday): number {
  return ordinalOf(unit, day, weekStart) - ordinalOf(unit, since, weekStart)
}

/** Returns the first day of the unit that is `count` units after that of `since`. */
export function addUnits(unit: CalendarUnit, since: Day, count: number, weekStart: Weekday): Day {
  if (unit === 'day') return addDays(since, count)
  if (unit === 'week') return addDays(startOfWeek(since, weekStart), 7 * count)
  const months = (ordinalOf(unit, since, weekStart) + count) * monthsIn[unit]
  return `${Math.floor(months / 12)}-${pad((months % 12) + 1)}-01`
}

/** Returns the number of the unit of a day since a fixed date. */
function ordinalOf(unit: CalendarUnit, day: Day, weekStart: Weekday): number {
  if (unit === 'day') return countDays(epoch, day)
  if (unit === 'week') return Math.floor((countDays(epoch, day) - dayInWeek(day, weekStart)) / 7)
  const { year, month } = parts(day)
  return Math.floor((year * 12 + month - 1) / monthsIn[unit])
}
