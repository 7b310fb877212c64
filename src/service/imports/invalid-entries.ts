import { TtError } from '../../lib/errors.js'
import { validatePathSegment } from '../admin/validate-name.js'
import {
  externalId,
  FieldProblem,
  maxExternalIdLength,
  maxNotesLength,
  notes,
} from '../resources/field-validation.js'
import { firstInstant, lastInstant } from '../resources/values.js'
import type { Queries } from '../storage/queries.js'
import { rawSql, sql } from '../storage/sql.js'
import { findProjectId, type LinkNames } from './new-links.js'

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
export async function invalidEntries(queries: Queries): Promise<InvalidStagedEntry[]> {
  const found = [
    ...(await withClosedTimes(queries)),
    ...(await withInvalidFields(queries)),
    ...(await withInvalidLinks(queries)),
    ...(await withInvalidNames(queries)),
  ]
  return found.sort((one, other) => one.position - other.position)
}

/** Throws TtError `rejected` with the first invalid entry. */
export async function checkEntries(queries: Queries): Promise<void> {
  const [first, ...others] = await invalidEntries(queries)
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

const isWritten = sql`action in ('create', 'update')`

type Position = Pick<InvalidStagedEntry, 'position' | 'line'>

/** Both the stored and the new start of an entry must be after the closed period. */
async function withClosedTimes(queries: Queries): Promise<InvalidStagedEntry[]> {
  const rows = await queries.all<Position & { closed_until: string }>(sql`
    select position, line, closed_until from staging.entry as entry join main.company
    where ${isWritten} and (start_at < closed_before or exists (
      select 1 from main.time_entries as stored where action = 'update'
        and stored.id = cast(entry.record as integer) and stored.time_start < closed_before))`)
  return rows.map(({ position, line, closed_until }) => ({
    ...{ position, line, field: 'time_start' },
    reason: `It is in the closed period, up to ${closed_until}.`,
  }))
}

interface FieldRow extends Position {
  start_at: number
  end_at: number | null
  notes: string
  external_id: string
  /** Whether the notes contain NUL, where some drivers end a text. */
  has_nul: number
}

/** The bytes of a text are at least as many as its UTF-16 code units, which are limited. */
const bytesOf = (column: string) => rawSql(`length(cast(${column} as blob))`)

async function withInvalidFields(queries: Queries): Promise<InvalidStagedEntry[]> {
  const years = sql`between ${firstInstant} and ${lastInstant}`
  const rows = await queries.all<FieldRow>(sql`
    select position, line, start_at, end_at, notes, external_id, instr(notes, char(0)) > 0 as has_nul
    from staging.entry where ${isWritten} and (
      end_at < start_at or start_at not ${years} or end_at not ${years}
      or ${bytesOf('notes')} > ${maxNotesLength}
      or ${bytesOf('external_id')} not between 1 and ${maxExternalIdLength} or instr(notes, char(0)) > 0)`)
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
async function withInvalidLinks(queries: Queries): Promise<InvalidStagedEntry[]> {
  const rows = await queries.all<Position & { active: number | null }>(sql`
    select position, line, link.active from staging.combination as combination
      join staging.entry as entry on entry.combination = combination.id and ${isWritten}
      left join main.task_links as link on link.id = json_extract(combination.task_link, '$')
    where (combination.task_link is not null or new_project is null or new_task is null)
      and coalesce(link.active, 0) = 0 and not exists (
        select 1 from main.time_entries as stored
        where action = 'update' and stored.id = cast(entry.record as integer) and stored.task_link_id = link.id)`)
  return rows.map(({ active, ...row }) => ({
    ...row,
    field: 'task_link_id',
    reason: active === null ? 'Its task does not exist.' : 'Its task is archived.',
  }))
}

async function withInvalidNames(queries: Queries): Promise<InvalidStagedEntry[]> {
  const combinations = await queries.all<LinkNames & { id: number }>(sql`
    select id, new_client as client, new_project as project, new_task as task from staging.combination
    where task_link is null and new_project is not null and new_task is not null`)
  const found: InvalidStagedEntry[] = []
  for (const { id, ...names } of combinations) {
    const problem = await nameProblem(queries, names)
    if (!problem) continue
    const rows = await queries.all<Position>(
      sql`select position, line from staging.entry where combination = ${id} and ${isWritten}`,
    )
    found.push(...rows.map((row) => ({ ...row, ...problem })))
  }
  return found
}

async function nameProblem(queries: Queries, names: LinkNames): Promise<Problem | undefined> {
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
  const [client] = await queries.all<{ active: number }>(
    sql`select active from main.clients where name = ${trimmed.client}`,
  )
  if (client?.active === 0) return { field: 'client', reason: `The client "${trimmed.client}" is archived.` }
  const project = await findProjectId(queries, trimmed)
  if (project?.active === 0)
    return { field: 'project', reason: `The project "${trimmed.project}" is archived.` }
  const [link] = await queries.all<{ active: number }>(sql`
    select active from main.task_links where project_id = ${project?.id ?? null}
      and task_id = (select id from main.tasks where name = ${trimmed.task})`)
  if (link?.active !== 0) return undefined
  return { field: 'task', reason: `The task "${trimmed.task}" of "${trimmed.project}" is archived.` }
}
