import type { WireFields, WireRecord } from '../../api-client/types.js'
import type { ClientState } from '../../outbox/cache/client-state.js'
import type { ChangeApplier } from '../../outbox/change-applier.js'
import type { Plan, PlannedChange } from '../../outbox/plan.js'
import { rememberEntries } from './imported-entries.js'
import type { Staging } from './staging.js'

export interface ServiceImportParts {
  state: ClientState
  changes: ChangeApplier
  /** Returns the known record of an entry that is updated; undefined if it is not cached. */
  recordOf?(id: string): WireRecord | undefined
}

export interface ServiceImport {
  staging: Staging
  /** Its title in the history: "import of toggl.csv, 1,204 entries". */
  title: string
}

/** A staged entry with the task link of its combination. */
interface StagedRow {
  action: 'create' | 'update'
  external_id: string
  start_at: number
  end_at: number | null
  notes: string
  /** JSON. */
  task_link: string
  record: string | null
  before: string | null
}

/**
 * Saves an import of compared entries into a service: writes a create or an update for each to the outbox, as one change in
 * the history, in the transaction that remembers them as imported. Call it while no other process saves an import.
 *
 * All combinations must have an existing task link. Throws TtError `failure` if the changes cannot be saved.
 */
export async function saveServiceImport(
  { state, changes, recordOf }: ServiceImportParts,
  { staging, title }: ServiceImport,
): Promise<void> {
  const importId = crypto.randomUUID()
  const plan = { ...planServiceImport(staging, title, recordOf), importId }
  state.atomically(() => {
    changes.enqueue(plan)
    rememberEntries(staging, importId)
  })
}

/** Returns the creates and updates of staged entries as one plan, in the order of their starts. */
export function planServiceImport(
  { database, tables }: Staging,
  title: string,
  recordOf: NonNullable<ServiceImportParts['recordOf']> = () => undefined,
): Plan {
  const rows = database
    .prepare(
      `SELECT action, external_id, start_at, end_at, notes, task_link, record, before
       FROM ${tables.entry} JOIN ${tables.combination} AS combination ON combination.id = combination
       WHERE action IN ('create', 'update') AND task_link IS NOT NULL ORDER BY start_at, position`,
    )
    .all() as StagedRow[]
  const steps = rows.map((row) => (row.action === 'create' ? toCreate(row) : toUpdate(row, recordOf)))
  return { title, steps, readAt: undefined }
}

/** No step depends on another one: the rejection of one entry does not concern the others. */
function toCreate(row: StagedRow): PlannedChange {
  const fields: WireFields = { ...fieldsOf(row), external_id: row.external_id }
  if (row.notes === '') delete fields.notes
  if (row.end_at === null) delete fields.time_end
  return { kind: 'entry', op: 'create', fields, isIndependent: true }
}

function toUpdate(row: StagedRow, recordOf: (id: string) => WireRecord | undefined): PlannedChange {
  const id = String(row.record)
  const record = recordOf(id) ?? { id, ...beforeOf(row), external_id: row.external_id }
  return { kind: 'entry', op: 'update', record, fields: fieldsOf(row), isIndependent: true }
}

function fieldsOf({ start_at: start, end_at: end, notes, task_link: link }: StagedRow): WireFields {
  return {
    time_start: toTime(start),
    time_end: toTime(end),
    notes,
    task_link_id: JSON.parse(link) as string | number,
  }
}

/** Returns the fields of an entry of the profile, as the comparison has found them. */
function beforeOf({ before, task_link: link }: StagedRow): WireFields {
  const known = JSON.parse(before ?? '{}') as {
    start_at?: number
    end_at?: number | null
    notes?: string
    task_link?: string | null
  }
  const isNumber = typeof JSON.parse(link) === 'number'
  const knownLink = known.task_link ?? null
  return {
    time_start: toTime(known.start_at ?? null),
    time_end: toTime(known.end_at ?? null),
    notes: known.notes ?? null,
    task_link_id: isNumber && knownLink !== null ? Number(knownLink) : knownLink,
  }
}

function toTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}
