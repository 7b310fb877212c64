import { fold } from '../../lib/text/nearest-names.js'
import type { Link } from '../../tracking/catalog/links.js'
import { findTypos, type Typo } from '../../tracking/catalog/new-task.js'
import type { Combination, EntryAction, Staging } from './staging.js'

/** What an import would do. */
export interface ImportPreview {
  entries: number
  /** The start of the first and of the last entry; null without entries. */
  first: Date | null
  last: Date | null
  /** The total of the entries that are not running. */
  seconds: number
  running: number
  actions: Record<EntryAction, number>
  overlaps: Overlaps
  /** The clients, projects ("Acme / Website") and tasks of the new entries: those to create, and existing ones. */
  created: NamesByKind
  matched: NamesByKind
  /** The created names that are probably typos of existing ones. */
  typos: Typo[]
}

interface NamesByKind {
  clients: string[]
  projects: string[]
  tasks: string[]
}

/** Returns the preview of a compared import. `links` are those of the profile. */
export function createPreview(staging: Staging, links: readonly Link[], now: Date): ImportPreview {
  const totals = staging.database
    .prepare(
      `SELECT count(*) AS entries, min(start_at) AS first, max(start_at) AS last,
         coalesce(sum(end_at - start_at), 0) / 1000 AS seconds, count(*) - count(end_at) AS running
       FROM ${staging.tables.entry}`,
    )
    .get() as { entries: number; first: number | null; last: number | null; seconds: number; running: number }
  const { entries, first, last, seconds, running } = totals
  return {
    entries,
    first: first === null ? null : new Date(first),
    last: last === null ? null : new Date(last),
    seconds,
    running,
    actions: countActions(staging),
    overlaps: findOverlaps(staging, now),
    ...compareNames(combinationsOfNewEntries(staging), links),
  }
}

function countActions({ database, tables }: Staging): Record<EntryAction, number> {
  const counts = {
    ...{ create: 0, unchanged: 0, changed: 0, update: 0 },
    ...{ deleted: 0, invoiced: 0, equal: 0, second_timer: 0 },
  }
  const rows = database
    .prepare(`SELECT action, count(*) AS count FROM ${tables.entry} GROUP BY action`)
    .all() as {
    action: EntryAction
    count: number
  }[]
  for (const { action, count } of rows) counts[action] = count
  return counts
}

/** Returns the combinations of the entries to create or update. */
function combinationsOfNewEntries(staging: Staging): Combination[] {
  const rows = staging.database
    .prepare(`SELECT DISTINCT combination FROM ${staging.tables.entry} WHERE action IN ('create', 'update')`)
    .all() as { combination: number }[]
  const ids = new Set(rows.map(({ combination }) => combination))
  return staging.combinations().filter(({ id }) => ids.has(id))
}

function compareNames(
  combinations: readonly Combination[],
  links: readonly Link[],
): Pick<ImportPreview, 'created' | 'matched' | 'typos'> {
  const created = new NameLists()
  const matched = new NameLists()
  const known = new NameLists()
  for (const { client, project, task } of links)
    known.add(client?.name ?? null, project?.name ?? '', task?.name ?? '')
  const byId = new Map(links.map((link) => [String(link.id), link]))
  for (const { assignment } of combinations) {
    if (assignment?.kind === 'existing') {
      const link = byId.get(String(assignment.id))
      if (link) matched.add(link.client?.name ?? null, link.project?.name ?? '', link.task?.name ?? '')
    } else if (assignment?.kind === 'new') {
      created.add(assignment.client, assignment.project, assignment.task)
    }
  }
  // A new link can combine an existing project with an existing task.
  for (const [name, list] of created.entries()) {
    for (const [key, text] of list) {
      if (!known.has(name, key)) continue
      list.delete(key)
      matched.set(name, key, text)
    }
  }
  return { created: created.names(), matched: matched.names(), typos: typosOf(combinations, links) }
}

/** Returns the names of new task links that are probably typos of existing ones, each once. */
function typosOf(combinations: readonly Combination[], links: readonly Link[]): Typo[] {
  const unique = (names: readonly (string | undefined)[]) => [
    ...new Set(names.filter((name) => name !== undefined)),
  ]
  const known = {
    client: unique(links.map(({ client }) => client?.name)),
    project: unique(links.map(({ project }) => project?.name)),
    task: unique(links.map(({ task }) => task?.name)),
  }
  const created = combinations.flatMap(({ assignment }) => (assignment?.kind === 'new' ? [assignment] : []))
  return [
    ...unique(created.map(({ client }) => client ?? undefined)).map((client) => ({ client })),
    ...unique(created.map(({ project }) => project)).map((project) => ({ project })),
    ...unique(created.map(({ task }) => task)).map((task) => ({ task })),
  ].flatMap((names) => findTypos(names, known))
}

