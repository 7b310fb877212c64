import { TtError } from '../../../lib/errors.js'
import type { Named } from '../../catalog/catalog.js'
import type { NamedExpense } from './expense.js'
import type { ExpenseNameLookup } from './expense-names.js'

export interface ExpenseFilters {
  type?: string[]
  project?: string[]
  invoiced?: boolean
  uninvoiced?: boolean
}

/**
 * Returns a function that tests whether an expense has one of the types and projects, and none that is written `!name`.
 * Throws TtError `usage` for a name that matches none or several.
 */
export async function expenseFilter(
  { type, project, invoiced, uninvoiced }: ExpenseFilters,
  names: Pick<ExpenseNameLookup, 'findType' | 'findProject'>,
): Promise<(expense: NamedExpense) => boolean> {
  const matchesType = await namedFilter(type, 'type', (typed) => names.findType(typed))
  const matchesProject = await namedFilter(project, 'project', (typed) => names.findProject(typed))
  return ({ type, project, invoice }) =>
    matchesType(type) &&
    matchesProject(project) &&
    (!invoiced || invoice !== null) &&
    (!uninvoiced || invoice === null)
}

async function namedFilter(
  typed: readonly string[] = [],
  filter: string,
  find: (typed: string) => Promise<Named>,
): Promise<(record: Named | null) => boolean> {
  const [included, excluded] = [new Set<string>(), new Set<string>()]
  for (const text of typed) {
    const isExcluded = text.startsWith('!')
    const { id, name } = await find(isExcluded ? text.slice(1) : text.replace(/^\\!/, '!'))
    const [ids, oppositeIds] = isExcluded ? [excluded, included] : [included, excluded]
    ids.add(String(id))
    if (!oppositeIds.has(String(id))) continue
    throw new TtError('usage', `The ${filter} filter both includes and excludes ${name}.`, {
      hint: 'Remove one of the two values.',
    })
  }
  return (record) => {
    const id = record === null ? '' : String(record.id)
    return (included.size === 0 || included.has(id)) && !excluded.has(id)
  }
}
