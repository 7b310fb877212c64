import { periodText } from '../../calendar/period-text.js'
import type { Entry } from '../../entries/entry.js'
import { localCompanyName } from '../../lib/local-company.js'
import { periodOf, type Report } from '../../report/report-model.js'
import type { PageHeader } from '../../ui/page/page-model.js'
import type { EntryFilterOptions } from '../shared/options/parse-options.js'
import { filterTexts } from './filter-text.js'
import type { ReportContext } from './report-context.js'
import type { ReportQuery } from './report-query.js'
import { roundingText } from './rounding-text.js'

export interface HeaderOptions extends EntryFilterOptions {
  title?: string
}

interface PageContent {
  query: ReportQuery
  report: Report
  entries: readonly Entry[]
}

/** Returns the texts of the page header: what the page shows, for whom and from whom. */
export async function headerOf(
  ctx: ReportContext,
  options: HeaderOptions,
  { query, report, entries }: PageContent,
): Promise<PageHeader> {
  const rounding = roundingText(report)
  return {
    title: options.title ?? 'Time report',
    period: periodText(periodOf(report)),
    selection: [
      ...(ctx.team?.selection ?? []),
      ...filterTexts(options, entries),
      ...(rounding === undefined ? [] : [rounding]),
    ],
    recipient: onlyClient(entries),
    sender: query.settings.sender ?? (await accountNames(ctx)),
  }
}

/** Returns the name of the client of all entries; null if there are several or none. */
function onlyClient(entries: readonly Entry[]): string | null {
  const [first] = entries
  const client = first?.link?.client
  if (!client || entries.some(({ link }) => link?.client?.id !== client.id)) return null
  return client.name
}

/** Returns the names of the company and of the profile; none in a local workspace whose company has no name of its own. */
async function accountNames(ctx: ReportContext): Promise<string[]> {
  const company = await (await ctx.reference()).recent('company')
  if (company.name === localCompanyName) return []
  if (ctx.team) return [company.name]
  const { signIn } = ctx.config.profile
  return signIn ? [company.name, signIn.name] : [company.name]
}
