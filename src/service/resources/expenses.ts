import { isObject } from '../../lib/is-object.js'
import { badRequest } from '../http/errors.js'
import { respondWithList } from '../http/list-response.js'
import { readJsonObject } from '../http/request-body.js'
import type { Handler } from '../http/request-context.js'
import type { Queries } from '../storage/queries.js'
import { identifier, sql } from '../storage/sql.js'
import { externalId, FieldProblem, type FieldReader, FieldValidation, id, notes, nullable } from './fields.js'
import { create, remove, update, type WritableResource } from './records.js'
import { decimalPlaces, expenses, expenseTypes, type Row } from './resources.js'
import { type Decimal, formatDecimal, isCurrency, isDay, parseDecimal, toUnits } from './values.js'

const mostWholeDigits = 12

const day: FieldReader = (value) =>
  typeof value === 'string' && isDay(value) ? value : new FieldProblem('must be a day, YYYY-MM-DD')

const amount: FieldReader = (value) => {
  const decimal = parseDecimal(value)
  if (!decimal) return new FieldProblem('must be a decimal, such as 12.50')
  const { digits, decimals } = decimal
  const largest = 10n ** BigInt(mostWholeDigits + decimals)
  return decimals <= decimalPlaces && digits < largest && -digits < largest
    ? decimal
    : new FieldProblem(
        `must have at most ${mostWholeDigits} digits before and ${decimalPlaces} after the point`,
      )
}

const currency: FieldReader = (value) =>
  typeof value === 'string' && isCurrency(value)
    ? value
    : new FieldProblem('must be a code of ISO 4217, such as EUR')

const readers = {
  spent_on: day,
  amount,
  currency,
  expense_type_id: nullable(id),
  project_id: nullable(id),
  notes,
  external_id: externalId,
}

const writable: WritableResource = {
  noun: 'expense',
  resource: expenses,
  async readFields(request) {
    const { expense } = await readJsonObject(request)
    if (isObject(expense)) return expense
    throw badRequest('The body has no object under the key expense, where the fields belong.')
  },
  toColumns: change,
}

export const createExpense: Handler = (call) => create(call, writable)
export const updateExpense: Handler = (call) => update(call, writable)
export const removeExpense: Handler = (call) => remove(call, writable)

export const listExpenses: Handler = (call) =>
  respondWithList(call, expenses, [sql`expenses.user_id = ${call.userId}`])

export const listExpenseTypes: Handler = (call) =>
  respondWithList(call, expenseTypes, [sql`expense_types.active = 1`])

async function change(
  fields: Record<string, unknown>,
  stored: Row | undefined,
  queries: Queries,
): Promise<Row> {
  const checks = new FieldValidation()
  if (!stored) checks.require(fields, ['spent_on', 'amount'])
  const { amount: decimal, ...columns } = checks.read(fields, readers)
  await checkReference(checks, queries, 'expense_type_id', 'expense_types', columns, stored)
  await checkReference(checks, queries, 'project_id', 'projects', columns, stored)
  checks.finish()
  if (decimal !== undefined) Object.assign(columns, amountColumns(decimal as Decimal))
  if (!stored) columns.currency ??= await companyCurrency(queries)
  return columns
}

/** What is newly referred to must be there and in use; what was referred to before may have been put out of use. */
async function checkReference(
  checks: FieldValidation,
  queries: Queries,
  field: 'expense_type_id' | 'project_id',
  table: 'expense_types' | 'projects',
  columns: Row,
  stored: Row | undefined,
): Promise<void> {
  const wanted = columns[field]
  if (typeof wanted !== 'number' || wanted === stored?.[field]) return
  const [found] = await queries.all<{ active: number }>(
    sql`select active from ${identifier(table)} where id = ${wanted}`,
  )
  if (!found) checks.add(field, 'does not exist')
  else if (found.active === 0) checks.add(field, 'is no longer active')
}

function amountColumns(decimal: Decimal): Row {
  return { amount: formatDecimal(decimal), amount_units: toUnits(decimalPlaces, decimal).units }
}

async function companyCurrency(queries: Queries): Promise<string | undefined> {
  const [company] = await queries.all<{ currency: string }>(sql`select currency from company`)
  return company?.currency
}
