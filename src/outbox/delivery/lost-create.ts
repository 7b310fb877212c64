import type { Api } from '../../api/api.js'
import { InvalidResponseError } from '../../api/errors.js'
import type { Predicates } from '../../api/filter/query.js'
import type { RecordList } from '../../api/paging/paging.js'
import type { TimeEntry, WireRecord } from '../../api/types.js'
import type { Cache } from '../../cache/cache.js'
import { addDays, dayOf } from '../../calendar/day.js'
import { TtError } from '../../lib/errors.js'
import { fieldsNotIn, isEquivalent } from '../field-equality.js'
import type { Outbox } from '../outbox.js'
import type { QueuedChange } from '../queued-change.js'

/** What this machine knows. */
export interface KnownRecords {
  cache: Cache | undefined
  outbox: Outbox
  /** Whether the service may have ignored the date of an expense, because it was sent under another name. */
  hasUncertainDate?: ((change: Pick<QueuedChange, 'typedAt'>) => boolean) | undefined
}

export interface LookupSources extends KnownRecords {
  api: Api
}

/** What the service has of a create whose outcome is unknown. */
export interface LookupResult {
  /** The record that it has made. */
  found?: WireRecord
  /** Where there is none: a record like it with other notes, which another client may have changed since. */
  edited?: WireRecord | undefined
  /** Why the list may lack the record; undefined for a complete list. */
  incomplete?: string | undefined
}

/**
 * Looks up the record that a create has made whose response was lost, by documented means (service-api-v1.md section 4):
 * `find_by_external_id` where it carries such an id, and the list around its day. The record must have all that was sent
 * (times to within a minute), and must not be a record that was known before it was sent, or one that another change has
 * made.
 */
export async function findLostCreate(
  change: QueuedChange,
  { api, ...known }: LookupSources,
): Promise<LookupResult> {
  const { kind, fields } = change
  if (typeof fields.external_id === 'string' && kind === 'entry') {
    // Where the response is invalid, the list decides.
    const named = await api.findTimeEntryByExternalId(fields.external_id).catch(orUndefinedIfInvalid)
    // An external id is the record's own, whoever made it.
    if (named && named.external_id === fields.external_id) return { found: named }
  }
  const { listed, hasUncertainDate } = await listAround(change, api)
  const all = { ...known, hasUncertainDate }
  const found = closestMatch(change, listed, all)
  if (found) return { found }
  const { incomplete } = listed
  return { incomplete, edited: incomplete === undefined ? editedSince(change, listed, all) : undefined }
}

/** The records of the day of a create and of its neighbours; all expenses where the name of their date was unknown. */
export async function listAround(
  { kind, fields, typedAt }: Sent,
  api: Api,
): Promise<{ listed: RecordList<WireRecord>; hasUncertainDate?: KnownRecords['hasUncertainDate'] }> {
  if (kind === 'entry') return { listed: await api.listTimeEntries(aroundStart(fields.time_start)) }
  const date = await api.expenseDateField()
  const day = date.wasUnknownAt(typedAt) ? undefined : aroundDay(fields.spent_on)
  return {
    listed: await api.listExpenses(day),
    hasUncertainDate: (sent) => date.wasUnknownAt(sent.typedAt),
  }
}

/**
 * The entry with that id, read from the list of its day, then from the whole list: for a service whose response to
 * `GET /timesheets/{id}` is invalid. Throws TtError `not_found` when neither has it, NonsenseError when the whole list
 * does not have it and is incomplete.
 */
export async function findListed(api: Api, id: string, start: unknown): Promise<TimeEntry> {
  const day = typeof start === 'string' ? [aroundStart(start)] : []
  let incomplete: string | undefined
  for (const predicates of [...day, {}]) {
    const entries = await api.listTimeEntries(predicates)
    const listed = entries.find((entry) => String(entry.id) === id)
    if (listed) return listed
    incomplete = entries.incomplete
  }
  if (incomplete !== undefined)
    throw new InvalidResponseError(`Whether the service has time entry ${id} is unknown: ${incomplete}.`)
  throw new TtError('not_found', `The service has no time entry ${id}.`)
}

function orUndefinedIfInvalid(error: unknown): undefined {
  if (!(error instanceof InvalidResponseError)) throw error
}

/**
 * Returns the records without those that pending creates have probably made: the changes stand for them. The local
 * workspace may have made the record of any pending create, as a failing disk leaves it in the outbox.
 */
