import type { AnyInput } from '../../cli/command.js'
import { commands as entries } from '../../program/declarations/entries.js'
import { commands as timer } from '../../program/declarations/timer.js'
import type { TaskCreation } from '../../tracking/catalog/catalog.js'
import type { Link } from '../../tracking/catalog/links.js'
import type { Entry } from '../../tracking/entries/entry.js'
import type { TaskChoice } from './screen-session.js'
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

/** Returns the commands that run on a watched profile. */
export function commandsOf(watch: Watch): CommandRuns {
  const execute = (
    name: keyof typeof timer | 'edit' | 'undo',
    { args = {}, options = {} }: Partial<AnyInput> = {},
    canPrompt = false,
  ) =>
    watch.execute(
      { name: `tt ${name}`, command: { ...timer, ...entries }[name], input: { args, options } },
      { canPrompt },
    )
  return {
    start: (choice) =>
      'created' in choice
        ? execute('start', { args: { task: choice.created }, options: { create: true } })
        : execute('start', { args: { task: String(choice.link.id) }, options: { notes: choice.notes } }),
    stop: () => execute('stop'),
    continue: () => execute('continue'),
    undo: () => execute('undo'),
    edit: ({ id }) => execute('edit', { args: { entry: [String(id)] } }, true),
    tasks: () =>
      watch.run(async (ctx) => {
        const catalog = await ctx.catalog()
        return { links: await catalog.links(), creation: await catalog.creation() }
      }),
  }
}
