import type { Named } from './catalog.js'
import type { Entry } from './entries.js'
import { fold } from './matching.js'

export interface EntryFilter {
  project?: string
  client?: string
  task?: string
  notes?: string
}

/**
 * The entries whose names and notes contain what was typed, case and accents folded;
 * an id fits as a whole. Notes are never asked of the service: it folds other letters than are folded here.
 */
export function entriesMatching(entries: Entry[], filter: EntryFilter): Entry[] {
  const { project, client, task, notes } = filter
  const wanted = notes === undefined ? undefined : fold(notes)
  return entries.filter(
    (entry) =>
      fits(entry.link?.project, project) &&
      fits(entry.link?.client, client) &&
      fits(entry.link?.task, task) &&
      (wanted === undefined || fold(entry.notes).includes(wanted)),
  )
}

function fits(named: Named | null | undefined, typed: string | undefined): boolean {
  if (typed === undefined) return true
  if (!named) return false
  return String(named.id) === typed || fold(named.name).includes(fold(typed))
}
