import { shortWeekdayName } from '../../lib/calendar/calendar-names.js'
import { dayOf, weekday } from '../../lib/calendar/day.js'
import { formatTime } from '../../lib/calendar/time.js'
import { pad } from '../../lib/calendar/zoned-time.js'
import { replaceTags } from '../../lib/text/tags.js'
import { countText } from '../../lib/text/words.js'
import { durationOf, type Entry, labelOf } from '../../tracking/entries/entry.js'
import { swatch } from '../../ui/charts/bar-cells.js'
import { dayStripText } from '../../ui/charts/day-strip.js'
import { nameText, wrap } from '../../ui/charts/layout.js'
import { watchKeys } from '../../ui/keys.js'
import type { Picker } from '../../ui/picker.js'
import { displayWidth, escapeText, shortenText, wrapText } from '../../ui/text.js'
import type { Style } from '../../ui/view.js'
import { totalRows } from '../views/day-rows.js'
import { LogDurations } from '../views/log-durations.js'
import type { LoggedEntry } from '../views/logged-entry.js'
import type { Connection } from './watch.js'
import { entriesOfToday, progressOf, runningEntry, type WatchState } from './watch-state.js'

/** A message below the entries. */
export interface ScreenMessage {
  kind: 'message' | 'warning' | 'error'
  text: string
}

/** A list from which the user chooses, instead of the entries. */
export interface OpenPicker {
  question: string
  /** What Enter does: "start". */
  action: string
  picker: Pick<Picker<unknown>, 'lines'>
}

/** Everything that a frame shows. */
export interface FrameInput {
  now: Date
  state: WatchState
  /** The name of the profile. */
  profile: string
  connection: Connection
  messages: readonly ScreenMessage[]
  /** Whether a change is in progress. */
  isBusy: boolean
  picker: OpenPicker | undefined
  /** By how many entries the list is scrolled back from the latest. */
  scroll: number
  columns: number
  rows: number
  style: Style
  /** Whether to use blocks and shades instead of ASCII. */
  unicode: boolean
}

/** From this number of rows on, empty lines separate the parts. */
const roomyRows = 14
/** From this number of rows on, the screen shows the hours of the day and the projects. */
const hoursRows = 18
/** The most lines of projects. */
const maxProjectLines = 2

/** Returns the lines of the screen, as many as it has rows and none wider than it. */
export function frameLines(input: FrameInput): string[] {
  return linesOf(input).map((line) => shortenText(line, input.columns))
}

/** Returns by how many entries the list can be scrolled back until the first one is on the screen. */
export function maxScroll(input: FrameInput): number {
  const count = entriesOfToday(input.state, input.now).length
  return Math.max(0, count - Math.max(1, partsOf(input).height))
}

function linesOf(input: FrameInput): string[] {
  const { picker } = input
  const { top, bottom, height } = partsOf(input)
  if (height < 1) return withoutRoom(input)
  const middle = picker ? pickerLines(input, picker, height) : entryLines(input, height)
  const padding = Array.from({ length: Math.max(0, height - middle.length) }, () => '')
  return [...top, ...middle, ...padding, ...bottom]
}

/** Returns the lines above and below the entries, and the number of lines between them. */
function partsOf(input: FrameInput): { top: string[]; bottom: string[]; height: number } {
  const blank = input.rows >= roomyRows ? [''] : []
  const hours = input.rows >= hoursRows && !input.picker ? hourLines(input) : []
  const top = [headerLine(input), ...blank, ...timerLines(input), ...totalLines(input), ...blank]
  if (hours.length > 0) top.push(...hours, '')
  const bottom = [...blank, ...messageLines(input), helpLine(input)]
  return { top, bottom, height: input.rows - top.length - bottom.length }
}

/** Returns what is most important on a screen of a few rows. */
function withoutRoom(input: FrameInput): string[] {
  const { rows, picker } = input
  const body = picker ? pickerLines(input, picker, Math.max(0, rows - 1)) : timerLines(input).slice(0, 1)
  const lines = [...(picker ? [] : messageLines(input).slice(0, 1)), ...body]
  const shown = rows > 1 ? lines.slice(1 - rows) : []
  const padding = Array.from({ length: Math.max(0, rows - 1 - shown.length) }, () => '')
  return [...shown, ...padding, helpLine(input)]
}

