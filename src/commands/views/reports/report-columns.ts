import { groupDigits } from '../../../lib/text/words.js'
import type { Money } from '../../../report/report-model.js'
import type { Column } from '../../../ui/view.js'
import { figureColumn, type TableRow } from './group-table.js'

interface Amounts {
  amounts: readonly Money[]
}

/** Returns the key of the column for a currency: "amount_eur". */
export function amountKey(currency: string): string {
  return `amount_${currency.toLowerCase()}`
}

/** Returns the key of the column for each currency. */
export function amountKeys(amounts: readonly Money[]): string[] {
  return amounts.map(({ currency }) => amountKey(currency))
}

/** Returns the amount in a currency as a decimal string; null without one. */
export function amountIn({ amounts }: Amounts, code: string): string | null {
  return amounts.find(({ currency }) => currency === code)?.amount ?? null
}

/** Returns the amounts of a line by the keys of the currencies of `total`. */
export function amountValues(line: Amounts, total: readonly Money[]): Record<string, string | null> {
  return Object.fromEntries(total.map(({ currency }) => [amountKey(currency), amountIn(line, currency)]))
}

/** Returns a column for each currency of the amounts, so that amounts in a column are comparable. */
export function amountColumns<Figures extends Amounts>(
  amounts: readonly Money[],
): Column<TableRow<Figures>>[] {
  return amounts.map(({ currency }) =>
    figureColumn(amountKey(currency), currency, (figures) => amountIn(figures, currency) ?? '', {
      isFigure: true,
    }),
  )
}

/** Returns "1,061.40 EUR, 20.00 USD". */
export function moneyText(amounts: readonly Money[]): string {
  return amounts.map(({ currency, amount }) => `${groupDigits(amount)} ${currency}`).join(', ')
}
