import type { DurationDisplay } from '../lib/calendar/duration-display.js'
import type { ComparedGroup, Comparison, PeriodTotals } from './comparison.js'
import type { Group, Report, Totals } from './report-model.js'

/**
 * Returns a report with durations as they are displayed: those of groups add up to those of the group around them,
 * unless they overlap, and billable and non-billable ones to their total. Amounts and shares are those of the exact durations.
 */
export function displayedReport(report: Report, display: DurationDisplay): Report {
  const totals = {
    seconds: display.rounded(report.seconds),
    roundedSeconds: display.rounded(report.roundedSeconds),
  }
  const billed = billable(report, totals, display)
  return {
    ...report,
    ...totals,
    ...billed,
    unratedSeconds:
      report.unratedSeconds === report.billableSeconds
        ? billed.billableSeconds
        : display.rounded(report.unratedSeconds),
    groups: displayedGroups(report.groups, { exact: report, displayed: totals }, display),
    averageSeconds: report.averageSeconds === null ? null : display.rounded(report.averageSeconds),
    targetSeconds: report.targetSeconds === null ? null : display.rounded(report.targetSeconds),
    secondsBeforeTarget: display.rounded(report.secondsBeforeTarget),
  }
}

type Displayed = Pick<Totals, 'seconds' | 'roundedSeconds'>

function displayedGroups(
  groups: readonly Group[],
  around: { exact: Totals; displayed: Displayed },
  display: DurationDisplay,
): Group[] {
  const parts = (name: keyof Displayed) => {
    const durations = groups.map((group) => group[name])
    const sum = durations.reduce((all, seconds) => all + seconds, 0)
    // Groups of tags overlap: they do not add up to a total.
    if (sum !== around.exact[name]) return durations.map((seconds) => display.rounded(seconds))
    return display.parts(durations, around.displayed[name])
  }
  const [seconds, rounded] = [parts('seconds'), parts('roundedSeconds')]
  return groups.map((group, index) => {
    const displayed = { seconds: seconds[index] ?? 0, roundedSeconds: rounded[index] ?? 0 }
    return {
      ...group,
      ...displayed,
      ...billable(group, displayed, display),
      groups: displayedGroups(group.groups, { exact: group, displayed }, display),
    }
  })
}

function billable(totals: Totals, displayed: Displayed, display: DurationDisplay) {
  const part = (exact: number, all: number, total: number) =>
    display.parts([exact, all - exact], total)[0] ?? 0
  return {
    billableSeconds: part(totals.billableSeconds, totals.seconds, displayed.seconds),
    billableRoundedSeconds: part(
      totals.billableRoundedSeconds,
      totals.roundedSeconds,
      displayed.roundedSeconds,
    ),
  }
}

/** Returns a comparison of displayed reports (`displayedReport`), with the groups in the same order. */
export function displayedComparison(comparison: Comparison, display: DurationDisplay): Comparison {
  const displayed = new Map<PeriodTotals, PeriodTotals>()
  const pair = (exact: { groups: readonly Group[] }, shown: { groups: readonly Group[] }) => {
    for (const [index, group] of exact.groups.entries()) {
      const shownGroup = shown.groups[index] ?? group
      displayed.set(group, shownGroup)
      pair(group, shownGroup)
    }
  }
  const reportOf = (report: Report) => {
    const shown = displayedReport(report, display)
    pair(report, shown)
    return shown
  }
  const [current, compared] = [reportOf(comparison.current), reportOf(comparison.compared)]
  // A group without entries in a period has totals of 0 there, which need no display.
  const groupOf = (group: ComparedGroup): ComparedGroup => ({
    ...group,
    current: displayed.get(group.current) ?? group.current,
    compared: displayed.get(group.compared) ?? group.compared,
    groups: group.groups.map(groupOf),
  })
  return { current, compared, groups: comparison.groups.map(groupOf) }
}

/** Returns the durations of a report, to choose the decimal places of exact ones. */
export function durationsOf(totals: Totals & { groups: readonly Group[] }): number[] {
  const { seconds, roundedSeconds, billableSeconds, billableRoundedSeconds, groups } = totals
  return [seconds, roundedSeconds, billableSeconds, billableRoundedSeconds, ...groups.flatMap(durationsOf)]
}