function headerLine({ profile, connection, state, now, columns, style }: FrameInput): string {
  const pending = state.pendingChanges > 0 && `${state.pendingChanges} pending`
  const rejected = state.rejectedChanges > 0 && `${state.rejectedChanges} rejected`
  const status = [connection.kind === 'offline' && 'offline', pending, rejected].filter(Boolean).join(', ')
  const day = dayOf(now)
  const clock = `${shortWeekdayName(weekday(day))} ${day} ${formatTime(now)}`
  const room = Math.max(8, columns - displayWidth(clock) - displayWidth(status) - 4)
  const name = shortenText(escapeText(`tt watch: ${profile}`), room)
  const left = displayWidth(name) + (status === '' ? 0 : displayWidth(status) + 2)
  const gap = ' '.repeat(Math.max(1, columns - left - displayWidth(clock)))
  return `${style.bold(name)}${status === '' ? '' : `  ${style.yellow(status)}`}${gap}${style.dim(clock)}`
}

function timerLines({ state, now, rows, columns, style }: FrameInput): string[] {
  const running = runningEntry(state)
  if (!running) return [style.dim('No timer is running.')]
  const clock = style.green(style.bold(clockText(durationOf(running, now))))
  const since = `since ${formatTime(running.start, now)}`
  const notes = replaceTags(escapeText(running.notes), style.cyan)
  const label = style.bold(escapeText(labelOf(running)))
  const pending = running.pending ? `  ${style.yellow('pending')}` : ''
  const isOneLine = rows < roomyRows
  const fixed = displayWidth(clock) + displayWidth(since) + displayWidth(pending) + 4
  const line = `${clock}  ${shortenText(label, Math.max(10, columns - fixed))}  ${since}${pending}`
  const slept = sleepLines(state).map((text) => style.yellow(text))
  if (isOneLine) return [notes === '' ? line : `${line}  ${notes}`, ...slept]
  const indent = ' '.repeat(displayWidth(clock) + 2)
  return [line, ...[...(notes === '' ? [] : [notes]), ...slept].map((text) => indent + text)]
}

function sleepLines({ sleptSeconds, durations }: WatchState): string[] {
  return sleptSeconds ? [`This machine slept for ${durations.format(sleptSeconds)} of that time.`] : []
}

/** "1:24:07" */
function clockText(seconds: number): string {
  return `${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`
}

/** Returns the time tracked today, and the progress toward the target if one is set. */
function totalLines({ state, now, rows, columns, style, unicode }: FrameInput): string[] {
  const progress = progressOf(state, now)
  if (progress) {
    const lines = totalRows(progress, state.durations, { width: columns, style, unicode })
    return rows < roomyRows ? lines.slice(0, 1) : lines
  }
  const today = entriesOfToday(state, now)
  const seconds = new LogDurations(today, state.durations).total
  return [`Today ${state.durations.format(seconds)}, ${countText(today.length, 'entry', 'entries')}.`]
}

/** Returns the hours of today with its entries and gaps, and the time of each project in the same fills. */
function hourLines({ state, now, columns, style, unicode }: FrameInput): string[] {
  const entries = entriesOfToday(state, now)
  if (entries.length === 0) return []
  const durations = new LogDurations(entries, state.durations)
  const seconds = new Map<string, number>()
  const projectOf = ({ link }: Entry) => link?.project?.name ?? 'no project'
  for (const entry of entries)
    seconds.set(projectOf(entry), (seconds.get(projectOf(entry)) ?? 0) + durations.ofPart(entry))
  const projects = [...seconds].sort(([, a], [, b]) => b - a)
  const seriesOf = new Map(projects.map(([name], index) => [name, index]))
  const options = { width: columns, style, unicode }
  const spans = entries.map((entry) => ({ ...entry.part, series: seriesOf.get(projectOf(entry)) ?? 0 }))
  const legend = projects.map(([name, part], series) => {
    const text = state.durations.format(part)
    return `${swatch(series, options)} ${nameText(name, columns - text.length - 3)} ${style.bold(text)}`
  })
  const projectLines = linesIn(wrap(legend, columns))
  return [...linesIn(dayStripText(spans, now, options)), ...projectLines.slice(0, maxProjectLines)]
}

function linesIn(text: string): string[] {
  return text.trimEnd().split('\n')
}

function entryLines({ state, now, scroll, columns, style }: FrameInput, height: number): string[] {
  const entries = entriesOfToday(state, now)
  if (entries.length === 0) return [style.dim('Nothing was tracked today.')]
  const durations = new LogDurations(entries, state.durations)
  const texts = entries.map((entry) => state.durations.format(durations.ofPart(entry)))
  const times = entries.map((entry) => timesText(entry))
  const widths = { times: widest(times), duration: widest(texts) }
  const lines = entries.map((entry, index) => {
    const time = padEnd(times[index] ?? '', widths.times)
    const duration = (texts[index] ?? '').padStart(widths.duration)
    const line = `${time}  ${duration}  ${detailText(entry, style)}`
    return shortenText(entry.end ? line : style.green(time) + line.slice(time.length), columns)
  })
  return windowOf(lines, lines.length - 1 - Math.min(scroll, lines.length - 1), height, style)
}

