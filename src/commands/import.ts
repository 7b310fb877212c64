import type { Context } from '../cli/context.js'
import type { Input, Options } from '../cli/input.js'
import type { CompareOptions, ExistingEntry } from '../import-export/importer/compare.js'
import type { Importer } from '../import-export/importer/importer.js'
import type { ImportPreview } from '../import-export/importer/preview.js'
import { type LinkRules, unassignedCombinations } from '../import-export/importer/resolve-links.js'
import { TtError } from '../lib/errors.js'
import { countText } from '../lib/text/words.js'
import type { commands } from '../program/declarations/import.js'
import type { Entry } from '../tracking/entries/entry.js'
import type { TextChunks } from '../ui/text.js'
import {
  type AppliedFile,
  deliverPending,
  findClosed,
  type ImportTarget,
  isNeeded,
  openImportTarget,
} from './import/apply-import.js'
import { readRequest } from './import/import-options.js'
import { type ImportRecord, type ImportResult, toFileRecord, toImportRecord } from './import/import-record.js'
import {
  formatText,
  importQuestion,
  invalidCount,
  invalidLines,
  nothingText,
  previewText,
  resultText,
} from './import/preview-text.js'
import { closeFiles, type FileImport, type RejectedEntry, readFiles } from './import/read-files.js'
import {
  assignAll,
  chooseLinks,
  linkRules,
  mapTemplate,
  storeCreatedChoices,
  unassigned,
  unassignedError,
  writeMapTemplate,
} from './import/task-links.js'

export const canQueue = true

/** The preview of a dry run, or a mapping file. */
interface PrintedText {
  chunks: TextChunks
}

/** A file with what its import would do. */
interface PreviewedFile {
  file: FileImport
  preview: ImportPreview
}

export function text(value: PrintedText | ImportRecord): TextChunks | undefined {
  return 'chunks' in value ? value.chunks : undefined
}

export async function run(
  ctx: Context,
  { args: { file: paths }, options }: Input<typeof commands.import>,
): Promise<PrintedText | ImportRecord | undefined> {
  const request = await readRequest(ctx, options)
  const files = await readFiles(ctx, paths, request)
  try {
    return await new ImportCommand(ctx, paths, options, await openImportTarget(ctx)).run(files)
  } finally {
    closeFiles(files)
  }
}

class ImportCommand {
  constructor(
    private readonly ctx: Context,
    /** The files as typed. */
    private readonly paths: readonly string[],
    private readonly options: Options<typeof commands.import>,
    private readonly target: ImportTarget,
  ) {}

  async run(files: readonly FileImport[]): Promise<PrintedText | ImportRecord | undefined> {
    const { ctx, options } = this
    const { dryRun = false, mapTemplate: template } = options
    const changesNothing = dryRun || template !== undefined
    if (!changesNothing) this.#requireValid(files)
    const rules = await linkRules(ctx, options)
    await this.#assign(files, rules)
    if (template === '-') return { chunks: mapTemplate(files, rules.index) }
    if (template !== undefined && !(await writeMapTemplate(ctx, template, files, rules.index)))
      return undefined
    if (!changesNothing) await this.#chooseLinks(files, rules)
    for (const row of rules.mapping?.unusedRows() ?? []) ctx.terminal.warn(row)
    if (unassigned(files).length === 0) await this.#checkEntries(files)
    if (!changesNothing) this.#requireValid(files)
    const previews = files.map((file) => ({ file, preview: file.importer.preview(rules.index.links) }))
    return changesNothing ? this.#dryRun(previews, rules) : this.#apply(previews, rules)
  }

