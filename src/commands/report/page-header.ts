import { formatDuration } from '../../lib/calendar/duration.js'
import { periodText } from '../../lib/calendar/period-text.js'
import { localCompanyName } from '../../lib/local-company.js'
import { filterTexts } from '../../program/options/entry-filters.js'
import { periodOf, type Report } from '../../report/report-model.js'
import type { Entry } from '../../tracking/entries/entry.js'
import type { NamedExpense } from '../../tracking/entries/expenses/expense.js'
import type { PageHeader } from '../../ui/page/page-model.js'
import type { ReportContext, ReportInput, ReportQuery } from './report-query.js'

interface PageContent {
  query: ReportQuery
  /** The report before its rounding was hidden. */
  report: Report
  entries: readonly Entry[]
  isForClient: boolean
  recipient: string | null
}

/** Returns the texts of the page header: what the page shows, for whom and from whom. */
export async function headerOf(
  ctx: ReportContext,
  options: ReportInput['options'],
  { query, report, entries, isForClient, recipient }: PageContent,
): Promise<PageHeader> {
  const rounding = roundingText(report)
  return {
    title: options.title ?? 'Time report',
    period: periodText(periodOf(report)),
    selection: [
      ...(ctx.team?.selection ?? []),
      ...filterTexts(options, entries, isForClient),
      ...(rounding === undefined ? [] : [rounding]),
    ],
    recipient,
    sender: query.settings.sender ?? (await accountNames(ctx)),
  }
}

/** Returns the name of the only client of entries and expenses; null if there are several or none. */
export function onlyClient(entries: readonly Entry[], expenses: readonly NamedExpense[]): string | null {
  const clients = [...entries.map(({ link }) => link?.client), ...expenses.map(({ client }) => client)]
  const [client] = clients
  return client && clients.every((other) => other?.id === client.id) ? client.name : null
}

/** Returns the names of the company and of the profile; none in a local workspace whose company has no name of its own. */
async function accountNames(ctx: ReportContext): Promise<string[]> {
  const company = await (await ctx.reference()).recent('company')
  if (company.name === localCompanyName) return []
  if (ctx.team) return [company.name]
  const { signIn } = ctx.config.profile
  return signIn ? [company.name, signIn.name] : [company.name]
}

const directions = { up: 'up to', down: 'down to', nearest: 'to the nearest' } as const

/** Returns "each entry rounded up to 15 min", "entries rounded by client or project"; undefined without rounding. */
function roundingText({ rounding, by }: Pick<Report, 'rounding' | 'by'>): string | undefined {
  if (!rounding) return undefined
  const { single } = rounding
  if (!single) return 'entries rounded by client or project'
  const rounded = rounding.of === 'entries' ? 'each entry' : `the total of each ${by.at(-1)}`
  return `${rounded} rounded ${directions[single.direction]} ${stepText(single.stepSeconds)}`
}

function stepText(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`
  return seconds % 60 === 0 && seconds < 3600 ? `${seconds / 60} min` : formatDuration(seconds)
}
