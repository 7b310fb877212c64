import type { HeatMap } from '../../report/charts/chart-model.js'
import { type ChartOptions, defaultWidth, noTimeText, pad, wrap } from './layout.js'

const unicodeLevels = ['·', '░', '▒', '▓', '█']
const asciiLevels = ['.', '-', '+', 'x', '#']
const rowLabelWidth = 4

/**
 * Returns maps of days with a column for each week and a row for each weekday, followed by the months in figures and a
 * legend. A map wider than the terminal continues below. Returns a message if there is no time.
 */
export function heatText(maps: readonly HeatMap[], options: ChartOptions): string {
  if (maps.length === 0) return noTimeText
  const { width = defaultWidth } = options
  return `${maps.map((map) => mapText(map, width, options)).join('\n')}\n${legendOf(maps, width, options)}`
}

function mapText(map: HeatMap, width: number, options: ChartOptions): string {
  const { style } = options
  const availableWidth = Math.max(1, width - rowLabelWidth)
  const cell = map.weeks.length * 2 <= availableWidth ? 2 : 1
  const columns = Math.floor(availableWidth / cell)
  const segments: string[] = []
  for (let from = 0; from < map.weeks.length; from += columns)
    segments.push(segmentText(map, from, from + columns, cell, options))
  const figures = map.months.map(({ name, text }) => `${name} ${text}`)
  const total = `${map.first} to ${map.last}: ${style.bold(map.text)}`
  return `${segments.join('\n')}\n${wrap([total], width)}${wrap(figures, width)}`
}

/** Returns the weeks of some columns below the names of their months. */
function segmentText(map: HeatMap, from: number, to: number, cell: number, options: ChartOptions): string {
  const weeks = map.weeks.slice(from, to)
  const rows = map.weekdays.map((name, row) => {
    const levels = weeks.map((week) => week[row]?.level)
    return pad(name.slice(0, rowLabelWidth - 1), rowLabelWidth) + daysText(levels, cell, options)
  })
  const heading = ' '.repeat(rowLabelWidth) + monthNames(map, from, from + weeks.length, cell)
  return [options.style.dim(heading.trimEnd()), ...rows].map((line) => `${line.trimEnd()}\n`).join('')
}

/** Returns the month names above their first days, omitting those without space. */
function monthNames({ months }: HeatMap, from: number, to: number, cell: number): string {
  let line = ''
  for (const { name, column } of months) {
    if (column < from || column >= to) continue
    const at = (column - from) * cell
    if ((line !== '' && line.length >= at) || at + name.length > (to - from) * cell) continue
    line = line.padEnd(at) + name
  }
  return line
}

/** Returns the cells of days, with neighbours of the same level in one piece. */
function daysText(levels: readonly (number | undefined)[], cell: number, options: ChartOptions): string {
  let text = ''
  for (let from = 0, to = 0; from < levels.length; from = to) {
    const level = levels[from]
    while (to < levels.length && levels[to] === level) to++
    text += level === undefined ? ' '.repeat((to - from) * cell) : cellsText(level, to - from, cell, options)
  }
  return text
}

/** Returns cells of a level: solid in its shade, or characters where there are too few colours. */
function cellsText(level: number, count: number, cell: number, { style, unicode }: ChartOptions): string {
  const { shade } = style.series ?? {}
  if (shade) return shade(' '.repeat(count * cell), level)
  const character = (unicode ? unicodeLevels : asciiLevels)[level] ?? ''
  return level === 0
    ? style.dim(character.padEnd(cell).repeat(count))
    : style.cyan(character.repeat(count * cell))
}

function legendOf(maps: readonly HeatMap[], width: number, options: ChartOptions): string {
  const [one = '', two = '', three = ''] = maps[0]?.steps ?? []
  const meanings = ['none', `up to ${one}`, `up to ${two}`, `up to ${three}`, 'more']
  return wrap(
    meanings.map((meaning, level) => `${cellsText(level, 1, 1, options)} ${meaning}`),
    width,
  )
}
