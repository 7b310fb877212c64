import { lstatSync, unlinkSync } from 'node:fs'
import { formatTime } from '../calendar/time.js'
import { readConfigFile } from '../config/config-file.js'
import { type Entry, labelOf } from '../entries/entry.js'
import { replacePrivateFile } from '../lib/private-file.js'
import { escapeText } from '../ui/text.js'

/** Has the file for prompts say what runs, and what ran until then; undefined where nothing does. */
export type ShowTimer = (running: Entry | undefined, before: Entry | undefined) => void

/**
 * Keeps one line about the timer in the file at `path`, which a shell reads into its prompt by itself: "Acme / Website
 * / Design since 09:30". Nothing in it goes stale while the timer runs. Without a timer there is no file.
 *
 * It follows from the client state and tells tt nothing; it is looked at so that one that is right is left alone, and
 * so is one that tells of the timer of another profile. It fails nothing: where it cannot be written it is removed.
 *
 * @param now the moment that the command was typed
 */
export function openPromptFile(path: string, now: Date): ShowTimer {
  return (running, before) => {
    try {
      const there = lineIn(path)
      if (running) {
        const line = lineOf(running, now)
        if (there !== line) replacePrivateFile(path, line, false)
      } else if (before && there?.startsWith(beginning(before))) unlinkSync(path)
    } catch {
      removeIfThere(path) // Nothing is better than what is not so any more.
    }
  }
}

function lineOf(entry: Entry, now: Date): string {
  return `${beginning(entry)}${formatTime(entry.start, now)}\n`
}

/** What it begins with as long as this entry runs. */
function beginning(entry: Entry): string {
  return `${escapeText(labelOf(entry))} since `
}

/** Undefined where there is no regular file; a symlink is none. */
function lineIn(path: string): string | undefined {
  // A cheap test: the error of a missing file would take much longer.
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? readConfigFile(path, { noFollow: true })?.text : undefined
}

function removeIfThere(path: string) {
  try {
    unlinkSync(path)
  } catch {
    // Not there, a directory, or in one that nothing can be changed in.
  }
}
