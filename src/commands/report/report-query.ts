import type { Context } from '../../cli/context.js'
import type { Input, OptionValues } from '../../cli/input.js'
import type { Settings } from '../../config/settings/settings.js'
import { type Day, dayOf, endOfDay, startOfDay, type Weekday } from '../../lib/calendar/day.js'
import { DurationDisplay, type ExactFormat } from '../../lib/calendar/duration-display.js'
import { overlap, splitAtMidnight, type TimeRange, timeOf } from '../../lib/calendar/interval.js'
import type { Period } from '../../lib/calendar/period.js'
import type { Rounding } from '../../lib/calendar/rounding.js'
import type { ReferenceData } from '../../outbox/cache/snapshots.js'
import type { commands } from '../../program/declarations/report.js'
import { chosenFilters, type EntryFilterOptions, entryFilter } from '../../program/options/entry-filters.js'
import type { roundingOptions } from '../../program/options/report-options.js'
import type { Dimension } from '../../records/report-names.js'
import { durationsOf } from '../../report/displayed-report.js'
import { type BillingTerms, EntrySplitter } from '../../report/entry-parts.js'
import { durationsOfGrid, type Grid } from '../../report/grid/grid.js'
import { isOfCalendar } from '../../report/keys.js'
import type { Report, ReportRounding } from '../../report/report-model.js'
import { Tally } from '../../report/tally.js'
import { type WorkCalendar, workTotals } from '../../report/work-calendar.js'
import type { Catalog } from '../../tracking/catalog/catalog.js'
import type { Entries } from '../../tracking/entries/entries.js'
import type { Entry } from '../../tracking/entries/entry.js'
import { cacheTimeZone } from '../shared/options/period-options.js'
import { targetCalendar } from '../shared/targets/target-calendar.js'
import type { ReportDurations } from '../views/reports/report-summary.js'
import { billingTerms } from './billing-terms.js'

type ReportQueryOptions = EntryFilterOptions &
  OptionValues<typeof roundingOptions> & { by: readonly Dimension[] }

/** Returns the billing terms of an entry. */
type TermsOf = (entry: Entry) => BillingTerms
const lastInstant = new Date(8.64e15)

/** The entries of a period and the options of a report about them. */
export class ReportQuery {
  readonly settings: Settings
  readonly by: Dimension[]
  /** The rounding of the options; without one, entries are rounded by the settings. */
  readonly rounding: Rounding | undefined
  /** The requested days. */
  readonly days: Partial<Period>
  /** Their time. */
  readonly period: TimeRange
  readonly termsOf: TermsOf
  readonly #ctx: ReportContext
  readonly #options: ReportQueryOptions
  readonly #exactFormat: ExactFormat | undefined
  #work: WorkCalendar
  #earliestStart = lastInstant
  #msBeforeTarget = 0
  readonly #msSinceEarlierDay = new Map<Day, number>()

  private constructor(
    ctx: ReportContext,
    options: ReportQueryOptions,
    parts: { settings: Settings; work: WorkCalendar; termsOf: TermsOf; days: Partial<Period> },
  ) {
    this.#ctx = ctx
    this.#options = options
    this.settings = parts.settings
    this.#work = parts.work
    this.termsOf = parts.termsOf
    const { round, roundTotal } = options
    this.by = [...options.by]
    this.rounding = (round === undefined ? roundTotal : round) ?? undefined
    this.#exactFormat = options.hours
    this.days = parts.days
    this.period = timeOf(parts.days)
  }

  /** Creates a query about a period. Throws TtError `usage` for invalid options and settings. */
  static async create(
    ctx: ReportContext,
    options: ReportQueryOptions,
    days: Partial<Period>,
  ): Promise<ReportQuery> {
    const [settings, work] = [await ctx.config.settings(), await ctx.config.workCalendar()]
    const roundsByPattern = options.round === undefined && options.roundTotal === undefined
    const termsOf = await billingTerms(ctx, { roundsByPattern })
    return new ReportQuery(ctx, options, { settings, work, termsOf, days })
  }

