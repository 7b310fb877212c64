import { TtError } from '../../lib/errors.js'
import { isObject } from '../../lib/is-object.js'
import { ElementSplitter, type InvalidJson, type JsonElement } from '../../lib/json-elements.js'
import { type InvalidRow, InvalidValueError } from './format.js'
import { maxLineLength, type TextSource } from './source/text-source.js'

/**
 * Yields the elements of a JSON list, or several JSON values one after another (JSON lines), while the text arrives. An
 * element that is not JSON, and an incomplete end, yield an `InvalidRow`.
 */
export async function* jsonElements(source: TextSource): AsyncGenerator<JsonElement | InvalidRow> {
  const splitter = new ElementSplitter()
  for await (const chunk of source.chunks()) {
    yield* splitter.push(chunk).map(toRow)
    if (splitter.incompleteLength > maxLineLength) throw longElementError(source.name, splitter.line)
  }
  yield* splitter.end().map(toRow)
}

function toRow(element: JsonElement | InvalidJson): JsonElement | InvalidRow {
  return element.kind === 'value' ? element : { ...element, field: null }
}

function longElementError(name: string, line: number): TtError {
  return new TtError('usage', `${name}:${line}: This JSON value is too long for an entry.`, {
    hint: 'Check that it is the file that you want to import.',
  })
}

/** Returns a JSON object. Throws InvalidValueError for another value. */
export function recordOf(value: unknown): Record<string, unknown> {
  if (isObject(value)) return value
  throw new InvalidValueError(JSON.stringify(value), 'a JSON object')
}

/** Returns the text of a key; null if it is missing or null. Throws InvalidValueError for another value. */
export function optionalText(record: Record<string, unknown>, key: string): string | null {
  const value = record[key]
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  throw new InvalidValueError(JSON.stringify(value), 'a text', key)
}

/** Returns the texts of a list; empty if it is missing. Throws InvalidValueError for another value. */
export function texts(value: unknown, key: string): string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  throw new InvalidValueError(JSON.stringify(value), 'a list of texts', key)
}
