import type { Link } from '../../catalog/links.js'
import type { TaskChoice } from './task-picker.js'
import type { Watch } from './watch.js'

/** The commands that keys run. Their messages go to the listener of the watch. */
export interface CommandRuns {
  start(choice: TaskChoice): Promise<unknown>
  stop(): Promise<unknown>
  continue(): Promise<unknown>
  undo(): Promise<unknown>
  /** Returns all tasks. */
  tasks(): Promise<Link[]>
}

/** Returns the commands that run on a watched profile: the same functions as `tt start`, `stop`, `continue` and `undo`. */
export function commandsOf(watch: Watch): CommandRuns {
  const canQueue = true
  return {
    async start({ link, notes }) {
      const { run } = await import('../start.js')
      const options = notes === undefined ? {} : { notes }
      return watch.run((ctx) => run(ctx, { args: { task: String(link.id) }, options }), { canQueue })
    },
    async stop() {
      const { run } = await import('../stop.js')
      return watch.run((ctx) => run(ctx, { args: {}, options: {} }), { canQueue })
    },
    async continue() {
      const { run } = await import('../continue.js')
      return watch.run((ctx) => run(ctx, { args: {}, options: {} }), { canQueue })
    },
    async undo() {
      const { undo } = await import('../undo.js')
      return watch.run((ctx) => undo.run(ctx, { args: {}, options: {} }), { canQueue })
    },
    tasks: () => watch.run(async (ctx) => (await ctx.catalog()).links()),
  }
}
