import type { BarChart, HeatMap, Share } from '../../report/charts/model.js'
import type { Durations, Report } from '../../report/model.js'

/** An entry, or a part of it, as formatted text; null for an empty cell. */
export interface EntryRow {
  date: string
  from: string
  to: string
  duration: string
  client: string | null
  project: string | null
  task: string | null
  notes: string | null
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

/** The content of a page about a period. Texts are plain text, not markup. */
export interface PageModel extends PageHeader {
  /** The time at which the page was created. */
  createdAt: string
  /** The report with all levels of groups. */
  report: Report
  /** Billable and non-billable time; undefined if the report does not distinguish them. */
  billableParts: Record<'billable' | 'nonBillable', Durations> | undefined
  /** A sentence below the totals on how they were rounded. */
  roundingNote: string | undefined
  /** The bar chart by day, week or month; undefined without one. */
  bars: BarChart | undefined
  /** The maps of days, which the page shows if one is longer than ten weeks. */
  heatMaps: readonly HeatMap[]
  shares: readonly Share[]
  /** The grouping of the shares, such as "project". */
  sharesBy: string
  entries: Iterable<EntryRow> | AsyncIterable<EntryRow>
  /** The sum of the durations of the entries, in whole seconds. */
  entrySeconds: number
  /** Formats whole seconds, which may be negative: "1h 30m". */
  duration(seconds: number): string
}
