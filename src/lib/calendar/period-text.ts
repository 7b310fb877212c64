import { monthNames, weekdayNames } from './calendar-names.js'
import { addDays, type Day, parts, weekday } from './day.js'
import type { Period } from './period.js'

/** Returns "Thursday, 1 October 2026". */
export function dayText(day: Day): string {
  return `${weekdayNames[weekday(day)]}, ${dateText(day)}`
}

/**
 * Returns a range of days in words, both ends included: "2026", "October 2026", "July to September 2026",
 * "28 September to 4 October 2026", "Thursday, 1 October 2026", "From 1 October 2026", "All time".
 */
export function periodText({ first, last }: Partial<Period>): string {
  if (first === undefined) return last === undefined ? 'All time' : `Until ${dateText(last)}`
  if (last === undefined) return `From ${dateText(first)}`
  if (first === last) return dayText(first)
  const [begin, end] = [parts(first), parts(last)]
  const isSameYear = begin.year === end.year
  const isWholeMonths = begin.date === 1 && parts(addDays(last, 1)).date === 1
  if (isWholeMonths && isSameYear && begin.month === 1 && end.month === 12) return String(begin.year)
  if (isWholeMonths && isSameYear && begin.month === end.month) return monthText(first)
  const [beginText, endText] = isWholeMonths
    ? [monthText(first), monthText(last)]
    : [dateText(first), dateText(last)]
  if (!isSameYear) return `${beginText} to ${endText}`
  const isSameMonth = begin.month === end.month
  return `${isSameMonth ? begin.date : beginText.slice(0, -5)} to ${endText}`
}

/** Returns "1 October 2026". */
export function dateText(day: Day): string {
  return `${parts(day).date} ${monthText(day)}`
}

function monthText(day: Day): string {
  const { year, month } = parts(day)
  return `${monthNames[month - 1]} ${year}`
}
