import type { Context } from '../../cli/context.js'
import { chooseOutputPath } from '../../cli/file-paths.js'
import {
  type DefaultTask,
  parseDefaultTask,
  parseTaskLink,
} from '../../import-export/importer/default-task.js'
import {
  existingLink,
  LinkIndex,
  namesText,
  nearestLink,
  readChoices,
  storeChoice,
} from '../../import-export/importer/link-index.js'
import { mappingKey, readMappingFile, sourceColumns } from '../../import-export/importer/mapping-file.js'
import {
  assignLinks,
  type LinkRules,
  mergeCombinations,
  namesKey,
  unassignedCombinations,
} from '../../import-export/importer/resolve-links.js'
import type { Combination, LinkAssignment } from '../../import-export/importer/staging.js'
import { TtError } from '../../lib/errors.js'
import { writeOutputFile } from '../../lib/output-file.js'
import { segmentsOf } from '../../lib/text/match-names.js'
import { fold } from '../../lib/text/nearest-names.js'
import { quoteWord } from '../../lib/text/shell-quoting.js'
import { countText } from '../../lib/text/words.js'
import { joinLinks } from '../../tracking/catalog/links.js'
import { csvTable } from '../../ui/formats/csv.js'
import type { Choice } from '../../ui/prompts.js'
import { escapeStyledLines } from '../../ui/text.js'
import type { ImportOptions } from './import-options.js'
import { type FileImport, openFile } from './read-files.js'

/** Upper bound for the combinations that an error or a preview lists. */
export const maxListed = 10

/** Reads what determines the task links of the import. Throws TtError `usage` for a task that does not exist. */
export async function linkRules(ctx: Context, { map, task }: ImportOptions): Promise<LinkRules> {
  const index = await linkIndex(ctx)
  return {
    index,
    mapping: map === undefined ? undefined : await readMap(ctx, map, index),
    choices: readChoices(await ctx.state(), index),
    chosenTask: await chosenTask(ctx, task, index),
    defaultTask: (await ctx.config.settings()).defaultTask,
  }
}

async function readMap(ctx: Context, path: string, index: LinkIndex) {
  const source = await openFile(ctx, path)
  try {
    return await readMappingFile(source, index)
  } finally {
    await source.close()
  }
}

async function chosenTask(
  ctx: Context,
  typed: string | undefined,
  index: LinkIndex,
): Promise<DefaultTask | undefined> {
  if (typed !== undefined) return parseDefaultTask(typed, index)
  const { importTask } = await ctx.config.settings()
  if (importTask === undefined) return undefined
  try {
    return parseDefaultTask(importTask, index)
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    const { message, candidates } = error
    throw new TtError('usage', `import.task: ${message}`, {
      nextStep: { action: 'set', setting: 'import.task' },
      candidates,
    })
  }
}

/** Assigns task links to the combinations of names of all files, as far as the rules determine them. */
export function assignAll(files: readonly FileImport[], rules: LinkRules) {
  for (const { importer } of files) assignLinks(importer.staging, rules)
}

/** Returns the combinations of new entries without a task link, those with the most entries first. */
export function unassigned(files: readonly FileImport[]): Combination[] {
  return mergeCombinations(files.flatMap(({ importer }) => unassignedCombinations(importer.staging)))
}

/**
 * Prompts for the task link of each combination, and adds the choices to the rules. Existing task links are stored, so that
 * the next import does not prompt for them. Throws TtError `usage` if it cannot prompt.
 *
 * @param paths the files as typed, for the error
 */
export async function chooseLinks(
  ctx: Context,
  combinations: readonly Combination[],
  rules: LinkRules,
  paths: readonly string[],
): Promise<void> {
  if (!ctx.terminal.isInteractive) throw unassignedError(ctx, combinations, rules.index, paths)
  const state = await ctx.state()
  const choices = new Map(rules.choices)
  rules.choices = choices
  for (const [index, combination] of combinations.entries()) {
    const link = await chooseLink(ctx, combination, rules, `${index + 1}/${combinations.length}`)
    choices.set(namesKey(combination), link)
    if (link.kind === 'existing') storeChoice(state, namesKey(combination), link.id)
  }
}

