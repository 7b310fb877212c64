import { monthNames, weekdayNames } from '../calendar/names.js'
import { type Candidate, toCandidates } from './candidates.js'

/** The weekdays as they are typed, Monday first. */
export const weekdayWords = [...weekdayNames.slice(1), weekdayNames[0]].map((name) => name.toLowerCase())

const spoken = (value: string, description: string): Candidate => ({ value, description })

/** Words that `parseDate` of src/calendar/period.ts reads. */
export const dateWords: Candidate[] = [
  ...toCandidates(['today', 'yesterday']),
  ...weekdayWords.map((day) => spoken(day, 'the last one, or today')),
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
  spoken('-7d', 'seven days ago'),
  spoken('-4w', 'four weeks ago'),
  ...monthNames.map((month) => spoken(month.toLowerCase(), 'the last one that has begun')),
  ...['q1', 'q2', 'q3', 'q4'].map((quarter) => spoken(quarter, 'the last one that has begun')),
]

/** Words that `parseTime` of src/calendar/time.ts reads. */
export const timeWords: Candidate[] = [
  ...toCandidates(['now']),
  spoken('-5m', 'five minutes ago'),
  spoken('-15m', 'a quarter of an hour ago'),
  spoken('-30m', 'half an hour ago'),
  spoken('-1h', 'an hour ago'),
  ...toCandidates(['9:00', 'noon', '13:00', '17:00', 'yesterday 9:00', 'yesterday 17:00']),
]
