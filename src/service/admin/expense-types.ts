import type { ExpenseType } from '../../api-client/types.js'
import * as resources from '../resources/resources.js'
import type { Storage } from '../storage/storage.js'
import { duplicateNameError, unknownNameError, validateName } from './validate-name.js'

/** Adds an active expense type. Throws TtError `usage` for an invalid name or one that is in use. */
export async function addExpenseType({ db }: Storage, name: string): Promise<ExpenseType> {
  const type = await db
    .insertInto('expense_types')
    .values({ name: validateName('expense type', name), active: 1 })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'name', 'active'])
    .executeTakeFirst()
  if (!type) throw duplicateNameError('expense type', name.trim())
  return resources.toWire(resources.expenseTypes, type)
}

/** Restores or archives an expense type. Throws TtError `not_found`. */
export async function setExpenseTypeActive(
  { db }: Storage,
  name: string,
  active: boolean,
): Promise<ExpenseType> {
  const type = await db
    .updateTable('expense_types')
    .set({ active: active ? 1 : 0 })
    .where('name', '=', name.trim())
    .returning(['id', 'name', 'active'])
    .executeTakeFirst()
  if (!type) throw unknownNameError('expense type', name)
  return resources.toWire(resources.expenseTypes, type)
}

/** Returns all expense types, by name, including archived ones. */
export async function listExpenseTypes({ db }: Storage): Promise<ExpenseType[]> {
  const types = await db.selectFrom('expense_types').selectAll().orderBy('name').execute()
  return types.map((type) => resources.toWire(resources.expenseTypes, type))
}
