import { mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Context } from '../cli/context.js'
import { confirmReplacement, isDirectory, requireDirectory, resolvePath } from '../cli/file-paths.js'
import type { Input, Options } from '../cli/input.js'
import {
  type ExportedEntry,
  type ExportFiles,
  type ExportFormat,
  exportFileTexts,
  exportText,
  loadFormat,
} from '../import-export/export/export-format.js'
import { type Examples, ExportFindings, expressibleEntries } from '../import-export/export/findings.js'
import { dayOf } from '../lib/calendar/day.js'
import { timeOf } from '../lib/calendar/interval.js'
import { formatDateTime } from '../lib/calendar/time.js'
import { TtError } from '../lib/errors.js'
import { OutputFile, writeOutputFile } from '../lib/output-file.js'
import { countText } from '../lib/text/words.js'
import type { commands } from '../program/declarations/export.js'
import { entryFilter } from '../program/options/entry-filters.js'
import { csvFormatNames, type ExportFormatName } from '../records/export-formats.js'
import type { WrittenExportJson } from '../records/shapes/imports.js'
import { billableTest } from '../tracking/entries/billable.js'
import { escapeForTerminal, escapeStyledLines, type TextChunks } from '../ui/text.js'
import type { View } from '../ui/view.js'
import { entryBilling } from './report/billing-terms.js'
import { calendarIds } from './shared/calendar-ids.js'
import { cacheTimeZone, periodOf } from './shared/options/period-options.js'
import { checkFilterNames } from './shared/unknown-names.js'
import { eventOf } from './views/entry.js'
import { inPeriod, type LoggedEntry, loggedEntryView } from './views/logged-entry.js'

/** What was written to files; the JSON of `--json` with `--output`. */
type WrittenExport = WrittenExportJson

interface PrintedExport {
  chunks: TextChunks
}

export const allowsUnreadableSettings = true

export function text(value: PrintedExport | WrittenExport): TextChunks | undefined {
  return 'chunks' in value ? value.chunks : undefined
}

export async function run(
  ctx: Context,
  { args, options }: Input<typeof commands.export>,
): Promise<PrintedExport | WrittenExport | undefined> {
  const name = formatName(options)
  const format = await loadFormat(name)
  const findings = new ExportFindings()
  const entries = expressibleEntries(format, await exportedEntries(ctx, { args, options }), {
    findings,
    now: ctx.now,
  })
  const writer = () => format.writer({ view: exportView(ctx), raw: options.raw === true })
  const checkNames = () => checkFilterNames(ctx, options, findings.entries)
  if (options.output === undefined || options.output === '-') {
    const chunks = exportText(await writer(), entries)
    ctx.afterOutput.run(async () => {
      warnOfFindings(ctx, format, findings)
      await checkNames()
    })
    // Nothing in an export is a colour of this program.
    return { chunks: ctx.host.stdout.isTTY ? escapeForTerminal(chunks, { hasStyle: false }) : chunks }
  }
  // Before the file is complete.
  const checkedEntries = followedBy(entries, checkNames)
  const path = resolvePath(ctx.host, options.output)
  requireDirectory(dirname(path))
  const files = dividesFiles(format, name, path)
    ? await writeDirectory(ctx, path, format.files, checkedEntries)
    : (await confirmReplacement(ctx, path)) &&
      (await writeOne(path, exportText(await writer(), checkedEntries)))
  if (!files) return undefined
  warnOfFindings(ctx, format, findings)
  ctx.terminal.message(
    `Exported ${countText(findings.entries, 'entry', 'entries')} to ${await ctx.terminal.linkPath(path)}.`,
    escapeStyledLines,
  )
  if (!options.json) return undefined
  return {
    format: name,
    entries: findings.entries,
    files,
    running_omitted: findings.omittedRunning.count,
    overlaps: findings.overlaps.count,
  }
}

/** Yields the values, and then runs the check. */
async function* followedBy<Value>(
  values: AsyncIterable<Value>,
  check: () => Promise<void>,
): AsyncGenerator<Value> {
  yield* values
  await check()
}

async function writeOne(path: string, chunks: AsyncIterable<string>): Promise<string[]> {
  await writeOutputFile(path, chunks)
  return [path]
}

