import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { backupDirectory, backupLockPath, type Paths, restoreDirectory } from '../config/paths.js'
import { tryWithLock } from '../lib/lock.js'
import { randomSuffix } from '../lib/private-file.js'
import { hasPlan } from './restore-journal.js'

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
