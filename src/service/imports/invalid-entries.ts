import { TtError } from '../../lib/errors.js'
import type { Sqlite } from '../../lib/sqlite/connection.js'
import { validatePathSegment } from '../admin/validate-name.js'
import {
  externalId,
  FieldProblem,
  maxExternalIdLength,
  maxNotesLength,
  notes,
} from '../resources/field-validation.js'
import { firstInstant, lastInstant } from '../resources/values.js'
import { findProjectId } from './new-links.js'

/** A staged entry that the workspace would not accept. */
export interface InvalidStagedEntry {
  /** Its number in the source, counted from 1. */
  position: number
  /** Its line in the source, counted from 1. */
  line: number
  /** The field of the entry, or the name, that is invalid. */
  field: 'time_start' | 'time_end' | 'notes' | 'external_id' | 'client' | 'project' | 'task' | 'task_link_id'
  /** A sentence. */
  reason: string
}

type Problem = Pick<InvalidStagedEntry, 'field' | 'reason'>

/**
 * Returns the staged entries to create or update that the service would reject, by the rules of its own create and update
 * (resources/time-entries.ts), in the order of the source. Their external IDs are unique. The staging file is attached as
 * `staging`.
 */
export function invalidEntries(database: Sqlite): InvalidStagedEntry[] {
  const found = [
    ...withClosedTimes(database),
    ...withInvalidFields(database),
    ...withInvalidLinks(database),
    ...withInvalidNames(database),
  ]
  return found.sort((one, other) => one.position - other.position)
}

/** Throws TtError `rejected` with the first invalid entry. */
export function checkEntries(database: Sqlite): void {
  const [first, ...others] = invalidEntries(database)
  if (!first) return
  const more = others.length > 0 ? ` ${others.length} more entries are invalid.` : ''
  throw new TtError(
    'rejected',
    `The entry in line ${first.line} cannot be imported. ${first.reason}${more}`,
    {
      hint: 'Nothing was imported.',
    },
  )
}

const isWritten = "action IN ('create', 'update')"

/** Both the stored and the new start of an entry must be after the closed period. */
function withClosedTimes(database: Sqlite): InvalidStagedEntry[] {
  const rows = database
    .prepare(
      `SELECT position, line, closed_until FROM staging.entry AS entry JOIN main.company
       WHERE ${isWritten} AND (start_at < closed_before OR EXISTS (
         SELECT 1 FROM main.time_entries AS stored WHERE action = 'update'
           AND stored.id = CAST(entry.record AS INTEGER) AND stored.time_start < closed_before))`,
    )
    .all() as (Pick<InvalidStagedEntry, 'position' | 'line'> & { closed_until: string })[]
  return rows.map(({ position, line, closed_until }) => ({
    ...{ position, line, field: 'time_start' },
    reason: `It is in the closed period, up to ${closed_until}.`,
  }))
}

interface FieldRow {
  position: number
  line: number
  start_at: number
  end_at: number | null
  notes: string
  external_id: string
  /** Whether the notes contain NUL, where some drivers end a text. */
  has_nul: number
}

/** The bytes of a text are at least as many as its UTF-16 code units, which are limited. */
const bytesOf = (column: string) => `length(CAST(${column} AS BLOB))`

function withInvalidFields(database: Sqlite): InvalidStagedEntry[] {
  const rows = database
    .prepare(
      `SELECT position, line, start_at, end_at, notes, external_id, instr(notes, char(0)) > 0 AS has_nul
       FROM staging.entry WHERE ${isWritten} AND (
         end_at < start_at OR start_at NOT BETWEEN ? AND ? OR end_at NOT BETWEEN ? AND ?
         OR ${bytesOf('notes')} > ? OR ${bytesOf('external_id')} NOT BETWEEN 1 AND ?
         OR instr(notes, char(0)) > 0)`,
    )
    .all([
      ...[firstInstant, lastInstant, firstInstant, lastInstant],
      ...[maxNotesLength, maxExternalIdLength],
    ]) as FieldRow[]
  return rows.flatMap((row) => {
    const problem = fieldProblem(row)
    return problem ? { position: row.position, line: row.line, ...problem } : []
  })
}

const nul = String.fromCharCode(0)

