import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Paths } from './paths.js'

/** The state of a directory of `tt`. */
export interface DirectoryCheck {
  path: string
  /** The error code of a failed write; undefined for a writable directory. */
  error: string | undefined
  /** Free space for this user in bytes; undefined when unknown. */
  freeBytes: number | undefined
}

/**
 * Writes and removes a test file in each directory of `tt`. For a missing directory, tests the nearest existing parent.
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
    // After a failed write there is nothing to remove.
  }
}

function freeBytesIn(directory: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize
  } catch {
    return undefined // Some network file systems do not report it.
  }
}
