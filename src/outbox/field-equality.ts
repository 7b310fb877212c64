import type { RecordKind, WireFields, WireRecord } from '../api-client/types.js'
import { trimEnd } from '../lib/text/words.js'
import { minuteMs } from '../lib/time-units.js'

/**
 * Returns whether a service may store the value `sent` as `stored`: times within a minute, equal decimals, a date and its
 * midnight, texts that differ only in white space, and an absent and an empty value are equivalent.
 *
 * @param roundingMs upper bound for the difference of times, in milliseconds: some services store whole minutes
 */
export function isEquivalent(name: string, sent: unknown, stored: unknown, roundingMs = minuteMs): boolean {
  if (isEmpty(sent) || isEmpty(stored)) return isEmpty(sent) && isEmpty(stored)
  if (name === 'time_start' || name === 'time_end') {
    return Math.abs(Date.parse(String(sent)) - Date.parse(String(stored))) < roundingMs
  }
  if (!isText(name) && isDecimal(sent) && isDecimal(stored))
    return normalizeDecimal(String(sent)) === normalizeDecimal(String(stored))
  if (isDate(sent) && typeof stored === 'string' && midnight.test(stored))
    return stored.startsWith(String(sent))
  if (typeof sent === 'object' || typeof stored === 'object')
    return JSON.stringify(sent) === JSON.stringify(stored)
  return normalizeText(String(sent)) === normalizeText(String(stored))
}

/** Returns the names of the sent fields whose value the record does not have. */
export function fieldsNotIn(record: WireRecord, sent: WireFields): string[] {
  return Object.keys(sent).filter((name) => !isEquivalent(name, sent[name], record[name]))
}

/** The fields that a create may send (service-api-v1.md section 2; for expenses, section 5 of the design). */
const documented: Record<RecordKind, readonly string[]> = {
  entry: ['time_start', 'time_end', 'notes', 'task_link_id', 'external_id'],
  expense: ['spent_on', 'amount', 'currency', 'expense_type_id', 'project_id', 'notes', 'external_id'],
}

/**
 * Returns the fields of a create for a copy of this record: the documented ones, and those in `sent`, which this machine
 * has sent before. The service sets all others, such as `user_id`.
 */
export function toCreateFields(
  kind: RecordKind,
  record: WireRecord,
  sent: ReadonlySet<string> = new Set(),
): WireFields {
  const isSendable = (name: string) => documented[kind].includes(name) || sent.has(name)
  return Object.fromEntries(
    Object.entries(record).filter(([name, value]) => isSendable(name) && value !== null),
  )
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === ''
}

/** Fields of text: "1.0" and "1" are different notes. */
function isText(name: string): boolean {
  return name === 'notes' || name === 'external_id'
}

function isDecimal(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^[+-]?\d+(\.\d+)?$/.test(value))
}

function isDate(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
}

const midnight = /^\d{4}-\d\d-\d\d[T ]00:00/

/** Returns a decimal without superfluous zeros. */
function normalizeDecimal(amount: string): string {
  const text = amount.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1')
  return text.includes('.') ? trimEnd(trimEnd(text, '0'), '.') : text
}

function normalizeText(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim()
}

/** Whether a value is an instant with seconds and a time zone: other times cannot be compared with a clock. */
export function isExactInstant(value: unknown): value is string {
  const form = /\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/i
  return typeof value === 'string' && form.test(value) && !Number.isNaN(Date.parse(value))
}
