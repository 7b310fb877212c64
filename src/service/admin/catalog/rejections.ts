import { TtError } from '../../../lib/errors.js'

/** A renamed or merged record, with the names before and after it, client first; null for no client. */
export interface Renamed<Record> {
  from: (string | null)[]
  to: (string | null)[]
  record: Record
}

type Kind = 'client' | 'project' | 'task' | 'expense type'

/** Returns TtError `usage` for a new name that the record `into` has. */
export function renameToExisting(kind: Exclude<Kind, 'expense type'>, from: string, into: string): TtError {
  return new TtError('usage', `There is already a ${kind} "${into}".`, {
    nextStep: { action: 'combine', records: `admin_${kind}s`, from, into },
  })
}

export function mergeWithItself(kind: Kind, name: string): TtError {
  return new TtError('usage', `Both names mean the ${kind} "${name}".`)
}

/** @param use completes the sentence that begins with the record: "has projects: Website" */
export function usedRecord(kind: Kind, name: string, use: string): TtError {
  return new TtError('usage', `The ${kind} "${name}" ${use}.`, {
    hint: 'Only unused records can be deleted. Use `archive` to hide it, or `merge` to combine it with another one.',
  })
}
