import { isCurrency } from '../../lib/currencies.js'
import { isObject } from '../../lib/is-object.js'
import { badRequest } from '../http/http-error.js'
import { respondWithList } from '../http/lists/list-response.js'
import { readJsonObject } from '../http/request-body.js'
import type { Handler } from '../http/request-context.js'
import type { Queries } from '../storage/queries.js'
import { sql } from '../storage/sql.js'
import {
  externalId,
  FieldProblem,
  type FieldReader,
  FieldValidation,
  id,
  notes,
  nullable,
} from './field-validation.js'
import { create, remove, update, type WritableResource } from './records.js'
import { checkReference } from './references.js'
import { decimalPlaces, expenses, expenseTypes, type Row } from './resources.js'
import { type Decimal, formatDecimal, isDay, parseDecimal, toUnits } from './values.js'
import { type Viewer, visibleProjects } from './visibility.js'

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
  async readFields(request) {
    const { expense } = await readJsonObject(request)
    if (isObject(expense)) return expense
    throw badRequest('The body has no object with the fields under the key "expense".')
  },
  period: {
    field: 'spent_on',
    isOpen: (day) => sql`not exists (select 1 from company where closed_until >= ${day})`,
  },
  toColumns: change,
}

export const createExpense: Handler = (context) => create(context, writable)
export const updateExpense: Handler = (context) => update(context, writable)
export const removeExpense: Handler = (context) => remove(context, writable)

export const listExpenses: Handler = (context) =>
  respondWithList(context, expenses, [sql`expenses.user_id = ${context.userId}`])

export const listExpenseTypes: Handler = (context) =>
  respondWithList(context, expenseTypes, [sql`expense_types.active = 1`])

async function change(
  fields: Record<string, unknown>,
  stored: Row | undefined,
  viewer: Viewer,
): Promise<Row> {
  const { queries } = viewer
  const checks = new FieldValidation()
  if (!stored) checks.require(fields, ['spent_on', 'amount'])
  const { amount: decimal, ...columns } = checks.read(fields, readers)
  await checkReference(checks, queries, { field: 'expense_type_id', table: 'expense_types', columns, stored })
  await checkReference(checks, queries, {
    ...{ field: 'project_id', table: 'projects', columns, stored, visible: visibleProjects(viewer) },
  })
  checks.throwIfInvalid()
  if (decimal !== undefined) Object.assign(columns, amountColumns(decimal as Decimal))
  if (!stored) columns.currency ??= await companyCurrency(queries)
  return columns
}

function amountColumns(decimal: Decimal): Row {
  return { amount: formatDecimal(decimal), amount_units: toUnits(decimalPlaces, decimal).units }
}

async function companyCurrency(queries: Queries): Promise<string | undefined> {
  const [company] = await queries.all<{ currency: string }>(sql`select currency from company`)
  return company?.currency
}
