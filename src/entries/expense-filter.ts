import type { Named } from '../catalog/catalog.js'
import { TtError } from '../lib/errors.js'
import type { Expenses, NamedExpense } from './expenses.js'

export interface ExpenseFilters {
  type?: string[]
  project?: string[]
}

/**
 * Whether an expense is among those that the options ask for: of any of the types and projects, and of none that is
 * written `!name`. Throws TtError `usage` for a word that names none or several.
 */
export async function expenseFilter(
  { type, project }: ExpenseFilters,
  expenses: Pick<Expenses, 'findType' | 'findProject'>,
): Promise<(expense: NamedExpense) => boolean> {
  const isOfType = await among(type, '--type', (typed) => expenses.findType(typed))
  const isOfProject = await among(project, '--project', (typed) => expenses.findProject(typed))
  return (expense) => isOfType(expense.type) && isOfProject(expense.project)
}

async function among(
  typed: readonly string[] = [],
  option: string,
  find: (typed: string) => Promise<Named>,
): Promise<(named: Named | null) => boolean> {
  const [some, none] = [new Set<string>(), new Set<string>()]
  for (const text of typed) {
    const isExcluded = text.startsWith('!')
    const { id, name } = await find(isExcluded ? text.slice(1) : text.replace(/^\\!/, '!'))
    const [here, there] = isExcluded ? [none, some] : [some, none]
    here.add(String(id))
    if (!there.has(String(id))) continue
    throw new TtError('usage', `${option} asks for ${name} and excludes it.`, {
      hint: 'Give one of the two.',
    })
  }
  return (named) => {
    const id = named === null ? '' : String(named.id)
    return (some.size === 0 || some.has(id)) && !none.has(id)
  }
}
