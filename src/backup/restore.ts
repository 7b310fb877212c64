import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backupLockPath, type Paths, restoreDirectory, restorePlanPath } from '../config/paths.js'
import { type Profiles, readProfiles } from '../config/profiles.js'
import { TtError } from '../lib/errors.js'
import { withLock } from '../lib/lock.js'
import { makeDirectoryPrivate } from '../lib/private-file.js'
import type { Manifest } from './archive/archive.js'
import {
  type BackupFiles,
  findFiles,
  isDatabase,
  profilesName,
  stateName,
  workspaceName,
} from './backup-files.js'
import { type Contents, readContents } from './contents.js'
import { saveFiles, withWorkDirectory } from './create-backup.js'
import { unusedDatedPath } from './dated-name.js'
import { type ExtractedBackup, extractBackup } from './read-backup.js'
import { completeRestore, removePlan, withRestoreLocks, writePlan } from './restore-journal.js'
import {
  isUsable,
  type LockedDatabase,
  lockDatabase,
  migrateDatabase,
  replaceFromCopy,
  targetPath,
} from './restore-target.js'
import { prepareOutbox, type RestoreClocks } from './restored-outbox.js'

/** What a restore would replace, and by what. */
export interface RestorePreview {
  manifest: Manifest
  backup: Contents
  current: Contents
  /** The paths of current databases that cannot be read. */
  damaged: string[]
}

export interface RestoreOptions extends RestoreClocks {
  /** Returns whether to continue. */
  confirm(preview: RestorePreview): Promise<boolean>
}

export interface RestoreResult {
  preview: RestorePreview
  /** The backup of the data that was replaced; undefined if there was none. */
  savedAs: string | undefined
  /** The new paths of databases that could not be read. */
  movedAside: string[]
}

/**
 * Replaces the local workspace, client states, settings and profiles by those of a backup, after saving the current ones.
 * Client states and profiles that are not in the backup stay. Other processes wait, and then continue with the new data.
 * If this process ends at any moment, either nothing is replaced, or the next command completes the restore.
 *
 * Returns undefined when the user declines. Throws TtError for a file that cannot be restored, and when the current data
 * cannot be saved; nothing was changed then.
 */
export async function restoreBackup(
  paths: Paths,
  file: string,
  options: RestoreOptions,
): Promise<RestoreResult | undefined> {
  const restore = async (directory: string) => {
    const backup = await extractBackup(paths, file, directory)
    checkSignIns(backup.profiles, currentProfiles(paths))
    const preview = await createPreview(paths, backup)
    if (!(await options.confirm(preview))) return undefined
    const replaced = await withRestoreLocks(paths, backup.files.stateKeys, () =>
      replaceAll(paths, { directory, backup, clocks: options }),
    )
    return { preview, ...replaced }
  }
  const isDecided = () => existsSync(restorePlanPath(paths))
  return withLock(backupLockPath(paths), () => withWorkDirectory(restoreDirectory(paths), restore, isDecided))
}

/** Returns the current profiles; none if their file cannot be read, which the restore replaces. */
function currentProfiles(paths: Paths): Profiles {
  try {
    return readProfiles(paths)
  } catch (error) {
    if (error instanceof TtError) return { profiles: {} }
    throw error
  }
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

async function createPreview(paths: Paths, { manifest, contents }: ExtractedBackup): Promise<RestorePreview> {
  const { files, damaged } = await findUsableFiles(paths)
  const current = await readContents(files, currentProfiles(paths))
  return { manifest, backup: contents, current, damaged }
}

/** Returns the current files without the damaged databases, and the paths of those. */
async function findUsableFiles(paths: Paths): Promise<{ files: BackupFiles; damaged: string[] }> {
  const files = findFiles(paths)
  const damaged: string[] = []
  for (const [name, path] of files.paths) if (isDatabase(name) && !(await isUsable(path))) damaged.push(path)
  const usable = new Map([...files.paths].filter(([, path]) => !damaged.includes(path)))
  const stateKeys = files.stateKeys.filter((key) => usable.has(stateName(key)))
  return { files: { paths: usable, stateKeys }, damaged }
}

interface Replacement {
  directory: string
  backup: ExtractedBackup
  clocks: RestoreClocks
}

async function replaceAll(
  paths: Paths,
  { directory, backup, clocks }: Replacement,
): Promise<Pick<RestoreResult, 'savedAs' | 'movedAside'>> {
  const { files } = await findUsableFiles(paths)
  const locked: LockedDatabase[] = []
  const close = () => {
    for (const { database } of locked.splice(0)) {
      database.rollBack()
      database.close()
    }
  }
  try {
    for (const name of lockOrder(backup.files).filter((other) => files.paths.has(other))) {
      const path = targetPath(paths, name)
      await migrateDatabase(path, name)
      locked.push(await lockDatabase(path, name))
    }
    const savedAs = await saveCurrent(paths, { files, locked, now: clocks.now })
    for (const key of backup.files.stateKeys.filter((other) => other !== 'local')) {
      const name = stateName(key)
      await prepareOutbox(join(directory, name), files.paths.get(name), clocks)
    }
    mergeProfiles(backup, currentProfiles(paths))
    const plan = { id: randomId(), suffix: `damaged-${clocks.now.toISOString().replace(/\W/g, '')}` }
    for (const each of locked) await replaceFromCopy(each, join(directory, each.name), plan.id)
    writePlan(paths, plan)
    commitAll(paths, locked)
    close()
    return { savedAs, movedAside: await completeRestore(paths) }
  } finally {
    close()
  }
}

/** Returns the databases in the order in which a command of the local workspace locks them. */
function lockOrder({ paths }: BackupFiles): string[] {
  const first = [stateName('local'), workspaceName]
  const others = [...paths.keys()].filter((name) => isDatabase(name) && !first.includes(name))
  return [...first.filter((name) => paths.has(name)), ...others]
}

async function saveCurrent(
  paths: Paths,
  { files, locked, now }: { files: BackupFiles; locked: readonly LockedDatabase[]; now: Date },
): Promise<string | undefined> {
  if (files.paths.size === 0) return undefined
  makeDirectoryPrivate(paths.data)
  // A process that was killed has left an incomplete backup.
  for (const name of readdirSync(paths.data))
    if (/^before-restore-.*\.tmp$/.test(name)) rmSync(join(paths.data, name), { force: true })
  const target = unusedDatedPath(paths.data, 'before-restore', '.tar.gz', now)
  const isLocked = locked.some(({ name }) => name === stateName('local'))
  await saveFiles({ paths, files, profiles: currentProfiles(paths), target, now, isLocked })
  return target
}

/** Adds the current profiles that are not in the backup to the profiles that replace them. */
function mergeProfiles({ files, profiles: saved }: ExtractedBackup, { profiles: current }: Profiles) {
  const path = files.paths.get(profilesName)
  const merged: Profiles = { ...saved, profiles: { ...current, ...saved.profiles } }
  if (path !== undefined)
    writeFileSync(path, `${JSON.stringify(merged, null, 2)}\n`, { mode: 0o600, flush: true })
}

/** Commits all databases. If the first commit fails, nothing is replaced; otherwise the plan stays to be completed. */
function commitAll(paths: Paths, locked: readonly LockedDatabase[]) {
  let isCommitted = false
  try {
    for (const { database } of locked) {
      database.commit()
      isCommitted = true
    }
  } catch (error) {
    if (!isCommitted) removePlan(paths)
    throw error
  }
}

function randomId(): number {
  return 1 + Math.floor(Math.random() * (2 ** 31 - 2))
}
