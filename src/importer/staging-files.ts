import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { dayMs } from '../lib/time-units.js'

const extension = '.db'

/** Returns the path of the lock that a process holds while it applies or settles imports. */
export function importLockPath(directory: string): string {
  return join(directory, 'lock')
}

/** Returns the path of a new staging file in the directory of a profile; its name is the ID of the import. */
export function newStagingPath(directory: string): string {
  return join(directory, `${crypto.randomUUID()}${extension}`)
}

/** Returns the ID of the import with this staging file. */
export function importIdOf(stagingPath: string): string {
  return basename(stagingPath, extension)
}

/** Returns the paths of the staging files in a directory. */
export function stagingFilesIn(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .filter((name) => name.endsWith(extension))
    .map((name) => join(directory, name))
}

/** Removes a staging file, with the log of a process that was killed. */
export function removeStaging(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true })
}

/** Whether no process has written the file for a day: an import that waits at a prompt still needs it. */
export function isAbandoned(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && Date.now() - stats.mtimeMs > dayMs
}
