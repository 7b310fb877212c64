import { ExpiredSignInError } from '../api-client/api-errors.js'
import type { WireRecord } from '../api-client/types.js'
import { TtError } from '../lib/errors.js'
import type { NextStep, Notice } from '../lib/next-step.js'
import type { Duplicate } from './delivery/duplicates.js'
import { hasEnd, type SettlingChange } from './delivery/settling-time.js'
import type { QueuedChange, Rejection } from './queued-change.js'

/** Message about pending changes of one command, from the error or the sentence that says why they were not sent. */
export function queuedMessage(reason: TtError | string, count = 1): Notice {
  if (reason instanceof ExpiredSignInError) {
    const nextStep = { action: 'sign_in', profile: reason.profile, sends: true } as const
    return { message: 'Saved locally: your sign-in has expired.', nextStep }
  }
  const text = typeof reason === 'string' ? reason : reason.message
  return { message: `Saved locally: ${text.replace(/^T(?=he )/, 't')}`, nextStep: { action: 'sync', count } }
}

/** Clause that says why changes are not sent yet, and when they are. */
export function settlingReason(settling: readonly SettlingChange[], now: Date): string {
  const creates = settling.filter(({ reason }) => reason === 'unknown_create')
  if (creates.length > 0) return lostCreatesReason(creates, now)
  const [unreadable] = settling.filter(({ reason }) => reason === 'unreadable')
  if (unreadable)
    return `${unreadable.kind} ${unreadable.record} cannot be read. ${unreadable.failure?.message ?? ''}`
  const waiting = settling.filter(({ reason }) => reason === 'earlier_attempt')
  const time = `in ${secondsUntil(waiting.length > 0 ? waiting : settling, now)} s`
  if (waiting.length === 1)
    return `an earlier change of the same record got no response and may still arrive. It is sent ${time}.`
  if (waiting.length > 1)
    return `earlier changes of the same records got no response and may still arrive. They are sent ${time}.`
  const names = settling.map(({ kind, record }) => `${kind} ${record}`).join(', ')
  const verb = settling.length === 1 ? 'is' : 'are'
  return `a change got no response at first and may still arrive twice; ${names} ${verb} checked again ${time}.`
}

function lostCreatesReason(creates: readonly SettlingChange[], now: Date): string {
  const [subject, object] =
    creates.length === 1
      ? ['the response to a new record was lost. It is sent again', 'it']
      : [`the responses to ${creates.length} new records were lost. They are sent again`, 'them']
  if (creates.some(hasEnd))
    return `${subject} in ${secondsUntil(creates, now)} s unless the service has ${object} by then.`
  const [failed] = creates.flatMap(({ failure }) => failure ?? [])
  if (failed) return `${subject} once the service can be searched for ${object}. ${failed.message}`
  return `${subject} when the service sends a complete list that does not have ${object}.`
}

function secondsUntil(settling: readonly SettlingChange[], now: Date): number {
  const remainingMs = settling.filter(hasEnd).map(({ until }) => until - now.getTime())
  return Math.max(1, Math.ceil(Math.min(...remainingMs) / 1000))
}

/** Warnings after a delivery: changes that are not sent yet, and duplicates. */
export function deliveryWarnings(
  { settling, duplicates }: { settling: readonly SettlingChange[]; duplicates: readonly Duplicate[] },
  now: Date,
): Notice[] {
  const warnings = duplicates.map(duplicateMessage)
  if (settling.length === 0) return warnings
  const message = `Saved locally: ${settlingReason(settling, now)}`
  return [{ message, nextStep: { action: 'sync', wait: settling.some(hasEnd) } }, ...warnings]
}

/** Message about a duplicate: a second record of the same create. */
export function duplicateMessage({ kind, id, originalId, isCertain }: Duplicate): Notice {
  const name = kind === 'entry' ? 'Entry' : 'Expense'
  const message = isCertain
    ? `${name} ${id} is a duplicate of ${originalId}: it was sent twice, and both requests arrived.`
    : `${name} ${id} may be a duplicate of ${originalId}, which was sent twice, unless another client has added it.`
  return { message, nextStep: { action: 'remove', kind, id } }
}

