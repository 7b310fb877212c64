import type { Context } from '../../cli/context.js'
import type { ProjectWithClient } from '../../service/admin/administration.js'
import type { CommandInput } from '../shared/command.js'
import { parseDay } from '../shared/options/parse-options.js'
import { recordView } from '../views/record.js'
import { projectView } from '../views/workspace.js'
import type { RecordedChange } from './audited.js'
import type { DatabaseOptions } from './user.js'

const loadAdministration = () => import('../../service/admin/administration.js')

export const add = {
  view: projectView,
  messageReplacesValue: true,
  async run(
    ctx: Context,
    { args: { name }, options }: CommandInput<DatabaseOptions & { client?: string }, { name: string }>,
    recorded: RecordedChange,
  ) {
    const { addProject } = await loadAdministration()
    const project = await recorded(await ctx.storage(options.database), (storage) =>
      addProject(storage, { name, client: options.client }),
    )
    ctx.terminal.message(`Added the project ${pathOf(project)}.`)
    return project
  },
}

export const list = {
  view: projectView,
  async run(ctx: Context, { options }: CommandInput<DatabaseOptions>) {
    const { listProjects } = await loadAdministration()
    return listProjects(await ctx.storage(options.database))
  },
}

export const archive = {
  view: projectView,
  messageReplacesValue: true,
  run: activation(false, 'is archived'),
}
export const restore = { view: projectView, messageReplacesValue: true, run: activation(true, 'is restored') }

export const assign = {
  view: recordView<object>(
    { id: 'ID', project_id: 'Project', starts_on: 'From', ends_on: 'Until' },
    'No assignments.',
  ),
  messageReplacesValue: true,
  async run(
    ctx: Context,
    {
      args: { project, email },
      options,
    }: CommandInput<DatabaseOptions & { from?: string; until?: string }, { project: string; email: string }>,
    recorded: RecordedChange,
  ) {
    const startsOn = options.from === undefined ? undefined : parseDay(options.from, ctx.now)
    const endsOn = options.until === undefined ? undefined : parseDay(options.until, ctx.now)
    const { assign } = await loadAdministration()
    const assignment = await recorded(await ctx.storage(options.database), (storage) =>
      assign(storage, { email, project, startsOn, endsOn }),
    )
    ctx.terminal.message(`Assigned ${email} to ${project}.`)
    return assignment
  },
}

function pathOf({ client, name }: ProjectWithClient): string {
  return client === null ? name : `${client}/${name}`
}

function activation(active: boolean, outcome: string) {
  return async (
    ctx: Context,
    { args: { project: name }, options }: CommandInput<DatabaseOptions, { project: string }>,
    recorded: RecordedChange,
  ) => {
    const { setProjectActive } = await loadAdministration()
    const project = await recorded(await ctx.storage(options.database), (storage) =>
      setProjectActive(storage, name, active),
    )
    ctx.terminal.message(`The project ${pathOf(project)} ${outcome}.`)
    return project
  }
}
