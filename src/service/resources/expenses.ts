import { isCurrency } from '../../lib/currencies.js'
import { isObject } from '../../lib/is-object.js'
import { badRequest } from '../http/http-error.js'
import { respondWithList } from '../http/lists/list.js'
import { readJsonObject } from '../http/request-body.js'
import type { Handler } from '../http/request-context.js'
import { sql } from '../storage/sql.js'
import { externalId, FieldProblem, type FieldReader, id, notes, nullable } from './field-validation.js'
import { create, remove, update, type WritableResource } from './records.js'
import { decimalPlaces, expenses, expenseTypes, type Row } from './resources.js'
import { closedPeriodRule, referenceRules } from './rules.js'
import { type Decimal, formatDecimal, isDay, parseDecimal, toUnits } from './values.js'
import { visibleProjects } from './visibility.js'

const maxWholeDigits = 12

const day: FieldReader = (value) =>
  typeof value === 'string' && isDay(value) ? value : new FieldProblem('must be a date (YYYY-MM-DD)')

const amount: FieldReader = (value) => {
  const decimal = parseDecimal(value)
  if (!decimal) return new FieldProblem('must be a decimal number, such as 12.50')
  const { digits, decimals } = decimal
  const limit = 10n ** BigInt(maxWholeDigits + decimals)
  return decimals <= decimalPlaces && digits < limit && -digits < limit
    ? decimal
    : new FieldProblem(
        `must have at most ${maxWholeDigits} digits before and ${decimalPlaces} after the decimal point`,
      )
}

const currency: FieldReader = (value) =>
  typeof value === 'string' && isCurrency(value)
    ? value
    : new FieldProblem('must be a currency code of ISO 4217, such as EUR')

const readers = {
  spent_on: day,
  amount,
  currency,
  expense_type_id: nullable(id),
  project_id: nullable(id),
  notes,
  external_id: externalId,
}

/** The fields of a request, for their descriptions in `openapi/`. */
export type ExpenseField = keyof typeof readers

const writable: WritableResource = {
  noun: 'expense',
  resource: expenses,
  async readBody(request) {
    const { expense } = await readJsonObject(request)
    if (isObject(expense)) return expense
    throw badRequest('The body has no object with the fields under the key "expense".')
  },
  readers,
  required: ['spent_on', 'amount'],
  toColumns: ({ amount, ...columns }) =>
    amount === undefined ? columns : { ...columns, ...amountColumns(amount as Decimal) },
  defaults: { currency: (value) => sql`coalesce(${value}, (select currency from company))` },
  rules: [
    ...referenceRules('expense_type_id', 'expense_types'),
    ...referenceRules('project_id', 'projects', visibleProjects),
    closedPeriodRule('spent_on', (day) => sql`closed_until >= ${day}`),
  ],
}

export const createExpense: Handler = (context) => create(context, writable)
export const updateExpense: Handler = (context) => update(context, writable)
export const removeExpense: Handler = (context) => remove(context, writable)

export const listExpenses: Handler = (context) =>
  respondWithList(context, expenses, [sql`expenses.user_id = ${context.userId}`])

export const listExpenseTypes: Handler = (context) =>
  respondWithList(context, expenseTypes, [sql`expense_types.active = 1`])

function amountColumns(decimal: Decimal): Row {
  return { amount: formatDecimal(decimal), amount_units: toUnits(decimalPlaces, decimal).units }
}
