import { type Html, html } from '../../lib/html.js'
import type { Money } from '../../report/model.js'

/** Returns an amount with separators of thousands, such as "12,345.50 EUR". */
export function moneyText({ amount, currency }: Money): string {
  const [whole = '', fraction] = amount.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${fraction === undefined ? grouped : `${grouped}.${fraction}`} ${currency}`
}

/** Returns amounts in different currencies, one per line. */
export function moneyLines(amounts: readonly Money[]): Html[] {
  return amounts.map((amount, index) => html`${index > 0 ? html`<br>` : undefined}${moneyText(amount)}`)
}

/** Returns a number with its noun: "1 entry", "12 entries". */
export function countText(count: number, singular: string, plural: string): string {
  return `${count} ${count === 1 ? singular : plural}`
}

/** Formats a length for SVG, with at most two decimal places. */
export function px(length: number): string {
  return String(Math.round(length * 100) / 100)
}

/** Formats a fraction of 1 as a percentage. */
export function percent(part: number): string {
  return `${px(part * 100)}%`
}
