import { type Html, html } from '../../lib/text/html.js'
import { countText, figureText, moneyLines } from './figures.js'
import type { PageModel } from './page-model.js'

/** Returns the most important figures; the first is the largest. */
export function summarySection({
  report,
  billableParts,
  comparison,
  targetBalance: balance,
  ...model
}: PageModel): Html {
  const duration = (length: number) => figureText(model.duration(length))
  const {
    seconds,
    roundedSeconds,
    count,
    amounts,
    workingDays,
    averageSeconds,
    targetSeconds,
    targetSince,
    unratedSeconds,
  } = report
  const figures: [name: string, value: Html | Html[] | string, note?: string][] = [
    ['Total time', duration(seconds), countText(count, 'entry', 'entries')],
  ]
  if (report.rounding) figures.push(['Rounded', duration(roundedSeconds)])
  if (billableParts) {
    const { billable, nonBillable } = billableParts
    for (const [name, part] of [
      ['Billable', billable],
      ['Non-billable', nonBillable],
    ] as const) {
      if (name === 'Non-billable' && part.seconds === 0) continue
      const value = duration(part.seconds)
      figures.push(
        report.rounding ? [name, value, `rounded ${duration(part.roundedSeconds)}`] : [name, value],
      )
    }
  }
  if (amounts.length > 0) {
    const name = amounts.length > 1 ? 'Amounts' : 'Amount'
    const note = `without ${duration(unratedSeconds)} that have no rate`
    figures.push(unratedSeconds > 0 ? [name, moneyLines(amounts), note] : [name, moneyLines(amounts)])
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
    figures.push(targetSince === null ? ['Target', target] : ['Target', target, `since ${targetSince}`])
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
<dl class="summary">${items}</dl>
${report.running ? running : undefined}</section>\n`
}
