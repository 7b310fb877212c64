import type { Api } from '../../api-client/api.js'
import { InvalidResponseError } from '../../api-client/api-errors.js'
import type { Predicates } from '../../api-client/filter/query.js'
import type { RecordList } from '../../api-client/paging/record-list.js'
import type { TimeEntry, WireRecord } from '../../api-client/types.js'
import type { Cache } from '../../cache/cache.js'
import { addDays, dayOf } from '../../calendar/day.js'
import { TtError } from '../../lib/errors.js'
import { fieldsNotIn, isEquivalent } from '../field-equality.js'
import type { Outbox } from '../outbox.js'
import type { QueuedChange } from '../queued-change.js'

/** The records that this machine knows; other records at the service are new. */
export interface KnownRecords {
  cache: Cache | undefined
  outbox: Outbox
  /** Whether the service may have ignored the date of an expense, because it was sent under another name. */
  hasUncertainDate?: ((change: Pick<QueuedChange, 'typedAt'>) => boolean) | undefined
}

export interface LookupSources extends KnownRecords {
  api: Api
}

/** The result of looking up a create whose outcome is unknown. */
export interface LookupResult {
  /** The created record. */
  found?: WireRecord
  /** If there is none: an equal record with other notes, which another client may have changed. */
  edited?: WireRecord | undefined
  /** The reason for which the list may lack the record; undefined for a complete list. */
  incomplete?: string | undefined
}

/**
 * Looks up the record of a create whose response was lost (service-api-v1.md section 4): with `find_by_external_id` if it
 * has an external ID, and in the list around its day. The record must have all the sent values (times within a minute), and
 * must not be known from before the create or belong to another create.
 */
export async function findLostCreate(
  change: QueuedChange,
  { api, ...known }: LookupSources,
): Promise<LookupResult> {
  const { kind, fields } = change
  if (typeof fields.external_id === 'string' && kind === 'entry') {
    // An invalid response leaves the decision to the list.
    const identified = await api.findTimeEntryByExternalId(fields.external_id).catch(ignoreInvalidResponse)
    // An external ID identifies the record, whatever client created it.
    if (identified && identified.external_id === fields.external_id) return { found: identified }
  }
  const { listed, hasUncertainDate } = await listAround(change, api)
  const context = { ...known, hasUncertainDate }
  const found = closestMatch(change, listed, context)
  if (found) return { found }
  const { incomplete } = listed
  return { incomplete, edited: incomplete === undefined ? findEdited(change, listed, context) : undefined }
}

/** Lists the records around the day of a create; all expenses where the name of their date field was unknown. */
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
 * Returns the entry with that ID from the list of its day, otherwise from the whole list, for a service whose response to
 * `GET /timesheets/{id}` is invalid. Throws TtError `not_found` if neither list has it, InvalidResponseError if the whole
 * list does not have it and is incomplete.
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

function ignoreInvalidResponse(error: unknown): undefined {
  if (!(error instanceof InvalidResponseError)) throw error
}

/**
 * Returns the records without those of pending creates whose outcome is unknown: the changes represent them. The local
 * workspace may have the record of any pending create, which a failing disk leaves in the outbox.
 */
export function withoutUncertainRecords(
  records: readonly WireRecord[],
  changes: readonly QueuedChange[],
  known: KnownRecords,
): WireRecord[] {
  const remaining = [...records]
  for (const change of changes) {
    const mayExist = change.op === 'create' && (change.outcomeUnknown || known.cache === undefined)
    const created = mayExist ? closestMatch(change, remaining, known) : undefined
    if (created) remaining.splice(remaining.indexOf(created), 1)
  }
  return remaining
}

function closestMatch(
  change: QueuedChange,
  records: readonly WireRecord[],
  known: KnownRecords,
): WireRecord | undefined {
  return findMatches(change, records, known).sort((a, b) => distance(change, a) - distance(change, b))[0]
}

/** The fields that a create has sent, and when. */
type Sent = Pick<QueuedChange, 'kind' | 'fields' | 'knownUntil' | 'typedAt' | 'sentAt'>

/** Returns the records that may belong to a create: new ones with all the sent values. */
export function findMatches(
  sent: Sent,
  records: readonly WireRecord[],
  { cache, outbox, hasUncertainDate }: KnownRecords,
): WireRecord[] {
  const { kind, knownUntil } = sent
  const isKnown = (id: string) =>
    outbox.isCreatedHere(kind, id) ||
    (knownUntil !== null && cache?.wasKnownAt(kind, id, knownUntil) === true)
  const defaults = hasUncertainDate?.(sent) ? daysOfSending(sent) : []
  return records.filter((record) => !isKnown(String(record.id)) && hasSentValues(withDateOf(record), record))

  /** Returns the create with the current day of the service, which it uses without a date that it understands. */
  function withDateOf({ spent_on: day }: WireRecord): Sent {
    const isDefault = typeof day === 'string' && defaults.includes(day.slice(0, 10))
    return isDefault ? { ...sent, fields: { ...sent.fields, spent_on: day } } : sent
  }
}

/** Returns the day on which a create was last sent, in the time zone of this process and in UTC. */
function daysOfSending({ sentAt, typedAt }: Sent): string[] {
  const sent = sentAt === null ? typedAt : new Date(sentAt)
  return [dayOf(sent), sent.toISOString().slice(0, 10)]
}

/** Returns a record that differs from a create only in its notes, and cannot belong to another pending create. */
function findEdited(
  change: QueuedChange,
  records: readonly WireRecord[],
  known: KnownRecords,
): WireRecord | undefined {
  const others = known.outbox.createsWithUnknownOutcome(change.kind).filter(({ seq }) => seq !== change.seq)
  const unclaimed = records.filter((record) => !others.some((other) => hasSentValues(other, record)))
  const withNotesOf = (record: WireRecord) => ({
    ...change,
    fields: { ...change.fields, notes: record.notes ?? null },
  })
  return unclaimed.find((record) => findMatches(withNotesOf(record), [record], known).length > 0)
}

/** Whether the record has all the sent values. A timer may have been stopped elsewhere since. */
function hasSentValues({ kind, fields }: Pick<Sent, 'kind' | 'fields'>, record: WireRecord): boolean {
  const sent = kind === 'entry' ? { notes: null, ...fields } : fields
  return fieldsNotIn(record, sent).every(
    // A field that the service does not send cannot tell records apart, nor can a missing end. Every expense has a date,
    // but the service may use a name for it that is not recognized.
    (name) =>
      !(name in record) ||
      (name === 'time_end' && isEquivalent(name, fields[name], null)) ||
      (name === 'spent_on' && record.spent_on === null),
  )
}

/** Returns how far the times of a record are from those of a create, in milliseconds. */
function distance({ fields }: QueuedChange, record: WireRecord): number {
  const between = (name: string) =>
    typeof fields[name] === 'string' && typeof record[name] === 'string'
      ? Math.abs(Date.parse(fields[name]) - Date.parse(record[name]))
      : 0
  return between('time_start') + between('time_end') + between('spent_on')
}

/** Returns a range of days around a start: a service may read a date as midnight of a zone 26 hours away. */
function aroundStart(start: unknown): Predicates {
  const day = dayOf(new Date(String(start)))
  return { time_start_gteq: addDays(day, -2), time_start_lt: addDays(day, 3) }
}

function aroundDay(day: unknown): Predicates {
  if (typeof day !== 'string') return {}
  return { spent_on_gteq: addDays(day, -1), spent_on_lt: addDays(day, 2) }
}
