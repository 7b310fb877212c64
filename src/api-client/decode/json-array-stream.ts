import { ElementSplitter, type InvalidJson, type JsonElement } from '../../lib/json-elements.js'

/** Characters of the beginning that are stored, to describe a body that is not a list. */
const beginningLength = 4000

/** Default minimum number of elements in each batch except the last. */
const usualBatchElements = 2000

/**
 * Yields the elements of a JSON list in batches, while its text arrives in pieces. All batches but the last have at least
 * `batchElements`.
 *
 * @param unwrap finds the elements in a value that is not an array; undefined stands for an empty text; may throw
 * @param toError converts every error: SyntaxError for invalid JSON, with the beginning of the text
 */
export async function* streamElements(
  pieces: AsyncIterable<string>,
  unwrap: (value: unknown) => unknown[],
  toError: (error: unknown, beginning: string) => Error,
  batchElements = usualBatchElements,
): AsyncGenerator<unknown[]> {
  const splitter = new ElementSplitter()
  /** Whether the text is an array; undefined before its first character. */
  let isList: boolean | undefined
  let beginning = ''
  /** The text of a value that is not an array. */
  const others: string[] = []
  let batch: unknown[] = []
  try {
    for await (const piece of pieces) {
      if (beginning.length < beginningLength) beginning += piece.slice(0, beginningLength)
      const [first] = /[^ \t\n\r]/.exec(isList === undefined ? piece : '') ?? []
      if (first !== undefined) isList = first === '['
      if (isList) addElements(batch, splitter.push(piece))
      else if (isList === false) others.push(piece)
      if (batch.length < batchElements) continue
      yield batch
      batch = []
    }
    if (isList) addElements(batch, splitter.end())
    const other = others.join('')
    yield isList ? batch : unwrap(other.trim() === '' ? undefined : JSON.parse(other))
  } catch (error) {
    throw toError(error, beginning)
  }
}

/** Adds the values of elements. Throws SyntaxError for text that is no JSON. */
function addElements(values: unknown[], elements: readonly (JsonElement | InvalidJson)[]) {
  for (const element of elements) {
    if (element.kind === 'invalid') throw new SyntaxError(`Expected ${element.expectation}.`)
    values.push(element.value)
  }
}
