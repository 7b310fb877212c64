import type { Id } from '../../../api-client/types.js'
import { capitalize } from '../../../lib/text/capitalize.js'
import { groupDigits } from '../../../lib/text/group-digits.js'
import type { Money } from '../../../report/report-model.js'
import type { Column } from '../../../ui/view.js'

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

/** Returns a column for each currency of the amounts, so that amounts in a column are comparable. */
export function amountColumns<Row extends { amounts: readonly Money[] }>(
  amounts: readonly Money[],
): Column<Row>[] {
  return amounts.map(({ currency }) => ({
    ...{ key: amountKey(currency), title: currency, align: 'right', isFigure: true },
    text: (row) => amountIn(row.amounts, currency) ?? '',
  }))
}

/** Returns "1,061.40 EUR, 20.00 USD". */
export function moneyText(amounts: readonly Money[]): string {
  return amounts.map(({ currency, amount }) => `${groupDigits(amount)} ${currency}`).join(', ')
}

/** Groupings whose groups are records. Records can have equal names, such as projects of different clients. */
const recordGroupings: readonly string[] = ['user', 'client', 'project', 'task', 'type']

const idKey = (grouping: string) => `${grouping}_id`

/** Returns the columns for the IDs of the records in a line, such as `project_id`. */
export function idColumns(by: readonly string[]): { key: string; title: string }[] {
  return by
    .filter((grouping) => recordGroupings.includes(grouping))
    .map((grouping) => ({ key: idKey(grouping), title: `${titleOf([grouping])} ID` }))
}

/** Returns the IDs of the records in a line; null for a group such as `no project`. */
export function idsOf(path: readonly { by: string; id: Id | null }[]): Record<string, Id | null> {
  const records = path.filter(({ by }) => recordGroupings.includes(by))
  return Object.fromEntries(records.map(({ by, id }) => [idKey(by), id]))
}
