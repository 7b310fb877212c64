/** Characters of the beginning that are stored, to describe a body that is not a list. */
const beginningLength = 4000

/** Default minimum number of elements in each batch except the last. */
const usualBatchElements = 2000

/**
 * Yields the elements of a JSON list in batches, while its text arrives in pieces. `unwrap` is that of `JsonArrayStream`.
 * `toError` converts every error: SyntaxError for invalid JSON, with the beginning of the text. All batches but the last
 * have at least `batchElements`.
 */
export async function* streamElements(
  pieces: AsyncIterable<string>,
  unwrap: (value: unknown) => unknown[],
  toError: (error: unknown, beginning: string) => Error,
  batchElements = usualBatchElements,
): AsyncGenerator<unknown[]> {
  const list = new JsonArrayStream(unwrap)
  let batch: unknown[] = []
  try {
    for await (const piece of pieces) {
      const elements = list.push(piece)
      batch = batch.length === 0 ? elements : batch.concat(elements)
      if (batch.length < batchElements) continue
      yield batch
      batch = []
    }
    yield batch.concat(list.end())
  } catch (error) {
    throw toError(error, list.beginning)
  }
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Splits a JSON array into elements while its text arrives, in pieces that may end anywhere. Finds the commas between the
 * elements and parses the text between two of them with JSON.parse, so that memory holds at most one piece and one
 * incomplete element.
 *
 * Text that is not an array is buffered and parsed at its end.
 */
class JsonArrayStream {
  /** The beginning of the text, to describe a body that is not JSON. */
  beginning = ''
  readonly #unwrap: (value: unknown) => unknown[]
  #state: 'before' | 'inside' | 'after' | 'not a list' = 'before'
  /** The text since the last comma between parsed elements. */
  #buffer: string[] = []
  #depth = 0
  #isInString = false
  #isEscaped = false
  /** Whether the last elements ended with a comma, after which another element must follow. */
  #hasComma = false

  /** @param unwrap finds the elements in a value that is not an array; undefined stands for an empty text; may throw */
  constructor(unwrap: (value: unknown) => unknown[]) {
    this.#unwrap = unwrap
  }

  /** Returns the elements that this piece completes. Throws SyntaxError for invalid JSON. */
  push(piece: string): unknown[] {
    if (this.beginning.length < beginningLength) this.beginning += piece.slice(0, beginningLength)
    if (this.#state === 'inside') return this.#read(piece, 0)
    if (this.#state === 'after') throwUnlessBlank(piece)
    if (this.#state === 'not a list') this.#buffer.push(piece)
    if (this.#state !== 'before') return []
    const start = piece.search(/[^ \t\n\r]/)
    if (start < 0) return []
    if (piece.charCodeAt(start) === openBracket) {
      this.#state = 'inside'
      return this.#read(piece, start + 1)
    }
    this.#state = 'not a list'
    this.#buffer.push(piece)
    return []
  }

  /** Returns the elements that the end of the text completes. Throws SyntaxError for text that ends too early. */
  end(): unknown[] {
    if (this.#state === 'after') return []
    if (this.#state === 'inside') throw new SyntaxError('The list has no end.')
    const text = this.#buffer.join('')
    return this.#unwrap(text.trim() === '' ? undefined : JSON.parse(text))
  }

  #read(piece: string, start: number): unknown[] {
    let [depth, isInString, isEscaped] = [this.#depth, this.#isInString, this.#isEscaped]
    let lastComma = -1
    for (let index = start; index < piece.length; index++) {
      const code = piece.charCodeAt(index)
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (code === backslash) isEscaped = true
        else if (code === quote) isInString = false
      } else if (code === quote) isInString = true
      else if (code === openBrace || code === openBracket) depth++
      else if (code === comma) {
        if (depth === 0) lastComma = index
      } else if (code === closeBrace || code === closeBracket) {
        if (depth-- === 0) return this.#finish(piece, start, index)
      }
    }
    this.#depth = depth
    this.#isInString = isInString
    this.#isEscaped = isEscaped
    const elements = lastComma < 0 ? [] : this.#parse(piece.slice(start, lastComma))
    if (lastComma >= 0) this.#hasComma = true
    this.#buffer.push(piece.slice(lastComma < 0 ? start : lastComma + 1))
    return elements
  }

  #finish(piece: string, start: number, end: number): unknown[] {
    if (piece.charCodeAt(end) !== closeBracket) throw new SyntaxError('The list ends like an object.')
    throwUnlessBlank(piece.slice(end + 1))
    this.#state = 'after'
    const rest = piece.slice(start, end)
    const isEmpty = !this.#hasComma && isBlank(rest) && this.#buffer.every(isBlank)
    return isEmpty ? [] : this.#parse(rest)
  }

  /** Returns the elements in the buffer followed by `rest`, and clears the buffer. */
  #parse(rest: string): unknown[] {
    const text = `[${this.#buffer.join('')}${rest}]`
    this.#buffer = []
    const elements = JSON.parse(text) as unknown[]
    if (elements.length === 0) throw new SyntaxError('An element is missing.')
    return elements
  }
}

function isBlank(text: string): boolean {
  return /^[ \t\n\r]*$/.test(text)
}

function throwUnlessBlank(text: string) {
  if (!isBlank(text)) throw new SyntaxError('Text follows the list.')
}
