import type { Context } from '../../cli/context.js'
import type { ProjectWithClient } from '../../service/admin/administration.js'
import type { DatabaseOptions } from '../admin/user.js'
import type { CommandInput } from '../shared/command.js'
import { projectView } from '../views/workspace.js'
import type { CatalogTarget } from './catalog-command.js'

const loadAdministration = () => import('../../service/admin/administration.js')
const parts = { view: projectView, messageReplacesValue: true } as const

export const list = {
  view: projectView,
  async run(ctx: Context, { options }: CommandInput<DatabaseOptions>): Promise<ProjectWithClient[]> {
    const { listProjects } = await loadAdministration()
    return listProjects(await ctx.storage(options.database))
  },
}

export const add = {
  ...parts,
  async run(_: Context, { name }: { name: string }, { change }: CatalogTarget): Promise<ProjectWithClient> {
    const { addProject, pathOf } = await loadAdministration()
    return change(
      (storage) => addProject(storage, name),
      (project) => `Added the project ${pathOf(project)}`,
    )
  },
}

export const rename = {
  ...parts,
  async run(
    _: Context,
    { project, name }: { project: string; name: string },
    { change }: CatalogTarget,
  ): Promise<ProjectWithClient> {
    const { renameProject } = await loadAdministration()
    const { record } = await change(
      (storage) => renameProject(storage, project, name),
      ({ from, to }) => `Renamed the project ${joinNames(from)} to ${joinNames(to)}`,
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
    { change }: CatalogTarget,
  ): Promise<ProjectWithClient> {
    const { mergeProjects } = await loadAdministration()
    const { record } = await change(
      (storage) => mergeProjects(storage, names, ctx.now),
      ({ from, to }) => `Merged the project ${joinNames(from)} into ${joinNames(to)}`,
      (renamed) => renamed,
    )
    return record
  },
}

export const archive = { ...parts, run: activation(false, 'Archived') }
export const restore = { ...parts, run: activation(true, 'Restored') }

export const rm = {
  ...parts,
  async run(
    _: Context,
    { project }: { project: string },
    { change }: CatalogTarget,
  ): Promise<ProjectWithClient> {
    const { pathOf, removeProject } = await loadAdministration()
    return change(
      (storage) => removeProject(storage, project),
      (removed) => `Deleted the project ${pathOf(removed)}`,
    )
  },
}

function activation(active: boolean, verb: string) {
  return async (
    _: Context,
    { project }: { project: string },
    { change }: CatalogTarget,
  ): Promise<ProjectWithClient> => {
    const { pathOf, setProjectActive } = await loadAdministration()
    return change(
      (storage) => setProjectActive(storage, project, active),
      (changed) => `${verb} the project ${pathOf(changed)}`,
    )
  }
}

/** Returns "Acme/Website". */
function joinNames(names: readonly (string | null)[]): string {
  return names.filter((name) => name !== null).join('/')
}
