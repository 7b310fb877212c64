import { existsSync } from 'node:fs'
import { join } from 'node:path'

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
