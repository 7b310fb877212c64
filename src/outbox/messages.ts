import { ExpiredSignInError } from '../api-client/api-errors.js'
import type { WireRecord } from '../api-client/types.js'
import { TtError } from '../lib/errors.js'
import type { Notice } from '../lib/next-step.js'
import type { Duplicate } from './delivery/duplicates.js'
import type { SettlingChange } from './delivery/settling-time.js'
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

/** Sentence that says why creates with an unknown outcome, and the changes that depend on them, are not sent yet. */
export function settlingReason(settling: readonly SettlingChange[], now: Date): string {
  const remainingMs = settling.flatMap(({ until }) => (until === undefined ? [] : [until - now.getTime()]))
  const subject =
    settling.length === 1
      ? 'the response to a new record was lost. It is sent again'
      : `the responses to ${settling.length} new records were lost. They are sent again`
  const object = settling.length === 1 ? 'it' : 'them'
  if (remainingMs.length === 0)
    return `${subject} when the service sends a complete list that does not have ${object}.`
  const seconds = Math.max(1, Math.ceil(Math.min(...remainingMs) / 1000))
  return `${subject} in ${seconds} s unless the service has ${object} by then.`
}

/** Warnings after a delivery: creates that are not sent again yet, and duplicates. */
export function deliveryWarnings(
  { settling, duplicates }: { settling: readonly SettlingChange[]; duplicates: readonly Duplicate[] },
  now: Date,
): Notice[] {
  const warnings = duplicates.map(duplicateMessage)
  if (settling.length === 0) return warnings
  const hasEnd = settling.some(({ until }) => until !== undefined)
  const message = `Saved locally: ${settlingReason(settling, now)}`
  return [{ message, nextStep: { action: 'sync', wait: hasEnd } }, ...warnings]
}

/** Message about a duplicate: a second record of the same create. */
export function duplicateMessage({ kind, id, originalId }: Duplicate): Notice {
  const name = kind === 'entry' ? 'Entry' : 'Expense'
  return {
    message: `${name} ${id} is a duplicate of ${originalId}: it was sent twice, and both requests arrived.`,
    nextStep: { action: 'remove', kind, id },
  }
}

/** Message about a rejected or conflicting change of an earlier command. */
export function rejectedMessage(change: QueuedChange): Notice {
  const { op, kind, record, seq, state, rejection } = change
  const subject = {
    create: `A new ${kind} (${record})`,
    update: `A change of ${kind} ${record}`,
    delete: `The deletion of ${kind} ${record}`,
  }[op]
  const isConflict = state === 'conflict'
  return {
    message: `${subject} ${isConflict ? 'is in conflict' : 'was rejected'}. ${sentence(rejection)}`,
    nextStep: { action: 'resolve_change', seq, isConflict },
  }
}

/**
 * Returns the error of a command whose change the service rejected, with the status of the response.
 *
 * @param isStored whether the change is in the outbox, where the user can correct, retry or discard it
 */
export function rejectedError(change: QueuedChange, isStored: boolean): TtError {
  const { rejection, seq, op, kind, record } = change
  const status = rejection?.status
  const reason = sentence(rejection)
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

/** Returns the reason with a full stop: that of the service may have none. */
function sentence(rejection: Rejection | null): string {
  return (rejection?.message ?? '').replace(/[^.!?…]$/, '$&.')
}
