import { TtError } from '../../../lib/errors.js'
import { ElementSplitter, type InvalidJson, type JsonElement } from '../../../lib/json-elements.js'
import type { InvalidRow } from '../format.js'
import { maxLineLength } from '../source/lines.js'
import type { TextSource } from '../source/text-source.js'

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
