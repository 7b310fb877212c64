import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bin, cleanEnvironment, type ProcessResult, run, temporaryDirectory } from './process.js'

/** Follows all threads, and stops a program only at the traced calls, which takes less time. */
const follow = ['-f', '--seccomp-bpf', '-qq']

/** Whether strace can make system calls fail here. */
export const canInjectFaults = spawnSync('strace', [...follow, '-o', '/dev/null', 'true']).status === 0

/** Returns how often a command flushes its databases to the disk. */
export async function countFlushes(
  home: string,
  argv: string[],
  env: Record<string, string>,
): Promise<number> {
  const trace = join(temporaryDirectory(), 'trace')
  const options = [...follow, '-y', '-o', trace, '-e', 'trace=fsync,fdatasync']
  await run('strace', [...options, process.execPath, bin, ...argv], {
    env: cleanEnvironment({ TT_HOME: home, ...env }),
  })
  return (readFileSync(trace, 'utf8').match(/sync\(\d+<[^>]*\.db(-wal)?>/g) ?? []).length
}

/** A failure of the disk. */
export interface DiskFault {
  /** Names of the failing system calls, separated by commas. */
  calls: string
  error: 'EIO' | 'ENOSPC'
  /** The call that fails, counted from 1. */
  nth: number
  /** Whether every later call fails as well. */
  isLasting?: boolean
  /** Whether the calls for all files of the home fail, not only those for databases. */
  isForAllFiles?: boolean
}

/**
 * Runs `bin/tt.js` while the disk fails for the databases of its home (except their shared memory, which contains no
 * data). `isHit` is false if the command makes too few of these calls.
 */
export async function runWithDiskFault(
  home: string,
  argv: string[],
  { calls, error, nth, isLasting, isForAllFiles = false }: DiskFault,
  env: Record<string, string> = {},
): Promise<ProcessResult & { isHit: boolean }> {
  const trace = join(temporaryDirectory(), 'trace')
  const when = `when=${nth}${isLasting ? '+' : ''}`
  const databases = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) =>
    isForAllFiles ? !/-(wal|shm)$/.test(name) : name.endsWith('.db'),
  )
  const paths = databases.flatMap((name) =>
    ['', '-wal'].flatMap((end) => ['-P', join(home, `${name}${end}`)]),
  )
  const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=${error}:${when}`]
  const options = [...follow, '-o', trace, ...paths, ...inject]
  const outcome = await run('strace', [...options, process.execPath, bin, ...argv], {
    env: cleanEnvironment({ TT_HOME: home, ...env }),
  })
  return { ...outcome, isHit: readFileSync(trace, 'utf8').includes('(INJECTED)') }
}
