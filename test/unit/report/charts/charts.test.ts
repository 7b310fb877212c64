import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { addDays, countDays, type Weekday } from '../../../../src/lib/calendar/day.js'
import { barChart } from '../../../../src/report/charts/bars.js'
import { heatMaps } from '../../../../src/report/charts/heat.js'
import { shares } from '../../../../src/report/charts/shares.js'
import { fullTime, steadyWork } from './examples.js'
import { chartOf, type DayWork, reportByDay, reportByProject } from './reports.js'

const hour = 3600

const anyDay = (days: number) => fc.integer({ min: 0, max: days }).map((n) => addDays('2023-12-25', n))
const anyWork = (days: number): fc.Arbitrary<DayWork[]> =>
  fc.array(
    fc.record({
      day: anyDay(days),
      project: fc.option(fc.constantFrom(...'ABCDEFGHIJKLM')),
      seconds: fc.integer({ min: 0, max: 86_400 }),
    }),
    { maxLength: 60 },
  )
const anyWeekStart = fc.constantFrom<Weekday>(0, 1, 6)
const anyLength = fc.constantFrom(0, 6, 61, 62, 400, 1500, 5000, 40_000)

const secondsOf = (bars: { seconds: number }[]) => bars.reduce((total, { seconds }) => total + seconds, 0)

