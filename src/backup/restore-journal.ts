import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import {
  backupLockPath,
  configLockPath,
  deliveryLockPath,
  type Paths,
  profilesLockPath,
  restoreDirectory,
  restorePlanPath,
} from '../config/paths.js'
import { profilesPath } from '../config/profiles.js'
import { settingsPath } from '../config/settings/stored-values.js'
import { withLock } from '../lib/lock.js'
import { syncDirectory, writePrivateFile } from '../lib/private-file.js'
import { findExtractedFiles, isDatabase, profilesName, settingsName } from './backup-files.js'
import {
  isReplaced,
  isUsable,
  lockDatabase,
  migrateDatabase,
  moveAside,
  replaceFromCopy,
  targetPath,
} from './restore-target.js'

/** A decided restore: the files beside this plan replace the current ones. */
export interface RestorePlan {
  /** A random number that identifies the restore, and that each database stores with its new rows. */
  id: number
  /** The suffix for damaged databases that are moved aside. */
  suffix: string
}

/**
 * Runs `work` while no other process delivers changes of these client states, or changes profiles or settings. The
 * process that delivers finishes first.
 */
export async function withRestoreLocks<Result>(
  paths: Paths,
  stateKeys: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  const delivering = stateKeys.filter((key) => key !== 'local').map((key) => deliveryLockPath(paths, key))
  const locks = [...delivering, profilesLockPath(paths), configLockPath(paths)]
  return locks.reduceRight<() => Promise<Result>>((inner, path) => () => withLock(path, inner), work)()
}

/** Decides the restore: from now on it is completed, by this process or by the next command. */
export function writePlan(paths: Paths, plan: RestorePlan) {
  writePrivateFile(restorePlanPath(paths), JSON.stringify(plan))
}

/** Cancels a decided restore before any commit. */
export function removePlan(paths: Paths) {
  rmSync(restorePlanPath(paths), { force: true })
  syncDirectory(restoreDirectory(paths))
}

/**
 * Completes the decided restore: replaces the rows of each database that does not have the new ones yet, creates missing
 * and damaged databases, writes settings and profiles, and removes the plan. Every step can be repeated. Returns the
 * paths of damaged databases that were moved aside.
 */
export async function completeRestore(paths: Paths): Promise<string[]> {
  const { id, suffix } = JSON.parse(readFileSync(restorePlanPath(paths), 'utf8')) as RestorePlan
  const files = findExtractedFiles(restoreDirectory(paths))
  const moved: string[] = []
  for (const [name, copy] of files.paths) {
    if (!isDatabase(name)) continue
    const path = targetPath(paths, name)
    if (await isReplaced(path, id)) continue
    if (existsSync(path) && !(await isUsable(path))) moved.push(moveAside(path, suffix))
    await migrateDatabase(path, name)
    await replaceDatabase(path, { name, copy, id })
  }
  copyText(files.paths.get(settingsName), settingsPath(paths))
  copyText(files.paths.get(profilesName), profilesPath(paths))
  removePlan(paths)
  return moved
}

async function replaceDatabase(path: string, { name, copy, id }: { name: string; copy: string; id: number }) {
  const locked = await lockDatabase(path, name)
  try {
    await replaceFromCopy(locked, copy, id)
    locked.database.commit()
  } finally {
    locked.database.rollBack()
    locked.database.close()
  }
}

/** Writes a file like the commands that change it: a symbolic link to it stays. */
function copyText(source: string | undefined, target: string) {
  if (source !== undefined)
    writePrivateFile(existsSync(target) ? realpathSync(target) : target, readFileSync(source, 'utf8'))
}

/** Completes the restore of a process that was interrupted; returns false if another process has completed it. */
export async function recoverRestore(paths: Paths): Promise<boolean> {
  return withLock(backupLockPath(paths), async () => {
    if (!existsSync(restorePlanPath(paths))) return false
    const { stateKeys } = findExtractedFiles(restoreDirectory(paths))
    await withRestoreLocks(paths, stateKeys, () => completeRestore(paths))
    rmSync(restoreDirectory(paths), { recursive: true, force: true })
    return true
  })
}
