/** How much of the beginning is kept, to say what came instead of a list. */
const beginningLength = 4000

/** How many elements a batch has at least, but for the last one. */
const batchElements = 2000

/**
 * The elements of a list of JSON in batches, while its text arrives in pieces. `failed` makes an error of whatever goes
 * wrong: SyntaxError for what is no JSON, with the beginning of what came. `unwrap` is that of `JsonList`.
 */
export async function* streamElements(
  pieces: AsyncIterable<string>,
  unwrap: (value: unknown) => unknown[],
  failed: (error: unknown, beginning: string) => Error,
): AsyncGenerator<unknown[]> {
  const list = new JsonArrayStream(unwrap)
  let batch: unknown[] = []
  try {
    for await (const piece of pieces) {
      const found = list.push(piece)
      batch = batch.length === 0 ? found : batch.concat(found)
      if (batch.length < batchElements) continue
      yield batch
      batch = []
    }
    yield batch.concat(list.end())
  } catch (error) {
    throw failed(error, list.beginning)
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
 * Takes a JSON array apart while its text arrives, in pieces that may be cut anywhere. It finds the commas between the
 * elements, and JSON.parse reads what lies between two of them: what it holds is never more than one piece and the
 * element that goes on in the next one.
 *
 * Text that is no array is kept, and read whole at its end.
 */
export class JsonArrayStream {
  /** The first of the text, to be described where it is no JSON. */
  beginning = ''
  readonly #unwrap: (value: unknown) => unknown[]
  #place: 'before' | 'inside' | 'after' | 'elsewhere' = 'before'
  /** What has arrived since the last comma that was read up to. */
  #waiting: string[] = []
  #depth = 0
  #inText = false
  #escaped = false
  /** There was a comma: an element has to follow. */
  #goesOn = false

  /** @param unwrap finds the elements in a value that is no array, undefined for no text at all; may throw */
  constructor(unwrap: (value: unknown) => unknown[]) {
    this.#unwrap = unwrap
  }

  /** The elements that are complete with this piece. Throws SyntaxError for what is no JSON. */
  push(piece: string): unknown[] {
    if (this.beginning.length < beginningLength) this.beginning += piece.slice(0, beginningLength)
    if (this.#place === 'inside') return this.#read(piece, 0)
    if (this.#place === 'after') refuseMore(piece)
    if (this.#place === 'elsewhere') this.#waiting.push(piece)
    if (this.#place !== 'before') return []
    const begin = piece.search(/[^ \t\n\r]/)
    if (begin < 0) return []
    if (piece.charCodeAt(begin) === openBracket) {
      this.#place = 'inside'
      return this.#read(piece, begin + 1)
    }
    this.#place = 'elsewhere'
    this.#waiting.push(piece)
    return []
  }

  /** The elements that are complete with the end of the text. Throws SyntaxError where it ends too early. */
  end(): unknown[] {
    if (this.#place === 'after') return []
    if (this.#place === 'inside') throw new SyntaxError('The list has no end.')
    const text = this.#waiting.join('')
    return this.#unwrap(text.trim() === '' ? undefined : JSON.parse(text))
  }

  #read(piece: string, from: number): unknown[] {
    let [depth, inText, escaped] = [this.#depth, this.#inText, this.#escaped]
    let lastComma = -1
    for (let at = from; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (inText) {
        if (escaped) escaped = false
        else if (code === backslash) escaped = true
        else if (code === quote) inText = false
      } else if (code === quote) inText = true
      else if (code === openBrace || code === openBracket) depth++
      else if (code === comma) {
        if (depth === 0) lastComma = at
      } else if (code === closeBrace || code === closeBracket) {
        if (depth-- === 0) return this.#finish(piece, from, at)
      }
    }
    this.#depth = depth
    this.#inText = inText
    this.#escaped = escaped
    const found = lastComma < 0 ? [] : this.#parse(piece.slice(from, lastComma))
    if (lastComma >= 0) this.#goesOn = true
    this.#waiting.push(piece.slice(lastComma < 0 ? from : lastComma + 1))
    return found
  }

  #finish(piece: string, from: number, at: number): unknown[] {
    if (piece.charCodeAt(at) !== closeBracket) throw new SyntaxError('The list ends like an object.')
    refuseMore(piece.slice(at + 1))
    this.#place = 'after'
    const rest = piece.slice(from, at)
    const isEmpty = !this.#goesOn && isBlank(rest) && this.#waiting.every(isBlank)
    return isEmpty ? [] : this.#parse(rest)
  }

  /** The elements in what has waited and what follows it. */
  #parse(further: string): unknown[] {
    const text = `[${this.#waiting.join('')}${further}]`
    this.#waiting = []
    const found = JSON.parse(text) as unknown[]
    if (found.length === 0) throw new SyntaxError('An element is missing.')
    return found
  }
}

function isBlank(text: string): boolean {
  return /^[ \t\n\r]*$/.test(text)
}

function refuseMore(text: string) {
  if (!isBlank(text)) throw new SyntaxError('Something follows the list.')
}