describe('the bars of a report', () => {
  it('contain every second of the groups, as bars and as series', () => {
    fc.assert(
      fc.property(
        anyLength.chain((length) => fc.tuple(anyWork(length), fc.constant(length))),
        anyWeekStart,
        ([work, length], weekStart) => {
          const report = reportByDay(work, { since: '2023-12-25', until: addDays('2023-12-25', length) })
          const { bars, series, maxSeconds } = chartOf(report, weekStart)
          expect(secondsOf(bars)).toBe(report.seconds)
          expect(secondsOf(series)).toBe(report.seconds)
          for (const bar of bars) expect(bar.parts.reduce((a, b) => a + b, 0)).toBe(bar.seconds)
          for (const [place, { seconds }] of series.entries())
            expect(bars.reduce((sum, { parts }) => sum + (parts[place] ?? 0), 0)).toBe(seconds)
          expect(maxSeconds).toBe(Math.max(0, ...bars.map(({ seconds }) => seconds)))
        },
      ),
    )
  })

  it('cover all days without gaps, with at most 64 bars', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200_000 }), anyWeekStart, (length, weekStart) => {
        const since = '1970-01-01'
        const until = addDays(since, length)
        const { bars } = chartOf(reportByDay([], { since, until }), weekStart)
        expect(bars.length).toBeLessThanOrEqual(64)
        expect([bars[0]?.first, bars.at(-1)?.last]).toEqual([since, until])
        for (const [index, bar] of bars.entries()) {
          expect(countDays(bar.first, bar.last)).toBeGreaterThan(0)
          if (index > 0) expect(bar.first).toBe(addDays(bars[index - 1]?.last ?? '', 1))
        }
      }),
    )
  })

  test.each([
    ['two months by days', '2024-07-01', '2024-08-31', 62, '2024-07-01 Mon', '2024-08-31 Sat'],
    ['a year by weeks', '2024-01-01', '2024-12-31', 53, '2024-W01', '2025-W01'],
    ['five years by months', '2020-01-01', '2024-12-31', 60, '2020-01', '2024-12'],
    ['ten years by quarters', '2015-01-01', '2024-12-31', 40, '2015-Q1', '2024-Q4'],
    ['fifty years by years', '1970-01-01', '2019-12-31', 50, '1970', '2019'],
    ['1970 to 2100 by decades', '1970-01-01', '2100-12-31', 14, '1970 to 1979', '2100 to 2109'],
  ])('show %s', (_, since, until, count, first, last) => {
    const { bars } = chartOf(reportByDay([], { since, until }))
    expect([bars.length, bars[0]?.label, bars.at(-1)?.label]).toEqual([count, first, last])
  })

  it('name weeks by their first day when they do not start on Monday', () => {
    const { bars } = chartOf(reportByDay([], { since: '2024-01-03', until: '2024-03-31' }), 0)
    expect(bars.slice(0, 2).map(({ first, last, label }) => [first, last, label])).toEqual([
      ['2024-01-03', '2024-01-06', 'week of 2023-12-31'],
      ['2024-01-07', '2024-01-13', 'week of 2024-01-07'],
    ])
  })

  it('have at most seven series and others, the longest first', () => {
    const work = [...'ABCDEFGHIJ'].map((project, index) => ({
      day: '2024-05-01',
      project,
      seconds: (index + 1) * 60,
    }))
    const nine = chartOf(reportByDay(work)).series
    expect(nine.map(({ label, text }) => `${label} ${text}`)).toEqual([
      ...['J 10m', 'I 9m', 'H 8m', 'G 7m', 'F 6m', 'E 5m', 'D 4m', '3 others 6m'],
    ])
    expect(chartOf(reportByDay(work.slice(0, 8))).series.map(({ label }) => label)).toEqual([...'HGFEDCBA'])
  })

  it('do not depend on the order of the groups', () => {
    fc.assert(
      fc.property(anyWork(20), (work) => {
        const labels = (from: DayWork[]) => chartOf(reportByDay(from)).series.map(({ label }) => label)
        expect(labels(work.toReversed())).toEqual(labels(work))
      }),
    )
  })

  it('have the names of the groups of the whole period, and tell namesakes apart by ID', () => {
    const work = [
      { day: '2024-05-01', project: 'A', seconds: 2 * hour },
      { day: '2024-05-02', project: 'B', seconds: hour },
    ]
    const [report, whole] = [reportByDay(work), reportByProject(work)]
    const inner = report.groups.flatMap(({ groups }) => groups)
    for (const groups of [inner, whole.groups])
      for (const [id, group] of groups.entries()) Object.assign(group, { id, key: 'Web', label: 'Website' })
    for (const group of whole.groups) group.label = `Website (${group.id})`
    const { series } = barChart(report, { weekStart: 1, groups: whole.groups }) ?? {}
    expect(series?.map(({ label }) => label)).toEqual(['Website (0)', 'Website (1)'])
  })

  it('distinguish inaccessible tasks from no task', () => {
    const report = reportByDay([
      { day: '2024-05-01', project: 'A', seconds: 2 * hour },
      { day: '2024-05-01', project: 'B', seconds: hour },
    ])
    const labels = ['task 7', 'no task']
    for (const [index, group] of (report.groups[0]?.groups ?? []).entries())
      Object.assign(group, { key: null, label: labels[index] })
    expect(chartOf(report).series.map(({ label }) => label)).toEqual(labels)
  })

  it('are one series when the report is grouped only by the calendar', () => {
    const report = reportByDay(steadyWork('2024-05-01', [hour, hour]))
    for (const group of report.groups) group.groups = []
    expect(chartOf({ ...report, by: ['day'] })).toMatchObject({
      series: [{ label: 'time', text: '2h 00m' }],
      bars: [{ parts: [hour] }, { parts: [hour] }],
    })
  })

  test.each([
    ['week', ['2024-04-29', '2024-05-06'], ['2024-W18', '2024-W19']],
    ['month', ['2024-04', '2024-06'], ['2024-04', '2024-05', '2024-06']],
    ['quarter', ['2023-Q4', '2024-Q2'], ['2023-Q4', '2024-Q1', '2024-Q2']],
    ['year', ['2022', '2024'], ['2022', '2023', '2024']],
  ] as const)('can show a report by %s', (by, keys, labels) => {
    const report = reportByDay(keys.map((day) => ({ day, project: 'A', seconds: hour })))
    for (const group of report.groups) group.by = by
    const { bars } = chartOf({ ...report, by: [by, 'project'] })
    expect(bars.map(({ label }) => label)).toEqual(labels)
    expect(bars.filter(({ seconds }) => seconds > 0)).toHaveLength(2)
  })

  it('include a week that began before the period', () => {
    const report = reportByDay([{ day: '2024-04-29', project: 'A', seconds: hour }], {
      since: '2024-05-01',
      until: '2024-05-31',
    })
    expect(chartOf({ ...report, by: ['week', 'project'] }).bars[0]).toMatchObject({
      first: '2024-05-01',
      last: '2024-05-05',
      seconds: hour,
    })
  })

  it('have the target of their days, or none without a target', () => {
    const period = { since: '2024-01-01', until: '2024-03-31' }
    const { bars, maxSeconds } = chartOf(reportByDay([], period), 1, fullTime)
    expect(bars.map(({ target }) => target)).toEqual(Array.from({ length: 13 }, () => 40 * hour))
    expect(maxSeconds).toBe(40 * hour)
    expect(chartOf(reportByDay([], period), 1, () => undefined).bars[0]?.target).toBeUndefined()
    expect(chartOf(reportByDay([], period)).bars[0]?.target).toBeUndefined()
  })

  it('are empty without time, and undefined for a report by project', () => {
    expect(chartOf(reportByDay([]))).toEqual({
      unit: 'day',
      series: [],
      hasRest: false,
      bars: [],
      maxSeconds: 0,
    })
    expect(barChart(reportByProject([]), { weekStart: 1 })).toBeUndefined()
  })
})

