import type { Context } from '../../cli/context.js'
import { countText } from '../../lib/text/count-text.js'
import type { RenamedTask, TaskWithProject } from '../../service/admin/administration.js'
import type { DatabaseOptions } from '../admin/user.js'
import type { CommandInput } from '../shared/command.js'
import { storedTaskView } from '../views/workspace.js'
import type { CatalogTarget } from './catalog-command.js'

const loadAdministration = () => import('../../service/admin/administration.js')
const parts = { view: storedTaskView, messageReplacesValue: true } as const

export const list = {
  view: storedTaskView,
  async run(ctx: Context, { options }: CommandInput<DatabaseOptions>): Promise<TaskWithProject[]> {
    const { listProjectTasks } = await loadAdministration()
    return listProjectTasks(await ctx.storage(options.database))
  },
}

export const add = {
  ...parts,
  async run(_: Context, { name }: { name: string }, { change }: CatalogTarget): Promise<TaskWithProject> {
    const { addTask } = await loadAdministration()
    return change(
      (storage) => addTask(storage, name),
      (task) => `Added the task ${pathOf(task)}`,
    )
  },
}

export const rename = {
  ...parts,
  async run(
    ctx: Context,
    { task, name }: { task: string; name: string },
    { storage, change }: CatalogTarget,
  ): Promise<TaskWithProject[]> {
    const { projectsOfTask, renameTask } = await loadAdministration()
    const projects = await projectsOfTask(await storage(), task)
    if (!(await isConfirmed(ctx, `Rename the task ${task}`, projects))) return []
    const { record } = await change(
      (within) => renameTask(within, task, name),
      titleOf('Renamed', 'to'),
      (renamed) => renamed,
    )
    return record
  },
}

export const merge = {
  ...parts,
  async run(
    ctx: Context,
    names: { from: string; into: string },
    { storage, change }: CatalogTarget,
  ): Promise<TaskWithProject[]> {
    const { mergeTasks, projectsOfTask } = await loadAdministration()
    const projects = await projectsOfTask(await storage(), names.from)
    if (!(await isConfirmed(ctx, `Merge the task ${names.from} into ${names.into}`, projects))) return []
    const { record } = await change((within) => mergeTasks(within, names, ctx.now), titleOf('Merged', 'into'))
    return record
  },
}

export const archive = { ...parts, run: activation(false, 'Archived') }
export const restore = { ...parts, run: activation(true, 'Restored') }

export const rm = {
  ...parts,
  async run(_: Context, { task }: { task: string }, { change }: CatalogTarget): Promise<TaskWithProject> {
    const { removeTask } = await loadAdministration()
    return change(
      (storage) => removeTask(storage, task),
      (removed) => `Deleted the task ${pathOf(removed)}`,
    )
  },
}

function activation(active: boolean, verb: string) {
  return async (
    _: Context,
    { task }: { task: string },
    { change }: CatalogTarget,
  ): Promise<TaskWithProject> => {
    const { setTaskActive } = await loadAdministration()
    return change(
      (storage) => setTaskActive(storage, task, active),
      (changed) => `${verb} the task ${pathOf(changed)}`,
    )
  }
}

/** Prompts before a change of a task that several projects share. */
async function isConfirmed(ctx: Context, change: string, projects: readonly string[]): Promise<boolean> {
  if (projects.length < 2) return true
  const facts = `Projects with this task: ${projects.join(', ')}.`
  return ctx.terminal.confirm(`${change} in ${countText(projects.length, 'project')}?`, facts)
}

/** Returns "Renamed the task Design to Layout in 2 projects". */
function titleOf(verb: string, preposition: string) {
  return ({ from, to, projects }: RenamedTask): string => {
    const [before, after] = [from, to].map((names) => names.filter((name) => name !== null).join('/'))
    const where = projects.length > 1 ? ` in ${countText(projects.length, 'project')}` : ''
    return `${verb} the task ${before} ${preposition} ${after}${where}`
  }
}

/** Returns "Acme/Website/Design". */
function pathOf({ client, project, task }: TaskWithProject): string {
  return [client, project, task].filter((name) => name !== null).join('/')
}
