import type { DurationDisplay } from '../lib/calendar/duration-display.js'
import { isOfCalendar } from './keys.js'
import type {
  BillableDurations,
  DisplayedGroup,
  DisplayedReport,
  Durations,
  Group,
  Report,
  Totals,
} from './report-model.js'

/**
 * Returns a report with its durations as displayed: those of groups add up to those of the group around them, unless they
 * overlap, and billable and non-billable ones to their total.
 */
export function displayedReport(report: Report, display: DurationDisplay): DisplayedReport {
  const { seconds, roundedSeconds, unratedSeconds, averageSeconds, targetSeconds, secondsBeforeTarget } =
    report
  const rounded = { seconds: display.rounded(seconds), roundedSeconds: display.rounded(roundedSeconds) }
  const displayed = withBillable(rounded, report, display)
  return {
    ...report,
    displayed: {
      ...displayed,
      unratedSeconds:
        unratedSeconds === report.billableSeconds
          ? displayed.billableSeconds
          : display.rounded(unratedSeconds),
      averageSeconds: averageSeconds === null ? null : display.rounded(averageSeconds),
      targetSeconds: targetSeconds === null ? null : display.rounded(targetSeconds),
      secondsBeforeTarget: display.rounded(secondsBeforeTarget),
    },
    groups: displayedGroups(report, displayed, display),
  }
}

function displayedGroups(
  { groups, ...exact }: Durations & { groups: readonly Group[] },
  displayed: Durations,
  display: DurationDisplay,
): DisplayedGroup[] {
  const parts = (name: keyof Durations) => {
    const durations = groups.map((group) => group[name])
    const sum = durations.reduce((all, seconds) => all + seconds, 0)
    // Groups of tags overlap: they do not add up to a total.
    if (sum !== exact[name]) return durations.map((seconds) => display.rounded(seconds))
    return display.parts(durations, displayed[name])
  }
  const [seconds, rounded] = [parts('seconds'), parts('roundedSeconds')]
  return groups.map((group, index) => {
    const durations = { seconds: seconds[index] ?? 0, roundedSeconds: rounded[index] ?? 0 }
    const displayed = withBillable(durations, group, display)
    // A property that is added to a copy, instead of before it, takes several times the memory in V8.
    return { displayed, ...group, groups: displayedGroups(group, displayed, display) }
  })
}

/** Adds the billable part to displayed durations. */
function withBillable(
  { seconds, roundedSeconds }: Durations,
  exact: BillableDurations,
  display: DurationDisplay,
): BillableDurations {
  const part = (billable: number, all: number, total: number) =>
    display.parts([billable, all - billable], total)[0] ?? 0
  return {
    seconds,
    roundedSeconds,
    billableSeconds: part(exact.billableSeconds, exact.seconds, seconds),
    billableRoundedSeconds: part(exact.billableRoundedSeconds, exact.roundedSeconds, roundedSeconds),
  }
}

/** Returns the durations of a report, to choose the decimal places of exact ones. */
export function durationsOf(totals: BillableDurations & { groups: readonly Group[] }): number[] {
  const { seconds, roundedSeconds, billableSeconds, billableRoundedSeconds, groups } = totals
  return [seconds, roundedSeconds, billableSeconds, billableRoundedSeconds, ...groups.flatMap(durationsOf)]
}

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
