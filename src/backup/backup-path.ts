import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Paths } from '../config/paths.js'
import { writePrivateFile } from '../lib/private-file.js'

/**
 * Returns a path in the directory with the local date and time to the second, such as
 * "tt-backup-2024-05-03-180000.tar.gz".
 */
export function datedPath(directory: string, name: string, extension: string, now: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-')
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join('')
  return join(directory, `${name}-${day}-${time}${extension}`)
}

/** Returns a path like `datedPath` at which there is no file. */
export function unusedDatedPath(directory: string, name: string, extension: string, now: Date): string {
  for (let number = 1; ; number++) {
    const path = datedPath(directory, name, `${number === 1 ? '' : `-${number}`}${extension}`, now)
    if (!existsSync(path)) return path
  }
}

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
