import type { Context } from '../../cli/context.js'
import { chooseOutputPath } from '../../cli/output-path.js'
import { parseTaskLink } from '../../import-export/importer/default-task.js'
import type { LinkIndex } from '../../import-export/importer/link-index.js'
import { mappingKey, sourceColumns } from '../../import-export/importer/mapping-file.js'
import { nearestLink } from '../../import-export/importer/nearest-link.js'
import { mergeCombinations } from '../../import-export/importer/resolve-links.js'
import type { Combination, LinkAssignment } from '../../import-export/importer/staging.js'
import { writeOutputFile } from '../../lib/output-file.js'
import { csvTable } from '../../ui/formats/csv.js'
import { escapeStyledLines } from '../../ui/text.js'
import type { FileImport } from './read-files.js'

const header = [...sourceColumns, 'tt_task', 'entries', 'hours', 'nearest']

/**
 * Writes a mapping file with all combinations of names. Prompts before it replaces a file. Returns false if the user
 * declines.
 */
export async function writeMapTemplate(
  ctx: Context,
  typed: string,
  files: readonly FileImport[],
  index: LinkIndex,
): Promise<boolean> {
  const path = await chooseOutputPath(ctx, typed)
  if (path === undefined) return false
  await writeOutputFile(path, mapTemplate(files, index))
  ctx.terminal.message(
    `Wrote ${await ctx.terminal.linkPath(path)}. Fill in the column tt_task, and import with --map.`,
    escapeStyledLines,
  )
  return true
}

/** Yields the text of a mapping file with the combinations of names in all files, those with the most entries first. */
export function mapTemplate(files: readonly FileImport[], index: LinkIndex): AsyncGenerator<string> {
  return templateText(
    mergeCombinations(
      files.flatMap(({ importer }) => importer.staging.combinations()),
      mappingKey,
    ),
    index,
  )
}

async function* templateText(combinations: readonly Combination[], index: LinkIndex): AsyncGenerator<string> {
  const writer = csvTable<Combination>(
    header,
    (combination) => {
      const { client, project, task, tags, entries, seconds, assignment } = combination
      const nearest = nearestLink(combination, index.links)
      return [
        ...[client, project, task, tags.join(', ')],
        linkText(assignment, index),
        ...[entries, (seconds / 3600).toFixed(2), nearest?.label ?? ''],
      ]
    },
    {},
  )
  yield writer.head
  for (const combination of combinations) yield writer.row(combination)
}

/** Returns the names of an existing task link, or its ID if they do not name exactly it. */
function linkText(assignment: LinkAssignment | undefined, index: LinkIndex): string {
  if (assignment?.kind !== 'existing') return ''
  const link = index.byId(assignment.id)
  const path = [link?.client, link?.project, link?.task].flatMap((named) => named?.name ?? []).join('/')
  try {
    const found = parseTaskLink(path, index)
    if (found.kind === 'existing' && found.id === assignment.id) return path
  } catch {
    // Several links have these names, or a name contains a slash.
  }
  return String(assignment.id)
}