/** The names of clients, projects and tasks, each once. */
class NameLists {
  readonly #lists = {
    clients: new Map<string, string>(),
    projects: new Map<string, string>(),
    tasks: new Map<string, string>(),
  }

  add(client: string | null, project: string, task: string) {
    if (client !== null) this.set('clients', fold(client), client)
    this.set(
      'projects',
      `${fold(client ?? '')}/${fold(project)}`,
      [client, project].filter(Boolean).join(' / '),
    )
    this.set('tasks', fold(task), task)
  }

  set(list: keyof NamesByKind, key: string, text: string) {
    if (!this.#lists[list].has(key)) this.#lists[list].set(key, text)
  }

  has(list: keyof NamesByKind, key: string): boolean {
    return this.#lists[list].has(key)
  }

  entries(): [keyof NamesByKind, Map<string, string>][] {
    return Object.entries(this.#lists) as [keyof NamesByKind, Map<string, string>][]
  }

  names(): NamesByKind {
    const { clients, projects, tasks } = this.#lists
    return { clients: [...clients.values()], projects: [...projects.values()], tasks: [...tasks.values()] }
  }
}

/** A new entry that overlaps one of the profile. */
export interface Overlap {
  /** The line of the new entry in the source. */
  line: number
  start: Date
  end: Date | null
  /** The ID of the entry of the profile. */
  existing: string
  existingStart: Date
  existingEnd: Date | null
}

interface Overlaps {
  /** The number of new entries that overlap at least one of the profile. */
  count: number
  /** The first of them, each with one entry that it overlaps. */
  examples: Overlap[]
}

interface NewRow {
  line: number
  start_at: number
  end_at: number | null
}

interface ExistingRow {
  id: string
  start_at: number
  end_at: number | null
}

const maxExamples = 5

/** Finds the entries to create that overlap entries of the profile. Running entries last until `now`. */
export function findOverlaps({ database, tables }: Staging, now: Date): Overlaps {
  const result: Overlaps = { count: 0, examples: [] }
  if (database.prepare(`SELECT 1 FROM ${tables.existing} LIMIT 1`).get() === undefined) return result
  const newRows = database.prepare(
    `SELECT line, start_at, end_at FROM ${tables.entry} WHERE action = 'create' ORDER BY start_at, position`,
  )
  const existingRows = database.prepare(
    `SELECT id, start_at, end_at FROM ${tables.existing} ORDER BY start_at`,
  )
  newRows.withRows([], (created) =>
    existingRows.withRows([], (existing) =>
      addOverlaps(
        result,
        created as IterableIterator<NewRow>,
        existing as IterableIterator<ExistingRow>,
        now,
      ),
    ),
  )
  return result
}

/** Adds the overlaps of rows that are ordered by their start. */
function addOverlaps(
  result: Overlaps,
  newRows: Iterable<NewRow>,
  existingRows: Iterator<ExistingRow>,
  now: Date,
) {
  const endOf = ({ start_at, end_at }: NewRow | ExistingRow) => end_at ?? Math.max(start_at, now.getTime())
  let next = existingRows.next()
  // Of the entries that start at or before the new one, that which ends last.
  let last: ExistingRow | undefined
  for (const row of newRows) {
    while (!next.done && next.value.start_at <= row.start_at) {
      if (last === undefined || endOf(next.value) > endOf(last)) last = next.value
      next = existingRows.next()
    }
    const following = next.done ? undefined : next.value
    const overlapped =
      last !== undefined && endOf(last) > row.start_at && endOf(row) > row.start_at
        ? last
        : following !== undefined && following.start_at < endOf(row)
          ? following
          : undefined
    if (overlapped === undefined) continue
    result.count++
    if (result.examples.length < maxExamples) result.examples.push(toOverlap(row, overlapped))
  }
}

function toOverlap(row: NewRow, existing: ExistingRow): Overlap {
  const time = (ms: number | null) => (ms === null ? null : new Date(ms))
  return {
    line: row.line,
    start: new Date(row.start_at),
    end: time(row.end_at),
    existing: existing.id,
    existingStart: new Date(existing.start_at),
    existingEnd: time(existing.end_at),
  }
}