/** Stores the choices of task links that the import has created. */
export async function storeCreatedChoices(ctx: Context, { choices }: LinkRules): Promise<void> {
  const created = [...choices].filter(([, link]) => link.kind === 'new')
  if (created.length === 0) return
  const reference = await ctx.reference()
  reference.invalidate('catalog')
  const [state, index] = [await ctx.state(), await linkIndex(ctx)]
  for (const [key, names] of created) {
    const link = names.kind === 'new' ? index.find(names, true) : undefined
    if (link?.kind === 'existing') storeChoice(state, key, link.id)
  }
}

async function linkIndex(ctx: Context): Promise<LinkIndex> {
  const lists = await (await ctx.reference()).current('catalog')
  return new LinkIndex(joinLinks(lists), ctx.config.profile.canWriteCatalog)
}

async function chooseLink(
  ctx: Context,
  combination: Combination,
  rules: LinkRules,
  position: string,
): Promise<LinkAssignment> {
  const { index } = rules
  const prompts = await ctx.terminal.prompts()
  if (!prompts || (index.links.length === 0 && !index.canCreate)) {
    throw new TtError('usage', 'There are no tasks to choose from.', {
      hint: 'Ask an administrator of the service to add a task.',
    })
  }
  const { client } = combination
  const nearest = nearestLink(combination, index.links)
  const links = nearest ? [nearest, ...index.links.filter((link) => link !== nearest)] : index.links
  return prompts.select(
    `(${position}) Task for ${describe(ctx, combination, index)}:`,
    links.map((link) => ({
      name: link.label,
      value: existingLink(link),
      isUnlikely: client !== null && fold(link.client?.name ?? '') !== fold(client),
    })),
    { createChoice: (typed) => creationOf(typed, combination, rules), hasNumbers: true },
  )
}

/**
 * Returns the choice that creates the typed task: a task of the project of the names, a project, or Project/Task. undefined if it exists
 * or cannot be created.
 */
function creationOf(
  typed: string,
  { client, project }: Combination,
  { index, defaultTask }: LinkRules,
): Choice<LinkAssignment> | undefined {
  const [name, ...others] = segmentsOf(typed)
  if (name !== undefined && others.length === 0 && index.byId(name)) return undefined
  const names = project === null ? { project: name, task: undefined } : { project, task: name }
  const link =
    others.length === 0 && names.project !== undefined
      ? index.find({ client, project: names.project, task: names.task ?? defaultTask }, true)
      : newLinkNamed(typed, index)
  if (link?.kind !== 'new') return undefined
  const path = [link.client, link.project, link.task].filter((name) => name !== null)
  return { name: `Create ${path.join(' / ')}`, value: link }
}

function newLinkNamed(typed: string, index: LinkIndex): LinkAssignment | undefined {
  try {
    return parseTaskLink(typed, index)
  } catch (error) {
    if (error instanceof TtError) return undefined
    throw error
  }
}

/** Returns "Acme / Website (12 entries, 14h 30m)", or "Acme / Website / Design, archived (…)". */
export function describe(ctx: Context, combination: Combination, index: LinkIndex): string {
  const { entries, seconds } = combination
  const archived = index.isArchived(combination) ? ', archived' : ''
  return `${namesText(combination)}${archived} (${countText(entries, 'entry', 'entries')}, ${ctx.durations.format(seconds)})`
}

/**
 * Returns the error for combinations without a task link, with the commands that assign one.
 *
 * @param isListed whether the combinations were already printed
 */
export function unassignedError(
  ctx: Context,
  combinations: readonly Combination[],
  index: LinkIndex,
  paths: readonly string[],
  { isListed = false } = {},
): TtError {
  const listed = combinations.slice(0, maxListed)
  const shown = isListed ? [] : listed.map((combination) => `  ${describe(ctx, combination, index)}`)
  const more = isListed ? 0 : combinations.length - shown.length
  const needsProject = combinations.some(({ project }) => project === null)
  const command = ['tt import', ...paths.map(quoteWord)].join(' ')
  const names = countText(combinations.length, 'combination')
  return new TtError(
    'usage',
    [
      `No task is known for ${names} of names${isListed ? '' : '. Nothing was imported'}.`,
      ...shown,
      ...(more > 0 ? [`  and ${more.toLocaleString('en')} more`] : []),
    ].join('\n'),
    {
      hint:
        `Run \`${command} --map-template map.csv\`, fill in the column tt_task, and import with --map map.csv. ` +
        `Or use --task ${needsProject ? 'Project/Task' : 'NAME'} for all entries without a task.`,
    },
  )
}

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
