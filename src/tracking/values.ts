import type { WireRecord } from '../api/types.js'
import { trimEnd } from '../trim-end.js'
import type { WireFields } from './change.js'

/** How far a time may be from what was sent: some services keep whole minutes only. */
const roundingMs = 60_000

/**
 * Whether a service that was sent `sent` may have kept it as `kept`: times to within a minute, decimals by their value,
 * a date as its midnight, texts but for white space, and no value like an empty one.
 */
export function mayBe(name: string, sent: unknown, kept: unknown): boolean {
  if (isNothing(sent) || isNothing(kept)) return isNothing(sent) && isNothing(kept)
  if (name === 'time_start' || name === 'time_end') {
    return Math.abs(Date.parse(String(sent)) - Date.parse(String(kept))) < roundingMs
  }
  if (!isText(name) && isDecimal(sent) && isDecimal(kept)) return plain(String(sent)) === plain(String(kept))
  if (isDate(sent) && typeof kept === 'string' && midnight.test(kept)) return kept.startsWith(String(sent))
  if (typeof sent === 'object' || typeof kept === 'object')
    return JSON.stringify(sent) === JSON.stringify(kept)
  return tidy(String(sent)) === tidy(String(kept))
}

/** The fields that the record does not have as they were sent. */
export function fieldsNotIn(record: WireRecord, sent: WireFields): string[] {
  return Object.keys(sent).filter((name) => !mayBe(name, sent[name], record[name]))
}

/** The fields with which a record like this one is made: not its id, nor what the service keeps by itself. */
export function creatable(record: WireRecord): WireFields {
  return Object.fromEntries(
    Object.entries(record).filter(
      ([name, value]) =>
        name !== 'id' && !name.endsWith('_at') && value !== null && typeof value !== 'object',
    ),
  )
}

function isNothing(value: unknown): boolean {
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

/** A decimal without the zeros that say nothing. */
function plain(amount: string): string {
  const text = amount.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1')
  return text.includes('.') ? trimEnd(trimEnd(text, '0'), '.') : text
}

function tidy(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim()
}
