import { TtError } from '../../lib/errors.js'
import { timeEntry } from '../../records/records.js'
import { validatePathSegment } from '../admin/validate-name.js'
import { FieldProblem, maxExternalIdLength, maxTextLength, readField } from '../resources/fields.js'
import { brokenRules, conditionsOf, ruleColumns, type Write } from '../resources/rules.js'
import { entryRules } from '../resources/time-entries.js'
import { firstInstant, lastInstant } from '../resources/values.js'
import type { Viewer } from '../resources/visibility.js'
import type { Queries } from '../storage/queries.js'
import { allOf, joinSql, rawSql, type Sql, sql } from '../storage/sql.js'
import type { ImportTarget, StagedEntries } from './entry-imports.js'
import { findProjectId, type LinkNames } from './new-links.js'

/** A staged entry that the workspace would not accept. */
export interface InvalidStagedEntry {
  /** Its number in the source, counted from 1. */
  position: number
  /** Its line in the source, counted from 1. */
  line: number
  /** The field of the entry, or the name, that is invalid. */
  field: string
  /** A sentence. */
  reason: string
}

type Problem = Pick<InvalidStagedEntry, 'field' | 'reason'>

/**
 * Returns the staged entries to create or update that the service would reject, by the rules of its own create and update,
 * in the order of the source. Their external IDs are unique.
 */
export async function invalidEntries(
  target: ImportTarget,
  staged: StagedEntries,
): Promise<InvalidStagedEntry[]> {
  const { queries } = target
  const found = [
    ...(await withInvalidFields(queries, staged)),
    ...(await withBrokenRules(target, stagedWrites(staged))),
    ...(await withInvalidNames(queries, staged)),
  ]
  return found.sort((one, other) => one.position - other.position)
}

/** Throws TtError `rejected` with the first invalid entry. */
export async function checkEntries(target: ImportTarget, staged: StagedEntries): Promise<void> {
  throwIfInvalid(
    await invalidEntries(target, staged),
    ({ line }) => `The entry in line ${line} cannot be imported.`,
  )
}

/** Throws TtError `rejected` if a removed entry of an import, which is created again, breaks a rule. */
export async function checkRemovedEntries(target: ImportTarget, id: string): Promise<void> {
  const invalid = await withBrokenRules(target, {
    next: { time_start: sql`time_start`, time_end: sql`time_end`, task_link_id: sql`task_link_id` },
    rows: sql`(select id as position, id as line, * from undone_entries where import = ${id})`,
  })
  throwIfInvalid(invalid, ({ line }) => `The import cannot be repeated: entry ${line} is invalid.`)
}

function throwIfInvalid(
  [first, ...others]: readonly InvalidStagedEntry[],
  problem: (entry: InvalidStagedEntry) => string,
) {
  if (!first) return
  const more = others.length > 0 ? ` ${others.length} more entries are invalid.` : ''
  throw new TtError('rejected', `${problem(first)} ${first.reason}${more}`, { hint: 'Nothing was imported.' })
}

const isWritten = sql`action in ('create', 'update')`

type Position = Pick<InvalidStagedEntry, 'position' | 'line'>

/** The entries to write, in SQL: a table expression with their positions and lines, and their columns. */
interface EntryWrites extends Pick<Write, 'next' | 'stored'> {
  rows: Sql
}

/** Returns the columns of the staged entries, and those of the stored ones that they update. */
function stagedWrites({ entry, combination }: StagedEntries): EntryWrites {
  return {
    next: {
      time_start: sql`entry.start_at`,
      time_end: sql`entry.end_at`,
      // A combination that is not created either has no task: no ID is 0.
      task_link_id: sql`coalesce(json_extract(combination.task_link, '$'),
        case when new_project is null or new_task is null then 0 end)`,
    },
    stored: {
      time_start: sql`stored.time_start`,
      time_end: sql`stored.time_end`,
      task_link_id: sql`stored.task_link_id`,
    },
    rows: sql`${entry} as entry
      join ${combination} as combination on combination.id = entry.combination and ${isWritten}
      left join main.time_entries as stored on action = 'update' and stored.id = cast(entry.record as integer)`,
  }
}

/** Returns the entries that break the rules of the service. */
async function withBrokenRules(
  { queries, userId }: ImportTarget,
  { rows, ...write }: EntryWrites,
): Promise<InvalidStagedEntry[]> {
  const viewer: Viewer = { queries, userId, seesEverything: true }
  const broken = await queries.all<Position & Record<string, unknown>>(sql`
    select position, line, ${joinSql(ruleColumns(entryRules, write, viewer))} from ${rows}
    where case when ${allOf(...conditionsOf(entryRules, write, viewer))} then 0 else 1 end = 1`)
  const found: InvalidStagedEntry[] = []
  for (const { position, line, ...row } of broken)
    for (const { field, message } of brokenRules(entryRules, row))
      found.push({ position, line, field, reason: inWords(field, message) })
  return found
}

const labels: Readonly<Record<string, string>> = {
  time_start: 'start',
  time_end: 'end',
  notes: 'notes',
  task_link_id: 'task',
  external_id: 'external ID',
}

/** Returns a problem as a sentence, with the names of fields that users know. */
function inWords(field: string, message: string): string {
  const words = `${field} ${message}.`.replace(
    /\b\w+_\w+\b|^notes\b/g,
    (name) => `the ${labels[name] ?? name}`,
  )
  return words.replace(/^t/, 'T')
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

async function withInvalidFields(queries: Queries, { entry }: StagedEntries): Promise<InvalidStagedEntry[]> {
  const years = sql`between ${firstInstant} and ${lastInstant}`
  const rows = await queries.all<FieldRow>(sql`
    select position, line, start_at, end_at, notes, external_id, instr(notes, char(0)) > 0 as has_nul
    from ${entry} where ${isWritten} and (
      start_at not ${years} or end_at not ${years}
      or ${bytesOf('notes')} > ${maxTextLength}
      or ${bytesOf('external_id')} not between 1 and ${maxExternalIdLength} or instr(notes, char(0)) > 0)`)
  return rows.flatMap((row) => {
    const problem = fieldProblem(row)
    return problem ? { position: row.position, line: row.line, ...problem } : []
  })
}

const notInYears = 'is not in the years 1 to 9999'
const nul = String.fromCharCode(0)

function fieldProblem(row: FieldRow): Problem | undefined {
  const isYear = (time: number) => time >= firstInstant && time <= lastInstant
  if (!isYear(row.start_at)) return { field: 'time_start', reason: inWords('time_start', notInYears) }
  if (row.end_at !== null && !isYear(row.end_at))
    return { field: 'time_end', reason: inWords('time_end', notInYears) }
  const values = { notes: row.has_nul === 1 ? nul : row.notes, external_id: row.external_id }
  for (const field of ['notes', 'external_id'] as const) {
    const value = readField(timeEntry.fields[field], values[field])
    if (value instanceof FieldProblem) return { field, reason: inWords(field, value.message) }
  }
  return undefined
}

async function withInvalidNames(
  queries: Queries,
  { entry, combination }: StagedEntries,
): Promise<InvalidStagedEntry[]> {
  const combinations = await queries.all<LinkNames & { id: number }>(sql`
    select id, new_client as client, new_project as project, new_task as task from ${combination}
    where task_link is null and new_project is not null and new_task is not null`)
  const found: InvalidStagedEntry[] = []
  for (const { id, ...names } of combinations) {
    const problem = await nameProblem(queries, names)
    if (!problem) continue
    const rows = await queries.all<Position>(
      sql`select position, line from ${entry} where combination = ${id} and ${isWritten}`,
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
