import { isAbsolute, resolve } from 'node:path'
import { TtError } from '../lib/errors.js'
import type { Host } from './host.js'

/**
 * Returns the absolute path of a file as the user typed it. Throws TtError `failure` for a relative path if the working
 * directory was removed.
 */
export function resolvePath({ cwd }: Pick<Host, 'cwd'>, typed: string): string {
  if (isAbsolute(typed)) return resolve(typed)
  const directory = cwd()
  if (directory !== undefined) return resolve(directory, typed)
  throw new TtError('failure', 'The working directory does not exist.', {
    hint: 'Change to another directory, or give an absolute path.',
  })
}
