import { lstatSync, unlinkSync } from 'node:fs'
import { formatTime } from '../../calendar/time.js'
import { readConfigFile } from '../../config/config-file.js'
import { type Entry, labelOf } from '../../entries/entry.js'
import { replacePrivateFile } from '../../lib/private-file.js'
import { escapeText } from '../../ui/text.js'

/**
 * Updates the prompt file after a change. `running` is the running timer, `before` the one that ran before the change;
 * undefined if there is none.
 */
export type ShowTimer = (running: Entry | undefined, before: Entry | undefined) => void

/**
 * Returns a function that stores one line about the running timer in the file at `path`, for shell prompts: "Acme /
 * Website / Design since 09:30". The line stays correct while the timer runs. Without a timer there is no file.
 *
 * A file that is up to date, or that belongs to the timer of another profile, is not written. The function does not
 * throw: if the file cannot be written, it is removed.
 *
 * @param now the time at which the command was typed
 */
export function openPromptFile(path: string, now: Date): ShowTimer {
  return (running, before) => {
    try {
      const current = readLine(path)
      if (running) {
        const line = lineOf(running, now)
        if (current !== line) replacePrivateFile(path, line, false)
      } else if (before && current?.startsWith(linePrefix(before))) unlinkSync(path)
    } catch {
      removeFile(path) // A missing file is better than a wrong one.
    }
  }
}

function lineOf(entry: Entry, now: Date): string {
  return `${linePrefix(entry)}${formatTime(entry.start, now)}\n`
}

/** The beginning of the line while this entry runs. */
function linePrefix(entry: Entry): string {
  return `${escapeText(labelOf(entry))} since `
}

/** Returns undefined if there is no regular file; symlinks are not followed. */
function readLine(path: string): string | undefined {
  // Faster than catching the error of a missing file.
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? readConfigFile(path, { noFollow: true })?.text : undefined
}

function removeFile(path: string) {
  try {
    unlinkSync(path)
  } catch {
    // It does not exist, is a directory, or cannot be removed.
  }
}
