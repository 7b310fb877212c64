import { displayWidth, escapeText, shortenText } from '../text.js'
import type { Style } from '../view.js'

const gap = '  '
/** Maximum width of a line: in a wider terminal, the figures would be too far from their labels. */
const maxLineWidth = 100
/** Minimum width of a bar; labels are shortened first. */
const minBarWidth = 10
/** Width of a date with its weekday; longer labels get a third of the line. */
const usualLabelWidth = 14

/** One line of a chart: a label, a drawing and figures. */
export interface Line {
  label: string
  /** The figures, each aligned in its column. */
  figures: string[]
  /** Returns a drawing of exactly this many cells. */
  draw(cells: number): string
  /** Whether the figures are dim, because the line is empty. */
  isFaint?: boolean
}

/** Returns lines with aligned labels, drawings and figures, none wider than the terminal or than 100 cells. */
export function linesText(lines: readonly Line[], terminalWidth: number, style: Style): string {
  const width = Math.min(terminalWidth, maxLineWidth)
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
      const text = `${label}${gap}${line.draw(cells)}${line.isFaint ? style.dim(figures) : figures}`
      return `${shortenText(text, width)}\n`
    })
    .join('')
}

/** Wraps escaped items with style at the width. */
export function wrap(items: readonly string[], width: number): string {
  const lines: string[] = []
  for (const item of items.map((text) => shortenText(text, width))) {
    const line = lines.at(-1)
    if (line !== undefined && displayWidth(line) + 3 + displayWidth(item) <= width)
      lines[lines.length - 1] = `${line}   ${item}`
    else lines.push(item)
  }
  return lines.map((line) => `${line}\n`).join('')
}

/** Pads text with spaces to the width. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)))
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, displayWidth(text)), 0)
}

/** The message instead of an empty chart. */
export const noTimeText = 'No time in this period.\n'

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const leftToRightMark = '\u200e'

/**
 * Returns a name, escaped and shortened. Terminals that reorder text (Unicode UAX #9) would mix a right-to-left name
 * with the figures after it, so invisible marks separate them.
 */
export function nameText(name: string, width: number): string {
  const text = shortenText(escapeText(name), width)
  return rightToLeft.test(text) ? leftToRightMark + text + leftToRightMark : text
}

/** Options for drawing a chart. */
export interface ChartOptions {
  style: Style
  /** The width of the terminal in cells; undefined off a terminal. */
  width: number | undefined
  /** Whether to use blocks and shades instead of ASCII. */
  unicode: boolean
}

/** The width if it is unknown. */
export const defaultWidth = 80

/**
 * Whether the output can show more than ASCII, by the locale (POSIX, "Environment Variables": LC_ALL over LC_CTYPE over
 * LANG). Windows has no such variables, and its terminals show Unicode.
 */
export function canDrawUnicode(
  env: Record<string, string | undefined>,
  platform: string = process.platform,
): boolean {
  if (env.TERM === 'dumb') return false
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG
  return locale ? /utf-?8/i.test(locale) : platform === 'win32'
}
