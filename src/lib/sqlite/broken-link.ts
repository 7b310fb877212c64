import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { TtError } from '../errors.js'
import type { DatabaseFile } from './database-errors.js'

/** Whether `path` is a symbolic link whose target is missing or unreachable, or that links to itself. */
export function isBrokenLink(path: string): boolean {
  if (existsSync(path)) return false
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false // There is no file, or its directory cannot be used: opening the database reports that.
  }
}

export function brokenLinkError({ path, recoveryAdvice = '' }: DatabaseFile): TtError {
  const target = readlinkSync(path)
  const message = `The database ${path} cannot be opened: it is a symbolic link to ${target}, which is missing or cannot be reached.`
  const hint = `Nothing was saved. Mount the disk of that file, or restore the file. ${recoveryAdvice}`
  return new TtError('failure', message, { hint: hint.trimEnd() })
}
