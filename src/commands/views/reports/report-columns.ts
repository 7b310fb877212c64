import { capitalize } from '../../../lib/text/capitalize.js'
import type { Money } from '../../../report/report-model.js'

/** Returns the title of a column of groups: "Day / project". */
export function titleOf(by: readonly string[]): string {
  return capitalize(by.join(' / '))
}

/** Returns the key of the column for a currency: "amount_eur". */
export function amountKey(currency: string): string {
  return `amount_${currency.toLowerCase()}`
}

/** Returns the amount in a currency as a decimal string; null without one. */
export function amountIn(amounts: readonly Money[], code: string): string | null {
  return amounts.find(({ currency }) => currency === code)?.amount ?? null
}

/** Returns "61.40 EUR, 20.00 USD". */
export function moneyText(amounts: readonly Money[]): string {
  return amounts.map(({ currency, amount }) => `${amount} ${currency}`).join(', ')
}
