import Big from 'big.js'
import type { Expense, Id } from '../api-client/types.js'
import { type Day, isDay, type Weekday } from '../lib/calendar/day.js'
import type { Period } from '../lib/calendar/period.js'
import { currencyDecimals } from '../lib/currencies.js'
import { TtError } from '../lib/errors.js'
import type { ExpenseDimension } from '../records/report-names.js'
import type { NamedExpense } from '../tracking/entries/expenses/expense.js'
import { calendarKey, type Key } from './keys.js'
import { addAmounts } from './rates.js'
import type { Money } from './report-model.js'
import { labelsOf } from './tally.js'

/** What was summed up of some expenses. */
export interface ExpenseTotals {
  count: number
  /** By currency, in the order of its code; XXX (ISO 4217, "no currency") where an expense names none. */
  amounts: Money[]
}

export interface ExpenseGroup extends ExpenseTotals {
  by: ExpenseDimension
  /** As in the groups of time: the name, the date, month, quarter or year, or the code of the currency; null where there is none. */
  key: string | null
  /** Of a type, client or project. */
  id: Id | null
  label: string
  /** By the next dimension; empty at the last one. */
  groups: ExpenseGroup[]
}

/** Where money went within a period. */
export interface ExpenseReport extends ExpenseTotals {
  /** The first and the last day, both included; null where the period has no such bound. */
  since: Day | null
  until: Day | null
  by: ExpenseDimension[]
  groups: ExpenseGroup[]
  /** The expenses that have no amount and so add nothing but to the count. */
  withoutAmount: Id[]
}

export interface ExpenseReportOptions {
  by: readonly ExpenseDimension[]
  period: Partial<Period>
  weekStart: Weekday
}

/** An expense with its money, none where it has no amount. */
interface PricedExpense {
  expense: NamedExpense
  money: Money[]
}

/**
 * Sums up expenses by one dimension within another, exactly; sums have the digits of their currency, or more where an
 * amount has more. Groups of the calendar are in its order, others from the largest sum to the smallest, or by name
 * where there are several currencies.
 *
 * Throws TtError `rejected` that names an expense whose amount is no decimal number.
 */
export function tallyExpenses(
  expenses: readonly NamedExpense[],
  { by, period, weekStart }: ExpenseReportOptions,
): ExpenseReport {
  const spent = expenses.map((expense) => ({ expense, money: moneyOf(expense) }))
  const groups = groupExpenses(spent, by, weekStart)
  return {
    since: period.first ?? null,
    until: period.last ?? null,
    count: spent.length,
    amounts: addMoney(spent),
    by: [...by],
    groups,
    withoutAmount: spent.filter(({ money }) => money.length === 0).map(({ expense }) => expense.id),
  }
}

/** Returns the amount of an expense; none without one. Throws TtError `rejected` if it is no decimal number. */
export function moneyOf({ id, wire, ...expense }: NamedExpense): Money[] {
  const amount = wire.amount?.trim() ?? ''
  if (amount === '') return []
  if (!/^-?\d+(\.\d+)?$/.test(amount)) {
    throw new TtError('rejected', `The amount of expense ${id} is not a decimal number: "${amount}".`, {
      nextStep: { action: 'set_amount', expense: id },
    })
  }
  const currency = currencyOf(expense.currency)
  const exact = new Big(amount)
  // A service may write each currency with two digits: 1500.00 JPY says no more than 1500 JPY.
  const digits = Math.max(currencyDecimals(currency), exact.toFixed().split('.')[1]?.length ?? 0)
  return [{ currency, amount: exact.toFixed(digits) }]
}

function currencyOf(code: string | null | undefined): string {
  return code?.trim().toUpperCase() || 'XXX'
}

function addMoney(spent: readonly PricedExpense[]): Money[] {
  return addAmounts(
    [],
    spent.flatMap(({ money }) => money),
  )
}

function groupExpenses(
  spent: readonly PricedExpense[],
  [dimension, ...inner]: readonly ExpenseDimension[],
  weekStart: Weekday,
): ExpenseGroup[] {
  if (dimension === undefined) return []
  const parts = new Map<string, { key: Key; spent: PricedExpense[] }>()
  for (const one of spent) {
    const key = keyOf(dimension, one.expense, weekStart)
    const part = parts.get(key.identity)
    if (part) part.spent.push(one)
    else parts.set(key.identity, { key, spent: [one] })
  }
  const sums = [...parts.values()].map((part) => ({ ...part, amounts: addMoney(part.spent) }))
  sums.sort(isNamedDimension(dimension) ? compareByMoney(addMoney(spent).length === 1) : compareByIdentity)
  const labels = labelsOf(sums.map(({ key }) => key))
  return sums.map(
    ({ key: { key, id }, spent, amounts }, index): ExpenseGroup => ({
      by: dimension,
      key,
      id,
      label: labels[index] ?? '',
      count: spent.length,
      amounts,
      groups: groupExpenses(spent, inner, weekStart),
    }),
  )
}

const namedDimensions = ['type', 'client', 'project', 'currency'] as const satisfies ExpenseDimension[]
type NamedDimension = (typeof namedDimensions)[number]

function isNamedDimension(dimension: ExpenseDimension): dimension is NamedDimension {
  return namedDimensions.some((name) => name === dimension)
}

function keyOf(dimension: ExpenseDimension, expense: NamedExpense, weekStart: Weekday): Key {
  const { wire, client } = expense
  if (dimension === 'currency') {
    const code = currencyOf(expense.currency)
    return { identity: code, key: code, id: null, label: code }
  }
  if (!isNamedDimension(dimension)) {
    const day = wire.spent_on ?? ''
    return isDay(day)
      ? calendarKey(dimension, day, weekStart)
      : { identity: '', key: null, id: null, label: 'no day' }
  }
  const named = expense[dimension]
  if (!named) return unnamedKey(dimension, wire)
  const of = dimension === 'project' ? client?.name : undefined
  return { identity: `id ${named.id}`, key: named.name, id: named.id, label: named.name, qualifier: of }
}

/** Of an archived type, or a project that cannot be seen, the id alone is known. */
function unnamedKey(dimension: 'type' | 'client' | 'project', wire: Expense): Key {
  const ids = { type: wire.expense_type_id, project: wire.project_id, client: null }
  const id = ids[dimension] ?? null
  const label = id === null ? `no ${dimension}` : `${dimension} ${id}`
  return { identity: id === null ? '' : `id ${id}`, key: null, id, label }
}

interface Sum {
  key: Key
  amounts: Money[]
}

function compareByIdentity(a: Sum, b: Sum): number {
  return a.key.identity < b.key.identity ? -1 : 1
}

/** Sums of different currencies cannot be compared. */
function compareByMoney(inOneCurrency: boolean): (a: Sum, b: Sum) => number {
  const of = ({ amounts: [money] }: Sum) => new Big(money?.amount ?? 0)
  return (a, b) => (inOneCurrency ? of(b).cmp(of(a)) : 0) || (a.key.label < b.key.label ? -1 : 1)
}
