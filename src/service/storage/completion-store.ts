import { type Link, type Named, toLink } from '../../catalog/links.js'
import type { Candidate } from '../../completion/candidates.js'
import {
  type CompletionStore,
  type KnownEntry,
  maxCountedRows,
  maxRecentRows,
  type NamedKind,
} from '../../completion/known-records.js'
import type { Sqlite } from '../../lib/sqlite/connection.js'

/** The one whose time the local workspace keeps. */
const owner = "(SELECT id FROM users WHERE email = 'you@localhost')"

/** The database of the local workspace (src/service/storage/schema.ts): read here as it is, without the service around it. */
export function workspaceStore(database: Sqlite): CompletionStore {
  const rows = (sql: string) => database.prepare(sql).all() as Record<string, unknown>[]
  return {
    links: () => rows(linksByUse).map(asLink),
    names: (kind) => rows(namesOf[kind]).map(asCandidate),
    entries: () => rows(latestEntries).map(asEntry),
    expenses: () =>
      rows(latestExpenses).map(({ id, ...told }) => ({
        id: String(id),
        description: Object.values(told).filter(Boolean).join(' '),
      })),
  }
}

const linksByUse = `
  SELECT task_links.id, projects.id AS project_id, projects.name AS project, tasks.id AS task_id, tasks.name AS task,
    clients.id AS client_id, clients.name AS client
  FROM task_links
    JOIN projects ON projects.id = task_links.project_id
    JOIN tasks ON tasks.id = task_links.task_id
    LEFT JOIN clients ON clients.id = projects.client_id
    LEFT JOIN (
      SELECT task_link_id, count(*) AS uses
      FROM (SELECT task_link_id FROM time_entries WHERE user_id = ${owner} ORDER BY time_start DESC LIMIT ${maxCountedRows})
      GROUP BY task_link_id
    ) AS used ON used.task_link_id = task_links.id
  WHERE task_links.active = 1 AND projects.active = 1
  ORDER BY coalesce(uses, 0) DESC, client, project, task`

const latestEntries = `
  SELECT id, time_start, time_end, notes, task_link_id FROM time_entries
  WHERE user_id = ${owner} ORDER BY time_start DESC, id DESC LIMIT ${maxRecentRows}`

const latestExpenses = `
  SELECT expenses.id, spent_on, amount, currency, expense_types.name, notes
  FROM expenses LEFT JOIN expense_types ON expense_types.id = expense_type_id
  WHERE user_id = ${owner} ORDER BY spent_on DESC, expenses.id DESC LIMIT ${maxRecentRows}`

const namesOf: Record<NamedKind, string> = {
  projects: `
    SELECT projects.name, coalesce(clients.name, '') AS description
    FROM projects LEFT JOIN clients ON clients.id = client_id ORDER BY projects.name`,
  clients: "SELECT name, '' AS description FROM clients ORDER BY name",
  tasks: "SELECT name, '' AS description FROM tasks ORDER BY name",
  types: "SELECT name, '' AS description FROM expense_types WHERE active = 1 ORDER BY name",
}

function asLink(row: Record<string, unknown>): Link {
  const part = (name: string): Named | null => {
    const [id, text] = [row[`${name}_id`], row[name]]
    return typeof id === 'number' && typeof text === 'string' ? { id, name: text } : null
  }
  const wire = { id: Number(row.id), project_id: Number(row.project_id), task_id: Number(row.task_id) }
  return toLink(wire, part('client'), part('project'), part('task'))
}

function asCandidate({ name, description }: Record<string, unknown>): Candidate {
  return { value: String(name), description: String(description) }
}

function asEntry({ id, time_start, time_end, notes, task_link_id }: Record<string, unknown>): KnownEntry {
  return {
    id: String(id),
    start: new Date(Number(time_start)),
    end: time_end === null ? null : new Date(Number(time_end)),
    notes: String(notes ?? ''),
    linkId: String(task_link_id),
  }
}
