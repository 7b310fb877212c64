import { readFileSync, writeFileSync } from 'node:fs'
import { type Aliases, isShellExpansion, readAliases } from '../config/aliases.js'
import { parseJson } from '../config/config-file.js'
import { backupLockPath, type Paths, restoreDirectory } from '../config/paths.js'
import type { Profiles } from '../config/profiles.js'
import { isPathOrCommand } from '../config/settings/setting-table.js'
import { storedValues } from '../config/settings/settings.js'
import { errorMessage, TtError } from '../lib/errors.js'
import { withLock } from '../lib/lock.js'
import type { Manifest } from './archive/archive.js'
import {
  aliasesName,
  type BackupFiles,
  type Contents,
  findExtractedFiles,
  readContents,
  settingsName,
} from './contents.js'
import { withWorkDirectory } from './create-backup.js'
import { type ExtractedBackup, extractBackup } from './read-backup.js'
import {
  currentProfiles,
  findUsableFiles,
  type ReplacedData,
  type Replacement,
  type RestoreClocks,
  replaceData,
} from './replace-data.js'
import {
  createPlan,
  hasPlan,
  newPathOf,
  type RestorePlan,
  readPlan,
  tryRemoveWorkDirectory,
  withRestoreLocks,
} from './restore-journal.js'
import { migrateCopies } from './restore-target.js'

/** What a restore would replace, and by what. */
export interface RestorePreview {
  manifest: Manifest
  backup: Contents
  current: Contents
  /** The current databases that cannot be read. */
  damaged: { path: string; newPath: string }[]
}

export interface RestoreOptions extends RestoreClocks {
  /** Returns whether to continue. */
  confirm(preview: RestorePreview): Promise<boolean>
  /** Returns whether to restore these values too; otherwise the current ones stay. Called after `confirm`. */
  confirmCommands(values: readonly CommandValue[]): Promise<boolean>
}

export interface RestoreResult extends ReplacedData {
  preview: RestorePreview
}

/**
 * Replaces the local workspace, client states, settings, aliases and profiles with those of a backup, after saving the current
 * ones. Client states and profiles that are not in the backup stay. Other processes wait, and then continue with the new data.
 * If this process ends at any moment, either nothing is replaced, or the next command completes the restore.
 *
 * Returns undefined when the user declines. Throws TtError for a file that cannot be restored, and when the current data
 * cannot be saved; nothing was changed then, unless the message says that the restore has begun.
 */
export async function restoreBackup(
  paths: Paths,
  file: string,
  options: RestoreOptions,
): Promise<RestoreResult | undefined> {
  const restore = async (directory: string) => {
    const { files, ...backup } = await extractBackup(paths, file, directory)
    checkSignIns(backup.profiles, currentProfiles(paths))
    const plan = createPlan(options.now)
    const preview = await createPreview(paths, backup, plan)
    if (!(await options.confirm(preview))) return undefined
    const commands = commandValues(paths, files)
    const hasCommands = commands.length > 0 && (await options.confirmCommands(commands))
    const prepare = () => {
      if (!hasCommands) keepCommandValues(paths, files)
    }
    const replaced = await replaceUnderLocks(paths, { directory, files, plan, clocks: options }, prepare)
    return { preview, ...replaced }
  }
  return withLock(backupLockPath(paths), async () => {
    if (hasPlan(paths)) throw pendingError()
    return withWorkDirectory(restoreDirectory(paths), restore, () => hasPlan(paths))
  })
}

/**
 * Replaces the data under the locks of the restore. If the restore cannot be cancelled any more, its errors say that the
 * next command completes it.
 */
async function replaceUnderLocks(
  paths: Paths,
  replacement: Replacement,
  prepare = () => {},
): Promise<ReplacedData> {
  try {
    return await withRestoreLocks(paths, replacement.files.stateKeys, () => {
      prepare()
      return replaceData(paths, replacement)
    })
  } catch (error) {
    throw hasPlan(paths) ? incompleteError(error) : error
  }
}

function incompleteError(error: unknown): TtError {
  const hint = error instanceof TtError ? error.hint?.replace(/^Nothing was (saved|changed)\.\s*/, '') : ''
  return new TtError('failure', `The restore has begun and is not complete yet. ${errorMessage(error)}`, {
    hint: `${hint ? `${hint} ` : ''}The next command completes the restore.`,
    nextStep: error instanceof TtError ? error.nextStep : undefined,
    cause: error,
  })
}

/** Returns the error for a restore that another process has begun, and not completed, while this one waited. */
function pendingError(): TtError {
  return new TtError('failure', 'Another restore was interrupted.', {
    hint: 'Nothing was changed. Repeat the command: it completes the other restore first.',
  })
}

/**
 * Completes the restore of a process that was interrupted. Returns undefined if another process has completed it. Throws
 * TtError `failure` if the plan is damaged, or the current data cannot be saved.
 */
