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
