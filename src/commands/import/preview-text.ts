import type { Context } from '../../cli/context.js'
import { formatTitles } from '../../import-export/import/format-names.js'
import { invalidRowText } from '../../import-export/import/invalid-row.js'
import type { LinkIndex } from '../../import-export/importer/link-index.js'
import { openReasons } from '../../import-export/importer/open-entries.js'
import type { Overlap } from '../../import-export/importer/overlaps.js'
import type { ImportPreview } from '../../import-export/importer/preview.js'
import type { Combination } from '../../import-export/importer/staging.js'
import { dayOf } from '../../lib/calendar/day.js'
import { formatDateTime, formatTime } from '../../lib/calendar/time.js'
import { capitalize } from '../../lib/text/words.js'
import type { FileImport } from './read-files.js'
import { describe, maxListed } from './task-links.js'

/** Upper bound for the names on a line. */
const maxNames = 5

/** A label and the lines beside it. */
type Section = [label: string, lines: string[]]

/** Returns the preview of a file: its format, and one section for each part that it has. */
export function previewText(
  ctx: Context,
  file: FileImport,
  preview: ImportPreview,
  unassigned: readonly Combination[],
  index: LinkIndex,
): string {
  const { name, format, importer } = file
  const { reading } = importer
  const sections: Section[] = [
    ['Entries', [entriesText(ctx, preview)]],
    ['Import', actionLines(preview)],
    ...nameSections(preview),
    ['Similar', similarLines(preview)],
    ['No task', unassignedLines(ctx, unassigned, index)],
    ['Overlaps', overlapLines(preview)],
    ['Skipped', reading.skipped.length > 0 ? [skippedText(reading)] : []],
    ['Invalid', invalidLines(file)],
    ['Note', [...reading.notes, ...(reading.hasAmounts ? [amountsNote] : [])]],
  ]
  const width = Math.max(...sections.map(([label]) => label.length))
  return [
    formatText(name, format.name),
    ...sections.flatMap(([label, lines]) =>
      lines.map((line, index) => `  ${(index === 0 ? label : '').padEnd(width)}  ${line}`),
    ),
  ].join('\n')
}

/** Returns the rows of the source that are not entries: "breaks (1), cancelled events (2)". */
export function skippedText({ skipped }: Pick<FileImport['importer']['reading'], 'skipped'>): string {
  const texts = skipped.map(({ reason, count }) => {
    const hint = isUndecided(reason) ? '; --end-open sets their end' : ''
    return `${reason} (${count.toLocaleString('en')}${hint})`
  })
  return texts.join(', ')
}

function isUndecided(reason: string): boolean {
  return reason === openReasons.earlier || reason === openReasons.further
}

const amountsNote = 'Amounts are not imported: tt computes them from the hourly rates in its settings.'

/** Returns "toggl.csv: Toggl Track, detailed report as CSV". */
export function formatText(name: string, format: keyof typeof formatTitles): string {
  return `${name}: ${formatTitles[format].replace(': ', ', ')}`
}

function entriesText(ctx: Context, { entries, first, last, seconds, running }: ImportPreview): string {
  if (first === null || last === null) return 'none'
  const [from, to] = [dayOf(first), dayOf(last)]
  const days = from === to ? from : `${from} to ${to}`
  const open = running === 0 ? '' : `, ${running.toLocaleString('en')} running`
  return `${entries.toLocaleString('en')}, ${days}, ${ctx.durations.format(seconds)}${open}`
}

/** Returns what happens with the entries, each with its count and the option that changes it. */
function actionLines({ actions }: ImportPreview): string[] {
  const { create, update, unchanged, changed, deleted, invoiced, equal, second_timer } = actions
  const lines: [count: number, text: string][] = [
    [create, create === 1 ? 'new entry' : 'new entries'],
    [update, 'imported earlier and changed in the file: their entries are updated'],
    [unchanged, 'imported earlier'],
    [changed, 'imported earlier and changed in the file (--update updates their entries)'],
    [deleted, 'imported earlier and deleted here since (--again imports them again)'],
    [invoiced, 'deleted here, but on an invoice: not imported again before `tt invoice void`'],
    [equal, 'equal to entries that exist'],
    [second_timer, 'without an end, not imported while another timer is running'],
  ]
  return lines
    .filter(([count], index) => count > 0 || index === 0)
    .map(([count, text]) => `${count.toLocaleString('en')} ${text}`)
}

function nameSections({ created, matched }: ImportPreview): Section[] {
  return (['clients', 'projects', 'tasks'] as const).map((kind): Section => {
    const label = capitalize(kind)
    const parts = [
      ...(created[kind].length > 0 ? [`${created[kind].length} new: ${namesList(created[kind])}`] : []),
      ...(matched[kind].length > 0 ? [`${matched[kind].length} existing: ${namesList(matched[kind])}`] : []),
    ]
    return [label, parts]
  })
}

function namesList(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).join(', ')
  return names.length > maxNames ? `${shown} and ${names.length - maxNames} more` : shown
}

function similarLines({ typos }: ImportPreview): string[] {
  const lines = typos
    .slice(0, maxListed)
    .map(({ level, typed, known }) => `the new ${level} ${typed} and the existing ${known}`)
  return withMore(lines, typos.length)
}

function unassignedLines(ctx: Context, combinations: readonly Combination[], index: LinkIndex): string[] {
  if (combinations.length === 0) return []
  return withMore(
    combinations.slice(0, maxListed).map((combination) => describe(ctx, combination, index)),
    combinations.length,
  )
}

function overlapLines({ overlaps: { count, examples } }: ImportPreview): string[] {
  if (count === 0) return []
  const subject =
    count === 1
      ? '1 new entry overlaps an existing one'
      : `${count.toLocaleString('en')} new entries overlap existing ones`
  return [
    `${subject}:`,
    ...withMore(
      examples.map((overlap) => overlapText(overlap)),
      count,
    ),
  ]
}

/** Returns "line 12, 2024-05-01 09:30–10:30, and entry 3, 2024-05-01 09:00–10:00". */
function overlapText({ line, start, end, existing, existingStart, existingEnd }: Overlap): string {
  const times = (from: Date, to: Date | null) =>
    `${formatDateTime(from)}–${to === null ? 'now' : formatTime(to, from)}`
  return `line ${line} (${times(start, end)}) and entry ${existing} (${times(existingStart, existingEnd)})`
}

/** Returns the first invalid rows with their reasons, and the number of the others. */
export function invalidLines(file: FileImport): string[] {
  const { name, importer, rejected } = file
  const lines = [
    ...importer.reading.invalid.map((row) => invalidRowText(name, row)),
    ...rejected.map(({ line, reason }) => `${name}:${line}: ${reason}`),
  ]
  return withMore(lines.slice(0, maxListed), invalidCount(file))
}

/** Returns the number of rows that cannot be read or that the profile does not accept. */
export function invalidCount({ importer, rejected }: FileImport): number {
  return importer.reading.invalidCount + rejected.length
}

function withMore(lines: readonly string[], count: number): string[] {
  const more = count - lines.length
  return more > 0 ? [...lines, `and ${more.toLocaleString('en')} more`] : [...lines]
}
