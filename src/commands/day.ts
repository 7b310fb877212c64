import type { Context } from '../cli/context.js'
import { type Entry, labelOf } from '../tracking/entries/entry.js'
import { escapeText, shortenText, wrapText } from '../ui/text.js'
import type { Style } from '../ui/view.js'
import { changeLines } from './shared/change-lines.js'
import { printDayNotes, TerminalText, terminalText } from './shared/day-notes.js'
import { dayOverview } from './shared/day-overview.js'

type Row = readonly [command: string, meaning: string]

const taskCount = 3

export const allowsUnreadableSettings = true
export const text = terminalText

/**
 * Returns the day at a glance: timer, today and this week, the last tasks, and changes that the service does not have.
 * Without any entry, returns commands to begin with. Sends no request to a service.
 */
export async function run(ctx: Context): Promise<TerminalText> {
  const entries = await ctx.entries()
  const timer = await entries.known.running()
  ;(await ctx.reference()).useOnlySnapshots()
  ctx.afterOutput.run(() => printDayNotes(ctx, timer))
  const tasks = await entries.lastTasks(taskCount + 1)
  const { style, width = Number.POSITIVE_INFINITY } = await ctx.terminal.renderOptions()
  const parts =
    timer || tasks.length > 0
      ? [await dayOverview(ctx, timer, { isKnown: true }), taskLines(tasks, timer, style)]
      : [firstLines(ctx, width, style)]
  const changes = (await changeLines(ctx)).flatMap((line) => wrapText(line, width).map(style.yellow))
  const lines = [...parts, changes]
    .filter(({ length }) => length > 0)
    .flatMap((part, index) => (index > 0 ? ['', ...part] : part))
  return new TerminalText(lines.map((line) => shortenText(line, width)))
}

/** Returns the commands that continue the last tasks, except that of the timer. */
function taskLines(
  tasks: readonly { reference: string; entry: Entry }[],
  timer: Entry | undefined,
  style: Style,
): string[] {
  const others = tasks.filter(
    ({ entry }) => !timer || String(entry.wire.task_link_id) !== String(timer.wire.task_link_id),
  )
  const rows = others.slice(0, taskCount).map(({ reference, entry }): Row => {
    const notes = entry.notes && style.dim(escapeText(entry.notes))
    return [`tt continue ${reference}`, [escapeText(labelOf(entry)), notes].filter(Boolean).join('  ')]
  })
  return rowLines(rows, style)
}

/** Returns commands to begin with. */
function firstLines({ config }: Context, width: number, style: Style): string[] {
  const { hasDelivery, canWriteCatalog } = config.profile
  const title = hasDelivery
    ? 'No entry of the service is known on this machine yet. To begin:'
    : 'No time is tracked yet. To begin:'
  const rows: Row[] = canWriteCatalog
    ? [
        ['tt start Website', 'start a timer'],
        ['tt add Website 2h', 'add two hours'],
        ['tt import report.csv', 'import entries'],
      ]
    : [
        ['tt start', 'pick a task and start a timer'],
        ['tt tasks', 'list the tasks'],
        ['tt log', 'list the last 7 days'],
      ]
  return [...wrapText(title, width), ...rowLines(rows, style), '', '`tt help` lists the commands.']
}

function rowLines(rows: readonly Row[], style: Style): string[] {
  const width = Math.max(...rows.map(([command]) => command.length))
  return rows.map(([command, meaning]) => `  ${style.bold(command.padEnd(width))}  ${meaning}`)
}
