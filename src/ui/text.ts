import { escapeControls, visibleEscape } from '../lib/control-characters.js'

/** Text in pieces. A string is none: its pieces would be its characters, and each a write of its own. */
export type TextChunks = (Iterable<string> | AsyncIterable<string>) & object

const ESC = '\u001b'
/** The only escape sequences that leave this program on purpose: those that colour (ECMA-48, SGR), and links (OSC 8). */
const ownCode = new RegExp(`(${ESC}\\[[\\d;]*m|${ESC}\\]8;;[!-~]*${ESC}\\\\)`)
const newline = /\r\n|[\n\r\u0085\u2028\u2029]/g
const plain = /^[ -~]*$/

/**
 * Patterns of whole Unicode properties, each of which takes V8 longer to make than most commands take to print: for
 * text alone that is not plain.
 */
function createPatterns() {
  return {
    /**
     * Control characters, direction overrides and isolates (they reorder what stands beside them), and the two
     * noncharacters that the table lays out in place of text.
     */
    unsafe: /[\p{Cc}\u202a-\u202e\u2066-\u2069\ufdd0\ufdd1]/gu,
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
 * Text on one line that cannot drive a terminal: a newline becomes `↵`, a tab a space, and any other control
 * character a visible escape such as `\x1b`.
 */
export function escapeText(text: string): string {
  if (plain.test(text)) return text
  return text.replace(newline, '↵').replaceAll('\t', ' ').replace(patterns().unsafe, visibleEscape)
}

/** The same, but the colours and links that an style has put in stay. */
export function escapeStyledText(text: string): string {
  if (plain.test(text)) return text
  return text.split(ownCode).map(exceptCodes(escapeText)).join('')
}

/**
 * Text in pieces as a terminal may show it: without control characters but tab, newline and those that end a line of
 * CSV. With `hasStyle`, the colours and links stay that this program has put in.
 */
export async function* forTerminal(
  texts: TextChunks,
  { hasStyle }: { hasStyle: boolean },
): AsyncGenerator<string> {
  const safe = hasStyle ? exceptCodes(escapeControls) : undefined
  for await (const text of texts) yield safe ? text.split(ownCode).map(safe).join('') : escapeControls(text)
}

/** Inked words that may run over several lines, each ending in a newline. */
export function terminalLines(text: string, safe = escapeStyledText): string {
  return text
    .split('\n')
    .map((line) => `${safe(line)}\n`)
    .join('')
}

/** The same of words without colour: names of a service are among them. */
export function escapeLines(text: string): string {
  return terminalLines(text, escapeText)
}

/** For the pieces of a text split at our own codes, where every second piece is such a code. */
function exceptCodes(change: (text: string) => string) {
  return (piece: string, index: number) => (index % 2 === 1 ? piece : change(piece))
}

/**
 * A copy of a row in which every string is neutralised, in nested lists and plain objects too. What is no
 * plain object (a date, say) is kept as it is.
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

/** How many terminal cells a line takes; colours and links take none. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  text.split(ownCode).forEach((piece, index) => {
    if (index % 2 === 0) for (const character of characters(piece)) width += characterWidth(character)
  })
  return width
}

/** The line, cut to at most `width` terminal cells with `…` at its end where it was longer. */
export function shortenText(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let remaining = width - 1
  let isCut = false
  const keep = (piece: string) => {
    let result = ''
    for (const character of characters(piece)) {
      if (isCut) break
      remaining -= characterWidth(character)
      isCut = remaining < 0
      result += isCut ? '…' : character
    }
    return result
  }
  // Our own codes after the cut stay as well: among them are those that end a colour or a link.
  return text.split(ownCode).map(exceptCodes(keep)).join('')
}

let segmenter: Intl.Segmenter | undefined

/** What a reader takes for one character: a letter with its marks, a whole emoji sequence (Unicode UAX #29). */
function* characters(text: string): Generator<string> {
  if (plain.test(text)) return yield* text
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  for (const { segment } of segmenter.segment(text)) yield segment
}

function characterWidth(character: string): number {
  if (plain.test(character)) return character.length
  const { emoji, invisible, wide } = patterns()
  if (emoji.test(character)) return 2
  let width = 0
  for (const codePoint of character) width += invisible.test(codePoint) ? 0 : wide.test(codePoint) ? 2 : 1
  return width
}