export async function recoverRestore(paths: Paths, clocks: RestoreClocks): Promise<ReplacedData | undefined> {
  return withLock(backupLockPath(paths), async () => {
    if (!hasPlan(paths)) return undefined
    const [plan, directory] = [readPlan(paths), restoreDirectory(paths)]
    await migrateCopies(directory)
    const files = findExtractedFiles(directory)
    const replaced = await replaceUnderLocks(paths, { directory, files, plan, clocks })
    tryRemoveWorkDirectory(directory)
    return replaced
  })
}

/**
 * Throws TtError `usage` if a profile has been signed in to anew since the backup: its pending changes must not be sent
 * with the credentials of an account that may be another one.
 */
function checkSignIns({ profiles: saved }: Profiles, { profiles: current }: Profiles) {
  for (const [name, profile] of Object.entries(current)) {
    const savedName = Object.keys(saved).find((other) => other.toLowerCase() === name.toLowerCase())
    const other = savedName === undefined ? undefined : saved[savedName]
    if (
      !other ||
      (savedName === name && other.state === profile.state && other.base_url === profile.base_url)
    )
      continue
    throw new TtError(
      'usage',
      `The profile "${name}" belongs to another sign-in than "${savedName}" in the backup.`,
      {
        hint: 'Nothing was changed. Sign out, restore, and sign in to the same account as in the backup.',
        nextStep: { action: 'sign_out', profile: name },
      },
    )
  }
}

async function createPreview(
  paths: Paths,
  { manifest, contents }: Pick<ExtractedBackup, 'manifest' | 'contents'>,
  plan: RestorePlan,
): Promise<RestorePreview> {
  const { files, damaged } = await findUsableFiles(paths)
  const current = await readContents(files, currentProfiles(paths))
  return {
    ...{ manifest, backup: contents, current },
    damaged: damaged.map((path) => ({ path, newPath: newPathOf(path, plan) })),
  }
}

/**
 * A setting that is a path or a command, or a shell alias, whose value in a backup differs from the current one. Someone
 * else's backup could make `tt` write to files of the user or run programs with it.
 */
export interface CommandValue {
  kind: 'setting' | 'alias'
  name: string
  /** The value in the backup; undefined if it has none. */
  restored: string | undefined
  current: string | undefined
}

/** Returns these values of an extracted backup. */
function commandValues(paths: Paths, files: BackupFiles): CommandValue[] {
  return parts.flatMap((part) => differences(part, paths, files))
}

/** Replaces these values in the extracted files by the current ones. */
function keepCommandValues(paths: Paths, files: BackupFiles) {
  for (const part of parts) {
    const values = differences(part, paths, files)
    if (values.length === 0) continue
    const saved = Object.entries(readObject(files, part.name) ?? {})
    const others = saved.filter(([name]) => !values.some((value) => value.name === name))
    const kept = values.flatMap(({ name, current }) => (current === undefined ? [] : [[name, current]]))
    const text = JSON.stringify(Object.fromEntries([...others, ...kept]), null, 2)
    writeFileSync(files.paths.get(part.name) as string, `${text}\n`, { mode: 0o600, flush: true })
  }
}

/** A file that can have such values. */
interface Part {
  kind: CommandValue['kind']
  /** Its name in a backup. */
  name: string
  /** Returns the current values; none if they cannot be read, as the restore replaces them. */
  current(paths: Paths): Record<string, unknown>
  isCommand(name: string, value: string | undefined): boolean
}

const parts: readonly Part[] = [
  {
    kind: 'setting',
    name: settingsName,
    current: (paths) => readable(() => storedValues(paths)),
    isCommand: isPathOrCommand,
  },
  {
    kind: 'alias',
    name: aliasesName,
    current: (paths) => readable<Aliases>(() => readAliases(paths)),
    isCommand: (_, value) => value !== undefined && isShellExpansion(value),
  },
]

function differences(part: Part, paths: Paths, files: BackupFiles): CommandValue[] {
  const saved = readObject(files, part.name)
  if (!saved) return []
  const now = part.current(paths)
  return [...new Set([...Object.keys(saved), ...Object.keys(now)])].flatMap((name) => {
    const [restored, current] = [textOf(saved, name), textOf(now, name)]
    const isCommand = part.isCommand(name, restored) || part.isCommand(name, current)
    return isCommand && restored !== current ? { kind: part.kind, name, restored, current } : []
  })
}

const textOf = (values: Record<string, unknown>, name: string) =>
  Object.hasOwn(values, name) ? String(values[name]) : undefined

/** Returns a JSON object of the backup, which has been checked. */
function readObject({ paths }: BackupFiles, name: string): Record<string, unknown> | undefined {
  const path = paths.get(name)
  return path === undefined ? undefined : (parseJson(readFileSync(path, 'utf8')) as Record<string, unknown>)
}

function readable<Value extends Record<string, unknown>>(read: () => Value | undefined) {
  try {
    return read() ?? {}
  } catch (error) {
    if (error instanceof TtError) return {}
    throw error
  }
}
