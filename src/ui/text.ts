import { escapeControls, visibleEscape } from '../lib/text/control-characters.js'

/** Text in chunks. Excludes strings, because iterating over one yields single characters. */
export type TextChunks = (Iterable<string> | AsyncIterable<string>) & object

const ESC = '\u001b'
/** Matches the escape sequences that this program prints: colours (ECMA-48, SGR) and hyperlinks (OSC 8). */
const ownSequence = new RegExp(`(${ESC}\\[[\\d;]*m|${ESC}\\]8;;[!-~]*${ESC}\\\\)`)
const newline = /\r\n|[\n\r\u0085\u2028\u2029]/g
const plain = /^[ -~]*$/
/**
 * Matches text whose UTF-16 units are each one cell wide: Latin, Greek and Cyrillic letters without combining marks,
 * dashes, quotation marks, ellipses and the euro sign. Segmenting text into graphemes takes a hundred times longer.
 */
const narrow = /^[ -~\u00a0-\u02ff\u0370-\u0482\u048a-\u052f\u1e00-\u1fff\u2010-\u2027\u20ac]*$/

/**
 * Creates patterns of Unicode properties, which V8 compiles slowly. They are created only for text that is not plain
 * ASCII.
 */
function createPatterns() {
  return {
    /** The characters of `escapeControls`. */
    unsafe: /[\p{Cc}\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu,
    emoji: /\p{Emoji_Presentation}|\ufe0f|\u20e3/u,
    invisible: /[\p{Mn}\p{Me}\u1160-\u11ff\u200b-\u200f\u2060-\u2064\ufeff]/u,
    /** The blocks of width W and F (Unicode UAX #11). */
    wide: /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u,
  }
}
let cachedPatterns: ReturnType<typeof createPatterns> | undefined
const patterns = () => {
  cachedPatterns ??= createPatterns()
  return cachedPatterns
}

/**
 * Returns text on one line without control characters: a newline becomes `↵`, a tab a space, and any other control
 * character a visible escape such as `\x1b`.
 */
export function escapeText(text: string): string {
  if (plain.test(text)) return text
  return text.replace(newline, '↵').replaceAll('\t', ' ').replace(patterns().unsafe, visibleEscape)
}

/** Escapes text like `escapeText`, but preserves the colours and links of a style. */
export function escapeStyledText(text: string): string {
  if (plain.test(text)) return text
  return text.split(ownSequence).map(outsideSequences(escapeText)).join('')
}

/**
 * Yields text for a terminal, without control characters except tabs and line ends. With `hasStyle`, preserves the
 * colours and links of this program.
 */
export async function* escapeForTerminal(
  texts: TextChunks,
  { hasStyle }: { hasStyle: boolean },
): AsyncGenerator<string> {
  const escapePiece = hasStyle ? outsideSequences(escapeControls) : undefined
  for await (const text of texts)
    yield escapePiece ? text.split(ownSequence).map(escapePiece).join('') : escapeControls(text)
}

/** Escapes each line of a text that may contain colours and links, and ends each with a newline. */
export function escapeStyledLines(text: string, escapeLine = escapeStyledText): string {
  return text
    .split('\n')
    .map((line) => `${escapeLine(line)}\n`)
    .join('')
}

/** Escapes each line of a plain text, and ends each with a newline. */
export function escapeLines(text: string): string {
  if (plain.test(text)) return `${text}\n`
  return escapeStyledLines(text, escapeText)
}

/** Returns a callback for the pieces of a text split at `ownSequence`. It changes all pieces that are not sequences. */
function outsideSequences(change: (text: string) => string) {
  return (piece: string, index: number) => (index % 2 === 1 ? piece : change(piece))
}

/**
 * Returns a copy of a row with every string escaped, also in nested lists and plain objects. Other objects, such as
 * dates, are not copied.
 */
export function escapeTexts<Value>(value: Value): Value {
  return escapeValue(value) as Value
}

function escapeValue(value: unknown): unknown {
  if (typeof value === 'string') return escapeText(value)
  if (Array.isArray(value)) return value.map(escapeValue)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, escapeValue(inner)]))
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Returns the width of a line in terminal cells; colours and links have none. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  text.split(ownSequence).forEach((piece, index) => {
    if (index % 2 === 1) return
    if (narrow.test(piece)) width += piece.length
    else for (const character of graphemes(piece)) width += graphemeWidth(character)
  })
  return width
}

/** Shortens a line to at most `width` terminal cells, with `…` at its end if it was longer. */
export function shortenText(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let remaining = width - 1
  let isCut = false
  const keep = (piece: string) => {
    let result = ''
    for (const character of graphemes(piece)) {
      if (isCut) break
      remaining -= graphemeWidth(character)
      isCut = remaining < 0
      result += isCut ? '…' : character
    }
    return result
  }
  // Sequences after the cut remain, because they may end a colour or a link.
  return text.split(ownSequence).map(outsideSequences(keep)).join('')
}

/**
 * Where a line may break, the best places first: between words, where a text in backticks, such as a command, is one word; then
 * between all words; then, only in a word that is longer than the line, after commas and slashes, and anywhere.
 */
const breakablePieces: readonly ((text: string) => Iterable<string>)[] = [
  (text) => text.match(/\s*(?:[^\s`]|`[^`]*`|`)+/g) ?? [],
  (text) => text.match(/\s*\S+/g) ?? [],
  (text) => text.match(/[^,/]*[,/]+|[^,/]+/g) ?? [],
  graphemes,
]

/**
 * Splits a line into lines of at most `width` terminal cells. Only a word that is longer than `width` is broken, or exceeds it
 * without `canBreakWords`.
 */
export function wrapText(text: string, width: number, { canBreakWords = true } = {}): string[] {
  if (displayWidth(text) <= width) return [text]
  const lines: string[] = []
  let line = ''
  const levels = canBreakWords ? breakablePieces : breakablePieces.slice(0, 2)
  const append = (part: string, level: number) => {
    for (const piece of levels[level]?.(part) ?? []) {
      if (displayWidth(piece.trim()) > width && level + 1 < levels.length) append(piece, level + 1)
      else if (displayWidth(line + piece) <= width) line += piece
      else {
        if (line.trim() !== '') lines.push(line.trimEnd())
        line = piece.trimStart()
      }
    }
  }
  append(text, 0)
  return [...lines, line.trimEnd()]
}

/**
 * Returns the lines of a message for a terminal of this width, without a break in a word. Continued lines have the indent of
 * their first line.
 */
export function wrapMessage(message: string, width: number | undefined): string {
  if (width === undefined) return message
  const wrapLine = (line: string) => {
    const indent = /^ */.exec(line)?.[0] ?? ''
    return wrapText(line.slice(indent.length), Math.max(1, width - indent.length), { canBreakWords: false })
      .map((part) => indent + part)
      .join('\n')
  }
  return message.split('\n').map(wrapLine).join('\n')
}

let segmenter: Intl.Segmenter | undefined

/** Yields grapheme clusters: a letter with its marks, or an emoji sequence (Unicode UAX #29). */
function* graphemes(text: string): Generator<string> {
  if (narrow.test(text)) return yield* text
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  for (const { segment } of segmenter.segment(text)) yield segment
}

function graphemeWidth(character: string): number {
  if (plain.test(character)) return character.length
  const { emoji, invisible, wide } = patterns()
  if (emoji.test(character)) return 2
  let width = 0
  for (const codePoint of character) width += invisible.test(codePoint) ? 0 : wide.test(codePoint) ? 2 : 1
  return width
}
