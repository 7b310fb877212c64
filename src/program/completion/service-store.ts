import type { RecordKind, WireRecord } from '../../api-client/types.js'
import type { Sqlite } from '../../lib/sqlite/connection.js'
import { type CatalogLists, type ReferenceData, readSnapshot } from '../../outbox/cache/snapshots.js'
import { latestRecords, mostUsedLinkIds, readChanges } from '../../outbox/completion-queries.js'
import { overlayPending } from '../../outbox/pending.js'
import { byId, joinLinks, type Link } from '../../tracking/catalog/links.js'
import type { Candidate } from './candidates.js'
import {
  type CompletionStore,
  type KnownEntry,
  maxCountedRows,
  maxRecentRows,
  type NamedKind,
} from './known-records.js'

/** Returns the stored reference data of that name. */
type ReadReference = <Name extends keyof ReferenceData>(name: Name) => ReferenceData[Name] | undefined

const noLists: CatalogLists = { links: [], projects: [], clients: [], tasks: [] }

/** Reads the client state of a service account: cached records with the pending changes applied. */
export function createServiceStore(database: Sqlite): CompletionStore {
  const readReference: ReadReference = (name) => readSnapshot(database, name)?.value.value as never
  const lists = () => readReference('catalog') ?? noLists
  const latest = (kind: RecordKind, dateField: string, limit = maxRecentRows): WireRecord[] =>
    overlayPending(latestRecords(database, kind, limit), readChanges(database, kind))
      .map(({ record }) => record)
      .sort((a, b) => Date.parse(String(b[dateField])) - Date.parse(String(a[dateField])))
      .slice(0, limit)
  return {
    links: async () =>
      mostUsedFirst(
        joinLinks(lists()).filter(({ active }) => active),
        usedLinkIds(database, readReference),
      ),
    names: async (kind) => namesOf(kind, lists, readReference),
    entries: async () => latest('entry', 'time_start').map(entryFromRecord),
    notesWithHash: async () =>
      latest('entry', 'time_start', maxCountedRows)
        .map(({ notes }) => String(notes ?? ''))
        .filter((notes) => notes.includes('#')),
    async expenses() {
      const types = byId(readReference('expense_types') ?? [])
      return latest('expense', 'spent_on').map(
        ({ id, spent_on, amount, currency, expense_type_id, notes }) => ({
          id: String(id),
          description: [spent_on, amount, currency, types.get(String(expense_type_id))?.name, notes]
            .filter(Boolean)
            .join(' '),
        }),
      )
    },
  }
}

/** Returns the IDs of the most used links: those in the list of the service, then those of the cached entries. */
function usedLinkIds(database: Sqlite, readReference: ReadReference): string[] {
  const frequent = readReference('frequent') ?? []
  return [...frequent.map(({ id }) => String(id)), ...mostUsedLinkIds(database, maxCountedRows)]
}

function mostUsedFirst(links: Link[], usedIds: string[]): Link[] {
  const ranks = new Map(usedIds.map((id, index) => [id, index] as const).reverse())
  const rank = ({ id }: Link) => ranks.get(String(id)) ?? usedIds.length
  return links.sort((a, b) => rank(a) - rank(b))
}

function namesOf(kind: NamedKind, lists: () => CatalogLists, readReference: ReadReference): Candidate[] {
  if (kind === 'types') {
    const types = readReference('expense_types') ?? []
    return types
      .filter(({ active }) => active !== false)
      .map(({ name }) => ({ value: name, description: '' }))
  }
  const known = lists()
  const clients = byId(known.clients)
  return known[kind].map((record) => ({
    value: record.name,
    description: clients.get(String(record.client_id))?.name ?? '',
  }))
}

function entryFromRecord({ id, time_start, time_end, notes, task_link_id }: WireRecord): KnownEntry {
  return {
    id: String(id),
    start: new Date(String(time_start)),
    end: time_end == null ? null : new Date(String(time_end)),
    notes: String(notes ?? ''),
    linkId: task_link_id == null ? null : String(task_link_id),
  }
}
