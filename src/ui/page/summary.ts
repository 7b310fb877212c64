import { dateText } from '../../lib/calendar/period-text.js'
import { type Html, html } from '../../lib/text/html.js'
import type { Money } from '../../report/report-model.js'
import { countText, figureText, moneyLines, moneyText } from './figures.js'
import type { PageModel } from './page-model.js'

/** Returns the most important figures, amounts before hours; the first is the largest. */
export function summarySection({ report, billableParts, comparison, ...model }: PageModel): Html {
  const duration = (length: number) => figureText(model.duration(length))
  const { count, workingDays, targetSince, displayed } = report
  const { seconds, roundedSeconds, averageSeconds, targetSeconds } = displayed
  const balance = model.targetBalance
  const hasBoth = report.rounding !== null
  const entries = countText(count, 'entry', 'entries')
  // Then the billable time is all of the time.
  const isAll = billableParts?.nonBillable.seconds === 0
  const figures: [name: string, value: Html | Html[] | string, note?: string][] = []
  if (model.amounts.length > 0) {
    const note = amountNote(report, model, duration)
    figures.push(
      note === '' ? ['Amount', moneyLines(model.amounts)] : ['Amount', moneyLines(model.amounts), note],
    )
  }
  if (billableParts) {
    const { billable } = billableParts
    const exact = hasBoth ? `exact ${duration(billable.seconds)}` : isAll && entries
    const note = [duration(billable.roundedSeconds), exact].filter(Boolean).join(', ')
    figures.push(['Billable hours', figureText(model.hours(billable.roundedSeconds)), note])
  }
  if (hasBoth)
    figures.push(['Exact time', duration(seconds), entries], ['Rounded time', duration(roundedSeconds)])
  else if (!isAll) figures.push(['Time', duration(seconds), entries])
  const nonBillable = billableParts?.nonBillable
  if (nonBillable && nonBillable.seconds > 0) {
    const value = duration(nonBillable.roundedSeconds)
    figures.push(
      hasBoth ? ['Non-billable', value, `exact ${duration(nonBillable.seconds)}`] : ['Non-billable', value],
    )
  }
  if (averageSeconds !== null)
    figures.push([
      'Average',
      duration(averageSeconds),
      `over ${countText(workingDays, 'working day', 'working days')}`,
    ])
  if (targetSeconds !== null && balance !== null) {
    const note = balance === 0 ? 'on target' : balance > 0 ? 'ahead of the target' : 'behind the target'
    const target = duration(targetSeconds)
    figures.push(
      targetSince === null ? ['Target', target] : ['Target', target, `since ${dateText(targetSince)}`],
    )
    figures.push(['Balance', duration(balance), note])
  }
  if (comparison) {
    const { difference, change, period } = comparison
    const note = `compared with ${period}${change === null ? '' : ` (${change})`}`
    figures.push(['Difference', figureText(difference), note])
  }
  const items = figures.map(
    ([name, value, note]) =>
      html`<div><dt>${name}</dt><dd>${value}</dd>${note === undefined ? undefined : html`<dd class="note">${note}</dd>`}</div>\n`,
  )
  const running = html`<p class="note">An entry is still running. Its time counts up to the creation of this page.</p>\n`
  return html`<section>
<h2>Summary</h2>
<dl class="summary columns${figures.length < 5 ? figures.length : Math.ceil(figures.length / 2)}">${items}</dl>
${report.running ? running : undefined}</section>\n`
}

/** Returns what an amount consists of, and what it lacks; empty if there is nothing to say. */
function amountNote(
  { amounts, displayed: { unratedSeconds } }: PageModel['report'],
  { expenses, isForClient }: Pick<PageModel, 'expenses' | 'isForClient'>,
  duration: (seconds: number) => string,
): string {
  const listed = (money: readonly Money[]) => money.map(moneyText).join(', ')
  const parts =
    expenses && amounts.length > 0 && `time ${listed(amounts)}; expenses ${listed(expenses.amounts)}`
  const missing =
    unratedSeconds > 0 && !isForClient && `without ${duration(unratedSeconds)} that have no rate`
  return [parts, missing].filter(Boolean).join('; ')
}
