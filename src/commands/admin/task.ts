import type { Context } from '../../cli/context.js'
import type { CommandInput } from '../shared/command.js'
import { namedView } from '../views/workspace.js'
import type { RecordedChange } from './audited.js'
import type { DatabaseOptions } from './user.js'

const loadAdministration = () => import('../../service/admin/administration.js')

export const add = {
  view: namedView('tasks'),
  messageReplacesValue: true,
  async run(
    ctx: Context,
    { args: { name }, options }: CommandInput<DatabaseOptions & { project?: string }, { name: string }>,
    recorded: RecordedChange,
  ) {
    const { addTask } = await loadAdministration()
    const { project, ...task } = await recorded(await ctx.storage(options.database), (storage) =>
      addTask(storage, { name, project: options.project }),
    )
    ctx.terminal.message(
      project === undefined ? `Added the task ${task.name}.` : `Added the task ${task.name} to ${project}.`,
    )
    return task
  },
}

export const list = {
  view: namedView('tasks'),
  async run(ctx: Context, { options }: CommandInput<DatabaseOptions>) {
    const { listTasks } = await loadAdministration()
    return listTasks(await ctx.storage(options.database))
  },
}
