import type { Context } from '../../cli/context.js'
import type { ExportedEntry, ExportFormat } from '../../import-export/export/export-format.js'
import type { Examples, ExportFindings } from '../../import-export/export/findings.js'
import { dayOf } from '../../lib/calendar/day.js'
import { formatDateTime } from '../../lib/calendar/time.js'
import { countText } from '../../lib/text/words.js'

/** Warns about what the format could not express. */
export function warnOfFindings(ctx: Context, format: ExportFormat, findings: ExportFindings) {
  const { omittedRunning, overlaps, lostNotes, clockChanges } = findings
  if (omittedRunning.count > 0) {
    const subject = countText(omittedRunning.count, 'running entry', 'running entries')
    const limit =
      format.running === 'last' ? 'supports only one running entry' : 'does not support running entries'
    ctx.terminal.warn(
      `Omitted ${subject}, because ${format.limitsRunning} ${limit}: ${listOf(omittedRunning, describe)}.`,
    )
  }
  if (overlaps.count > 0) {
    const pairs = listOf(overlaps, ([first, second]) => `${first.id} and ${describe(second)}`)
    const since = overlaps.first.map(([, { start }]) => dayOf(start))[0]
    ctx.terminal.warn(
      `${format.rejectsOverlaps} does not accept ${countText(overlaps.count, 'overlap')}: ${pairs}. ` +
        `\`tt check --overlaps --since ${since}\` lists commands that correct them.`,
    )
  }
  if (lostNotes > 0) {
    const subject = countText(lostNotes, 'entry', 'entries')
    ctx.terminal.warn(`Omitted the notes of ${subject}, because ${format.lacksNotes} has no notes.`)
  }
  if (clockChanges.count > 0) {
    const subject = countText(clockChanges.count, 'entry contains', 'entries contain')
    ctx.terminal.warn(
      `${subject} a clock change, and ${format.usesLocalTimes} calculates with local times: ` +
        `${listOf(clockChanges, describe)}.`,
    )
  }
}

function describe({ id, start }: ExportedEntry): string {
  return `${id} (${formatDateTime(start)})`
}

function listOf<Item>({ count, first }: Examples<Item>, textOf: (item: Item) => string): string {
  const more = count - first.length
  return [...first.map(textOf), ...(more > 0 ? [`${more.toLocaleString('en')} more`] : [])].join(', ')
}
