import type { Context } from '../../cli/context.js'
import { countText } from '../../lib/text/words.js'
import type { CatalogOperation } from '../../program/declarations/catalog.js'
import type { DatabaseOptions } from '../../program/options/shared-options.js'
import type { AnyCatalogKind, CatalogName } from '../../service/admin/catalog/catalog.js'
import type { View } from '../../ui/view.js'
import { clientView, expenseTypeView, projectView, storedTaskView } from '../views/workspace.js'
import type { CatalogCommand, CatalogTarget } from './catalog-command.js'

/** What a command does with a record: the typed record, and the second argument. */
type Operation = (
  kind: AnyCatalogKind,
  ctx: Context,
  target: CatalogTarget,
  [typed, other]: readonly [string, string],
) => Promise<unknown>

const views: Record<CatalogName, View<never>> = {
  clients: clientView,
  projects: projectView,
  tasks: storedTaskView,
  expenseTypes: expenseTypeView,
}

const operations = {
  add: (kind, _, { change }, [name]) =>
    change(
      (storage) => kind.add(storage, name),
      (record) => `Added the ${kind.noun} ${kind.pathOf(record)}`,
    ),

  async rename(kind, ctx, target, [typed, name]) {
    const projects = await kind.projectsOf?.(await target.storage(), typed)
    if (!(await isConfirmed(ctx, `Rename the ${kind.noun} ${typed}`, projects))) return []
    const { record } = await target.change(
      (storage) => kind.rename(storage, typed, name),
      ({ from, to }) =>
        `Renamed the ${kind.noun} ${joinNames(from)} to ${joinNames(to)}${inProjects(projects)}`,
      kind.noun === 'expense type' ? undefined : (renamed) => renamed,
    )
    return record
  },

  async merge(kind, ctx, target, [from, into]) {
    const projects = await kind.projectsOf?.(await target.storage(), from)
    if (!(await isConfirmed(ctx, `Merge the ${kind.noun} ${from} into ${into}`, projects))) return []
    const merged = await target.change(
      async (storage) => kind.merge?.(storage, { from, into }, ctx.now),
      (result) =>
        `Merged the ${kind.noun} ${joinNames(result?.from)} into ${joinNames(result?.to)}${inProjects(projects)}`,
      (result) => result ?? { from: [], to: [] },
    )
    return merged?.record
  },

  archive: (kind, _, target, [typed]) => setActive(kind, target, typed, false),
  restore: (kind, _, target, [typed]) => setActive(kind, target, typed, true),

  rm: (kind, _, { change }, [typed]) =>
    change(
      async (storage) => (await kind.remove?.(storage, typed)) ?? {},
      (record) => `Deleted the ${kind.noun} ${kind.pathOf(record)}`,
    ),
} satisfies Record<CatalogOperation, Operation>

/** Returns the command that makes this change of a kind of record. */
export function catalogCommand(
  name: CatalogName,
  operation: CatalogOperation,
): CatalogCommand<Readonly<Record<string, string>>> {
  return {
    view: views[name] as View<unknown>,
    messageReplacesValue: true,
    async run(ctx, args, target) {
      const [typed = '', other = ''] = Object.values(args)
      return operations[operation](await loadKind(name), ctx, target, [typed, other])
    },
  }
}

/** Returns the command that lists a kind of record of a hosted database. */
export function catalogList(name: CatalogName) {
  return {
    view: views[name] as View<unknown>,
    async run(ctx: Context, { options }: { options: DatabaseOptions }): Promise<object[]> {
      return (await loadKind(name)).list(await ctx.storage(options.database))
    },
  }
}

async function loadKind(name: CatalogName): Promise<AnyCatalogKind> {
  const { catalog } = await import('../../service/admin/catalog/catalog.js')
  return catalog[name] as AnyCatalogKind
}

function setActive(kind: AnyCatalogKind, { change }: CatalogTarget, typed: string, isActive: boolean) {
  return change(
    (storage) => kind.setActive(storage, typed, isActive),
    (record) => `${isActive ? 'Restored' : 'Archived'} the ${kind.noun} ${kind.pathOf(record)}`,
  )
}

/** Prompts before a change of a task that several projects share. */
async function isConfirmed(ctx: Context, change: string, projects: readonly string[] = []): Promise<boolean> {
  if (projects.length < 2) return true
  const facts = `Projects with this task: ${projects.join(', ')}.`
  return ctx.terminal.confirm(`${change} in ${countText(projects.length, 'project')}?`, facts)
}

const inProjects = (projects: readonly string[] = []) =>
  projects.length > 1 ? ` in ${countText(projects.length, 'project')}` : ''

/** Returns "Acme/Website". */
function joinNames(names: readonly (string | null)[] = []): string {
  return names.filter((name) => name !== null).join('/')
}
