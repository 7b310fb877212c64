import { dirname } from 'node:path'
import type { Context } from '../cli/context.js'
import { confirmReplacement, isDirectory, requireDirectory, resolvePath } from '../cli/file-paths.js'
import type { Input, Options } from '../cli/input.js'
import type { ExportFormat } from '../import-export/export/export-format.js'
import { exportText, loadFormat } from '../import-export/export/export-text.js'
import { ExportFindings, expressibleEntries } from '../import-export/export/findings.js'
import { TtError } from '../lib/errors.js'
import { writeOutputFile } from '../lib/output-file.js'
import { countText } from '../lib/text/words.js'
import type { commands } from '../program/declarations/export.js'
import { csvFormatNames, type ExportFormatName } from '../records/export-formats.js'
import type { WrittenExportJson } from '../records/shapes/imports.js'
import { escapeForTerminal, escapeStyledLines, type TextChunks } from '../ui/text.js'
import { exportedEntries, exportView } from './export/exported-entries.js'
import { writeDirectory } from './export/files.js'
import { warnOfFindings } from './export/warnings.js'
import { checkFilterNames } from './shared/unknown-names.js'

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
