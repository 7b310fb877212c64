import { monthNames, weekdayNames } from '../calendar/calendar-names.js'
import { hoursByName } from '../calendar/named-hours.js'
import { type Candidate, toCandidates } from './candidates.js'

/** The weekdays in lower case, Monday first. */
export const weekdayWords = [...weekdayNames.slice(1), weekdayNames[0]].map((name) => name.toLowerCase())

const recent = 'the last one that has begun'

const described = (value: string, description: string): Candidate => ({ value, description })

/** Dates for `parseDate` of src/calendar/period.ts. */
export const dateWords: Candidate[] = [
  ...toCandidates(['today', 'yesterday']),
  ...weekdayWords.map((day) => described(day, 'the last one, or today')),
  ...toCandidates([
    'week',
    'last week',
    'month',
    'last month',
    'quarter',
    'last quarter',
    'year',
    'last year',
  ]),
  described('-7d', 'seven days ago'),
  described('-4w', 'four weeks ago'),
  ...monthNames.map((month) => described(month.toLowerCase(), recent)),
  ...['q1', 'q2', 'q3', 'q4'].map((quarter) => described(quarter, recent)),
]

/** Periods for `tt report --compare`. */
export const comparedPeriods: Candidate[] = [
  ...toCandidates(['last-week', 'last-month', 'last-quarter', 'last-year', 'yesterday']),
  ...dateWords.filter(({ description }) => description === recent),
]

/** Times for `parseTime` of src/calendar/time.ts. */
export const timeWords: Candidate[] = [
  ...toCandidates(['now']),
  described('-5m', 'five minutes ago'),
  described('-15m', 'a quarter of an hour ago'),
  described('-30m', 'half an hour ago'),
  described('-1h', 'an hour ago'),
  ...toCandidates([
    '9:00',
    ...Object.keys(hoursByName),
    '13:00',
    '17:00',
    'yesterday 9:00',
    'yesterday 17:00',
  ]),
]
