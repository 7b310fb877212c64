import { hoursByName, monthNames, weekdayNames } from '../../lib/calendar/calendar-names.js'
import { type Candidate, toCandidates } from './candidates.js'

/** The weekdays in lower case, Monday first. */
export const weekdayWords = [...weekdayNames.slice(1), weekdayNames[0]].map((name) => name.toLowerCase())

const units = ['week', 'month', 'quarter', 'year']

const recent = 'the last one that has begun'

const withDescription = (value: string, description: string): Candidate => ({ value, description })

/** Dates for `parseDate` of src/lib/calendar/period.ts. */
export const dateWords: Candidate[] = [
  ...toCandidates(['today', 'yesterday']),
  ...weekdayWords.map((day) => withDescription(day, 'the last one, or today')),
  ...toCandidates(units.flatMap((unit) => [unit, `last ${unit}`, `next ${unit}`])),
  withDescription('-7d', 'seven days ago'),
  withDescription('-4w', 'four weeks ago'),
  ...monthNames.map((month) => withDescription(month.toLowerCase(), recent)),
  ...['q1', 'q2', 'q3', 'q4'].map((quarter) => withDescription(quarter, recent)),
]

/** Periods for `parsePeriod` of src/lib/calendar/period.ts, as words without spaces, which no shell quotes. */
export const periodWords: Candidate[] = [
  ...dateWords
    .filter(({ value }) => !value.startsWith('-'))
    .map(({ value, description }) => ({ value: value.replaceAll(' ', '-'), description })),
  withDescription('7d', 'the last seven days'),
  withDescription('monday..', 'since Monday'),
  withDescription('all', 'everything'),
]

/** The words that follow `last` or `next` in a period. */
export const followingWords: Readonly<Record<string, Candidate[]>> = {
  last: toCandidates([...units, ...weekdayWords]),
  next: toCandidates(units),
}

/** Times for `timeOrLast` of src/cli/option-values.ts. */
export const startWords = (): Candidate[] => [
  withDescription('last', 'the end of the last entry'),
  ...timeWords,
]

/** Times for `parseTime` of src/lib/calendar/time.ts. */
export const timeWords: Candidate[] = [
  ...toCandidates(['now']),
  withDescription('-5m', 'five minutes ago'),
  withDescription('-15m', 'a quarter of an hour ago'),
  withDescription('-30m', 'half an hour ago'),
  withDescription('-1h', 'an hour ago'),
  ...toCandidates([
    '9:00',
    ...Object.keys(hoursByName),
    '13:00',
    '17:00',
    'yesterday 9:00',
    'yesterday 17:00',
  ]),
]
