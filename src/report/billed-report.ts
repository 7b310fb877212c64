import { isOfCalendar } from './keys.js'
import type { Group, Report, Totals } from './report-model.js'

/**
 * Returns a report for a client: its only time is the rounded one, also in its shares and in the order of its groups. It has
 * no average and no target, which are about exact time.
 */
export function billedReport(report: Report): Report {
  return {
    ...report,
    ...billedTotals(report),
    groups: billedGroups(report.groups, report.roundedSeconds),
    rounding: null,
    unratedSeconds: 0,
    averageSeconds: null,
    targetSeconds: null,
    targetSince: null,
    secondsBeforeTarget: 0,
    sinceEarlierDay: [],
  }
}

function billedTotals({ roundedSeconds, billableRoundedSeconds }: Totals) {
  return { seconds: roundedSeconds, billableSeconds: billableRoundedSeconds }
}

function billedGroups(groups: readonly Group[], totalSeconds: number): Group[] {
  const billed = groups.map((group) => ({
    ...group,
    ...billedTotals(group),
    share: totalSeconds === 0 ? 0 : group.roundedSeconds / totalSeconds,
    groups: billedGroups(group.groups, totalSeconds),
  }))
  return billed.some(({ by }) => isOfCalendar(by)) ? billed : billed.sort((a, b) => b.seconds - a.seconds)
}
