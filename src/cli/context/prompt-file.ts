import { appendFileSync, lstatSync, type Stats, unlinkSync } from 'node:fs'
import { ConfigFileError, readConfigFile } from '../../config/config-file.js'
import { formatTime } from '../../lib/calendar/time.js'
import { replacePrivateFile } from '../../lib/private-file.js'
import { textHash } from '../../lib/text/text-hash.js'
import { type Entry, labelOf } from '../../tracking/entries/entry.js'
import { escapeText } from '../../ui/text.js'

/**
 * Updates the prompt file after a change. `running` is the running timer, `before` the one that ran before the change;
 * undefined if there is none.
 */
export type ShowTimer = (
  running: Entry | undefined,
  before: Entry | undefined,
  /** Whether changes could not be sent, or were rejected. */
  hasProblem?: boolean,
) => void

/** Where the line about the running timer is, and the hashes of the lines that `tt` has written there. */
export interface PromptFilePaths {
  file: string
  record: string
}

/** The number of hashes after which the older half is removed. */
const recordLimit = 64

/**
 * Returns a function that stores one line about the running timer in a file for shell prompts: "Acme / Website / Design
 * since 09:30". The line stays correct while the timer runs. Without a timer there is no file.
 *
 * A file that is up to date, that belongs to the timer of another profile, or that `tt` has not written, is neither
 * written nor removed. The function does not throw: if the file cannot be written, its old line is removed.
 *
 * @param now the time at which the command was typed
 */
export function openPromptFile(paths: PromptFilePaths, now: Date): ShowTimer {
  return (running, before, hasProblem = false) => {
    const current = readCurrent(paths)
    if (current === 'foreign') return
    try {
      if (running) {
        const line = lineOf(running, now, hasProblem)
        if (current !== line) writeLine(paths, line)
      } else if (before && current?.startsWith(linePrefix(before))) unlinkSync(paths.file)
    } catch {
      removePromptFile(paths) // A missing file is better than a wrong one.
    }
  }
}

/** Whether there is something at the path that `tt` has not written there, such as a file of the user. */
export function isForeignPromptFile(paths: PromptFilePaths): boolean {
  return readCurrent(paths) === 'foreign'
}

/** Removes the file if `tt` has written it. Does not throw. */
export function removePromptFile(paths: PromptFilePaths) {
  try {
    const current = readCurrent(paths)
    if (current !== undefined && current !== 'foreign') unlinkSync(paths.file)
  } catch {
    // It cannot be removed.
  }
}

function lineOf(entry: Entry, now: Date, hasProblem: boolean): string {
  return `${linePrefix(entry)}${formatTime(entry.start, now)}${hasProblem ? ' (see tt sync)' : ''}\n`
}

/** The beginning of the line while this entry runs. */
function linePrefix(entry: Entry): string {
  return `${escapeText(labelOf(entry))} since `
}

/** Records the line before it is written: another process, or the next one after a crash, then recognises it. */
function writeLine({ file, record }: PromptFilePaths, line: string) {
  const hashes = readHashes(record)
  const hash = textHash(line)
  if (hashes.length >= recordLimit)
    replacePrivateFile(record, [...hashes.slice(-recordLimit / 2), hash, ''].join('\n'), false)
  else if (!hashes.includes(hash)) appendFileSync(record, `${hash}\n`, { mode: 0o600 })
  replacePrivateFile(file, line, false)
}

/** Returns the line that `tt` has written; undefined if nothing is there. Symlinks are not followed. */
function readCurrent({ file, record }: PromptFilePaths): string | 'foreign' | undefined {
  const found = statsOf(file)
  if (!found) return undefined
  try {
    const text = found.isFile() ? readConfigFile(file, { noFollow: true })?.text : undefined
    return text !== undefined && readHashes(record).includes(textHash(text)) ? text : 'foreign'
  } catch {
    return 'foreign' // What cannot be read is not known to be ours.
  }
}

/** Returns undefined if nothing is at the path, or nothing can be there, such as in a directory that is a file. */
function statsOf(file: string): Stats | undefined {
  try {
    // Faster than catching the error of a missing file.
    return lstatSync(file, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function readHashes(record: string): string[] {
  try {
    return (readConfigFile(record)?.text ?? '').split('\n').filter((hash) => hash !== '')
  } catch (error) {
    if (error instanceof ConfigFileError) return []
    throw error
  }
}
