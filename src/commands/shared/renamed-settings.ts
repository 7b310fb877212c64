import type { Context } from '../../cli/context.js'
import { changeAliases, readAliases } from '../../config/aliases.js'
import { clientStatePath } from '../../config/paths.js'
import { readProfiles } from '../../config/profiles.js'
import { patternPrefixes, settingNamed } from '../../config/settings/setting-table.js'
import { changeValues, storedValues } from '../../config/settings/settings-file.js'
import { TtError } from '../../lib/errors.js'
import { segmentsOf } from '../../lib/text/match-names.js'
import { fold } from '../../lib/text/nearest-names.js'
import { quoteWord } from '../../lib/text/shell-quoting.js'
import {
  matchesAny,
  type NameChange,
  type Path,
  pathOfTask,
  renamePath,
} from '../../tracking/catalog/links.js'

/** Values before and after a change, by the names of settings or aliases; null where there is none. */
type Values = Record<string, { before: string | null; after: string | null }>

/** What was changed together with a name, so that undo reverts it. */
export interface ChangedSettings {
  settings: Values
  aliases: Values
  /** The task links of choices in earlier imports, as JSON. */
  choices: Values
}

/** What names a renamed record. */
interface Findings {
  settings: Values
  aliases: Values
  /** Descriptions of settings and aliases that may mean another record. */
  unchanged: string[]
}

export interface RenamedRecord {
  change: NameChange
  /** The names of all records after the change. */
  records: readonly (readonly (string | null)[])[]
  /** The task links whose entries were moved. */
  movedLinks: readonly { from: number; to: number }[]
}

/**
 * Changes the settings, aliases and choices of imports that name a renamed or merged record, and prints them. Only prints
 * those that name another record, too, also one of another profile. Never changes a directory file. Returns the changes.
 */
export async function renameInSettings(ctx: Context, renamed: RenamedRecord): Promise<ChangedSettings> {
  const { paths } = ctx.config
  const found = findNames(renamed, storedValues(paths) ?? {}, readAliases(paths))
  const other = await profileWithName(ctx, renamed.change)
  const choices = await changeChoices(ctx, renamed.movedLinks)
  reportDirectoryFile(ctx, renamed.change)
  if (other !== undefined) {
    const unchanged = [...namesOf(found, 'before'), ...found.unchanged]
    if (unchanged.length > 0)
      ctx.terminal.warn(
        `Not changed, because the profile ${other} has that name, too: ${unchanged.join(', ')}.`,
      )
    return { settings: {}, aliases: {}, choices }
  }
  if (found.unchanged.length > 0)
    ctx.terminal.warn(`Not changed, because other records match, too: ${found.unchanged.join(', ')}.`)
  const changed = namesOf(found, 'after')
  if (changed.length > 0) ctx.terminal.message(`Changed with it: ${changed.join(', ')}.`)
  const { settings, aliases } = found
  await setValues(ctx, { settings, aliases }, 'after')
  return { settings, aliases, choices }
}

/** Returns the names of the settings and aliases that exist before or after the change. */
function namesOf({ settings, aliases }: Findings, when: 'before' | 'after'): string[] {
  const existing = Object.keys(settings).filter((name) => settings[name]?.[when] !== null)
  return [...existing, ...Object.keys(aliases).map((name) => `alias ${name}`)]
}

/** Reverts or repeats the changes of settings that belong to a change of a name, where nothing else has changed them. */
export async function revertSettings(
  ctx: Context,
  changed: ChangedSettings,
  to: 'before' | 'after',
): Promise<void> {
  await setValues(ctx, changed, to)
  const { database } = await ctx.state()
  for (const [names, { before, after }] of Object.entries(changed.choices)) {
    const [current, next] = to === 'before' ? [after, before] : [before, after]
    database
      .prepare('UPDATE import_choice SET task_link = ? WHERE names = ? AND task_link = ?')
      .run([next, names, current])
  }
}

async function setValues(
  ctx: Context,
  { settings, aliases }: Pick<ChangedSettings, 'settings' | 'aliases'>,
  to: 'before' | 'after',
): Promise<void> {
  const set = (changes: Values) => (values: Record<string, unknown>) => {
    for (const [name, change] of Object.entries(changes)) {
      if ((values[name] ?? null) !== change[to === 'after' ? 'before' : 'after']) continue
      if (change[to] === null) delete values[name]
      else values[name] = change[to]
    }
  }
  const { paths } = ctx.config
  if (Object.keys(settings).length > 0) await changeValues(paths, set(settings))
  if (Object.keys(aliases).length > 0) await changeAliases(paths, set(aliases))
}

