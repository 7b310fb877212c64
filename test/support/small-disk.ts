import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryDirectory } from './process.js'

/** Mounts a file system of this size, removed with the test. Returns undefined if the user cannot mount. */
export function mountSmallDisk(megabytes: number): string | undefined {
  const home = join(temporaryDirectory(), 'small')
  mkdirSync(home)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', home])
  if (mounted.status !== 0) return undefined
  // The driver of SQLite keeps files of closed databases open for a while.
  onTestFinished(() => void spawnSync('umount', ['--lazy', home]))
  return home
}

const filler = (home: string) => join(home, 'filler')

/** Fills the disk except for this number of kilobytes. */
export function fillDisk(home: string, leftKb = 0) {
  const write = (file: string, ...more: string[]) =>
    spawnSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=1k', ...more])
  const reserve = join(home, 'reserve')
  write(reserve, `count=${leftKb}`)
  write(filler(home))
  rmSync(reserve)
}

export const freeDisk = (home: string) => rmSync(filler(home))
