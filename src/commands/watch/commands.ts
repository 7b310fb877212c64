import type { TaskCreation } from '../../tracking/catalog/catalog.js'
import type { Link } from '../../tracking/catalog/links.js'
import type { Entry } from '../../tracking/entries/entry.js'
import type { TaskChoice } from './task-choices.js'
import type { Watch } from './watch.js'

/** The commands that keys run. Their messages go to the listener of the watch. */
export interface CommandRuns {
  start(choice: TaskChoice): Promise<unknown>
  stop(): Promise<unknown>
  continue(): Promise<unknown>
  undo(): Promise<unknown>
  /** Opens the entry in the editor, which uses the terminal. Returns undefined if nothing was changed. */
  edit(entry: Entry): Promise<unknown>
  /** Returns all tasks, and which one a text would create. */
  tasks(): Promise<{ links: Link[]; creation: TaskCreation }>
}

/** Returns the commands that run on a watched profile: the same functions as `tt start`, `stop`, `continue`, `edit` and `undo`. */
export function commandsOf(watch: Watch): CommandRuns {
  const canQueue = true
  return {
    async start(choice) {
      const { run } = await import('../start.js')
      const input =
        'created' in choice
          ? { args: { task: choice.created }, options: { create: true } }
          : { args: { task: String(choice.link.id) }, options: notesOf(choice) }
      return watch.run((ctx) => run(ctx, input), { canQueue })
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
    async edit({ id }) {
      const { run } = await import('../edit.js')
      const input = { args: { entry: [String(id)] }, options: {} }
      return watch.run((ctx) => run(ctx, input), { canQueue, canPrompt: true })
    },
    tasks: () =>
      watch.run(async (ctx) => {
        const catalog = await ctx.catalog()
        return { links: await catalog.links(), creation: await catalog.creation() }
      }),
  }
}

function notesOf({ notes }: { notes: string | undefined }): { notes?: string } {
  return notes === undefined ? {} : { notes }
}
