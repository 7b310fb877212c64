import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Paths } from '../config/paths.js'
import { writePrivateFile } from '../lib/private-file.js'

/** Remembers the path of a backup that was saved, so that errors can name it. */
export function rememberBackup(paths: Paths, path: string) {
  writePrivateFile(memoryPath(paths), `${path}\n`)
}

/**
 * Returns the path of the newest backup that still exists: of the last one of `tt backup`, and those before restores.
 * Returns undefined if none is known.
 */
function newestBackup(paths: Paths): string | undefined {
  const remembered = existsSync(memoryPath(paths)) ? [readFileSync(memoryPath(paths), 'utf8').trimEnd()] : []
  const saved = existsSync(paths.data)
    ? readdirSync(paths.data)
        .filter((name) => /^before-restore-.*\.tar\.gz$/.test(name))
        .map((name) => join(paths.data, name))
    : []
  const writtenMs = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return [...remembered, ...saved].filter(existsSync).sort((a, b) => writtenMs(b) - writtenMs(a))[0]
}

/** Returns a sentence with the newest backup; empty if none is known. */
export function newestBackupText(paths: Paths): string {
  const path = newestBackup(paths)
  return path === undefined ? '' : `The newest backup is ${path}.`
}

function memoryPath(paths: Paths): string {
  return join(paths.state, 'last-backup')
}
