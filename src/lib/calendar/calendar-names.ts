/** The English names of the weekdays, in the order of `Weekday`: Sunday is 0. */
export const weekdayNames = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const

/** The English names of the months, January first. */
export const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

/** Returns the short name of a weekday, such as "Wed" for 3. Numbers above 6 start again: 7 is Sunday. */
export function shortWeekdayName(weekday: number): string {
  return (weekdayNames[weekday % 7] ?? '').slice(0, 3)
}

/** Returns the short name of a month, such as "May" for 5. */
export function shortMonthName(month: number): string {
  return (monthNames[month - 1] ?? '').slice(0, 3)
}

/** Returns the index in `names` of a name or its first three letters, ignoring case; undefined if there is none. */
export function indexOfName(text: string, names: readonly string[]): number | undefined {
  const typed = text.toLowerCase()
  const index = names.findIndex((name) => {
    const lower = name.toLowerCase()
    return typed === lower || typed === lower.slice(0, 3)
  })
  return index < 0 ? undefined : index
}

/** Hours that have a name, as in `--at noon`. */
export const hoursByName = { noon: 12, midnight: 0 } as const

const dates = [
  ...['2024-05-01', '1.5.2024', 'today', 'yesterday', 'monday', '-7d', '7d', 'last week', 'may'],
  ...['q2', '2024-05', '2024-Q2', '2024-W18', '2024'],
] as const

/** Examples of every form of a time, duration, date or period, for help and error messages. */
export const acceptedForms = {
  time: [
    ...['9:30', '930', '9', '9am', ...Object.keys(hoursByName), 'now', '-15m', '15m ago', '+10m', 'in 10m'],
    ...['yesterday 17:00', 'mon 9:00', '2024-05-01 09:30'],
  ],
  duration: ['1h30m', '90m', '1.5h', '1:30', 'PT1H30M'],
  date: dates,
  period: [...dates.filter((form) => form !== '-7d'), 'monday..wednesday', 'all'],
} as const satisfies Record<string, readonly string[]>
