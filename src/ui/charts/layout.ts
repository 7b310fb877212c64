import { displayWidth, escapeText, shortenText } from '../text.js'
import type { Style } from '../view.js'

const gap = '  '
/** A bar that is shorter tells nothing; labels give way first. */
const minBarWidth = 10
/** A date with its weekday. Longer labels have a third of the line. */
const usualLabelWidth = 14

/** One line of a chart before it is fitted: words on the left, a picture, figures on the right. */
export interface Line {
  label: string
  /** Each in a column of its own, to the right. */
  figures: string[]
  /** Exactly so many cells of a picture. */
  draw(cells: number): string
  /** Nothing is there: the figures stand back. */
  faint?: boolean
}

/** Lines with their labels, pictures and figures under each other, none of them wider than the terminal. */
export function linesText(lines: readonly Line[], width: number, style: Style): string {
  const columns = lines[0]?.figures.map((_, at) => widest(lines.map(({ figures }) => figures[at] ?? '')))
  const figuresWidth = (columns ?? []).reduce((sum, column) => sum + gap.length + column, 0)
  const availableWidth = Math.max(0, width - figuresWidth - gap.length)
  const labelWidth = Math.min(
    widest(lines.map(({ label }) => escapeText(label))),
    Math.max(1, Math.min(Math.max(usualLabelWidth, Math.floor(width / 3)), availableWidth - minBarWidth)),
  )
  const cells = Math.max(0, availableWidth - labelWidth)
  return lines
    .map((line) => {
      const label = pad(nameText(line.label, labelWidth), labelWidth)
      const figures = line.figures.map((figure, at) => gap + figure.padStart(columns?.[at] ?? 0)).join('')
      const text = `${label}${gap}${line.draw(cells)}${line.faint ? style.dim(figures) : figures}`
      return `${shortenText(text, width)}\n`
    })
    .join('')
}

/** Words one after the other, on as many lines as they need; each is neutralised text with an style's colours. */
export function wrap(words: readonly string[], width: number): string {
  const lines: string[] = []
  for (const word of words.map((one) => shortenText(one, width))) {
    const line = lines.at(-1)
    if (line !== undefined && displayWidth(line) + 3 + displayWidth(word) <= width)
      lines[lines.length - 1] = `${line}   ${word}`
    else lines.push(word)
  }
  return lines.map((line) => `${line}\n`).join('')
}

/** The text with spaces behind it. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)))
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, displayWidth(text)), 0)
}

/** What is said instead of a chart that would be empty. */
export const noTimeText = 'No time in this period.\n'

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const leftToRightMark = '\u200e'

/**
 * A name that fits and cannot drive the terminal. Terminals that reorder text (Unicode UAX #9) would draw a name that is
 * written from right to left together with the figures behind it, so marks that take no room keep them apart.
 */
export function nameText(name: string, width: number): string {
  const text = shortenText(escapeText(name), width)
  return rightToLeft.test(text) ? leftToRightMark + text + leftToRightMark : text
}
