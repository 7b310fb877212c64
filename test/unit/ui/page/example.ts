import { formatDuration } from '../../../../src/lib/calendar/duration.js'
import { DurationDisplay } from '../../../../src/lib/calendar/duration-display.js'
import { dayText } from '../../../../src/lib/calendar/period-text.js'
import { barChart } from '../../../../src/report/charts/bars.js'
import { heatMaps } from '../../../../src/report/charts/heat.js'
import { shares } from '../../../../src/report/charts/shares.js'
import { decimalHours } from '../../../../src/report/decimal-hours.js'
import { displayedReport } from '../../../../src/report/displayed-report.js'
import { type Group, type Report, targetBalance } from '../../../../src/report/report-model.js'
import type { EntryDay, EntryFigures, EntryRow, PageModel } from '../../../../src/ui/page/page-model.js'
import { fullTime } from '../../report/charts/examples.js'
import {
  type DayWork,
  type ReportOptions,
  reportByDay,
  reportByProject,
  totalsOf,
} from '../../report/charts/reports.js'

const notes = [
  'Design review with the team, and the changes that came of it',
  'Fixed the export: <script>alert("no")</script> & "quotes" stay as they are',
  'פגישה עם הלקוח על העיצוב החדש',
  'First line\nSecond line',
  null,
  '東京支社との打ち合わせ',
]

const rate = { currency: 'EUR', amount: '95.00' }
const columns = ['from', 'to', 'client', 'project', 'task', 'notes', 'duration', 'hours', 'amounts'] as const

/** Returns a page of this work as a command writes it, with clients, tasks, notes and amounts. */
export function examplePage(
  work: readonly DayWork[],
  framing: ReportOptions = {},
  more: Partial<PageModel> = {},
): PageModel {
  const report = reportByProject(work, framing)
  const days = reportByDay(work, framing)
  const priced = framing.amounts !== undefined
  for (const group of priced ? report.groups : []) {
    group.amounts = [worth(group.seconds)]
    group.rate = rate
  }
  const clients = byClient(report.groups).map(({ label }) => label)
  const grouped: Report = { ...report, by: ['client', 'project'], groups: byClient(report.groups) }
  return {
    title: 'Time report',
    period: `${framing.since} to ${framing.until}`,
    selection: ['billable', 'each entry rounded up to 15 min'],
    recipient: null,
    sender: ['Ada Lovelace', '12 Analytical Street', 'London'],
    createdAt: '1 June 2024, 09:30',
    isForClient: false,
    expenses: undefined,
    amounts: report.amounts,
    seriesOf: ({ by, label }) => (by === 'client' ? clients.indexOf(label) : undefined),
    report: displayedReport(grouped, DurationDisplay.of('1h 24m')),
    billableParts: undefined,
    targetBalance: targetBalance(report),
    roundingNote: undefined,
    bars: barChart(days, { weekStart: 1, targetOf: fullTime }),
    heatMaps: heatMaps(days, 1),
    shares: shares(byClient(report.groups)),
    sharesBy: 'client',
    hasDecimalDurations: false,
    days: daysOf(work, priced),
    entryTotals: figuresOf(report.seconds, priced),
    entryColumns: new Set(priced ? columns : columns.filter((kind) => kind !== 'amounts')),
    commonValues: priced ? [{ title: 'Rate', text: '95.00 EUR an hour' }] : [],
    hasAllEntries: false,
    duration: formatDuration,
    hours: decimalHours,
    ...more,
  }
}

function daysOf(work: readonly DayWork[], priced: boolean): EntryDay[] {
  const days = [...new Set(work.map(({ day }) => day))].sort()
  return days.map((day) => {
    const ofDay = work.filter((one) => one.day === day)
    const seconds = ofDay.reduce((sum, one) => sum + one.seconds, 0)
    const rows = ofDay.map((one) => entryOf(one, work.indexOf(one), priced))
    return { title: dayText(day), figures: figuresOf(seconds, priced), rows }
  })
}

function figuresOf(seconds: number, priced: boolean): EntryFigures {
  const [duration, hours] = [formatDuration(seconds), decimalHours(seconds)]
  return { duration, hours, amounts: priced ? [worth(seconds)] : [] }
}

function entryOf({ project, seconds }: DayWork, index: number, priced: boolean): EntryRow {
  const from = 9 * 3600 + (index % 3) * 4500
  return {
    from: clock(from),
    to: clock(from + seconds),
    isContinued: false,
    ...figuresOf(seconds, priced),
    rate: priced ? rate : null,
    client: project === null ? null : clientOf(project),
    project,
    task: project === null ? null : (['Design', 'Development', 'Meetings'][index % 3] ?? null),
    notes: notes[index % notes.length] ?? null,
  }
}

function clock(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(11, 16)
}

function worth(seconds: number) {
  return { currency: 'EUR', amount: ((seconds / 3600) * 95).toFixed(2) }
}

function clientOf(project: string | null): string | null {
  return project === null ? null : project.length % 2 === 0 ? 'Acme Ltd' : 'Initech GmbH & Co. KG'
}

function byClient(projects: readonly Group[]): Group[] {
  return [...new Set(projects.map(({ key }) => clientOf(key)))].map((client) => {
    const groups = projects.filter(({ key }) => clientOf(key) === client)
    const sum = (read: (group: Group) => number) => groups.reduce((total, group) => total + read(group), 0)
    const seconds = sum((group) => group.seconds)
    return {
      ...totalsOf(seconds),
      by: 'client',
      key: client,
      id: null,
      label: client ?? 'no client',
      count: sum(({ count }) => count),
      share: sum(({ share }) => share),
      amounts: groups.some(({ amounts }) => amounts.length > 0) ? [worth(seconds)] : [],
      groups,
    }
  })
}
