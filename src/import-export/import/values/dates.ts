import { type Day, daysInMonth } from '../../../lib/calendar/day.js'
import { pad } from '../../../lib/calendar/zoned-time.js'

/** The order of day and month in a date that ends with the year. */
export const dateOrders = ['day-month', 'month-day'] as const
export type DateOrder = (typeof dateOrders)[number]

export const dateExpectation = 'a date such as 2024-05-01'

const yearFirst = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})\.?$/
const yearLast = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})$/

/**
 * Parses a date of digits. With the year at the end, the order of day and month is `order`; with dots, the day is always
 * first, because no country writes the month first with dots.
 *
 * Returns undefined for other text, dates that do not exist, and without the order that the date requires.
 */
export function parseDate(text: string, order: DateOrder | undefined): Day | undefined {
  const isoLike = yearFirst.exec(text)
  if (isoLike) return dayFrom(isoLike[1], isoLike[3], isoLike[4])
  const [, first, separator, second, year] = yearLast.exec(text) ?? []
  if (year === undefined) return undefined
  if (separator === '.' || order === 'day-month') return dayFrom(year, second, first)
  return order === 'month-day' ? dayFrom(year, first, second) : undefined
}

function dayFrom(year = '', month = '', date = ''): Day | undefined {
  const [yearNumber, monthNumber, dateNumber] = [Number(year), Number(month), Number(date)]
  // `isDay` is slow, and an import checks the dates of every entry.
  if (yearNumber < 1000 || monthNumber < 1 || monthNumber > 12 || dateNumber < 1) return undefined
  if (dateNumber > 28 && dateNumber > daysInMonth(yearNumber, monthNumber)) return undefined
  return `${year}-${pad(monthNumber)}-${pad(dateNumber)}`
}

/** Whether the meaning of a date depends on the order of day and month. */
export function dependsOnOrder(text: string): boolean {
  return yearLast.exec(text)?.[2] !== '.' && yearLast.test(text)
}

/** Decides the order of day and month from all dates of a file. */
export class DateOrderDecision {
  readonly #possible = new Set<DateOrder>(dateOrders)
  /** A date that means different days in the two orders. */
  #ambiguous: string | undefined

  /** Takes a date into account, if it depends on the order. */
  observe(text: string) {
    if (!dependsOnOrder(text)) return
    const days = dateOrders.map((order) => parseDate(text, order))
    // A date that exists in neither order is an error of its row.
    if (days.every((day) => day === undefined)) return
    for (const [index, order] of dateOrders.entries()) {
      if (days[index] === undefined) this.#possible.delete(order)
    }
    if (days[0] !== days[1]) this.#ambiguous ??= text
  }

  /** Returns the only possible order; otherwise a date that exists in both (`ambiguous`), or that the orders differ (`mixed`). */
  result(): { order: DateOrder } | { ambiguous: string } | 'mixed' {
    const [order, other] = this.#possible
    if (order === undefined) return 'mixed'
    return other === undefined || this.#ambiguous === undefined ? { order } : { ambiguous: this.#ambiguous }
  }
}
