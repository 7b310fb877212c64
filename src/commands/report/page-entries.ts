import { type Day, endOfDay, startOfDay } from '../../lib/calendar/day.js'
import type { DurationDisplay } from '../../lib/calendar/duration-display.js'
import { dayText } from '../../lib/calendar/period-text.js'
import { formatTime } from '../../lib/calendar/time.js'
import { decimalHours } from '../../report/decimal-hours.js'
import type { EntryPart } from '../../report/entry-parts.js'
import { type Rate, toMoney } from '../../report/rates.js'
import type { Money } from '../../report/report-model.js'
import type { Entry } from '../../tracking/entries/entry.js'
import type { EntryDay, EntryFigures, EntryRow, PageModel } from '../../ui/page/page-model.js'
import type { ReportQuery } from './report-query.js'

/** The part of an entry on a day. */
interface DayPart extends EntryPart {
  entry: Entry
  rate: Rate | undefined
  isContinued: boolean
}

interface TableOptions {
  display: DurationDisplay
  /** Whether decimal hours have a column of their own. */
  hasHours: boolean
  /** Whether the exact durations are shown beside the rounded ones. */
  hasBothTimes: boolean
  /** Whether the times of day are shown. */
  hasClockTimes: boolean
  /** Returns notes as the page shows them. */
  textOf(notes: string): string
}

/** Returns the entries of a page by day, with their sums. */
export function entryDetails(
  entries: readonly Entry[],
  query: ReportQuery,
  now: Date,
  options: TableOptions,
): Pick<PageModel, 'days' | 'entryTotals' | 'entryColumns' | 'commonValues'> {
  const parts = partsByDay(entries, query)
  const groups = [...groupByDay(parts)]
  // Amounts of groups that are rounded as a whole do not belong to single entries.
  const hasAmounts = query.roundsEntries && parts.some(({ rate }) => rate !== undefined)
  const figures = figureTexts(groups, hasAmounts, options)
  const columns = columnsOf(parts, hasAmounts, options)
  return {
    days: daysOf(groups, now, figures.days, options),
    entryTotals: figures.total,
    ...columns,
  }
}

/** Returns the parts of entries by day, in the order of their days and starts. */
function partsByDay(entries: readonly Entry[], query: ReportQuery): DayPart[] {
  const splitter = query.splitter()
  const parts = entries.flatMap((entry) => {
    const terms = query.termsOf(entry)
    const { rate } = terms
    return splitter
      .partsOf(entry, terms, true)
      .map((part, index): DayPart => ({ ...part, entry, rate, isContinued: index > 0 }))
  })
  return parts.sort((a, b) =>
    a.day < b.day ? -1 : a.day > b.day ? 1 : a.entry.start.getTime() - b.entry.start.getTime(),
  )
}

function* groupByDay(parts: readonly DayPart[]): Generator<DayPart[]> {
  for (let from = 0; from < parts.length; ) {
    let to = from
    while (parts[to]?.day === parts[from]?.day) to++
    yield parts.slice(from, to)
    from = to
  }
}

interface DayFigures {
  sum: EntryFigures
  rows: EntryFigures[]
}

/** Formats the figures so that those of entries add up to their day, and those of days to the total. */
function figureTexts(
  groups: readonly DayPart[][],
  hasAmounts: boolean,
  { display, hasHours, hasBothTimes }: TableOptions,
): { total: EntryFigures; days: DayFigures[] } {
  const figuresOf = (parts: readonly DayPart[], seconds: number, exact = 0): EntryFigures => ({
    exact: hasBothTimes ? display.format(exact) : null,
    duration: display.format(seconds),
    hours: hasHours ? decimalHours(seconds) : null,
    amounts: hasAmounts ? amountsOf(parts) : [],
  })
  const [rounded, exact] = (['roundedSeconds', 'seconds'] as const).map((name) =>
    displayed(
      groups.map((parts) => parts.map((part) => part[name])),
      display,
    ),
  )
  const days = groups.map(
    (parts, day): DayFigures => ({
      sum: figuresOf(parts, rounded?.sums[day] ?? 0, exact?.sums[day]),
      rows: parts.map((part, index) =>
        figuresOf([part], rounded?.rows[day]?.[index] ?? 0, exact?.rows[day]?.[index]),
      ),
    }),
  )
  return { total: figuresOf(groups.flat(), sumOf(rounded?.sums ?? []), sumOf(exact?.sums ?? [])), days }
}

