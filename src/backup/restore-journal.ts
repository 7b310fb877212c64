import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { withoutBackgroundDelivery } from '../config/background-lock.js'
import { parseJson } from '../config/config-file.js'
import {
  backupDirectory,
  backupLockPath,
  configLockPath,
  deliveryLockPath,
  invoiceNumbersLockPath,
  type Paths,
  profilesLockPath,
  restoreDirectory,
  restorePlanPath,
} from '../config/paths.js'
import { errorMessage, TtError } from '../lib/errors.js'
import { isObject } from '../lib/is-object.js'
import { tryWithLock, withLock } from '../lib/lock.js'
import { randomSuffix, syncDirectory, writePrivateFile } from '../lib/private-file.js'

/** A pending restore: the files beside this plan replace the current ones. */
export interface RestorePlan {
  /** A random number that identifies the restore, and that each database stores with its new rows. */
  id: number
  /** The suffix of the new names of damaged databases. */
  suffix: string
}

/**
 * Runs `work` while no other process takes an invoice number, delivers changes of these client states, or changes profiles or
 * settings. The process that delivers finishes first; one in the background ends.
 */
export async function withRestoreLocks<Result>(
  paths: Paths,
  stateKeys: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  const delivering = stateKeys.map((key) => deliveryLockPath(paths, key))
  const locks = [
    ...[invoiceNumbersLockPath(paths), ...delivering],
    ...[profilesLockPath(paths), configLockPath(paths)],
  ]
  const locked = locks.reduceRight<() => Promise<Result>>((inner, path) => () => withLock(path, inner), work)
  return stateKeys.reduceRight<() => Promise<Result>>(
    (inner, key) => () => withoutBackgroundDelivery(paths, key, inner),
    locked,
  )()
}

/** Returns whether a restore is pending: this process, or the next command, completes it. */
export function hasPlan(paths: Paths): boolean {
  return existsSync(restorePlanPath(paths))
}

/** Makes the restore pending. */
export function writePlan(paths: Paths, plan: RestorePlan) {
  writePrivateFile(restorePlanPath(paths), JSON.stringify(plan))
}

/** Returns the plan of the pending restore. Throws TtError `failure` for a file that this program has not written. */
export function readPlan(paths: Paths): RestorePlan {
  const path = restorePlanPath(paths)
  try {
    const plan = parseJson(readFileSync(path, 'utf8'))
    if (!isPlan(plan)) throw new Error('it has other values than expected')
    return plan
  } catch (cause) {
    throw new TtError('failure', `The plan ${path} cannot be read: ${errorMessage(cause)}.`, {
      hint: `An interrupted restore cannot be completed. Remove ${restoreDirectory(paths)}, and restore the backup again.`,
      nextStep: { action: 'restore' },
      cause,
    })
  }
}

function isPlan(value: unknown): value is RestorePlan {
  if (!isObject(value)) return false
  const { id, suffix } = value
  return (
    Number.isInteger(id) &&
    (id as number) > 0 &&
    (id as number) < 2 ** 31 &&
    /^damaged-\w+$/.test(String(suffix))
  )
}

/** Returns a plan with a new number. */
export function createPlan(now: Date): RestorePlan {
  const id = 1 + Math.floor(Math.random() * (2 ** 31 - 2))
  return { id, suffix: `damaged-${now.toISOString().replace(/\W/g, '')}` }
}

/** Ends the pending restore. */
export function removePlan(paths: Paths) {
  rmSync(restorePlanPath(paths), { force: true })
  syncDirectory(restoreDirectory(paths))
}

/** Returns the new path of a damaged database, which the restore renames. */
export function newPathOf(path: string, { suffix }: RestorePlan): string {
  return `${path}.${suffix}`
}

/** The file in a work directory with the path of the archive that is being written elsewhere. */
const recordName = 'unfinished'

/** Records an archive that is being written, so that a later command removes it if this process is killed. */
export function recordUnfinished(workDirectory: string, path: string) {
  writeFileSync(join(workDirectory, recordName), path, { mode: 0o600, flush: true })
}

/** Removes a work directory, and the unfinished archive of its process. */
export function removeWorkDirectory(workDirectory: string) {
  const record = join(workDirectory, recordName)
  const path = existsSync(record) ? readFileSync(record, 'utf8') : ''
  if (path.endsWith('.tmp')) rmSync(path, { force: true })
  rmSync(workDirectory, { recursive: true, force: true })
}

/** Removes it if that is possible: the work is done, an error would say that it failed, and the next one tries again. */
export function tryRemoveWorkDirectory(workDirectory: string) {
  try {
    removeWorkDirectory(workDirectory)
  } catch {
    // See above.
  }
}

/** Removes the files of backups and restores whose processes were killed, unless another one is running or pending. */
export async function removeUnfinished(paths: Paths): Promise<void> {
  const remove = async () => {
    if (hasPlan(paths)) return
    for (const directory of [backupDirectory(paths), restoreDirectory(paths)]) removeWorkDirectory(directory)
  }
  await tryWithLock(backupLockPath(paths), remove, { waitMs: 0 })
}

const host = hostname().replaceAll(/[^A-Za-z0-9]/g, '_')

/** Returns the path of an unfinished copy beside `target`, with the process that writes it. */
export function unfinishedPath(target: string): string {
  return `${target}.${host}-${process.pid}-${randomSuffix()}.tmp`
}

/** Removes the unfinished copies in the directory of `target` whose processes on this machine have ended. */
export function removeUnfinishedCopies(target: string) {
  for (const name of readdirSync(dirname(target))) {
    const [, owner, pid] = /\.(\w+)-(\d+)-\w+\.tmp(?:-wal|-shm|-journal)?$/.exec(name) ?? []
    if (owner === host && !isRunning(Number(pid))) rmSync(join(dirname(target), name), { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of another user may not receive signals.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
