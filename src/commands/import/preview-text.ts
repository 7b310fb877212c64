import type { Context } from '../../cli/context.js'
import { invalidRowText } from '../../import-export/import/format.js'
import { type FormatName, formats } from '../../import-export/import/formats.js'
import type { LinkIndex } from '../../import-export/importer/link-index.js'
import type { ImportPreview, Overlap } from '../../import-export/importer/preview.js'
import { openReasons } from '../../import-export/importer/read-source.js'
import type { Combination } from '../../import-export/importer/staging.js'
import { dayOf } from '../../lib/calendar/day.js'
import { formatDateTime, formatTime } from '../../lib/calendar/time.js'
import { capitalize, countText, listText } from '../../lib/text/words.js'
import type { ImportResult } from './import-record.js'
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
function skippedText({ skipped }: Pick<FileImport['importer']['reading'], 'skipped'>): string {
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
export function formatText(name: string, format: FormatName): string {
  return `${name}: ${formats[format].title.replace(': ', ', ')}`
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

/** Returns the question before the import of files, with the numbers of their entries. */
export function importQuestion(files: readonly { file: FileImport; preview: ImportPreview }[]): string {
  const sum = (action: 'create' | 'update') =>
    files.reduce((total, { preview }) => total + preview.actions[action], 0)
  const [created, updated] = [sum('create'), sum('update')]
  const [only] = files
  const from = only && files.length === 1 ? only.file.name : countText(files.length, 'file')
  const update = `${created > 0 ? ' and update' : 'Update'} ${countText(updated, 'entry', 'entries')}`
  return `${created > 0 ? `Import ${countText(created, 'entry', 'entries')}` : ''}${updated > 0 ? update : ''} from ${from}?`
}

/** Returns what was imported and what was left out. */
export function resultText(
  { name, importer }: FileImport,
  { actions }: ImportPreview,
  { created, updated, pending }: ImportResult,
): string {
  const done = [
    ...(created > 0 || updated === 0 ? [`Imported ${countText(created, 'entry', 'entries')}`] : []),
    ...(updated > 0
      ? [`${created > 0 ? 'updated' : 'Updated'} ${countText(updated, 'entry', 'entries')}`]
      : []),
  ]
  const { skipped } = importer.reading
  const leftOut = [...leftOutParts(actions), ...(skipped.length > 0 ? [skippedText({ skipped })] : [])]
  const rest = leftOut.length > 0 ? `\nNot imported: ${leftOut.join(', ')}.` : ''
  const unsent = pending > 0 ? `\n${countText(pending, 'change')} not sent yet.` : ''
  return `${listText(done)} from ${name}. \`tt undo\` reverts the import.${rest}${unsent}`
}

/** Returns why a file has nothing to import. */
export function nothingText(
  { name, importer, closedCount }: FileImport,
  { actions, entries }: ImportPreview,
): string {
  const { skipped } = importer.reading
  if (entries === 0 && closedCount > 0)
    return `Nothing to import: ${name} contains only entries of the closed period.`
  if (entries === 0) {
    const rows = skipped.length > 0 ? `, except skipped ones: ${skippedText({ skipped })}` : ''
    return `Nothing to import: ${name} contains no entries${rows}.`
  }
  const all = entries === 1 ? 'the only entry' : `all ${entries.toLocaleString('en')} entries`
  if (actions.unchanged === entries)
    return `Nothing to import: ${all} of ${name} ${entries === 1 ? 'was' : 'were'} imported earlier.`
  return `Nothing to import from ${name}: ${leftOutParts(actions).join(', ')}.`
}

function leftOutParts({
  unchanged,
  changed,
  deleted,
  invoiced,
  equal,
  second_timer,
}: ImportPreview['actions']): string[] {
  const parts: [count: number, text: string][] = [
    [unchanged, 'imported earlier'],
    [changed, 'changed in the file (--update updates their entries)'],
    [deleted, 'deleted here after an earlier import (--again imports them again)'],
    [invoiced, 'deleted here, but on an invoice (not imported again before `tt invoice void`)'],
    [equal, 'equal to existing entries'],
    [second_timer, 'without an end while another timer is running (--end-open sets its end)'],
  ]
  return parts.filter(([count]) => count > 0).map(([count, text]) => `${count.toLocaleString('en')} ${text}`)
}
