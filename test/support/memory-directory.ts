import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const memory = '/dev/shm'
const neededBytes = 4e9

/**
 * Sets TMPDIR to a directory in memory, where the system has one: tests create thousands of databases, and a disk confirms
 * each of their writes. TMPDIR of the caller has priority.
 */
export default function setup() {
  if (process.env.TMPDIR !== undefined || !hasMemoryDirectory()) return
  const directory = mkdtempSync(join(memory, 'tt-tests-'))
  chmodSync(directory, 0o755) // Some tests run commands as another user.
  process.env.TMPDIR = directory
  return () => rmSync(directory, { recursive: true, force: true })
}

/** Whether there is enough memory, in which programs may also be run. */
function hasMemoryDirectory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory)
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
    const options = mounts
      .find((line) => line.split(' ')[1] === memory)
      ?.split(' ')[3]
      ?.split(',')
    return bavail * bsize > neededBytes && options !== undefined && !options.includes('noexec')
  } catch {
    return false // Not Linux, or a container without it.
  }
}
