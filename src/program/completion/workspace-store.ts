import type { workspaceRecords } from '../../service/storage/workspace-records.js'
import { type Link, type Named, toLink } from '../../tracking/catalog/links.js'
import type { Candidate } from './candidates.js'
import { type CompletionStore, type KnownEntry, maxCountedRows, maxRecentRows } from './known-records.js'

/** Reads the database of the local workspace with the queries of the service. */
export function createWorkspaceStore(records: ReturnType<typeof workspaceRecords>): CompletionStore {
  return {
    links: async () => (await records.linksByUse(maxCountedRows)).map(linkFromRow),
    names: async (kind) => (await records.names(kind)).map(candidateFromRow),
    entries: async () => (await records.latestEntries(maxRecentRows)).map(entryFromRow),
    notesWithHash: async () => (await records.notesContaining('#', maxCountedRows)).map(({ notes }) => notes),
    expenses: async () =>
      (await records.latestExpenses(maxRecentRows)).map(({ id, ...fields }) => ({
        id: String(id),
        description: Object.values(fields).filter(Boolean).join(' '),
      })),
  }
}

function linkFromRow(row: Record<string, unknown>): Link {
  const part = (name: string): Named | null => {
    const [id, text] = [row[`${name}_id`], row[name]]
    return typeof id === 'number' && typeof text === 'string' ? { id, name: text } : null
  }
  const wire = { id: Number(row.id), project_id: Number(row.project_id), task_id: Number(row.task_id) }
  return toLink(wire, part('client'), part('project'), part('task'))
}

function candidateFromRow({ name, description }: Record<string, unknown>): Candidate {
  return { value: String(name), description: String(description) }
}

function entryFromRow({
  id,
  time_start,
  time_end,
  notes,
  task_link_id,
}: Record<string, unknown>): KnownEntry {
  return {
    id: String(id),
    start: new Date(Number(time_start)),
    end: time_end === null ? null : new Date(Number(time_end)),
    notes: String(notes ?? ''),
    linkId: String(task_link_id),
  }
}