  async #assign(files: readonly FileImport[], rules: LinkRules) {
    assignAll(files, rules)
    let hasTimer = false
    for (const file of files) {
      await compareWithProfile(this.ctx, file, this.options, hasTimer)
      hasTimer ||= file.importer.startsTimer()
    }
  }

  async #chooseLinks(files: readonly FileImport[], rules: LinkRules) {
    const missing = unassigned(files)
    if (missing.length === 0) return
    if (this.ctx.terminal.isInteractive) {
      for (const { name, format } of files) this.ctx.terminal.message(formatText(name, format.name))
      const creation = rules.index.canCreate ? ', or type Project/Task to create one' : ''
      this.ctx.terminal.message(
        `No task is known for ${countText(missing.length, 'combination')} of names. ` +
          `Choose a task for each${creation}. The choices are stored.`,
      )
    }
    await chooseLinks(this.ctx, missing, rules, this.paths)
    await this.#assign(files, rules)
  }

  /** Finds the entries that the profile does not accept. Removes those of the closed period, and all with `--skip-invalid`. */
  async #checkEntries(files: readonly FileImport[]) {
    for (const file of files) {
      const remove = (entries: readonly RejectedEntry[]) =>
        file.importer.staging.remove(entries.map(({ position }) => position))
      const closed = await findClosed(this.ctx, file)
      remove(closed)
      const rejected = await this.target.findRejected(file)
      if (this.options.skipInvalid) remove(rejected)
      file.rejected = [...closed, ...rejected]
      file.closedCount = closed.length
    }
  }

  /** Throws TtError `usage` if rows are invalid, unless they are to be skipped. */
  #requireValid(files: readonly FileImport[]) {
    const error = invalidError(files, 'Nothing was imported.')
    if (error && !this.#skipsInvalid(files)) throw error
  }

  #skipsInvalid(files: readonly FileImport[]): boolean {
    return this.options.skipInvalid === true || files.every((file) => invalidCount(file) === file.closedCount)
  }

  /** Returns the previews, and lets the command exit like the import would. */
  #dryRun(previews: readonly PreviewedFile[], rules: LinkRules): PrintedText | ImportRecord {
    const { ctx, options, paths } = this
    const files = previews.map(({ file }) => file)
    const missing = unassigned(files)
    if (missing.length > 0 && options.mapTemplate === undefined && !ctx.terminal.isInteractive)
      ctx.afterOutput.fail(unassignedError(ctx, missing, rules.index, paths, { isListed: true }))
    const error = invalidError(files)
    if (error)
      ctx.afterOutput.fail(this.#skipsInvalid(files) ? new TtError('rejected', error.message) : error)
    if (!options.json) return { chunks: [`${this.#textOf(previews, rules)}\n`] }
    const records = previews.map(({ file, preview }) => toFileRecord(file, preview, null))
    return toImportRecord(records, true)
  }

  #textOf(previews: readonly PreviewedFile[], { index }: LinkRules): string {
    const texts = previews.map(({ file, preview }) =>
      previewText(this.ctx, file, preview, unassignedCombinations(file.importer.staging), index),
    )
    return texts.join('\n')
  }

  /** Prompts, and imports one file after another. */
  async #apply(previews: readonly PreviewedFile[], rules: LinkRules): Promise<ImportRecord | undefined> {
    const { ctx, options } = this
    const wanted = previews.filter(({ preview }) => isNeeded(preview))
    if (wanted.length > 0) {
      const facts = this.#textOf(wanted, rules)
      if (!(await ctx.terminal.confirm(importQuestion(wanted), facts, { isPreview: true }))) return undefined
    }
    const results: (AppliedFile & { file: FileImport })[] = []
    for (const { file, preview } of previews) {
      // An earlier file, or one that another process has imported since, may have the same entries.
      const hasImported = results.some(({ result }) => result !== undefined)
      const applied = await this.target.apply(file, async () => {
        if (!hasImported && !(await isOutdated(ctx, file))) return preview
        await compareWithProfile(ctx, file, options)
        return file.importer.preview(rules.index.links)
      })
      const { preview: current, result } = applied
      ctx.terminal.message(result ? resultText(file, current, result) : nothingText(file, current))
      results.push({ file, ...applied })
    }
    await storeCreatedChoices(ctx, rules)
    if (wanted.length === 0) await deliverPending(ctx)
    const error = invalidError(
      previews.map(({ file }) => file),
      'Skipped:',
    )
    if (error) ctx.afterOutput.fail(new TtError('rejected', error.message))
    if (!options.json) return undefined
    const records = results.map(({ file, preview, result }) =>
      toFileRecord(file, preview, result ?? nothingImported),
    )
    return toImportRecord(records, false)
  }
}

const nothingImported: ImportResult = { created: 0, updated: 0, pending: 0, rejected: 0 }

/**
 * Returns the error for rows that cannot be imported; undefined if there are none.
 *
 * @param consequence the sentence after which the rows are listed; without it, they were already printed
 */
function invalidError(files: readonly FileImport[], consequence?: string): TtError | undefined {
  const invalid = files.filter((file) => invalidCount(file) > 0)
  if (invalid.length === 0) return undefined
  const counts = invalid.map((file) => `${countText(invalidCount(file), 'row')} of ${file.name}`)
  const problem = `${counts.join(', ')} cannot be imported.`
  const lines = invalid.flatMap(invalidLines).map((line) => `  ${line}`)
  const text = consequence === undefined ? problem : [`${problem} ${consequence}`, ...lines].join('\n')
  return new TtError('usage', text, {
    hint: 'Correct these rows, or add --skip-invalid to import the other entries.',
  })
}

/**
 * Compares the staged entries of a file with those of the profile.
 *
 * @param hasTimer whether an earlier file of the import starts a timer
 */
async function compareWithProfile(
  ctx: Context,
  file: FileImport,
  { again = false, update = false }: Partial<Pick<CompareOptions, 'again' | 'update'>>,
  hasTimer = false,
): Promise<void> {
  const { importer } = file
  file.stateVersion = (await ctx.state()).version()
  await importer.compare({
    existing: existingEntries(ctx, importer),
    async find(externalId) {
      const entry = await (await ctx.entries()).findByExternalId(externalId)
      return entry && toExisting(entry)
    },
    again,
    update,
    hasTimer,
  })
}

/** Whether another process has changed the profile since the file was compared with it. */
async function isOutdated(ctx: Context, { stateVersion }: FileImport): Promise<boolean> {
  return (await ctx.state()).version() !== stateVersion
}

/** Yields the entries of the profile in the period of the staged ones. */
async function* existingEntries(ctx: Context, importer: Importer): AsyncGenerator<ExistingEntry[]> {
  const period = importer.period()
  if (!period) return
  const entries = await ctx.entries()
  const batches = ctx.terminal.countItems(
    entries.orderedBatches(period, {}),
    (count) => `Comparing with ${count} entries`,
  )
  for await (const batch of batches) yield batch.map(toExisting)
}

function toExisting({ id, start, end, notes, wire }: Entry): ExistingEntry {
  return { id, start, end, notes, externalId: wire.external_id ?? null, taskLink: wire.task_link_id ?? null }
}
