import type { Context } from '../../cli/context.js'
import { resolvePath } from '../../cli/file-paths.js'
import { AmbiguousDateOrderError } from '../../import-export/import/csv/csv-layout.js'
import { detectFormat } from '../../import-export/import/detect-format.js'
import type { ImportFormat } from '../../import-export/import/format.js'
import { openTextSource, type SourceFile } from '../../import-export/import/source/text-source.js'
import { type DateOrder, dateOrders, parseDate } from '../../import-export/import/values/dates.js'
import { Importer } from '../../import-export/importer/importer.js'
import type { SourceFilter } from '../../import-export/importer/read-source.js'
import { dayText } from '../../lib/calendar/period-text.js'
import { TtError } from '../../lib/errors.js'
import { fold, nearestNamesText } from '../../lib/text/nearest-names.js'
import { countText } from '../../lib/text/words.js'
import type { ReadRequest } from './import-options.js'

/** A file whose entries are staged. */
export interface FileImport {
  /** The name for messages. */
  name: string
  format: ImportFormat
  importer: Importer
  /** The entries that the profile does not accept, such as those with too long notes. */
  rejected: readonly RejectedEntry[]
  /** Those of them that are skipped, because they are in the closed period. */
  closedCount: number
  /** The version of the client state when the entries were compared with the profile. */
  stateVersion?: number
}

/** An entry that the profile does not accept. */
export interface RejectedEntry {
  /** Its number in the source, from 1. */
  position: number
  /** From 1. */
  line: number
  field: string
  /** A sentence. */
  reason: string
}

/** Removes what was staged. */
export function closeFiles(files: readonly FileImport[]) {
  for (const { importer } of files) importer.close()
}

/** Stages the entries of the files, in order. Closes what it opened if it throws. */
export async function readFiles(
  ctx: Context,
  paths: readonly string[],
  request: ReadRequest,
): Promise<FileImport[]> {
  const repeated = paths.find((path, index) => paths.indexOf(path) !== index)
  if (repeated !== undefined) throw new TtError('usage', `${repeated} was given twice.`)
  const files: FileImport[] = []
  try {
    for (const path of paths) files.push(await readFile(ctx, path, request))
    return files
  } catch (error) {
    closeFiles(files)
    throw error
  }
}

/** Opens a file of the command line; `-` is standard input. */
export function openFile(
  ctx: Context,
  path: string,
  encoding?: ReadRequest['encoding'],
): Promise<SourceFile> {
  const { stdin } = ctx.host
  return openTextSource(path === '-' ? path : resolvePath(ctx.host, path), { stdin, encoding })
}

async function readFile(ctx: Context, path: string, request: ReadRequest): Promise<FileImport> {
  const source = await openFile(ctx, path, request.encoding)
  try {
    const format = request.format ?? (await detectFormat(source))
    const importer = await readEntries(ctx, source, format, request)
    return { name: source.name, format, importer, rejected: [], closedCount: 0 }
  } finally {
    await source.close()
  }
}

/** Stages the entries; prompts for the order of day and month if it is ambiguous. */
async function readEntries(
  ctx: Context,
  source: SourceFile,
  format: ImportFormat,
  request: ReadRequest,
): Promise<Importer> {
  const read = (options: ReadRequest['options']) =>
    readOfPerson(source, request.person, (filter) =>
      stage(ctx, source, format, { ...request, options, filter: { ...request.filter, ...filter } }),
    )
  try {
    return await read(request.options)
  } catch (error) {
    if (!(error instanceof AmbiguousDateOrderError)) throw error
    const dateOrder = await promptForDateOrder(ctx, source.name, error.example)
    if (dateOrder === undefined) throw error
    return read({ ...request.options, dateOrder })
  }
}

async function stage(
  ctx: Context,
  source: SourceFile,
  format: ImportFormat,
  { options, filter }: ReadRequest,
): Promise<Importer> {
  const { database } = await ctx.state()
  const startMs = ctx.host.now().getTime()
  let entries = 0
  const progress = ctx.terminal.withProgress(() => {
    const seconds = (ctx.host.now().getTime() - startMs) / 1000
    const rate = seconds > 0 ? ` (${Math.round(entries / seconds).toLocaleString('en')} a second)` : ''
    return `Reading ${source.name}: ${countText(entries, 'entry', 'entries')}${rate}`
  })
  try {
    return await Importer.read({
      ...{ source, format, options, filter, now: ctx.now },
      database,
      onProgress(count) {
        entries = count
        progress.tick()
      },
    })
  } finally {
    progress.end()
  }
}

/**
 * Stages the entries of one person. Throws TtError `usage` if the source has entries of several and none was chosen, or if
 * it has none of the chosen one.
 */
async function readOfPerson(
  source: SourceFile,
  typed: string | undefined,
  read: (filter: SourceFilter) => Promise<Importer>,
): Promise<Importer> {
  const importer = await read({ person: typed })
  const { people } = importer.reading
  if (typed === undefined ? people.length < 2 : people.some(({ name }) => name === typed)) return importer
  importer.close()
  const same = typed === undefined ? undefined : people.find(({ name }) => fold(name) === fold(typed))
  if (same) return read({ person: same.name })
  const names = people.map(({ name }) => name)
  const shown = people.slice(0, 10).map(({ name, entries }) => `${name} (${entries.toLocaleString('en')})`)
  const list = `${shown.join(', ')}${people.length > shown.length ? `, and ${people.length - shown.length} more` : ''}`
  if (typed === undefined) {
    throw new TtError('usage', `${source.name} has entries of ${people.length} people: ${list}.`, {
      hint: 'Choose one with --person NAME.',
      candidates: names,
    })
  }
  if (people.length === 0) {
    throw new TtError('usage', `${source.name} does not say whose entries it contains.`, {
      hint: 'Omit --person.',
    })
  }
  throw new TtError(
    'usage',
    `${source.name} has no entries of "${typed}".${nearestNamesText(typed, names)} It has entries of ${list}.`,
    { hint: 'Choose one of these names with --person.', candidates: names },
  )
}

async function promptForDateOrder(
  ctx: Context,
  name: string,
  example: string,
): Promise<DateOrder | undefined> {
  const prompts = await ctx.terminal.prompts()
  const choices = dateOrders.map((order) => ({
    name: `${dayText(parseDate(example, order) ?? example)} (${order === 'day-month' ? 'day' : 'month'} first)`,
    value: order,
  }))
  return prompts?.select(`${name}: Which day is ${example}?`, choices)
}
