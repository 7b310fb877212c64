import { type Html, html } from '../../lib/html.js'
import type { Money } from '../../report/model.js'

/** A sum of money with its thousands apart, such as "12,345.50 EUR". */
export function moneyText({ amount, currency }: Money): string {
  const [whole = '', fraction] = amount.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${fraction === undefined ? grouped : `${grouped}.${fraction}`} ${currency}`
}

/** Sums of different currencies, one under the other. */
export function moneyLines(amounts: readonly Money[]): Html[] {
  return amounts.map((amount, index) => html`${index > 0 ? html`<br>` : undefined}${moneyText(amount)}`)
}

/** "1 entry", "12 entries". */
export function countText(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

/** A length in an SVG, with no more digits than anybody sees. */
export function px(length: number): string {
  return String(Math.round(length * 100) / 100)
}

/** A part of a whole of 1. */
export function percent(part: number): string {
  return `${px(part * 100)}%`
}