function findNames(
  { change, records }: RenamedRecord,
  values: Readonly<Record<string, unknown>>,
  aliases: Readonly<Record<string, string>>,
): Findings {
  const found: Findings = { settings: {}, aliases: {}, unchanged: [] }
  /** Returns the new path; undefined for one that names another record, too, which `describe` describes. */
  const rename = (path: Path, describe: string): Path | undefined => {
    const renamedPath = renamePath(path, change)
    if (!renamedPath || !matchesAny(path, records)) return renamedPath
    found.unchanged.push(describe)
    return undefined
  }
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'string') continue
    const prefix = patternPrefixes.find((beginning) => name.startsWith(beginning))
    if (prefix !== undefined) {
      const pattern = rename(splitPath(name.slice(prefix.length)), name)
      const newName = pattern && `${prefix}${pattern.join('/')}`
      if (newName === undefined || newName === name) continue
      if (Object.hasOwn(values, newName)) found.unchanged.push(name)
      else {
        found.settings[name] = { before: value, after: null }
        found.settings[newName] = { before: null, after: value }
      }
    } else if (name.startsWith('client.')) {
      const { part = '' } = settingNamed(name) ?? {}
      const [client] = rename([part], name) ?? []
      const newName = client && name.replace(`client.${part}.`, () => `client.${client}.`)
      if (newName === undefined || newName === name) continue
      if (Object.hasOwn(values, newName)) found.unchanged.push(name)
      else {
        found.settings[name] = { before: value, after: null }
        found.settings[newName] = { before: null, after: value }
      }
    } else if (['billable', 'import.task', 'default_task'].includes(name)) {
      const after = value.split(',').map((part) => {
        const [, prefix = '', text = ''] = /^(\s*!?\s*)(.*)$/.exec(part) ?? []
        const typed = splitPath(text)
        const path = rename(name === 'billable' ? typed : pathOfTask(typed), `${name} (${text})`)
        return path ? `${prefix}${path.slice(path.length - typed.length).join('/')}` : part
      })
      if (after.join(',') !== value) found.settings[name] = { before: value, after: after.join(',') }
    }
  }
  for (const [name, expansion] of Object.entries(aliases)) {
    const after = renameInCommand(expansion, (path) => rename(path, `alias ${name}`))
    if (after === expansion) continue
    // What a shell command does with a name is unknown.
    if (expansion.startsWith('!')) found.unchanged.push(`alias ${name}`)
    else found.aliases[name] = { before: expansion, after }
  }
  return found
}

function splitPath(text: string): Path {
  return text.split('/').map((name) => name.trim())
}

/** Lets the choices of earlier imports point to the links into which theirs were merged. */
async function changeChoices(ctx: Context, moved: RenamedRecord['movedLinks']): Promise<Values> {
  const { database } = await ctx.state()
  const changed: Values = {}
  for (const { from, to } of moved) {
    const rows = database
      .prepare('UPDATE import_choice SET task_link = ? WHERE task_link = ? RETURNING names')
      .all([JSON.stringify(to), JSON.stringify(from)]) as { names: string }[]
    for (const { names } of rows) changed[names] = { before: JSON.stringify(from), after: JSON.stringify(to) }
  }
  return changed
}

/** Returns the name of another profile whose cached names include the old one; undefined without one. */
async function profileWithName(ctx: Context, { from }: NameChange): Promise<string | undefined> {
  const name = fold(from.at(-1) ?? '')
  const level = (['clients', 'projects', 'tasks'] as const)[from.length - 1] ?? 'tasks'
  const [{ openReadOnly }, { readSnapshot }] = await Promise.all([
    import('../../lib/sqlite/open.js'),
    import('../../outbox/cache/snapshots.js'),
  ])
  for (const [profile, { state }] of Object.entries(readProfiles(ctx.config.paths).profiles)) {
    const database = await openReadOnly(clientStatePath(ctx.config.paths, state))
    try {
      const lists = database && readSnapshot(database, 'catalog')?.value.value
      if (lists?.[level].some((record) => fold(record.name) === name)) return profile
    } catch (error) {
      // A state that cannot be read may have the name.
      if (error instanceof TtError) return profile
      throw error
    } finally {
      database?.close()
    }
  }
  return undefined
}

function reportDirectoryFile(ctx: Context, change: NameChange) {
  const { directory } = ctx.config
  if (directory?.task === undefined || !renamePath(pathOfTask(splitPath(directory.task)), change)) return
  ctx.terminal.warn(`Not changed: ${directory.path}, which names the task ${directory.task}.`)
}

/**
 * Returns the command line of an alias with the new names. Words with a slash are paths; a single name is one only after
 * --client, --project and --task, and as the task of `start` and `add`.
 *
 * @param rename returns the path of client, project and task with the new names; undefined for another one
 */
export function renameInCommand(expansion: string, rename: (path: Path) => Path | undefined): string {
  let before: string | undefined
  return expansion.replace(
    /"([^"\\]*)"|'([^']*)'|[^\s"'=]+/g,
    (raw: string, double?: string, single?: string) => {
      const word = double ?? single ?? raw
      const term = before
      before = word
      for (const [path, end] of pathsOf(word, term)) {
        const renamed = rename(path)
        if (!renamed) continue
        const names = renamed.slice(renamed.length - segmentsOf(word).length - end, renamed.length - end)
        return quoteWord(names.join('/'))
      }
      return raw
    },
  )
}

/** Returns the paths that a word may mean, each with the number of levels after the last name. */
function pathsOf(word: string, term: string | undefined): [Path, number][] {
  const names = segmentsOf(word)
  const asTask: [Path, number] = [pathOfTask(names), 0]
  const asProject: [Path, number] = [[...pathOfTask(names).slice(1), '*'], 1]
  if (word.startsWith('-') || names.length === 0 || names.length > 3) return []
  if (names.length === 3) return [asTask]
  if (term === '--project') return [asProject]
  if (names.length === 2) return [asTask, asProject]
  if (term === '--client') return [[[word, '*', '*'], 2]]
  return term === '--task' || term === 'start' || term === 'add' ? [asTask] : []
}
