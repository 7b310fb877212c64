import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Paths } from './paths.js'

/** A directory of `tt` as it is now. */
export interface DirectoryCheck {
  path: string
  /** Why nothing can be written there; undefined where it can. */
  error: string | undefined
  /** Space on its disk for this user; undefined where the system does not tell. */
  freeBytes: number | undefined
}

/**
 * Writes a file into each directory of `tt` and removes it again. Where there is no directory yet, the nearest one
 * above is tried, in which it would be made.
 */
export function checkDirectories({ config, data, state }: Paths): DirectoryCheck[] {
  return [...new Set([config, data, state])].map((path) => {
    const place = nearestExisting(path)
    return { path, error: probeDirectory(place), freeBytes: freeBytesIn(place) }
  })
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path))
}

function probeDirectory(directory: string): string | undefined {
  const probe = join(directory, `.tt-probe-${randomBytes(6).toString('hex')}`)
  try {
    writeFileSync(probe, 'probe', { flag: 'wx', mode: 0o600 })
    return undefined
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  } finally {
    removeProbe(probe)
  }
}

function removeProbe(path: string) {
  try {
    rmSync(path, { force: true })
  } catch {
    // Where nothing could be written, nothing is left over.
  }
}

function freeBytesIn(directory: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize
  } catch {
    return undefined // Some network file systems do not say.
  }
}
