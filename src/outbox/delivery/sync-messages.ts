import { ExpiredSignInError } from '../../api/errors.js'
import type { WireRecord } from '../../api/types.js'
import { recordCommand } from '../../cli/record-command.js'
import { TtError } from '../../lib/errors.js'
import type { QueuedChange, Rejection } from '../queued-change.js'
import type { Duplicate } from './duplicates.js'
import type { SettlingChange } from './settling-time.js'

/** The message about a change that is saved and not sent yet, from the error, or a sentence, that says why. */
export function queuedMessage(why: TtError | string): string {
  if (why instanceof ExpiredSignInError)
    return `Saved locally: your sign-in has expired. Run \`${why.login}\` to send it.`
  const reason = typeof why === 'string' ? why : why.message
  return `Saved locally: ${reason.replace(/^T(?=he )/, 't')} Run \`tt sync\` to send it.`
}

/** Why creates with an unknown outcome, and the changes that depend on them, are not sent yet; a sentence. */
export function settlingReason(settling: readonly SettlingChange[], now: Date): string {
  const leftMs = settling.flatMap(({ until }) => (until === undefined ? [] : [until - now.getTime()]))
  const what =
    settling.length === 1
      ? 'the response to an addition was lost. It is sent again'
      : `the responses to ${settling.length} additions were lost. They are sent again`
  const object = settling.length === 1 ? 'it' : 'them'
  if (leftMs.length === 0)
    return `${what} when the service sends a complete list that does not have ${object}.`
  const seconds = Math.max(1, Math.ceil(Math.min(...leftMs) / 1000))
  return `${what} in ${seconds} s unless the service has ${object} by then.`
}

/** Warnings after a delivery: creates that are not sent again yet, and duplicates. */
export function deliveryWarnings(
  { settling, duplicates }: { settling: readonly SettlingChange[]; duplicates: readonly Duplicate[] },
  now: Date,
): string[] {
  const warnings = duplicates.map(duplicateMessage)
  if (settling.length === 0) return warnings
  const next = settling.some(({ until }) => until !== undefined)
    ? 'Run `tt sync --wait` to wait for that.'
    : 'Run `tt sync` to try again.'
  return [`Saved locally: ${settlingReason(settling, now)} ${next}`, ...warnings]
}

/** Message for a record that an earlier request of the same create has made. */
export function duplicateMessage({ kind, id, originalId: of }: Duplicate): string {
  const command = kind === 'entry' ? 'tt rm' : 'tt expenses rm'
  return `${kind === 'entry' ? 'Entry' : 'Expense'} ${id} is a duplicate of ${of}: it was sent twice, and both requests arrived. Run \`${recordCommand(command, id)}\` to remove it.`
}

/** What is told of a change that was set aside: what is wrong with it, and what can be done. */
export function rejectedMessage(change: QueuedChange): string {
  const { op, kind, record, rejection } = change
  const verb = { create: 'A new', update: 'A change of', delete: 'The deletion of' }[op]
  const what = op === 'create' ? `${verb} ${kind} (${record})` : `${verb} ${kind} ${record}`
  return `${what} was set aside. ${sentence(rejection)} ${wayOut(change)}`
}

function wayOut({ seq, state }: QueuedChange): string {
  const again = state === 'conflict' ? 'sends what was typed all the same' : 'sends it again'
  return `\`tt sync retry ${seq}\` ${again}, \`tt sync discard ${seq}\` drops it.`
}

/** The failure of a command whose change the service refused; `isKept` when it was set aside. */
export function rejectedError(change: QueuedChange, isKept: boolean): TtError {
  const { rejection } = change
  const status = rejection?.status
  const reason = sentence(rejection)
  const rejected = `The service refused the change${status === undefined ? '' : ` (${status})`}: ${reason}`
  // Where the service gave no reason, the text is about the whole request already.
  return new TtError('rejected', /^The service /.test(reason) ? reason : rejected, {
    ...(isKept ? { hint: `It is set aside: ${editing(change)}${wayOut(change)}` } : {}),
    ...(status === undefined ? {} : { status }),
  })
}

/** The command that corrects a rejected change. */
function editing({ kind, op, record }: QueuedChange): string {
  if (kind === 'expense') {
    const edit = (options = '') => `\`${recordCommand('tt expenses edit', record, options)}\``
    return `${edit()} changes it (${edit(' --field NAME=VALUE')} sets a field that has no option), `
  }
  return op === 'create' ? `\`${recordCommand('tt edit', record)}\` changes it, ` : ''
}

/**
 * Warning about fields that a service has accepted, but does not have as they were sent: Rails ignores fields that it
 * does not know.
 */
export function differenceWarning(
  { kind, fields }: QueuedChange,
  record: WireRecord,
  names: string[],
): string {
  const parts = names.map((name) => {
    const [sent, stored] = [fields[name], record[name]].map(shortened)
    const label = name === 'spent_on' ? 'date' : name
    return stored === undefined
      ? `${label} is missing (sent: ${sent ?? 'nothing'})`
      : `${label} is ${stored} (sent: ${sent ?? 'nothing'})`
  })
  const warning = `The service did not store ${kind} ${record.id} as it was sent: ${parts.join('; ')}.`
  if (kind === 'entry') return warning
  const name = names[0] ?? ''
  const edit = (options: string) => `\`${recordCommand('tt expenses edit', record.id, options)}\``
  return name === 'spent_on' && shortened(record.spent_on) !== undefined
    ? `${warning} ${edit(` --on ${fields.spent_on}`)} sends the date again.`
    : `${warning} If the service uses another name for the field, run ${edit(' --field NAME=VALUE')}.`
}

/** A value for a message; undefined for none. */
function shortened(value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** The service's own words may end like none. */
function sentence(said: Rejection | null): string {
  return (said?.message ?? '').replace(/[^.!?…]$/, '$&.')
}