/** Message about a record that the service still has after it has accepted its deletion twice. */
export function undeletedMessage({ kind, record }: Pick<QueuedChange, 'kind' | 'record'>): Notice {
  const name = kind === 'entry' ? 'Entry' : 'Expense'
  return {
    message: `${name} ${record} is still at the service, which has accepted its deletion twice.`,
    nextStep: { action: 'remove', kind, id: record },
  }
}

/** Message about a rejected, conflicting or ambiguous change of an earlier command. */
export function rejectedMessage(change: QueuedChange): Notice {
  const { op, kind, record, state, rejection } = change
  const subject = {
    create: `A new ${kind} (${record})`,
    update: `A change of ${kind} ${record}`,
    delete: `The deletion of ${kind} ${record}`,
  }[op]
  const isConflict = state === 'conflict'
  const verb = state === 'ambiguous' ? 'is ambiguous' : isConflict ? 'is in conflict' : 'was rejected'
  return {
    message: `${subject} ${verb}. ${rejectionSentence(rejection)}`,
    nextStep: resolveStep(change),
  }
}

/** Returns what the user can do about a rejected, conflicting or ambiguous change. */
export function resolveStep({ seq, state, candidates }: QueuedChange): NextStep {
  const isConflict = state === 'conflict'
  return { action: 'resolve_change', seq, isConflict, ...(candidates ? { candidates } : {}) }
}

/**
 * Returns the error of a command whose change the service rejected, with the status of the response.
 *
 * @param isStored whether the change is in the outbox, where the user can correct, retry or discard it
 */
export function rejectedError(change: QueuedChange, isStored: boolean): TtError {
  const { rejection, seq, op, kind, record } = change
  const status = rejection?.status
  const reason = rejectionSentence(rejection)
  const rejected = `The service rejected the change${status === undefined ? '' : ` (${status})`}: ${reason}`
  // An expense is corrected by editing it; of an entry, only one that the service does not have yet.
  const edit = kind === 'expense' || op === 'create' ? { kind, id: record } : undefined
  const stored = {
    hint: 'The rejected change is stored.',
    nextStep: { action: 'resolve_change', seq, edit },
  } as const
  // Without a reason of the service, the message is about the whole request already.
  return new TtError('rejected', /^The service /.test(reason) ? reason : rejected, {
    ...(isStored ? stored : {}),
    ...(status === undefined ? {} : { status }),
  })
}

/**
 * Warning about fields that a service accepted but stored with other values, or not at all: Rails ignores fields that
 * it does not know.
 */
export function differenceWarning(
  { kind, fields }: QueuedChange,
  record: WireRecord,
  names: string[],
): Notice {
  const differences = names.map((name) => {
    const [sent, stored] = [fields[name], record[name]].map(shorten)
    const label = name === 'spent_on' ? 'date' : name
    return stored === undefined
      ? `${label} is missing (sent: ${sent ?? 'nothing'})`
      : `${label} is ${stored} (sent: ${sent ?? 'nothing'})`
  })
  const message = `The service did not store ${kind} ${record.id} as it was sent: ${differences.join('; ')}.`
  if (kind === 'entry') return { message }
  const isDateStored = names[0] === 'spent_on' && shorten(record.spent_on) !== undefined
  const date = isDateStored ? String(fields.spent_on) : undefined
  return { message, nextStep: { action: 'resend_field', id: String(record.id), date } }
}

/** Returns a value as text of at most 61 characters; undefined for an empty one. */
function shorten(value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** Returns the reason of a rejection with a full stop: that of the service may have none. */
export function rejectionSentence(rejection: Rejection | null): string {
  return (rejection?.message ?? '').replace(/[^.!?…]$/, '$&.')
}
