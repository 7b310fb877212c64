import type { ExpenseType } from '../../../api-client/types.js'
import { TtError } from '../../../lib/errors.js'
import * as records from '../../../records/records.js'
import { type Row, toRecord } from '../../resources/fields.js'
import { sql } from '../../storage/sql.js'
import type { Storage } from '../../storage/storage.js'
import { duplicateNameError, unknownNameError, validateName } from '../validate-name.js'
import { type CatalogEdit, editCatalog, type Renamed } from './catalog-edit.js'
import { findByName } from './find-records.js'

/**
 * Adds an active expense type, or restores an archived one unless `restores` is false. Throws TtError `usage` for an invalid
 * name or one in use.
 */
export async function addExpenseType(
  storage: Pick<Storage, 'queries' | 'journal'>,
  name: string,
  { restores = true } = {},
): Promise<ExpenseType> {
  const validName = validateName('expense type', name)
  return editCatalog(storage, async (edit) => {
    const existing = await findByName(edit.queries, 'expense_types', validName)
    const isArchived = existing && (await edit.row('expense_types', existing.id))?.active === 0
    if (isArchived && !restores) {
      throw new TtError('usage', `The expense type "${existing.name}" is archived.`, {
        hint: 'Use another one, or restore it by adding it again.',
      })
    }
    if (isArchived) await edit.update('expense_types', existing.id, { active: 1 })
    const added = existing ? undefined : await edit.insert('expense_types', { name: validName, active: 1 })
    const id = isArchived ? existing.id : added?.id
    if (id === undefined) throw duplicateNameError('expense type', existing?.name ?? validName)
    return readType(edit, id)
  })
}

/** Renames an expense type. Throws TtError `not_found`, and `usage` for a name that another one has. */
export async function renameExpenseType(
  storage: Storage,
  typed: string,
  name: string,
): Promise<Renamed<ExpenseType>> {
  const validName = validateName('expense type', name)
  return editCatalog(storage, async (edit) => {
    const { id, name: before } = await findType(edit, typed)
    const existing = await findByName(edit.queries, 'expense_types', validName)
    if (existing && existing.id !== id) throw duplicateNameError('expense type', existing.name)
    await edit.update('expense_types', id, { name: validName })
    return { from: [before], to: [validName], record: await readType(edit, id) }
  })
}

/** Restores or archives an expense type. Throws TtError `not_found`. */
export async function setExpenseTypeActive(
  storage: Storage,
  typed: string,
  active: boolean,
): Promise<ExpenseType> {
  return editCatalog(storage, async (edit) => {
    const { id } = await findType(edit, typed)
    await edit.update('expense_types', id, { active: active ? 1 : 0 })
    return readType(edit, id)
  })
}

/** Returns all expense types, by name, including archived ones. */
export async function listExpenseTypes({ queries }: Pick<Storage, 'queries'>): Promise<ExpenseType[]> {
  const types = await queries.all<Row>(sql`select * from expense_types order by name`)
  return types.map((type) => toRecord(records.expenseType, type))
}

async function findType(edit: CatalogEdit, typed: string): Promise<{ id: number; name: string }> {
  const type = await findByName(edit.queries, 'expense_types', typed.trim())
  if (type) return type
  throw unknownNameError('expense type', typed)
}

async function readType(edit: CatalogEdit, id: number): Promise<ExpenseType> {
  const row = await edit.row('expense_types', id)
  if (!row) throw new Error(`There is no expense type ${id}.`)
  return toRecord(records.expenseType, row)
}