function fieldProblem(row: FieldRow): Problem | undefined {
  const isYear = (time: number) => time >= firstInstant && time <= lastInstant
  if (!isYear(row.start_at))
    return { field: 'time_start', reason: 'The start is not in the years 1 to 9999.' }
  if (row.end_at !== null && !isYear(row.end_at))
    return { field: 'time_end', reason: 'The end is not in the years 1 to 9999.' }
  if (row.end_at !== null && row.end_at < row.start_at)
    return { field: 'time_end', reason: 'The end is before the start.' }
  const noteProblem = notes(row.has_nul === 1 ? nul : row.notes)
  if (noteProblem instanceof FieldProblem)
    return { field: 'notes', reason: `The notes ${noteProblem.message}.` }
  const idProblem = externalId(row.external_id)
  if (idProblem instanceof FieldProblem)
    return { field: 'external_id', reason: `The external ID ${idProblem.message}.` }
  return undefined
}

/** An unchanged reference to a link that was archived later is valid, as in an update of the service. */
function withInvalidLinks(database: Sqlite): InvalidStagedEntry[] {
  const rows = database
    .prepare(
      `SELECT position, line, link.active FROM staging.combination AS combination
         JOIN staging.entry AS entry ON entry.combination = combination.id AND ${isWritten}
         LEFT JOIN main.task_links AS link ON link.id = json_extract(combination.task_link, '$')
       WHERE (combination.task_link IS NOT NULL OR new_project IS NULL OR new_task IS NULL)
         AND coalesce(link.active, 0) = 0 AND NOT EXISTS (
           SELECT 1 FROM main.time_entries AS stored
           WHERE action = 'update' AND stored.id = CAST(entry.record AS INTEGER) AND stored.task_link_id = link.id)`,
    )
    .all() as (Pick<InvalidStagedEntry, 'position' | 'line'> & { active: number | null })[]
  return rows.map(({ active, ...row }) => ({
    ...row,
    field: 'task_link_id',
    reason: active === null ? 'Its task does not exist.' : 'Its task is archived.',
  }))
}

function withInvalidNames(database: Sqlite): InvalidStagedEntry[] {
  const combinations = database
    .prepare(
      `SELECT id, new_client, new_project, new_task FROM staging.combination
       WHERE task_link IS NULL AND new_project IS NOT NULL AND new_task IS NOT NULL`,
    )
    .all() as { id: number; new_client: string | null; new_project: string; new_task: string }[]
  const positions = database.prepare(
    `SELECT position, line FROM staging.entry WHERE combination = ? AND ${isWritten}`,
  )
  return combinations.flatMap(({ id, new_client: client, new_project: project, new_task: task }) => {
    const problem = nameProblem(database, { client, project, task })
    if (!problem) return []
    const rows = positions.all([id]) as Pick<InvalidStagedEntry, 'position' | 'line'>[]
    return rows.map((row) => ({ ...row, ...problem }))
  })
}

function nameProblem(
  database: Sqlite,
  names: { client: string | null; project: string; task: string },
): Problem | undefined {
  const trimmed = { ...names }
  for (const field of ['client', 'project', 'task'] as const) {
    const name = names[field]
    if (name === null) continue
    try {
      trimmed[field] = validatePathSegment(field, name)
    } catch (error) {
      if (error instanceof TtError) return { field, reason: error.message }
      throw error
    }
  }
  const client = database.prepare('SELECT active FROM main.clients WHERE name = ?').get([trimmed.client]) as
    | { active: number }
    | undefined
  if (client?.active === 0) return { field: 'client', reason: `The client "${trimmed.client}" is archived.` }
  const project = findProjectId(database, trimmed)
  if (project?.active === 0)
    return { field: 'project', reason: `The project "${trimmed.project}" is archived.` }
  const link = database
    .prepare(
      `SELECT active FROM main.task_links WHERE project_id = ?
         AND task_id = (SELECT id FROM main.tasks WHERE name = ?)`,
    )
    .get([project?.id ?? null, trimmed.task]) as { active: number } | undefined
  if (link?.active !== 0) return undefined
  return { field: 'task', reason: `The task "${trimmed.task}" of "${trimmed.project}" is archived.` }
}
