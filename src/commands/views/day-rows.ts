import type { DurationDisplay } from '../../lib/calendar/duration-display.js'
import { formatTime } from '../../lib/calendar/time.js'
import { replaceTags } from '../../lib/text/tags.js'
import { durationOf, type Entry, labelOf } from '../../tracking/entries/entry.js'
import { barCells } from '../../ui/charts/bar-cells.js'
import type { ChartOptions } from '../../ui/charts/layout.js'
import { displayWidth, escapeText, shortenText } from '../../ui/text.js'
import type { EntryDisplay } from './entry.js'

/** What was tracked today and this week, and what is to be worked if a target is set; all in whole seconds. */
export interface DayTotals {
  today: { seconds: number; target?: number }
  /** `due` is the target up to and with today, the whole of today. */
  week: { seconds: number; target?: number; due?: number }
}

const nameWidth = 7
const minBarWidth = 8
const maxBarWidth = 30

/**
 * Returns the rows of the timer, today and this week, without line ends. With a width, no row is wider, and bars show the
 * progress toward the targets.
 *
 * @param totals undefined if they are unknown
 */
export function dayRows(
  timer: Entry | undefined,
  totals: DayTotals | undefined,
  shown: EntryDisplay,
  options: ChartOptions,
): string[] {
  const duration = timer ? shown.durations.format(durationOf(timer, shown.now)) : ''
  const width = Math.max(duration.length, totals ? durationWidth(totals, shown.durations) : 0)
  return [
    ...(timer
      ? timerRows(timer, nameText('Timer') + duration.padStart(width), shown, options)
      : [nameText('Timer') + options.style.dim('No timer is running.')]),
    ...(totals ? totalRows(totals, shown.durations, options, width) : []),
  ]
}

/**
 * Returns the rows of today and this week.
 *
 * @param width the width of the column of durations
 */
export function totalRows(
  totals: DayTotals,
  durations: DurationDisplay,
  options: ChartOptions,
  width = durationWidth(totals, durations),
): string[] {
  const [today = '', week = ''] = targetTexts(totals, durations)
  const row = (name: string, seconds: number, target: string) =>
    nameText(name) + durations.format(seconds).padStart(width) + target
  const texts = [row('Today', totals.today.seconds, today), row('Week', totals.week.seconds, week)]
  const note = balanceText(totals.week, durations)
  const room = options.width === undefined ? 0 : options.width - Math.max(...texts.map(displayWidth)) - 2
  const hasNote = options.width === undefined || room >= minBarWidth + note.length + 2
  // Both rows have the same room, so that equal progress has equal bars.
  const cells = Math.min(maxBarWidth, hasNote ? room - note.length - 2 : room)
  const bar = ({ seconds, target }: DayTotals['today']) =>
    target && cells >= minBarWidth
      ? barCells([seconds], target, Math.max(seconds, target), cells, options)
      : ''
  return [
    [texts[0], bar(totals.today)],
    [texts[1], bar(totals.week), hasNote ? note : ''],
  ].map((parts) => parts.filter(Boolean).join('  ').trimEnd())
}

function timerRows(timer: Entry, figures: string, { now }: EntryDisplay, options: ChartOptions): string[] {
  const { style, width = Number.POSITIVE_INFINITY } = options
  const label = style.bold(escapeText(labelOf(timer)))
  const pending = timer.pending && style.yellow('pending')
  const notes = timer.notes && replaceTags(escapeText(timer.notes), style.cyan)
  const text = [label, pending, notes].filter(Boolean).join('  ')
  const start = `${figures}  since ${formatTime(timer.start, now)}`
  const room = width - displayWidth(start) - 2
  if (displayWidth(label) <= room) return [`${start}  ${shortenText(text, room)}`]
  return [shortenText(start, width), nameText('') + shortenText(text, width - nameWidth)]
}

function nameText(name: string): string {
  return name.padEnd(nameWidth)
}

function durationWidth({ today, week }: DayTotals, durations: DurationDisplay): number {
  return Math.max(...[today, week].map(({ seconds }) => durations.format(seconds).length))
}

/** Returns the targets of today and the week, aligned: " of  8h 00m". */
function targetTexts({ today, week }: DayTotals, durations: DurationDisplay): string[] {
  if (week.target === undefined) return []
  const texts = [today, week].map(({ target = 0 }) => (target > 0 ? durations.format(target) : ''))
  const width = Math.max(...texts.map(({ length }) => length))
  return texts.map((text) => (text === '' ? '  no target' : ` of ${text.padStart(width)}`))
}

/** Returns how far the week is from its target by the end of today, computed from the displayed figures. */
function balanceText({ seconds, target, due = 0 }: DayTotals['week'], durations: DurationDisplay): string {
  if (!target) return ''
  const ahead = durations.rounded(seconds) - durations.rounded(due)
  if (ahead === 0) return ''
  return ahead > 0 ? `${durations.format(ahead)} ahead` : `${durations.format(-ahead)} due today`
}
