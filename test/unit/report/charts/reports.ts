import type { Day, Weekday } from '../../../../src/lib/calendar/day.js'
import type { Dimension } from '../../../../src/records/report-names.js'
import { barChart, nameOfSpan } from '../../../../src/report/charts/bars.js'
import type { BarChart } from '../../../../src/report/charts/chart-model.js'
import type { Group, Report } from '../../../../src/report/report-model.js'
import { reportFrame } from '../fixtures.js'

/** Time on a project on a day, in seconds. */
export interface DayWork {
  day: Day
  project: string | null
  seconds: number
}

export type ReportOptions = Partial<Pick<Report, 'since' | 'until' | 'targetSeconds' | 'amounts'>>

/** Returns the report of this work by day and project. */
export function reportByDay(work: readonly DayWork[], framing: ReportOptions = {}): Report {
  const days = [...new Set(work.map(({ day }) => day))].sort()
  const whole = sum(work)
  const groups = days.map((day) => {
    const ofDay = work.filter((one) => one.day === day)
    const label = nameOfSpan({ first: day, last: day }, 'day', 1)
    return groupOf('day', day, label, ofDay, whole, byProject(ofDay, whole))
  })
  return reportOf(['day', 'project'], groups, work, framing)
}

/** Returns the report of this work by project. */
export function reportByProject(work: readonly DayWork[], framing: ReportOptions = {}): Report {
  return reportOf(['project'], byProject(work, sum(work)), work, framing)
}

/** Returns the bars of a report that is grouped by the calendar. */
export function chartOf(
  report: Report,
  weekStart: Weekday = 1,
  targetOf?: (day: Day) => number | undefined,
): BarChart {
  const chart = barChart(report, { weekStart, ...(targetOf ? { targetOf } : {}) })
  if (!chart) throw new Error('The report is not grouped by the calendar.')
  return chart
}

function byProject(work: readonly DayWork[], whole: number): Group[] {
  return [...new Set(work.map(({ project }) => project))].map((project) => {
    const parts = work.filter((one) => one.project === project)
    return groupOf('project', project, project ?? 'no project', parts, whole, [])
  })
}

function groupOf(
  by: Dimension,
  key: string | null,
  label: string,
  work: readonly DayWork[],
  whole: number,
  groups: Group[],
): Group {
  const seconds = sum(work)
  const share = whole === 0 ? 0 : seconds / whole
  const totals = { ...totalsOf(seconds), count: work.length }
  return { by, key, id: null, label, share, groups, ...totals }
}

function reportOf(
  by: Dimension[],
  groups: Group[],
  work: readonly DayWork[],
  framing: ReportOptions,
): Report {
  const seconds = sum(work)
  const workingDays = new Set(work.map(({ day }) => day)).size
  return {
    ...{ ...reportFrame, since: null, until: null, by, groups },
    ...totalsOf(seconds),
    count: work.length,
    isBilled: framing.amounts !== undefined,
    workingDays,
    averageSeconds: workingDays === 0 ? null : Math.round(seconds / workingDays),
    ...framing,
  }
}

/** Returns the totals of time that is exact, billable and without a rate. */
export function totalsOf(seconds: number) {
  return {
    ...{ seconds, roundedSeconds: seconds, billableSeconds: seconds, billableRoundedSeconds: seconds },
    ...{ running: false, amounts: [], rate: null },
  }
}

function sum(work: readonly DayWork[]): number {
  return work.reduce((total, { seconds }) => total + seconds, 0)
}
