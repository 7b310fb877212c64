import { type Html, html } from '../../lib/text/html.js'
import { groupDigits } from '../../lib/text/words.js'
import type { Money, Report } from '../../report/report-model.js'
import { shortenText } from '../text.js'

/** Returns a figure with a minus sign (U+2212) and separators of thousands: "−1,234.5678", "1,234h 05m". */
export function figureText(text: string): string {
  return groupDigits(text).replace(/^-/, '−')
}

/** Returns a title of exact time: on a page that also has rounded time, "Time" would have two meanings. */
export function timeTitle(title: 'Time' | 'Total', { rounding }: Pick<Report, 'rounding'>): string {
  return rounding === null ? title : title === 'Time' ? 'Exact time' : 'Exact and rounded time'
}

/** Returns a number with separators of thousands. */
export function numberText(value: number): string {
  return figureText(String(value))
}

/** Returns an amount with separators of thousands, such as "12,345.50 EUR". */
export function moneyText({ amount, currency }: Money): string {
  return `${figureText(amount)} ${currency}`
}

/** Width of the longest name in a chart; tables have complete names. */
const maxNameWidth = 80

/** Returns a name as a chart shows it: shortened if it is very long, such as notes. */
export function chartName(name: string): string {
  return shortenText(name, maxNameWidth)
}

/** Returns a name isolated from the text around it (Unicode UAX #9), where markup is not possible. */
export function isolated(name: string): Html {
  return html`&#x2068;${name}&#x2069;`
}

/** Returns names separated by commas, each isolated, so that names of any script are in the same order. */
export function isolatedList(names: readonly string[]): Html[] {
  return names.map((name, index) => html`${index > 0 ? ', ' : ''}${isolated(name)}`)
}

/** Returns amounts in different currencies, one per line. */
export function moneyLines(amounts: readonly Money[]): Html[] {
  return amounts.map((amount, index) => html`${index > 0 ? html`<br>` : undefined}${moneyText(amount)}`)
}

/** Returns a number with its noun: "1 entry", "12 entries". */
export function countText(count: number, singular: string, plural: string): string {
  return `${numberText(count)} ${count === 1 ? singular : plural}`
}

/** Formats a length for SVG, with at most two decimal places. */
export function px(length: number): string {
  return String(Math.round(length * 100) / 100)
}

/** Formats a fraction of 1 as a percentage. */
export function percent(part: number): string {
  return `${px(part * 100)}%`
}
