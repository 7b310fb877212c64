import type { Context } from '../../cli/context.js'
import type { CompareOptions, ExistingEntry } from '../../import-export/importer/compare.js'
import type { Importer } from '../../import-export/importer/importer.js'
import type { Entry } from '../../tracking/entries/entry.js'
import type { FileImport } from './read-files.js'

/**
 * Compares the staged entries of a file with those of the profile.
 *
 * @param hasTimer whether an earlier file of the import starts a timer
 */
export async function compareWithProfile(
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
export async function isOutdated(ctx: Context, { stateVersion }: FileImport): Promise<boolean> {
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
