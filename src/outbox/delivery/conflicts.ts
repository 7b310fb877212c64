import type { WireFields, WireRecord } from '../../api-client/types.js'
import { formatDateTime } from '../../lib/calendar/time.js'
import { capitalize } from '../../lib/text/words.js'
import { fieldsNotIn, isEquivalent } from '../field-equality.js'
import type { QueuedChange, Rejection } from '../queued-change.js'

/** The fields of an update, compared with the current record of the service. */
export interface Differences {
  /** The fields to send. */
  remaining: WireFields
  /** The fields that another client has set to other values since the command. */
  conflicting: WireFields
}

/** Compares an update with the record at the service and with the record before the command. */
export function compareWithBase(current: WireRecord, { fields, base }: QueuedChange): Differences {
  const differences: Differences = { remaining: {}, conflicting: {} }
  for (const [name, value] of Object.entries(fields)) {
    const stored = current[name]
    const isChanged = !isSameValue(stored, base?.[name])
    // The service may have rounded the value of an earlier request, or another client may have set the same value.
    const isDone = isSameValue(stored, value) || (isChanged && isEquivalent(name, value, stored))
    if (isDone) continue
    if (isChanged) differences.conflicting[name] = value
    else differences.remaining[name] = value
  }
  return differences
}

/** Whether the record has the values before the change, and none of the sent ones: an edit by seconds counts. */
export function isUntouched(record: WireRecord, sent: WireFields, { base }: QueuedChange): boolean {
  const names = Object.keys(sent)
  return names.every(
    (name) =>
      name in record &&
      !isEquivalent(name, sent[name], record[name], 1000) &&
      isEquivalent(name, base?.[name], record[name], 1000),
  )
}

/** Returns the rejection of an update whose fields were changed elsewhere. */
export function fieldConflict(current: WireRecord, { fields, base }: QueuedChange): Rejection {
  const parts = Object.entries(fields).map(([name, value]) => {
    const values = [current[name], base?.[name], value]
    const [stored, before, here] = values.map((shown) => format(name, shown))
    const [is, was] = verbs(name)
    return `${label(name)} ${is} ${stored} at the service, ${was} ${before} before, and ${is} ${here} here`
  })
  const [values, verb] = parts.length === 1 ? ['value', 'was'] : ['values', 'were']
  return {
    message: `Changed elsewhere: ${parts.join('; ')}. The ${values} at the service ${verb} not overwritten.`,
  }
}

/** Returns the rejection of a create whose response was lost, when the service has its record with other notes. */
export function editedElsewhere(current: WireRecord, { kind, fields }: QueuedChange): Rejection {
  const [stored, here] = [current.notes, fields.notes].map((notes) => format('notes', notes))
  const subject = `The response to adding it was lost, and the service has the same ${kind} with other notes`
  return {
    message: `${subject}: ${stored} at the service, and ${here} here. The notes at the service were not overwritten.`,
  }
}

/** The sent fields that a record with the same external ID has with other values, and the reason in words. */
export interface ExternalIdConflict {
  fields: WireFields
  rejection: Rejection
}

/** Compares a create with the record that has its external ID already. Returns undefined if it has all the sent values. */
export function externalIdConflict(
  current: WireRecord,
  { kind, fields }: Pick<QueuedChange, 'kind' | 'fields'>,
): ExternalIdConflict | undefined {
  const names = fieldsNotIn(current, fields).filter((name) => name in current)
  if (names.length === 0) return undefined
  const parts = names.map((name) => {
    const [is] = verbs(name)
    return `${label(name)} ${is} ${format(name, current[name])} there, and ${format(name, fields[name])} here`
  })
  const message = `${capitalize(kind)} ${current.id} has the external ID ${fields.external_id} already, with other values: ${parts.join('; ')}.`
  return { fields: Object.fromEntries(names.map((name) => [name, fields[name]])), rejection: { message } }
}

/** Returns the reason why a create is ambiguous: the service has records that may be its own, or those of another client. */
export function ambiguousCreate({ kind }: QueuedChange, candidates: readonly WireRecord[]): Rejection {
  const ids = candidates.map(({ id }) => id).join(', ')
  const [noun, verb] =
    candidates.length === 1 ? [kind, 'has'] : [kind === 'entry' ? 'entries' : 'expenses', 'have']
  return {
    message: `The response to adding it was lost, and ${noun} ${ids} at the service ${verb} the same content. Whether it is this one is unknown.`,
  }
}

/** Returns the reason why a create is ambiguous that could not be looked up for a day. */
export function unfoundCreate({ kind }: QueuedChange, failure: string): Rejection {
  return {
    message: `The response to adding it was lost a day ago, and the service cannot be searched for the ${kind}. ${failure}`,
  }
}

/** Returns the rejection of a delete whose record was changed elsewhere, or undefined. */
export function changedElsewhere(
  current: WireRecord,
  { base, kind }: Pick<QueuedChange, 'base' | 'kind'>,
): Rejection | undefined {
  const changed = compared[kind].filter(
    (name) => name in current && base && !isSameValue(current[name], base[name]),
  )
  if (changed.length === 0) return undefined
  const parts = changed.map((name) => {
    const [is, was] = verbs(name)
    return `${label(name)} ${is} ${format(name, current[name])} at the service and ${was} ${format(name, base?.[name])} before`
  })
  return { message: `Changed elsewhere before it was deleted: ${parts.join('; ')}. It was not deleted.` }
}

/** Returns the rejection of an update whose record the service no longer has. */
export function deletedElsewhere({ fields }: QueuedChange): Rejection {
  const values = Object.entries(fields).map(([name, value]) => `${label(name)} ${format(name, value)}`)
  return {
    message: `Deleted elsewhere. Changed here: ${values.join(', ')}. A retry creates the record again.`,
    gone: true,
  }
}

/** The fields that are compared before a record is deleted. */
const compared: Record<QueuedChange['kind'], string[]> = {
  entry: ['time_start', 'time_end', 'notes', 'task_link_id'],
  expense: ['spent_on', 'amount', 'currency', 'expense_type_id', 'project_id', 'notes'],
}

/** Whether two values of a field are the same. Undefined, null and empty text count as the same value. */
export function isSameValue(a: unknown, b: unknown): boolean {
  const [left, right] = [a ?? '', b ?? '']
  if (typeof left === 'object' || typeof right === 'object')
    return JSON.stringify(left) === JSON.stringify(right)
  return String(left) === String(right)
}

const labels: Record<string, string> = {
  time_start: 'the start',
  time_end: 'the end',
  notes: 'the notes',
  task_link_id: 'the task',
  spent_on: 'the day',
  expense_type_id: 'the expense type',
  project_id: 'the project',
}

function label(name: string): string {
  return labels[name] ?? `the ${name.replaceAll('_', ' ')}`
}

function verbs(name: string): [is: string, was: string] {
  return name === 'notes' ? ['are', 'were'] : ['is', 'was']
}

function format(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return name === 'time_end' ? 'open' : 'empty'
  if (name.startsWith('time_')) return formatDateTime(new Date(String(value)))
  return typeof value === 'string' && name === 'notes' ? `"${value}"` : String(value)
}
