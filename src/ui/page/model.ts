import type { BarChart, HeatMap, Share } from '../../report/charts/model.js'
import type { Report } from '../../report/model.js'

/** An entry, or the part of one, as it is shown; null where there is nothing to show. */
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

/** Everything that a page about a period says. All text is shown as it is; none of it is markup. */
export interface PageModel {
  /** "Time report". */
  title: string
  /** "May 2024", "2024-05-01 to 2024-05-31". */
  period: string
  /** Whose time it is, and where: names of a person, a company, a profile. */
  userName: readonly string[]
  /** When the page was made. */
  createdAt: string
  /** The report with its groups at any depth. */
  report: Report
  /** The bar chart by day, week or month; undefined without one. */
  bars: BarChart | undefined
  /** Shown where a map is longer than ten weeks. */
  heatMaps: readonly HeatMap[]
  shares: readonly Share[]
  /** What the shares are of, such as "project". */
  sharesBy: string
  entries: Iterable<EntryRow> | AsyncIterable<EntryRow>
  /** What the durations of the entries add up to, in whole seconds. */
  entrySeconds: number
  /** Whole seconds, which may be negative, as people read them: "1h 30m". */
  duration(seconds: number): string
}