describe('the heat maps of a report', () => {
  it('contain each day once in the row of its weekday, and every second', { tags: 'slow' }, () => {
    fc.assert(
      fc.property(anyWork(800), anyWeekStart, (work, weekStart) => {
        const report = reportByDay(work, { since: '2023-12-25', until: addDays('2023-12-25', 800) })
        const maps = heatMaps(report, weekStart)
        expect(secondsOf(maps)).toBe(report.seconds)
        for (const map of maps) {
          const days = map.weeks.flat().filter((day) => day !== undefined)
          expect(days.map(({ day }) => day)).toEqual(days.map((_, index) => addDays(map.first, index)))
          expect(days.at(-1)?.day).toBe(map.last)
          expect(secondsOf(days)).toBe(map.seconds)
          expect(secondsOf(map.months)).toBe(map.seconds)
          for (const week of map.weeks) expect(week).toHaveLength(7)
          for (const { seconds, level } of days) expect(level > 0).toBe(seconds > 0)
          for (const week of map.weeks)
            for (const [row, day] of week.entries())
              if (day) expect((new Date(day.day).getUTCDay() - weekStart + 7) % 7).toBe(row)
        }
      }),
    )
  })

  it('have steps of whole hours that a single long day does not change', () => {
    const hours = Array.from({ length: 60 }, (_, index) => (index === 30 ? 20 : 8) * hour)
    const [map] = heatMaps(reportByDay(steadyWork('2024-01-01', hours)), 1)
    expect(map?.steps).toEqual(['2h 00m', '4h 00m', '6h 00m'])
    expect(map?.weekdays).toEqual(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'])
    expect(map?.months.map(({ name, column, text }) => [name, column, text])).toEqual([
      ['Jan', 0, '260h 00m'],
      ['Feb', 4, '232h 00m'],
    ])
  })

  it('are one per calendar year with time when the period is longer than a year', () => {
    const work = ['2020-06-01', '2022-06-01'].map((day) => ({ day, project: 'A', seconds: hour }))
    const maps = heatMaps(reportByDay(work, { since: '2019-03-01', until: '2023-12-31' }), 1)
    expect(maps.map(({ first, last }) => [first, last])).toEqual([
      ['2020-01-01', '2020-12-31'],
      ['2022-01-01', '2022-12-31'],
    ])
  })

  it('show a period within a week', () => {
    const [map] = heatMaps(reportByDay([{ day: '2024-05-08', project: 'A', seconds: hour }]), 1)
    expect(map?.weeks.map((week) => week.map((day) => day?.day))).toEqual([
      [undefined, undefined, '2024-05-08', undefined, undefined, undefined, undefined],
    ])
  })

  it('are empty without time and for a report by project', () => {
    expect(heatMaps(reportByDay([], { since: '2024-01-01', until: '2024-12-31' }), 1)).toEqual([])
    expect(heatMaps(reportByProject([{ day: '2024-05-08', project: 'A', seconds: hour }]), 1)).toEqual([])
  })
})

describe('the shares of groups', () => {
  it('add up to the groups, with at most ten shares and others', () => {
    fc.assert(
      fc.property(anyWork(5), (work) => {
        const { groups, seconds } = reportByProject(work)
        const all = shares(groups)
        expect(secondsOf(all)).toBe(seconds)
        expect(all.length).toBeLessThanOrEqual(11)
        expect(all.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(seconds === 0 ? 0 : 1)
      }),
    )
  })

  it('are shown in per cent, and never as zero', () => {
    const { groups } = reportByProject([
      { day: '2024-05-08', project: 'A', seconds: 100 * hour },
      { day: '2024-05-08', project: null, seconds: 60 },
      { day: '2024-05-08', project: 'empty', seconds: 0 },
    ])
    expect(shares(groups)).toMatchObject([
      { label: 'A', text: '100h 00m', percent: '>99%' },
      { label: 'no project', text: '1m', percent: '<1%' },
    ])
  })
})
