import type { Kysely } from 'kysely'
import { TtError } from '../../lib/errors.js'
import { matchNames, segmentsOf } from '../../lib/text/match-names.js'
import { nearestNames, suggestionText } from '../../lib/text/nearest-names.js'
import type { Schema } from '../storage/schema.js'
import type { ProjectRow } from './find-or-create.js'
import { unknownNameError } from './validate-name.js'

/** A project with the name of its client, and both as a path. */
export interface FoundProject extends ProjectRow {
  client: string | null
  /** `Client/Project`, or `Project` without a client. */
  path: string
}

/**
 * Returns the project that the typed text names: an ID, or Client/Project or Project, which are matched like the tasks of
 * time entries. Throws TtError `not_found` with similar names, and `usage` with the candidates when several match.
 */
export async function findProject(db: Kysely<Schema>, typed: string): Promise<FoundProject> {
  const rows = await db
    .selectFrom('projects')
    .leftJoin('clients', 'clients.id', 'projects.client_id')
    .select(['projects.id', 'projects.client_id', 'projects.name', 'projects.active'])
    .select('clients.name as client')
    .orderBy('clients.name', (order) => order.asc().nullsFirst())
    .orderBy('projects.name')
    .execute()
  const projects = rows.map((row) => ({
    ...row,
    path: row.client === null ? row.name : `${row.client}/${row.name}`,
  }))
  const byId = projects.find(({ id }) => String(id) === typed.trim())
  if (byId) return byId
  const hasClient = segmentsOf(typed).length > 1
  const found = matchNames(typed, projects, ({ client, name }) =>
    hasClient && client !== null ? [client, name] : [name],
  )
  const [first, second] = found
  if (!first) throw unknownProject(typed, projects)
  if (second) throw ambiguousProject(typed, found)
  return first
}

function unknownProject(typed: string, projects: readonly FoundProject[]): TtError {
  const candidates = nearestNames(
    typed,
    projects.flatMap(({ name, path }) => [name, path]),
  )
  const { code, message, nextStep } = unknownNameError('project', typed)
  return new TtError(code, `${message}${suggestionText(candidates)}`, { nextStep, candidates })
}

function ambiguousProject(typed: string, found: readonly FoundProject[]): TtError {
  const candidates = found.map(({ path }) => path)
  return new TtError('usage', `"${typed}" matches several projects: ${candidates.slice(0, 8).join('; ')}.`, {
    hint: 'Enter it as Client/Project, or enter its ID.',
    candidates,
  })
}
