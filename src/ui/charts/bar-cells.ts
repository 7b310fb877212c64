import type { Style } from '../view.js'
import type { ChartOptions } from './layout.js'

/** Blocks that fill one to eight eighths of a cell from the left (U+258F to U+2588). */
const eighths = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█']
const full = '█'
/** Fills in an order in which neighbours differ; the last is for all further series. */
const unicodeFills = ['█', '▓', '▒', '░', '#', '+', 'o', '.']
const asciiFills = ['#', '=', '+', 'o', '*', '-', ':', '.']

/** Returns the fill character of a series. Fills differ in colour too, so that no legend relies on colour alone. */
function fillOf(series: number, { unicode }: ChartOptions): string {
  const fills = unicode ? unicodeFills : asciiFills
  return fills[Math.min(series, fills.length - 1)] ?? ''
}

/** Returns the fill character of a series in its colour. */
export function swatch(series: number, options: ChartOptions): string {
  return colour(options.style, fillOf(series, options), series)
}

function colour(style: Style, text: string, series: number | undefined): string {
  return series === undefined || !style.series ? text : style.series.paint(text, series)
}

/** The mark of a target in a bar. */
export const targetMark = (options: ChartOptions) => (options.unicode ? '│' : '|')

/** Part of a line: characters in the colour of one series. */
interface Cell {
  character: string
  series?: number | undefined
}

/**
 * Returns a bar of stacked parts, exactly `cells` cells wide; `maxSeconds` fills it. The solid fill of the first series has a
 * resolution of an eighth of a cell. A positive part is never drawn empty.
 */
export function barCells(
  parts: readonly number[],
  target: number | undefined,
  maxSeconds: number,
  cells: number,
  options: ChartOptions,
): string {
  if (cells === 0) return ''
  const slots = eighthsOf(parts, maxSeconds, cells)
  const line = Array.from({ length: cells }, (_, at) => cellOf(slots.slice(at * 8, at * 8 + 8), options))
  const first = slots[0]
  if (line[0]?.character === ' ' && first !== undefined)
    line[0] = { character: fillOf(first, options), series: first }
  if (target !== undefined && target > 0) {
    const at = Math.min(cells - 1, Math.round((target / maxSeconds) * cells))
    line[at] = { character: targetMark(options) }
  }
  return joinRuns(line)
    .map(({ character, series }) => colour(options.style, character, series))
    .join('')
}

/** Returns a cell in the fill of each series; without a series, a dot. */
export function seriesCells(cells: readonly (number | undefined)[], options: ChartOptions): string {
  const gap = options.unicode ? '·' : '.'
  const line = cells.map((series) => ({
    character: series === undefined ? gap : fillOf(series, options),
    series,
  }))
  return joinRuns(line)
    .map(({ character, series }) =>
      series === undefined ? options.style.dim(character) : colour(options.style, character, series),
    )
    .join('')
}

/** Returns the series at each eighth of a cell. */
function eighthsOf(parts: readonly number[], maxSeconds: number, cells: number): (number | undefined)[] {
  const slots: (number | undefined)[] = Array.from({ length: cells * 8 }, () => undefined)
  let sum = 0
  let from = 0
  for (const [series, part] of parts.entries()) {
    sum += part
    const to = Math.min(
      slots.length,
      Math.max(sum > 0 ? 1 : 0, Math.round((sum / maxSeconds) * slots.length)),
    )
    slots.fill(series, from, to)
    from = Math.max(from, to)
  }
  return slots
}

function cellOf(slots: (number | undefined)[], options: ChartOptions): Cell {
  const inside = slots.filter((slot) => slot !== undefined)
  const main = mostCommon(slots)
  // Only the first series is solid, so only it can be drawn in eighths.
  const usesBlocks = options.unicode && inside.every((series) => series === 0)
  if (inside.length === 0) return { character: ' ' }
  if (!usesBlocks)
    return main === undefined ? { character: ' ' } : { character: fillOf(main, options), series: main }
  return { character: eighths[inside.length - 1] ?? full, series: 0 }
}

function mostCommon<Value>(values: readonly Value[]): Value | undefined {
  const count = (value: Value | undefined) => values.filter((other) => other === value).length
  return values.reduce<Value | undefined>(
    (best, value) => (count(value) > count(best) ? value : best),
    values[0],
  )
}

/** Joins neighbours of the same colours, to print fewer colour codes. */
function joinRuns(cells: readonly Cell[]): Cell[] {
  const joined: Cell[] = []
  for (const cell of cells) {
    const last = joined.at(-1)
    if (last && last.series === cell.series) last.character += cell.character
    else joined.push({ ...cell })
  }
  return joined
}
