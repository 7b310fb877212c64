import type { Dimension } from '../../records/report-names.js'
import type { BarChart, HeatMap, Share } from '../../report/charts/chart-model.js'
import type { Grid } from '../../report/grid/grid.js'
import type { DisplayedReport, Durations, Group, Money } from '../../report/report-model.js'
import type { GroupsRow } from './groups-table.js'

/** The figures of an entry, a day or all entries. */
export interface EntryFigures {
  /** The exact duration, if the page also shows rounded ones; null otherwise. */
  exact?: string | null
  duration: string
  /** Decimal hours; null if the page does not show them. */
  hours: string | null
  amounts: readonly Money[]
}

/** The part of an entry on one day; null for an empty cell. */
export interface EntryRow extends EntryFigures {
  from: string
  to: string
  /** Whether the entry began on an earlier day of the page. */
  isContinued: boolean
  /** The hourly rate; null without one. */
  rate: Money | null
  /** The owner of the entry, in reports about several users. */
  user?: string
  client: string | null
  project: string | null
  task: string | null
  notes: string | null
}

export interface EntryDay {
  /** "Thursday, 1 October 2026". */
  title: string
  figures: EntryFigures
  rows: readonly EntryRow[]
}

/** An expense; null for an empty cell. */
export interface ExpenseRow {
  /** "1 October 2026". */
  date: string
  type: string | null
  project: string | null
  notes: string | null
  amounts: readonly Money[]
}

export interface PageExpenses {
  rows: readonly ExpenseRow[]
  /** The sums by currency. */
  amounts: readonly Money[]
}

/** The header of a page. Texts are plain text, not markup. */
export interface PageHeader {
  /** The heading: "Time report". */
  title: string
  /** The period in words: "October 2026". */
  period: string
  /** The filters and the rounding in words: "Acme", "billable", "each entry rounded up to 15 min". */
  selection: readonly string[]
  /** The name of the client; null if the page is not about one client. */
  recipient: string | null
  /** The lines that name whose time it is. */
  sender: readonly string[]
}

/** How many rows of a table are not listed separately, to limit the size of the page. */
export interface Omission {
  omitted: number
  /** The number of all rows. */
  count: number
}

/** The content of a page about a period. Texts are plain text, not markup. */
export interface PageModel extends PageHeader {
  /** When the page was created: "1 October 2026". */
  createdAt: string
  /** Whether a client reads the page, so that it has no advice to the user. */
  isForClient: boolean
  /** The report with all levels of groups. With a rounding, the page shows exact and rounded time. */
  report: DisplayedReport
  /** The expenses of the client; undefined without any. */
  expenses: PageExpenses | undefined
  /** The amounts of time and expenses. */
  amounts: readonly Money[]
  /** Billable and non-billable time; undefined if the report does not distinguish them. */
  billableParts: Record<'billable' | 'nonBillable', Durations> | undefined
  /** The seconds by which the time exceeds the target, negative if it falls short; null without a target. */
  targetBalance: number | null
  /** A sentence below the totals on how they were rounded. */
  roundingNote: string | undefined
  /** The groups that the report combines; undefined if it has all. */
  omittedGroups?: Omission | undefined
  /** The tables of the grid; undefined without one. */
  grid?: readonly GridTable[] | undefined
  /** The comparison with another period; undefined without one. */
  comparison?: PageComparison | undefined
  /** The rows that the grid combines; undefined if it has all. */
  omittedRows?: Omission | undefined
  /** The bar chart by day, week or month; undefined without one. */
  bars: BarChart | undefined
  /** The maps of days, which the page shows if one is longer than ten weeks. */
  heatMaps: readonly HeatMap[]
  shares: readonly Share[]
  /** Returns the series of a group in the bar chart, which gives it a colour; undefined without one. */
  seriesOf(group: Pick<Group, 'by' | 'label'>): number | undefined
  /** The grouping of the shares, such as "project". */
  sharesBy: Dimension
  /** Whether `duration` shows decimal hours, so that they need no column of their own. */
  hasDecimalDurations: boolean
  /** The entries by day; undefined for a page without entries. */
  days: Iterable<EntryDay> | AsyncIterable<EntryDay> | undefined
  entryTotals: EntryFigures
  /** The columns of the table of entries. */
  entryColumns: ReadonlySet<keyof EntryRow>
  /** The columns with the same value in every row, such as the client. They are in a line above the table. */
  commonValues: readonly { title: string; text: string }[]
  /** Whether the table has all entries, however large the page becomes. */
  hasAllEntries: boolean
  /** Formats whole seconds, which may be negative: "1h 30m". */
  duration(seconds: number): string
  /** Formats displayed seconds as decimal hours: "1.50". */
  hours(seconds: number): string
}

/** A comparison with another period. Texts of figures have real minus signs. */
export interface PageComparison {
  /** The compared period within a sentence: "April 2024", "29 April to 5 May 2024". */
  period: string
  /** ", 7 days" if the two periods have different numbers of days; otherwise empty. */
  days: string
  /** The number of entries in the compared period. */
  count: number
  /** The difference of the total time: "+1h 30m". */
  difference: string
  /** The same in per cent, "+12.5%"; null if the compared period has no time. */
  change: string | null
  /** One of durations, and one of amounts if there are any. Empty if both periods have no entries. */
  tables: readonly ComparisonTable[]
  omittedGroups: Omission | undefined
}

export interface ComparisonTable {
  kind: 'time' | 'amount'
  /** The caption, if there are several tables or the durations are rounded; null otherwise. */
  title: string | null
  /** The grouping: "Client, project". */
  by: string
  /** The headings of the figures: the period, the compared one and the difference. */
  headings: readonly string[]
  rows: readonly ComparisonRow[]
}

/** A group that only the compared period has, such as its 31st day, has the label "none". */
export interface ComparisonRow extends Omit<GroupsRow, 'cells'> {
  /** The figures under the headings; amounts in several currencies are on lines of their own. */
  cells: readonly (readonly string[])[]
}

/** A part of a grid that fits on paper. */
export interface GridTable {
  grid: Grid
  /** The name of the part, such as a week; null for the whole grid. */
  name: string | null
  /** The heading of each column. */
  headings: readonly string[]
}
