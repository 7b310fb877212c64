import type { WireFields, WireRecord } from '../../api/types.js'
import { formatDateTime } from '../../calendar/time.js'
import { isEquivalent } from '../field-equality.js'
import type { QueuedChange, Rejection } from '../queued-change.js'

/** What an update comes to when the service has `current` now. */
export interface Differences {
  /** What is still to be sent. */
  remaining: WireFields
  /** What somebody else has changed to something else since the change was typed. */
  conflicting: WireFields
}

export function compareWithBase(current: WireRecord, { fields, base }: QueuedChange): Differences {
  const differences: Differences = { remaining: {}, conflicting: {} }
  for (const [name, typed] of Object.entries(fields)) {
    const there = current[name]
    const moved = !isSameValue(there, base?.[name])
    // It may have been sent before and have come back rounded; whoever else set it may have set the same.
    const isThere = isSameValue(there, typed) || (moved && isEquivalent(name, typed, there))
    if (isThere) continue
    if (moved) differences.conflicting[name] = typed
    else differences.remaining[name] = typed
  }
  return differences
}

/** Whether nothing of what was sent is there, and all of it is as it was before. */
export function isUntouched(record: WireRecord, sent: WireFields, { base }: QueuedChange): boolean {
  const names = Object.keys(sent)
  return names.every(
    (name) =>
      name in record &&
      !isEquivalent(name, sent[name], record[name]) &&
      isEquivalent(name, base?.[name], record[name]),
  )
}

/** What is told of an update whose fields were changed elsewhere. */
export function fieldConflict(current: WireRecord, { fields, base }: QueuedChange): Rejection {
  const parts = Object.entries(fields).map(([name, typed]) => {
    const [there, before, wanted] = [current[name], base?.[name], typed].map((value) => shown(name, value))
    const [is, was] = verbs(name)
    return `${label(name)} ${is} ${there} there, ${was} ${before} before, and ${wanted} was typed here`
  })
  return { message: `Changed elsewhere meanwhile: ${parts.join('; ')}. What is there was kept.` }
}

/** Message for a create whose response was lost, when the service has its record with other notes. */
export function editedElsewhere(current: WireRecord, { kind, fields }: QueuedChange): Rejection {
  const [theirs, typed] = [shown('notes', current.notes), shown('notes', fields.notes)]
  const what = `The response to adding it was lost, and the service has the same ${kind} with other notes`
  return { message: `${what}: ${theirs} there, and ${typed} was typed here. The notes there are unchanged.` }
}

/** What is told of a delete whose record was changed elsewhere; undefined when it was not. */
export function changedElsewhere(current: WireRecord, { base, kind }: QueuedChange): Rejection | undefined {
  const moved = compared[kind].filter(
    (name) => name in current && base && !isSameValue(current[name], base[name]),
  )
  if (moved.length === 0) return undefined
  const parts = moved.map((name) => {
    const [is, was] = verbs(name)
    return `${label(name)} ${is} ${shown(name, current[name])} there and ${was} ${shown(name, base?.[name])} before`
  })
  return { message: `Changed elsewhere since it was to be deleted: ${parts.join('; ')}. It was not deleted.` }
}

/** What is told of an update whose record is no longer there. */
export function deletedElsewhere({ fields }: QueuedChange): Rejection {
  const typed = Object.entries(fields).map(([name, value]) => `${label(name)} ${shown(name, value)}`)
  return {
    message: `Deleted elsewhere meanwhile. What was typed here is kept: ${typed.join(', ')}. Retrying makes it anew.`,
    gone: true,
  }
}

const compared: Record<QueuedChange['kind'], string[]> = {
  entry: ['time_start', 'time_end', 'notes', 'task_link_id'],
  expense: ['spent_on', 'amount', 'currency', 'expense_type_id', 'project_id', 'notes'],
}

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
  task_link_id: 'the task link',
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

function shown(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return name === 'time_end' ? 'open' : 'empty'
  if (name.startsWith('time_')) return formatDateTime(new Date(String(value)))
  return typeof value === 'string' && name === 'notes' ? `"${value}"` : String(value)
}
