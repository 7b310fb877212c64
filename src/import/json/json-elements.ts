import { TtError } from '../../lib/errors.js'
import type { InvalidRow } from '../format.js'
import { maxLineLength } from '../source/lines.js'
import type { TextSource } from '../source/text-source.js'

/** An element of a JSON list, with the position of its beginning. */
export interface JsonElement {
  kind: 'value'
  value: unknown
  line: number
  column: number
}

/**
 * Yields the elements of a JSON list, or several JSON values one after another (JSON lines), while the text arrives. Memory
 * holds one element. An element that is not JSON, and an incomplete end, yield an `InvalidRow`.
 */
export async function* jsonElements(source: TextSource): AsyncGenerator<JsonElement | InvalidRow> {
  const splitter = new ElementSplitter()
  for await (const chunk of source.chunks()) {
    yield* splitter.push(chunk)
    if (splitter.incompleteLength > maxLineLength) throw longElementError(source.name, splitter.line)
  }
  yield* splitter.end()
}

function longElementError(name: string, line: number): TtError {
  return new TtError('usage', `${name}:${line}: This JSON value is too long for an entry.`, {
    hint: 'Check that it is the file that you want to import.',
  })
}

const [newline, space, tab, carriageReturn] = [0x0a, 0x20, 0x09, 0x0d]
const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Finds the beginning and end of each element by its brackets and strings; JSON.parse checks the rest. */
class ElementSplitter {
  /** Whether the text is one list; undefined before its first character. */
  #isList: boolean | undefined
  #isListClosed = false
  /** Text of an incomplete element; undefined between elements. */
  #element: string | undefined
  #depth = 0
  #isInString = false
  #isEscaped = false
  /** Whether an element must follow (after a comma), or a comma or the end (after an element); only in a list. */
  #previous: 'start' | 'element' | 'comma' = 'start'
  /** The current line, from 1. */
  line = 1
  /** The length of the current line before the current chunk, as a negative offset in the chunk. */
  #lineStart = 0
  #startLine = 1
  #startColumn = 1

  /** The characters of the incomplete element. */
  get incompleteLength(): number {
    return this.#element?.length ?? 0
  }

  *push(chunk: string): Generator<JsonElement | InvalidRow> {
    let from = 0
    for (let index = 0; index < chunk.length; index++) {
      const code = chunk.charCodeAt(index)
      if (code === newline) {
        this.line++
        this.#lineStart = index + 1
      }
      if (this.#element !== undefined) {
        if (!this.#endsElement(code)) continue
        // A number or a word ends before its delimiter, other elements with their bracket.
        const isBare = this.#depth < 0
        this.#element += chunk.slice(from, isBare ? index : index + 1)
        yield this.#finish()
        if (!isBare) continue
      }
      if (code === space || code === newline || code === tab || code === carriageReturn) continue
      const problem = this.#between(code, index)
      if (problem) yield problem
      if (this.#element !== undefined) from = index
    }
    if (this.#element !== undefined) this.#element += chunk.slice(from)
    this.#lineStart -= chunk.length
  }

  *end(): Generator<JsonElement | InvalidRow> {
    if (this.#element !== undefined && this.#depth < 0) yield this.#finish()
    else if (this.#element !== undefined)
      yield this.#invalid(this.#element, 'a complete JSON value: the text ends too early')
    if (this.#isList && !this.#isListClosed) {
      yield { ...this.#invalid('', 'the end of the list, "]"'), line: this.line, column: 1 - this.#lineStart }
    }
  }

  /** Handles a character between elements. Returns an invalid row for one that is not allowed there. */
  #between(code: number, index: number): InvalidRow | undefined {
    const column = index - this.#lineStart + 1
    if (this.#isList === undefined) {
      this.#isList = code === openBracket
      if (this.#isList) return undefined
    }
    const isOutOfPlace = (what: string): InvalidRow => ({
      ...this.#invalid(String.fromCharCode(code), what),
      line: this.line,
      column,
    })
    if (this.#isListClosed) return isOutOfPlace('the end of the text after the list')
    if (this.#isList && code === comma) {
      const isMissing = this.#previous !== 'element'
      this.#previous = 'comma'
      return isMissing ? isOutOfPlace('a JSON value before the comma') : undefined
    }
    if (this.#isList && code === closeBracket) {
      this.#isListClosed = true
      return this.#previous === 'comma' ? isOutOfPlace('a JSON value after the comma') : undefined
    }
    const problem =
      this.#isList && this.#previous === 'element' ? isOutOfPlace('a comma between the elements') : undefined
    this.#begin(code, column)
    return problem
  }

  #begin(code: number, column: number) {
    this.#element = ''
    this.#startLine = this.line
    this.#startColumn = column
    this.#isInString = code === quote
    // A depth below zero marks numbers and words, which end with a delimiter.
    this.#depth = code === openBrace || code === openBracket ? 1 : code === quote ? 0 : -1
  }

  /** Whether the element ends with this character, or before it for numbers and words. */
  #endsElement(code: number): boolean {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (code === backslash) this.#isEscaped = true
      else if (code === quote) {
        this.#isInString = false
        return this.#depth === 0
      }
      return false
    }
    if (this.#depth < 0)
      return code <= space || code === comma || code === closeBracket || code === closeBrace
    if (code === quote) this.#isInString = true
    else if (code === openBrace || code === openBracket) this.#depth++
    else if (code === closeBrace || code === closeBracket) this.#depth--
    return this.#depth === 0
  }

  #finish(): JsonElement | InvalidRow {
    const text = this.#element ?? ''
    this.#element = undefined
    this.#previous = 'element'
    try {
      return { kind: 'value', value: JSON.parse(text), line: this.#startLine, column: this.#startColumn }
    } catch {
      return this.#invalid(text, 'valid JSON')
    }
  }

  #invalid(value: string, expectation: string): InvalidRow {
    const [line, column] = [this.#startLine, this.#startColumn]
    return { kind: 'invalid', line, column, field: null, value, expectation }
  }
}
