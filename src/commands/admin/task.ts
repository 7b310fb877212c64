import type { Context } from '../../cli/context.js'
import { namedView } from '../views/workspace.js'
import type { DatabaseOptions } from './user.js'

const loadAdministration = () => import('../../service/admin/administration.js')

export const add = {
  view: namedView('tasks'),
  messageReplacesValue: true,
  async run(ctx: Context, name: string, options: DatabaseOptions & { project?: string }) {
    const { addTask } = await loadAdministration()
    const task = await addTask(await ctx.storage(options.database), { name, project: options.project })
    ctx.terminal.message(
      options.project ? `Added the task ${task.name} to ${options.project}.` : `Added the task ${task.name}.`,
    )
    return task
  },
}

export const list = {
  view: namedView('tasks'),
  async run(ctx: Context, options: DatabaseOptions) {
    const { listTasks } = await loadAdministration()
    return listTasks(await ctx.storage(options.database))
  },
}