/** Returns the format. Throws TtError `usage` for an unknown one, and for options that it does not support. */
function formatName({
  format,
  ndjson,
  raw,
  json,
  output,
}: Options<typeof commands.export>): ExportFormatName {
  const isJson = ['json', 'ndjson'].includes(format)
  if (ndjson && !isJson) {
    throw new TtError('usage', `--ndjson and --format ${format} cannot be used together.`, {
      hint: 'Omit one of them.',
    })
  }
  const name = ndjson ? 'ndjson' : format
  if (raw && !csvFormatNames.includes(name)) {
    throw new TtError('usage', `--raw is for CSV, and ${name} is not CSV.`, {
      hint: `Omit --raw, or use --format ${csvFormatNames.slice(0, -1).join(', ')} or ${csvFormatNames.at(-1)}.`,
    })
  }
  const isPrinted = output === undefined || output === '-'
  if (json && isPrinted && name !== 'json') {
    throw new TtError('usage', `--json and --format ${name} cannot be used together on standard output.`, {
      hint: 'Omit --json, or write the export to a file with -o FILE.',
    })
  }
  return name
}

/** Whether the output is a directory. Throws TtError `usage` for a directory if the format has only one file. */
function dividesFiles(
  format: ExportFormat,
  name: ExportFormatName,
  path: string,
): format is ExportFormat & Required<Pick<ExportFormat, 'files'>> {
  if (format.files && !path.endsWith('.json')) return true
  if (!isDirectory(path)) return false
  throw new TtError('usage', `${path} is a directory, and ${name} is written to one file.`, {
    hint: 'Use -o with the name of a file.',
  })
}

/** Warns about what the format could not express. */
function warnOfFindings(ctx: Context, format: ExportFormat, findings: ExportFindings) {
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

type Row = LoggedEntry & ExportedEntry

/** Returns the entries that the options select, in batches and in the order of their starts; without a period, all. */
async function exportedEntries(
  ctx: Context,
  input: Input<typeof commands.export>,
): Promise<AsyncGenerator<Row[]>> {
  const { options } = input
  const settings = await ctx.config.settings()
  const { where = {} } = options
  const [matches, isBillable] = [entryFilter(options, settings), billableTest(settings)]
  await cacheTimeZone(ctx, where)
  const range = timeOf(periodOf(ctx, input))
  const tracking = await ctx.entries()
  async function* rows(): AsyncGenerator<Row[]> {
    const batches = ctx.terminal.countItems(
      tracking.orderedBatches(range, where),
      (count) => `${count} entries`,
    )
    const billingOf = await entryBilling(ctx, range)
    for await (const batch of batches) {
      const matching = batch.filter(matches)
      const uidOf = await calendarIds(ctx, matching)
      yield matching.map((entry) => ({
        ...inPeriod(entry, range, ctx.now),
        billing: billingOf(entry),
        uid: uidOf(entry),
        isBillable: isBillable(entry.link),
      }))
    }
  }
  return rows()
}

/** Returns the view of `tt log`, with calendar events. */
function exportView(ctx: Context): View<Row> {
  return { ...loggedEntryView(ctx, []), event: (entry: Row) => eventOf(entry, entry.uid, ctx.now) }
}

/**
 * Divides the entries among the files of a directory, and returns their paths. Prompts before it replaces files; returns
 * undefined if the user declines.
 */
async function writeDirectory(
  ctx: Context,
  directory: string,
  layout: ExportFiles,
  entries: AsyncIterable<readonly ExportedEntry[]>,
): Promise<string[] | undefined> {
  const existing = existingFiles(directory, layout)
  if (existing.length > 0) {
    const question = `Overwrite the files of the exported months in ${directory}?`
    if (!(await ctx.terminal.confirm(question))) return undefined
  }
  const files = new Map<string, OutputFile>()
  try {
    for await (const texts of exportFileTexts(layout, entries)) {
      for (const [name, text] of texts) {
        const file = files.get(name) ?? new OutputFile(join(directory, name))
        files.set(name, file)
        file.write(text)
      }
    }
  } catch (error) {
    for (const file of files.values()) file.discard()
    throw error
  }
  for (const file of files.values()) file.commit()
  return [...files.values()].map(({ path }) => path)
}

/** Returns the names of such files; creates the directory if it is missing. */
function existingFiles(directory: string, { namePattern }: ExportFiles): string[] {
  try {
    mkdirSync(directory, { recursive: true })
    return readdirSync(directory).filter((name) => namePattern.test(name))
  } catch (cause) {
    throw new TtError('failure', `${directory} cannot be used as a directory.`, {
      hint: 'Choose another directory for --output.',
      cause,
    })
  }
}
