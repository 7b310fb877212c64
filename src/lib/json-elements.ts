/** An element of a JSON list, with the position of its beginning. */
export interface JsonElement {
  kind: 'value'
  value: unknown
  line: number
  column: number
}

/** A text that is no JSON value, or that is not allowed at its place. */
export interface InvalidJson {
  kind: 'invalid'
  line: number
  column: number
  value: string
  /** What is expected in its place. */
  expectation: string
}

const [newline, space, tab, carriageReturn] = [0x0a, 0x20, 0x09, 0x0d]
const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Finds the elements of a JSON list, or several JSON values one after another (JSON lines), while the text arrives in pieces
 * that may end anywhere. Finds the beginning and end of each by its brackets and strings; JSON.parse checks the rest. Memory
 * holds one incomplete element.
 */
export class ElementSplitter {
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

  /** Returns the elements that this piece completes. */
  push(chunk: string): (JsonElement | InvalidJson)[] {
    const found: (JsonElement | InvalidJson)[] = []
    let index = 0
    while (index < chunk.length) {
      if (this.#element !== undefined) {
        const end = this.#endOfElement(chunk, index)
        this.#element += chunk.slice(index, end)
        if (end === undefined) break
        found.push(this.#finish())
        index = end
        continue
      }
      const code = chunk.charCodeAt(index)
      if (code === newline) this.#countLine(index)
      if (code !== space && code !== newline && code !== tab && code !== carriageReturn) {
        const problem = this.#between(code, index)
        if (problem) found.push(problem)
      }
      index++
    }
    this.#lineStart -= chunk.length
    return found
  }

  /** Returns what the end of the text completes, or what is missing there. */
  end(): (JsonElement | InvalidJson)[] {
    const found: (JsonElement | InvalidJson)[] = []
    if (this.#element !== undefined && this.#depth < 0) found.push(this.#finish())
    else if (this.#element !== undefined)
      found.push(this.#invalid(this.#element, 'a complete JSON value: the text ends too early'))
    if (this.#isList && !this.#isListClosed) {
      const missing = this.#invalid('', 'the end of the list, "]"')
      found.push({ ...missing, line: this.line, column: 1 - this.#lineStart })
    }
    return found
  }

  /** Handles a character between elements. Returns an invalid row for one that is not allowed there. */
  #between(code: number, index: number): InvalidJson | undefined {
    const column = index - this.#lineStart + 1
    if (this.#isList === undefined) {
      this.#isList = code === openBracket
      if (this.#isList) return undefined
    }
    const isOutOfPlace = (what: string): InvalidJson => ({
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
    this.#element = String.fromCharCode(code)
    this.#startLine = this.line
    this.#startColumn = column
    this.#isInString = code === quote
    // A depth below zero marks numbers and words, which end with a delimiter.
    this.#depth = code === openBrace || code === openBracket ? 1 : code === quote ? 0 : -1
  }

  #countLine(index: number) {
    this.line++
    this.#lineStart = index + 1
  }

  /** Returns the index after the end of the element that continues at `start`; undefined without an end in this piece. */
  #endOfElement(chunk: string, start: number): number | undefined {
    let [depth, isInString, isEscaped] = [this.#depth, this.#isInString, this.#isEscaped]
    for (let index = start; index < chunk.length; index++) {
      const code = chunk.charCodeAt(index)
      if (depth < 0 && isDelimiter(code)) return index
      if (code === newline) this.#countLine(index)
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (code === backslash) isEscaped = true
        else if (code === quote) {
          isInString = false
          if (depth === 0) return index + 1
        }
      } else if (depth < 0) continue
      else if (code === quote) isInString = true
      else if (code === openBrace || code === openBracket) depth++
      else if ((code === closeBrace || code === closeBracket) && --depth === 0) return index + 1
    }
    this.#depth = depth
    this.#isInString = isInString
    this.#isEscaped = isEscaped
    return undefined
  }

  #finish(): JsonElement | InvalidJson {
    const text = this.#element ?? ''
    this.#element = undefined
    this.#isEscaped = false
    this.#previous = 'element'
    try {
      return { kind: 'value', value: JSON.parse(text), line: this.#startLine, column: this.#startColumn }
    } catch {
      return this.#invalid(text, 'valid JSON')
    }
  }

  #invalid(value: string, expectation: string): InvalidJson {
    const [line, column] = [this.#startLine, this.#startColumn]
    return { kind: 'invalid', line, column, value, expectation }
  }
}

function isDelimiter(code: number): boolean {
  return code <= space || code === comma || code === closeBracket || code === closeBrace
}