/** Returns durations as displayed, so that those of entries add up to their day, and those of days to the total. */
function displayed(groups: readonly number[][], display: DurationDisplay) {
  const sums = display.parts(groups.map(sumOf))
  return { sums, rows: groups.map((seconds, day) => display.parts(seconds, sums[day])) }
}

function sumOf(seconds: readonly number[]): number {
  return seconds.reduce((sum, part) => sum + part, 0)
}

function amountsOf(parts: readonly DayPart[]): Money[] {
  const sums = new Map<string, bigint>()
  for (const { rate, amount } of parts)
    if (rate) sums.set(rate.currency, (sums.get(rate.currency) ?? 0n) + amount)
  return toMoney(sums)
}

function* daysOf(
  groups: readonly DayPart[][],
  now: Date,
  figures: readonly DayFigures[],
  options: TableOptions,
): Generator<EntryDay> {
  for (const [index, parts] of groups.entries()) {
    const [day, { sum, rows } = { sum: undefined, rows: [] }] = [parts[0]?.day, figures[index]]
    if (day === undefined || sum === undefined) continue
    yield {
      title: dayText(day),
      figures: sum,
      rows: parts.flatMap((part, row) => {
        const texts = rows[row]
        return texts === undefined ? [] : [rowOf(part, now, texts, options)]
      }),
    }
  }
}

function rowOf(
  { entry, day, rate, isContinued }: DayPart,
  now: Date,
  figures: EntryFigures,
  { textOf }: TableOptions,
): EntryRow {
  const { start, end, link, notes, user } = entry
  return {
    ...timesOf(day, start, end, now),
    ...figures,
    isContinued,
    rate: rate?.hourly ?? null,
    ...(user ? { user: user.name } : {}),
    client: link?.client?.name ?? null,
    project: link?.project?.name ?? null,
    task: link?.task?.name ?? null,
    notes: notes ? textOf(notes) : null,
  }
}

/** Returns the times of the part of an entry on a day. */
function timesOf(day: Day, start: Date, end: Date | null, now: Date): { from: string; to: string } {
  const dayEnd = endOfDay(day)
  const from = formatTime(new Date(Math.max(start.getTime(), startOfDay(day).getTime())))
  if ((end ?? now) >= dayEnd) return { from, to: '24:00' }
  return { from, to: end === null ? 'running' : formatTime(end) }
}

const nameTitles = { user: 'User', client: 'Client', project: 'Project', task: 'Task' } as const

/** Returns the columns of the table, and those that have the same value in every row. */
function columnsOf(
  parts: readonly DayPart[],
  hasAmounts: boolean,
  { hasHours, hasBothTimes, hasClockTimes }: TableOptions,
): Pick<PageModel, 'entryColumns' | 'commonValues'> {
  const columns = new Set<keyof EntryRow>([...(hasClockTimes ? (['from', 'to'] as const) : []), 'duration'])
  if (hasBothTimes) columns.add('exact')
  const common: { title: string; text: string }[] = []
  for (const level of ['user', 'client', 'project', 'task'] as const) {
    const names = new Map(
      parts.map(({ entry: { link, user } }) => {
        const record = level === 'user' ? user : link?.[level]
        return [record?.id, record?.name]
      }),
    )
    const [only] = names.values()
    if (names.size > 1) columns.add(level)
    else if (only !== undefined) common.push({ title: nameTitles[level], text: only })
  }
  const rates = new Set(
    parts.map(({ rate }) => (rate ? `${rate.hourly.amount} ${rate.hourly.currency}` : '')),
  )
  const [onlyRate] = rates
  if (hasAmounts) columns.add('amounts')
  if (hasAmounts && rates.size > 1) columns.add('rate')
  else if (hasAmounts && onlyRate) common.push({ title: 'Rate', text: `${onlyRate} an hour` })
  // Both times leave no room for them; groups have them.
  if (hasHours && !hasBothTimes) columns.add('hours')
  if (parts.some(({ entry }) => entry.notes !== '')) columns.add('notes')
  return { entryColumns: columns, commonValues: common }
}
