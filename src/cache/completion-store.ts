import type { RecordKind, WireRecord } from '../api/types.js'
import { byId, joinLinks, type Link } from '../catalog/links.js'
import type { CatalogLists, ReferenceData } from '../catalog/reference-data.js'
import type { Candidate } from '../completion/candidates.js'
import {
  type CompletionStore,
  type KnownEntry,
  maxCountedRows,
  maxRecentRows,
  type NamedKind,
} from '../completion/known-records.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import { overlayPending, type PendingChange } from '../outbox/pending-overlay.js'

/** The reference data as it was asked for last (src/catalog/reference-data.ts). */
type Kept = <Name extends keyof ReferenceData>(name: Name) => ReferenceData[Name] | undefined

const noLists: CatalogLists = { links: [], projects: [], clients: [], tasks: [] }

/** What a client state (src/cache/state-schema.ts) has of a service: what was asked for last, with what waits for delivery. */
export function serviceStore(database: Sqlite): CompletionStore {
  const kept: Kept = (name) => {
    const row = database.prepare('SELECT value FROM snapshot WHERE name = ?').get([name])
    return row === undefined ? undefined : JSON.parse((row as { value: string }).value).value
  }
  const lists = () => kept('catalog') ?? noLists
  /** The latest records as they will be when all is delivered, newest first. */
  const latest = (kind: RecordKind, day: string): WireRecord[] => {
    const seen = database
      .prepare('SELECT body FROM seen WHERE kind = ? ORDER BY start_at DESC LIMIT ?')
      .all([kind, maxRecentRows]) as { body: string }[]
    const waiting = database
      .prepare('SELECT kind, op, record, fields, base, state FROM outbox WHERE kind = ? ORDER BY seq')
      .all([kind]) as OutboxRow[]
    const records = seen.map(({ body }) => JSON.parse(body) as WireRecord)
    return overlayPending(records, waiting.map(asChange))
      .map(({ record }) => record)
      .sort((a, b) => Date.parse(String(b[day])) - Date.parse(String(a[day])))
      .slice(0, maxRecentRows)
  }
  return {
    links: () =>
      mostUsedFirst(
        joinLinks(lists()).filter(({ active }) => active),
        uses(database, kept),
      ),
    names: (kind) => namesOf(kind, lists, kept),
    entries: () => latest('entry', 'time_start').map(asEntry),
    expenses() {
      const types = byId(kept('expense_types') ?? [])
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

interface OutboxRow extends Omit<PendingChange, 'fields' | 'base'> {
  fields: string
  base: string | null
}

function asChange({ fields, base, ...row }: OutboxRow): PendingChange {
  return { ...row, fields: JSON.parse(fields), base: base === null ? null : JSON.parse(base) }
}

/** The ids of the links most used first: by the word of the service, then by what this machine has seen. */
function uses(database: Sqlite, kept: Kept): string[] {
  const frequent = kept('frequent') ?? []
  const counted = database
    .prepare(
      `SELECT json_extract(body, '$.task_link_id') AS link, count(*) AS uses
       FROM (SELECT body FROM seen WHERE kind = 'entry' ORDER BY start_at DESC LIMIT ${maxCountedRows})
       GROUP BY link ORDER BY uses DESC`,
    )
    .all() as { link: unknown }[]
  return [...frequent.map(({ id }) => String(id)), ...counted.map(({ link }) => String(link))]
}

function mostUsedFirst(links: Link[], used: string[]): Link[] {
  const ranks = new Map(used.map((id, index) => [id, index] as const).reverse())
  const rank = ({ id }: Link) => ranks.get(String(id)) ?? used.length
  return links.sort((a, b) => rank(a) - rank(b))
}

function namesOf(kind: NamedKind, lists: () => CatalogLists, kept: Kept): Candidate[] {
  if (kind === 'types') {
    const types = kept('expense_types') ?? []
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

function asEntry({ id, time_start, time_end, notes, task_link_id }: WireRecord): KnownEntry {
  return {
    id: String(id),
    start: new Date(String(time_start)),
    end: time_end == null ? null : new Date(String(time_end)),
    notes: String(notes ?? ''),
    linkId: task_link_id == null ? null : String(task_link_id),
  }
}
