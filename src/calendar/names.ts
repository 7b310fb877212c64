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

/** Returns "Wed" for 3. Counts on beyond a week: 7 is Sunday again. */
export function shortWeekdayName(weekday: number): string {
  return (weekdayNames[weekday % 7] ?? '').slice(0, 3)
}

/** Returns "May" for 5. */
export function shortMonthName(month: number): string {
  return (monthNames[month - 1] ?? '').slice(0, 3)
}

/** Returns the position of a name, or of its first three letters, in `names`; case does not matter. */
export function indexOfName(text: string, names: readonly string[]): number | undefined {
  const typed = text.toLowerCase()
  const index = names.findIndex((name) => {
    const lower = name.toLowerCase()
    return typed === lower || typed === lower.slice(0, 3)
  })
  return index < 0 ? undefined : index
}
