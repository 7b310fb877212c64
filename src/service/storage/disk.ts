import { constants } from 'node:fs'
import { open, rm, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The disk of a SQLite database. */
export interface Disk {
  /** Returns whether the disk stores what is written: whether it is neither full nor read-only. */
  isWritable(): Promise<boolean>
  space(): Promise<{ freeBytes: number; sizeBytes: number }>
}

/** What a change of some records writes at most. */
const checkBytes = 128 * 1024
/** How long a result is used, in milliseconds: anyone may request /readyz any number of times. */
const maxAgeMs = 1000

/** Returns the disk of the database at this path. */
export function createDisk(path: string): Disk {
  let lastCheck = { atMs: Number.NEGATIVE_INFINITY, isWritable: Promise.resolve(true) }
  return {
    isWritable() {
      const atMs = performance.now()
      if (atMs - lastCheck.atMs > maxAgeMs) lastCheck = { atMs, isWritable: canWrite(`${path}-disk-check`) }
      return lastCheck.isWritable
    },
    async space() {
      const { bavail, blocks, bsize } = await statfs(dirname(path))
      return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
    },
  }
}

/**
 * Writes a file and removes it. Writing to the database itself would wait for the locks of other processes, and what SQLite
 * has reserved in its log may suffice for one change and not for the next.
 */
async function canWrite(path: string): Promise<boolean> {
  const { O_CREAT, O_TRUNC, O_WRONLY, O_NOFOLLOW = 0 } = constants
  try {
    const file = await open(path, O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW, 0o600)
    try {
      await file.writeFile(Buffer.alloc(checkBytes))
    } finally {
      await file.close()
      // Another server of the same database may have removed it.
      await rm(path, { force: true })
    }
    return true
  } catch {
    return false
  }
}