/** Returns the texts of an entry in a list from which the user chooses. */
export function entryChoice(entry: LoggedEntry): { name: string; detail: string } {
  return { name: `${timesText(entry)}  ${labelOf(entry)}`, detail: entry.notes }
}

/** "09:00–10:30"; on another day, only the time in today is shown. */
function timesText({ part, end, outsidePeriod }: LoggedEntry): string {
  const from = outsidePeriod === 'before' || outsidePeriod === 'both' ? '…' : formatTime(part.start)
  const to = end ? (outsidePeriod === 'after' || outsidePeriod === 'both' ? '…' : formatTime(part.end)) : ''
  return `${from}–${to}`
}

function detailText(entry: Entry, style: Style): string {
  const pending = entry.pending && style.yellow('pending')
  const notes = entry.notes && style.dim(escapeText(entry.notes))
  return [escapeText(labelOf(entry)), pending, notes].filter(Boolean).join('  ')
}

/**
 * Returns `height` of the lines around the one at `position`, which is the last where there is room for all before it. A
 * line at the edge says how many are omitted.
 */
function windowOf(lines: readonly string[], position: number, height: number, style: Style): string[] {
  if (lines.length <= height) return [...lines]
  if (height < 3) return lines.slice(Math.max(0, position - height + 1), position + 1)
  const end = Math.max(height, Math.min(lines.length, position + 1))
  const start = end - height
  const shown = lines.slice(start, end)
  if (start > 0) shown[0] = style.dim(`… ${start + 1} earlier`)
  if (end < lines.length) shown[shown.length - 1] = style.dim(`… ${lines.length - end + 1} later`)
  return shown
}

function pickerLines(
  { style, columns }: FrameInput,
  { question, picker }: OpenPicker,
  height: number,
): string[] {
  const { lines, cursor } = picker.lines(question, { columns, rows: height }, style)
  return lines.map((line, row) => (row === cursor.row ? `${line}${style.cyan('▏')}` : line))
}

/** Returns the latest messages, at most a third of the screen, and why the service cannot be reached. */
function messageLines({ state, messages, connection, isBusy, columns, rows, style }: FrameInput): string[] {
  const offline: ScreenMessage[] =
    connection.kind === 'offline'
      ? [{ kind: 'warning', text: `Offline: ${connection.reason}` }]
      : state.failure === undefined
        ? []
        : [{ kind: 'warning', text: `Not sent: ${state.failure}` }]
  const busy: ScreenMessage[] = isBusy ? [{ kind: 'message', text: 'Working …' }] : []
  const paint = { message: (text: string) => text, warning: style.yellow, error: style.red }
  const lines = [...offline, ...messages, ...busy].flatMap(({ kind, text }) =>
    wrapText(escapeText(kind === 'error' ? `error: ${text}` : text), columns).map((line) =>
      paint[kind](line),
    ),
  )
  const limit = Math.max(1, Math.floor(rows / 3))
  return lines.length > limit ? [...lines.slice(0, limit - 1), `${lines[limit - 1]} …`] : lines
}

interface FooterKey {
  key: string
  meaning: string
  isOptional?: boolean
}

function helpLine({ state: watched, picker, columns, style }: FrameInput): string {
  const state = runningEntry(watched) ? 'running' : 'idle'
  const shown: FooterKey[] = picker
    ? [
        { key: 'type', meaning: 'to filter' },
        { key: '↑↓', meaning: 'select' },
        { key: 'Enter', meaning: picker.action },
        { key: 'Esc', meaning: 'back' },
      ]
    : watchKeys.flatMap(({ keys: [name = ''], symbol: key = name, isOptional = false, ...texts }) => {
        const meaning = texts[state]
        return meaning === undefined ? [] : [{ key, meaning, isOptional }]
      })
  const textOf = (keys: readonly FooterKey[], gap: string) =>
    keys.map(({ key, meaning }) => `${style.bold(key)} ${style.dim(meaning)}`).join(gap)
  const most = shown.filter(({ meaning }) => meaning !== 'scroll')
  const least = shown.filter(({ isOptional }) => !isOptional)
  const texts = [textOf(shown, '   '), textOf(shown, ' '), textOf(most, ' ')]
  return texts.find((text) => displayWidth(text) <= columns) ?? textOf(least, ' ')
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(displayWidth))
}

function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)))
}
