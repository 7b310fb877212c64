import type { Api } from '../../api-client/api.js'
import { InvalidResponseError, isServerFault, RejectedError } from '../../api-client/api-errors.js'
import type { Predicates } from '../../api-client/filter/query.js'
import type { RecordList } from '../../api-client/paging/record-list.js'
import type { TimeEntry, WireRecord } from '../../api-client/types.js'
import { addDays, dayOf } from '../../lib/calendar/day.js'
import { TtError } from '../../lib/errors.js'
import type { Cache } from '../cache/cache.js'
import { fieldsNotIn, isEquivalent, isExactInstant } from '../field-equality.js'
import type { Outbox } from '../outbox.js'
import type { QueuedChange } from '../queued-change.js'
import { isProxyRejection } from './delivery-errors.js'
import { type SendingTimes, settlingMs } from './settling-time.js'

/** The records that this machine knows; other records at the service are new. */
export interface KnownRecords {
  cache: Cache | undefined
  outbox: Outbox
  /** Whether the service may have ignored the date of an expense, because it was sent under another name. */
  hasUncertainDate?: ((change: Pick<QueuedChange, 'typedAt'>) => boolean) | undefined
  /** See `offsetAtSending`; without it, only a difference that was measured at sending is used. */
  clockOffsetMs?: ((sent: SendingTimes) => number | undefined) | undefined
}

export interface LookupSources extends KnownRecords {
  api: Api
}

/** The result of looking up a create whose outcome is unknown. */
export interface LookupResult {
  /** The created record. */
  found?: WireRecord
  /** Records that may be the created one, or another one with the same content. */
  candidates?: WireRecord[]
  /** If there is none: an equal record with other notes, which another client may have changed. */
  edited?: WireRecord | undefined
  /** The reason for which the list may lack the record; undefined for a complete list. */
  incomplete?: string | undefined
}

/** The tolerance of comparisons with the clock of the service, in milliseconds. */
const clockToleranceMs = 5_000
/** How long after its last request a create is expected to commit at the latest, in milliseconds. */
const lateCommitMs = settlingMs + clockToleranceMs
/** How long after the list of its day a new record with the content of an expense is taken for it, in milliseconds. */
const listedMs = 10 * 60_000

/**
 * Looks up the record of a create whose response was lost (service-api-v1.md section 4): with `find_by_external_id` if it
 * has an external ID, and in the list around its day. See `matchCreates`.
 */
export async function findLostCreate(
  change: QueuedChange,
  { api, ...known }: LookupSources & { now: Date },
): Promise<LookupResult> {
  const { kind, fields } = change
  if (typeof fields.external_id === 'string' && kind === 'entry') {
    // A service may not have this endpoint: its response leaves the decision to the list.
    const identified = await api.findTimeEntryByExternalId(fields.external_id).catch(ignoreOddResponse)
    // An external ID identifies the record, whatever client created it.
    if (identified && identified.external_id === fields.external_id) return { found: identified }
  }
  const { listed, hasUncertainDate } = await listAround(change, api)
  const context = { ...known, hasUncertainDate }
  const creates = known.outbox.createsWithUnknownOutcome(kind)
  const match = matchCreates(creates, listed, context).get(change.seq)
  if (match?.isCertain) return { found: match.record }
  const { incomplete } = listed
  if (match) return { incomplete, candidates: fitsOf(change, listed, context).map(({ record }) => record) }
  return { incomplete, edited: incomplete === undefined ? findEdited(change, listed, context) : undefined }
}

