import { existsSync, statSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import { TtError } from '../lib/errors.js'
import { isReplacement } from '../lib/output-file.js'
import { isBrokenLink } from '../lib/sqlite/database-errors.js'
import type { Context } from './context.js'
import type { Host } from './host.js'

/**
 * Returns the absolute path of a file to write, as the user typed it. Prompts before an existing file is replaced;
 * undefined if the user declines. Throws TtError `failure` for a missing directory, also the working directory, and
 * `usage` for a path that cannot be a file.
 */
export async function chooseOutputPath(
  ctx: Pick<Context, 'host' | 'terminal'>,
  typed: string,
): Promise<string | undefined> {
  const path = resolvePath(ctx.host, typed)
  requireDirectory(dirname(path))
  return (await confirmReplacement(ctx, path)) ? path : undefined
}

/** Throws TtError `failure` for a path that is no directory: a typing error would create another one. */
export function requireDirectory(path: string) {
  if (!existsSync(path)) {
    throw new TtError('failure', `The directory ${path} does not exist.`, {
      hint: 'Create it first, or use another path.',
    })
  }
  if (!statSync(path).isDirectory())
    throw new TtError('failure', `${path} is not a directory.`, { hint: 'Use another path.' })
}

/** Prompts before a regular file is replaced, but not for a device or a pipe. Returns whether to write. */
export async function confirmReplacement(
  { terminal }: Pick<Context, 'terminal'>,
  path: string,
): Promise<boolean> {
  if (isBrokenLink(path)) {
    throw new TtError('usage', `${path} is a symbolic link whose target is missing.`, {
      hint: 'Use another path.',
    })
  }
  if (isDirectory(path))
    throw new TtError('usage', `${path} is a directory.`, { hint: 'Give the name of a file.' })
  return !isReplacement(path) || terminal.confirm(`Replace ${path}?`)
}

export function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

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
