import { isObject } from '../../lib/is-object.js'
import { expense, expenseType } from '../../records/records.js'
import { respondWithList } from '../http/list.js'
import { type Handler, readJsonObject } from '../http/request-context.js'
import { badRequest } from '../http/response.js'
import { sql } from '../storage/sql.js'
import { decimalPlaces, type Row } from './fields.js'
import { closedPeriodRule, referenceRules } from './rules.js'
import { type Decimal, formatDecimal, toUnits } from './values.js'
import { visibleProjects } from './visibility.js'
import { create, remove, update, type WritableResource } from './writes.js'

const writable: WritableResource = {
  record: expense,
  async readBody(request) {
    const { expense: fields } = await readJsonObject(request)
    if (isObject(fields)) return fields
    throw badRequest('The body has no object with the fields under the key "expense".')
  },
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
  respondWithList(context, expense, [sql`expenses.user_id = ${context.userId}`])

export const listExpenseTypes: Handler = (context) =>
  respondWithList(context, expenseType, [sql`expense_types.active = 1`])

function amountColumns(decimal: Decimal): Row {
  return { amount: formatDecimal(decimal), amount_units: toUnits(decimalPlaces, decimal).units }
}