/** Lists the records around the day of a create; all expenses where the name of their date field was unknown. */
export async function listAround(
  { kind, fields, typedAt }: Pick<QueuedChange, 'kind' | 'fields' | 'typedAt'>,
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

function ignoreOddResponse(error: unknown): undefined {
  const isOdd =
    error instanceof InvalidResponseError || error instanceof RejectedError || isServerFault(error)
  if (!isOdd || isProxyRejection(error)) throw error
}

/**
 * Returns the records without those of pending creates whose outcome is unknown: the changes represent them.
 */
export function withoutUncertainRecords(
  records: readonly WireRecord[],
  changes: readonly QueuedChange[],
  known: KnownRecords,
): WireRecord[] {
  const creates = changes.filter(({ op, outcomeUnknown }) => op === 'create' && outcomeUnknown)
  const created = new Set([...matchCreates(creates, records, known).values()].map(({ record }) => record))
  return records.filter((record) => !created.has(record))
}

/** A record that may belong to a create. */
interface Match {
  create: QueuedChange
  record: WireRecord
  /** False if another client may have created it with the same content. */
  isCertain: boolean
  /** How far the times of the record are from those that were sent, in milliseconds. */
  distanceMs: number
  /** How far its creation is from the last request of the create, in milliseconds; 0 if that is unknown. */
  creationDistanceMs: number
}

/**
 * Returns the record that belongs to each create, by the number of the create. All creates are compared with all records,
 * and the nearest pairs are matched first, each create and each record at most once.
 */
export function matchCreates(
  creates: readonly QueuedChange[],
  records: readonly WireRecord[],
  known: KnownRecords,
): Map<number, Match> {
  const pairs = creates
    .flatMap((create) => fitsOf(create, records, known).map((fit): Match => ({ create, ...fit })))
    .sort(
      (a, b) =>
        Number(b.isCertain) - Number(a.isCertain) ||
        a.distanceMs - b.distanceMs ||
        a.creationDistanceMs - b.creationDistanceMs ||
        a.create.seq - b.create.seq,
    )
  const matches = new Map<number, Match>()
  const taken = new Set<WireRecord>()
  for (const pair of pairs) {
    if (matches.has(pair.create.seq) || taken.has(pair.record)) continue
    matches.set(pair.create.seq, pair)
    taken.add(pair.record)
  }
  return matches
}

/** The fields that a create has sent, and when. */
export type Sent = Pick<
  QueuedChange,
  'kind' | 'fields' | 'knownUntil' | 'typedAt' | 'listedAt' | keyof SendingTimes
>

/**
 * Returns the records that may belong to a create: those with all the sent values (times within a minute) that were not
 * known before it, that no other create of this machine has created, and that the service has not created clearly before
 * its first request.
 */
export function fitsOf(
  sent: Sent,
  records: readonly WireRecord[],
  known: KnownRecords & { now?: Date },
): Omit<Match, 'create'>[] {
  const { kind } = sent
  const { hasUncertainDate, clockOffsetMs, now } = known
  const defaults = hasUncertainDate?.(sent) ? daysOfSending(sent) : []
  const times = timesAtService(sent, clockOffsetMs)
  return records
    .filter((record) => hasSentValues(withDateOf(record), record))
    .filter((record) => !isKnown(sent, record, known) && !isCreatedBefore(record, times))
    .map((record) => {
      const afterMs = times && createdMs(record) - times.last
      const isTimed = afterMs !== undefined && !Number.isNaN(afterMs)
      return {
        record,
        isCertain: isCertain(record, isTimed ? afterMs : undefined),
        distanceMs: distance(sent, record),
        creationDistanceMs: isTimed ? Math.abs(afterMs) : 0,
      }
    })

  /** Returns the create with the current day of the service, which it uses without a date that it understands. */
  function withDateOf({ spent_on: day }: WireRecord): Sent {
    const isDefault = typeof day === 'string' && defaults.includes(day.slice(0, 10))
    return isDefault ? { ...sent, fields: { ...sent.fields, spent_on: day } } : sent
  }

  /**
   * Whether no other client is likely to have created the record. One person does not track the same time twice; an equal
   * expense is likely.
   *
   * @param afterMs how long after the last request the service has created the record; undefined if that is unknown
   */
  function isCertain(record: WireRecord, afterMs: number | undefined): boolean {
    if (kind === 'entry' && !hasStoredTimes(sent, record)) return false
    if (afterMs !== undefined) return afterMs < lateCommitMs
    if (kind === 'entry') return true
    const { listedAt } = sent
    return listedAt !== null && now !== undefined && Math.abs(now.getTime() - listedAt) < listedMs
  }
}

/** Whether a record was known before the first request of a create, or was created clearly before it. */
export function existedBefore(sent: Sent, record: WireRecord, known: KnownRecords): boolean {
  const times = timesAtService(sent, known.clockOffsetMs)
  return isKnown(sent, record, known) || isCreatedBefore(record, times)
}

/** Whether this machine had the record before a create, or has created it with another one. */
function isKnown({ kind, knownUntil }: Sent, { id }: WireRecord, { cache, outbox }: KnownRecords): boolean {
  const name = String(id)
  return (
    outbox.isCreatedHere(kind, name) ||
    (knownUntil !== null && cache?.wasKnownAt(kind, name, knownUntil) === true)
  )
}

function isCreatedBefore(record: WireRecord, times: RequestTimes | undefined): boolean {
  return times !== undefined && createdMs(record) < times.first - clockToleranceMs
}

/** Returns when the service has created a record, in epoch milliseconds; NaN if that is unknown. */
function createdMs({ created_at: created }: WireRecord): number {
  return isExactInstant(created) ? Date.parse(created) : Number.NaN
}

/** The times of the first and the last request of a create by the clock of the service, in epoch milliseconds. */
interface RequestTimes {
  first: number
  last: number
}

/** Returns the times of the first and the last request by the clock of the service; undefined if that is unknown. */
function timesAtService(sent: Sent, clockOffsetMs: KnownRecords['clockOffsetMs']): RequestTimes | undefined {
  const offsetMs = clockOffsetMs ? clockOffsetMs(sent) : (sent.clockOffsetMs ?? undefined)
  if (offsetMs === undefined) return undefined
  const { firstSentAt, sentAt, typedAt } = sent
  // Another machine may have sent a restored create first, by a clock that is not known.
  const first = firstSentAt ?? Number.NEGATIVE_INFINITY
  return { first: first + offsetMs, last: (sentAt ?? typedAt.getTime()) + offsetMs }
}

/**
 * Whether the times of an entry are those that were sent, or whole minutes, as of a service that rounds. A service that
 * stores other seconds would have stored those that were sent.
 */
function hasStoredTimes({ fields }: Sent, record: WireRecord): boolean {
  return ['time_start', 'time_end'].every((name) => {
    const [sent, stored] = [fields[name], record[name]]
    if (typeof sent !== 'string' || typeof stored !== 'string') return true
    const storedMs = Date.parse(stored)
    return storedMs % 60_000 === 0 || Math.abs(storedMs - Date.parse(sent)) < 1000
  })
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
  return unclaimed.find((record) => {
    const edited = withNotesOf(record)
    return (
      fitsOf(edited, [record], known).length > 0 &&
      hasStoredTimes(edited, record) &&
      // Another create may fit it better.
      !others.some((other) => distance(other, record) < distance(edited, record) && fitsNotes(other, record))
    )
  })

  function fitsNotes(other: QueuedChange, record: WireRecord): boolean {
    return (
      fitsOf({ ...other, fields: { ...other.fields, notes: record.notes ?? null } }, [record], known).length >
      0
    )
  }
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
function distance({ fields }: Pick<Sent, 'fields'>, record: WireRecord): number {
  const between = (name: string) =>
    typeof fields[name] === 'string' && typeof record[name] === 'string'
      ? Math.abs(Date.parse(fields[name]) - Date.parse(record[name]))
      : 0
  return between('time_start') + between('time_end') + between('spent_on')
}

/** Returns a range of days around a start: a service may read a date as midnight of a zone 26 hours away. */
export function aroundStart(start: unknown): Predicates {
  const day = dayOf(new Date(String(start)))
  return { time_start_gteq: addDays(day, -2), time_start_lt: addDays(day, 3) }
}

function aroundDay(day: unknown): Predicates {
  if (typeof day !== 'string') return {}
  return { spent_on_gteq: addDays(day, -1), spent_on_lt: addDays(day, 2) }
}