export function withoutUncertainRecords(
  records: readonly WireRecord[],
  changes: readonly QueuedChange[],
  known: KnownRecords,
): WireRecord[] {
  const left = [...records]
  for (const change of changes) {
    const mayBeMade = change.op === 'create' && (change.outcomeUnknown || known.cache === undefined)
    const made = mayBeMade ? closestMatch(change, left, known) : undefined
    if (made) left.splice(left.indexOf(made), 1)
  }
  return left
}

function closestMatch(
  change: QueuedChange,
  records: readonly WireRecord[],
  known: KnownRecords,
): WireRecord | undefined {
  return findMatches(change, records, known).sort((a, b) => distance(change, a) - distance(change, b))[0]
}

/** What a create has sent, and what was known before. */
type Sent = Pick<QueuedChange, 'kind' | 'fields' | 'knownUntil' | 'typedAt' | 'sentAt'>

/** The records that a create may have made: with all that was sent, and new since then. */
export function findMatches(
  sent: Sent,
  records: readonly WireRecord[],
  { cache, outbox, hasUncertainDate }: KnownRecords,
): WireRecord[] {
  const { kind, knownUntil } = sent
  const isTaken = (id: string) =>
    outbox.isCreatedHere(kind, id) ||
    (knownUntil !== null && cache?.wasKnownAt(kind, id, knownUntil) === true)
  const defaults = hasUncertainDate?.(sent) ? daysOfSending(sent) : []
  return records.filter((record) => !isTaken(String(record.id)) && isOf(withDateOf(record), record))

  /** The create as the service may have stored it: one whose date it did not understand gets its current day. */
  function withDateOf({ spent_on: day }: WireRecord): Sent {
    const isDefault = typeof day === 'string' && defaults.includes(day.slice(0, 10))
    return isDefault ? { ...sent, fields: { ...sent.fields, spent_on: day } } : sent
  }
}

/** The day on which a create was last sent, in the time zone of this process and in UTC. */
function daysOfSending({ sentAt, typedAt }: Sent): string[] {
  const sent = sentAt === null ? typedAt : new Date(sentAt)
  return [dayOf(sent), sent.toISOString().slice(0, 10)]
}

/** A record that differs from what a create has sent by its notes alone, and that no other pending create has made. */
function editedSince(
  change: QueuedChange,
  records: readonly WireRecord[],
  known: KnownRecords,
): WireRecord | undefined {
  const others = known.outbox
    .all()
    .filter(
      ({ seq, op, outcomeUnknown, kind }) =>
        seq !== change.seq && op === 'create' && outcomeUnknown && kind === change.kind,
    )
  const unclaimed = records.filter((record) => !others.some((other) => isOf(other, record)))
  const anyNotes = (record: WireRecord) => ({
    ...change,
    fields: { ...change.fields, notes: record.notes ?? null },
  })
  return unclaimed.find((record) => findMatches(anyNotes(record), [record], known).length > 0)
}

/** Whether the record has what was sent. A timer may have been stopped elsewhere since. */
function isOf({ kind, fields }: Pick<Sent, 'kind' | 'fields'>, record: WireRecord): boolean {
  const sent = kind === 'entry' ? { notes: null, ...fields } : fields
  return fieldsNotIn(record, sent).every(
    // What a service does not show cannot tell records apart; a missing end is no end to compare, and no expense is
    // without a date, but a service may call it what nobody recognizes.
    (name) =>
      !(name in record) ||
      (name === 'time_end' && isEquivalent(name, fields[name], null)) ||
      (name === 'spent_on' && record.spent_on === null),
  )
}

function distance({ fields }: QueuedChange, record: WireRecord): number {
  const between = (name: string) =>
    typeof fields[name] === 'string' && typeof record[name] === 'string'
      ? Math.abs(Date.parse(fields[name]) - Date.parse(record[name]))
      : 0
  return between('time_start') + between('time_end') + between('spent_on')
}

/** A service may read a date as midnight of a zone 26 hours away. */
function aroundStart(start: unknown): Predicates {
  const day = dayOf(new Date(String(start)))
  return { time_start_gteq: addDays(day, -2), time_start_lt: addDays(day, 3) }
}

function aroundDay(day: unknown): Predicates {
  if (typeof day !== 'string') return {}
  return { spent_on_gteq: addDays(day, -1), spent_on_lt: addDays(day, 2) }
}