  /** The working days, and the targets; these are final when all entries have been read. */
  get work(): WorkCalendar {
    return this.#work
  }

  get weekStart(): Weekday {
    return this.settings.weekStart
  }

  /** Whether entries are rounded; otherwise the totals of the innermost groups. */
  get roundsEntries(): boolean {
    return this.#options.roundTotal === undefined
  }

  /** Whether a filter excludes entries, or the report is about several users: targets are those of one user. */
  get isFiltered(): boolean {
    return chosenFilters(this.#options).length > 0 || this.#ctx.team !== undefined
  }

  /**
   * Yields batches of the entries that overlap the period. With `isUnlimited`, includes running entries of any age, and
   * entries of any duration even if the service cannot filter by end. With `forTotals`, entries may lack fields that no
   * total needs.
   */
  async *entries({ isUnlimited = false, forTotals = false } = {}): AsyncGenerator<Entry[]> {
    const fits = entryFilter(this.#options, this.settings)
    const tracking = await this.#ctx.entries()
    const { where: predicates = {} } = this.#options
    await cacheTimeZone(this.#ctx, predicates)
    const batches =
      forTotals && !this.#usesNotes
        ? tracking.batchesOfTimes(this.period, predicates)
        : tracking.batches(this.period, predicates, { isUnlimited })
    for await (const entries of this.#ctx.terminal.countItems(
      batches,
      (count) => `Read ${count} entries …`,
    )) {
      const found = entries.filter(fits)
      for (const { start } of found) if (start < this.#earliestStart) this.#earliestStart = start
      this.#addTimeBeforeTarget(found)
      if (this.by.includes('day')) this.#addTimeSinceEarlierDay(found)
      yield found
    }
    if (this.isFiltered) return
    const earliestStart = this.#earliestStart < lastInstant ? this.#earliestStart : undefined
    this.#work = await targetCalendar(this.#ctx, { first: this.days.first, earliestStart })
  }

  /** Returns how durations are displayed. The decimal places of exact ones are those that these reports and the grid need. */
  durations(reports: readonly Report[], grid?: Grid): ReportDurations {
    const { durationFormat } = this.settings
    const display =
      this.#exactFormat === undefined
        ? this.#ctx.durations
        : DurationDisplay.exact(this.#exactFormat, [
            ...reports.flatMap(durationsOf),
            ...(grid ? durationsOfGrid(grid) : []),
          ])
    return {
      display,
      isChosen: this.#exactFormat !== undefined || durationFormat !== undefined,
      isDecimalHours: (this.#exactFormat ?? durationFormat) === (this.#exactFormat ? 'decimal' : '1.40'),
    }
  }

  /** Creates a splitter that cuts entries to the period and rounds them, if entries are rounded. */
  splitter(): EntrySplitter {
    const rounding = this.roundsEntries ? this.rounding : undefined
    return new EntrySplitter({ ...this.period, now: this.#ctx.now, rounding })
  }

  /** Creates an empty tally with these dimensions. */
  tally(by: readonly Dimension[] = this.by): Tally {
    return new Tally({
      ...this.period,
      by,
      now: this.#ctx.now,
      weekStart: this.weekStart,
      rounding: this.rounding,
      roundsTotals: !this.roundsEntries,
      termsOf: this.termsOf,
    })
  }

  #addTimeBeforeTarget(entries: readonly Entry[]) {
    const { targetSince } = this.settings
    if (targetSince === undefined) return
    const { period } = this
    const since = startOfDay(targetSince)
    for (const { start, end } of entries) {
      const [startMs, endMs] = [start.getTime(), (end ?? this.#ctx.now).getTime()]
      const lastMs = Math.min(endMs, since.getTime(), period.end?.getTime() ?? endMs)
      this.#msBeforeTarget += Math.max(0, lastMs - Math.max(startMs, period.start?.getTime() ?? startMs))
    }
  }

  #addTimeSinceEarlierDay(entries: readonly Entry[]) {
    for (const { start, end } of entries) {
      const firstDay = dayOf(start)
      const whole = { start, end: end ?? this.#ctx.now }
      const part = overlap(whole, { ...whole, ...this.period })
      if (!part || part.end <= endOfDay(firstDay)) continue
      for (const { day, ...piece } of splitAtMidnight(part)) {
        if (day === firstDay) continue
        const ms = piece.end.getTime() - piece.start.getTime()
        this.#msSinceEarlierDay.set(day, (this.#msSinceEarlierDay.get(day) ?? 0) + ms)
      }
    }
  }

  /** Returns the report for a tally of all batches. A filtered report has no target. */
  report(tally: Tally): Report {
    const { totals, groups } = tally.sums()
    const { first, last } = this.days
    const today = dayOf(this.#ctx.now)
    const earliest = totals.count > 0 ? dayOf(this.#earliestStart) : today
    const period = { first: first ?? earliest, last: last ?? today }
    const { rates, billable } = this.settings
    const hasRates = Object.values(rates).some((rate) => rate !== null)
    const worked = workTotals(this.work, period, today, totals.seconds)
    return {
      since: first ?? null,
      until: last ?? null,
      isOver: last !== undefined && last < today,
      by: [...tally.by],
      ...totals,
      groups,
      rounding: this.#reportRounding(tally),
      isFiltered: chosenFilters(this.#options).length > 0,
      isBilled: Object.keys(rates).length > 0 || billable !== undefined,
      unratedSeconds: hasRates ? tally.unratedSeconds : 0,
      ...worked,
      ...(this.isFiltered ? { targetSeconds: null, targetSince: null } : {}),
      secondsBeforeTarget: Math.floor(this.#msBeforeTarget / 1000),
      sinceEarlierDay: [...this.#msSinceEarlierDay]
        .map(([day, ms]) => ({ day, seconds: Math.floor(ms / 1000) }))
        .sort((a, b) => (a.day < b.day ? -1 : 1)),
    }
  }

  #reportRounding({ roundings }: Tally): ReportRounding | null {
    if (this.rounding) return { single: this.rounding, of: this.roundsEntries ? 'entries' : 'groups' }
    const names = new Set([...roundings].map((rounding) => JSON.stringify(rounding)))
    const [first = null] = [...roundings].filter((rounding) => rounding !== undefined)
    return first && { single: names.size === 1 ? first : null, of: 'entries' }
  }

  /** Whether a grouping or a filter reads the notes. */
  get #usesNotes(): boolean {
    const { notes, tag } = this.#options
    const isOfLink = (dimension: Dimension) => ['user', 'client', 'project', 'task'].includes(dimension)
    return (
      [notes, tag].some(Boolean) ||
      !this.by.every((dimension) => isOfLink(dimension) || isOfCalendar(dimension))
    )
  }
}

export type ReportInput = Input<typeof commands.report>

/** What a report reads from; expenses are only the user's own: a `Context` for the user's own entries, or `teamContext` for those of all users. */
export interface ReportContext
  extends Pick<Context, 'host' | 'terminal' | 'afterOutput' | 'config' | 'now' | 'durations' | 'nameOption'>,
    Partial<Pick<Context, 'expenses'>> {
  catalog(): Promise<Pick<Catalog, 'links'>>
  reference(): Promise<{
    recent<Kind extends 'catalog' | 'company'>(kind: Kind): Promise<ReferenceData[Kind]>
  }>
  entries(): Promise<Pick<Entries, 'batches' | 'batchesOfTimes' | 'hasEntryBefore'>>
  /** The users whose entries the report is about; undefined for the user's own. */
  readonly team?: Team | undefined
}

interface Team {
  /** The users of the report in words; empty for all. */
  selection: readonly string[]
}
