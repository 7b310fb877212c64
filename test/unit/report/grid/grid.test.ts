import { describe, expect, test } from 'vitest'
import { gridColumns, gridOf, splitDimensions } from '../../../../src/report/grid/grid.js'
import { entry, link } from '../fixtures.js'
import { gridLines, gridOfEntries } from './grids.js'

const span = (first: string, last: string) => ({ first, last })

describe('splitDimensions', () => {
  test('takes the last dimension of the calendar as columns', () => {
    expect(splitDimensions(['month', 'client', 'day', 'task'])).toEqual({
      rows: ['month', 'client', 'task'],
      columns: 'day',
    })
    expect(splitDimensions(['weekday'])).toEqual({ rows: [], columns: 'weekday' })
  })

  test('returns undefined without a dimension of the calendar', () => {
    expect(splitDimensions(['client', 'tag', 'notes'])).toBeUndefined()
  })
})

describe('gridColumns', () => {
  test('cuts weeks to the period, with either first day', () => {
    const weeks = (weekStart: 0 | 1) => gridColumns('week', span('2024-05-04', '2024-05-12'), weekStart)
    expect(weeks(1)).toEqual([
      { key: '2024-04-29', label: '2024-W18 from 2024-04-29', first: '2024-05-04', last: '2024-05-05' },
      { key: '2024-05-06', label: '2024-W19 from 2024-05-06', first: '2024-05-06', last: '2024-05-12' },
    ])
    expect(weeks(0)).toEqual([
      { key: '2024-04-28', label: 'week of 2024-04-28', first: '2024-05-04', last: '2024-05-04' },
      { key: '2024-05-05', label: 'week of 2024-05-05', first: '2024-05-05', last: '2024-05-11' },
      { key: '2024-05-12', label: 'week of 2024-05-12', first: '2024-05-12', last: '2024-05-12' },
    ])
  })

  test('sorts weekdays from the first of the week, however the period begins', () => {
    const weekdays = (weekStart: 0 | 1) =>
      gridColumns('weekday', span('2024-05-08', '2024-05-21'), weekStart).map(({ key }) => key.slice(0, 3))
    expect(weekdays(1)).toEqual(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'])
    expect(weekdays(0)).toEqual(['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'])
    expect(gridColumns('weekday', span('2024-05-08', '2024-05-21'), 1)[1]).toEqual({
      ...{ key: 'Tuesday', label: 'Tuesday', first: '2024-05-14', last: '2024-05-21' },
    })
  })
})

describe('gridOf', () => {
  test('has only a total if the columns are the only grouping', () => {
    const grid = gridOfEntries(
      [entry('2024-05-06T09:00', '2024-05-06T10:00')],
      span('2024-05-06', '2024-05-06'),
      {
        rows: [],
      },
    )
    expect(gridLines(grid)).toEqual(['Total | 3600 | 3600'])
  })

  test('splits an entry at midnight, with the real hours of a day on which the clocks change', () => {
    const entries = [entry('2024-10-26T22:30', '2024-10-28T00:00')]
    expect(gridLines(gridOfEntries(entries, span('2024-10-26', '2024-10-28')))).toEqual([
      'Website | 5400 90000 - | 95400',
      'Total | 5400 90000 - | 95400',
    ])
  })

  test('adds up subgroups column by column', () => {
    const entries = [
      entry('2024-05-06T09:00', '2024-05-06T10:00'),
      entry('2024-05-07T09:00', '2024-05-07T09:30', { link: link('Acme', 'Website', 'Review') }),
      entry('2024-05-07T10:00', '2024-05-07T10:20', { link: link('Globex', 'Website', 'Design') }),
      entry('2024-05-07T11:00', '2024-05-07T11:10', { link: link(null, 'Internal', 'Design') }),
    ]
    const grid = gridOfEntries(entries, span('2024-05-06', '2024-05-07'), { rows: ['client', 'task'] })
    expect(gridLines(grid)).toEqual([
      'Acme | 3600 1800 | 5400',
      '  Design | 3600 - | 3600',
      '  Review | - 1800 | 1800',
      'Globex | - 1200 | 1200',
      '  Design | - 1200 | 1200',
      'no client | - 600 | 600',
      '  Design | - 600 | 600',
      'Total | 3600 3600 | 7200',
    ])
  })

  test('counts an entry with two tags once in the rows above the tags', () => {
    const entries = [
      entry('2024-05-06T09:00', '2024-05-06T10:00', { notes: '#a #b' }),
      entry('2024-05-07T09:00', '2024-05-07T09:10'),
    ]
    const lines = (...rows: ('client' | 'tag' | 'task')[]) =>
      gridLines(gridOfEntries(entries, span('2024-05-06', '2024-05-07'), { rows }))
    expect(lines('client', 'tag', 'task')).toEqual([
      'Acme | 3600 600 | 4200',
      '  #a | 3600 - | 3600',
      '    Design | 3600 - | 3600',
      '  #b | 3600 - | 3600',
      '    Design | 3600 - | 3600',
      '  no tag | - 600 | 600',
      '    Design | - 600 | 600',
      'Total | 3600 600 | 4200',
    ])
    expect(lines('tag').at(-1)).toBe('Total | 3600 600 | 4200')
  })

  test('marks the rows of a running entry', () => {
    const entries = [
      entry('2024-12-31T11:00', null),
      entry('2024-12-31T09:00', '2024-12-31T10:30', { link: link('Acme', 'Shop', 'Design') }),
    ]
    const { rows } = gridOfEntries(entries, span('2024-12-31', '2024-12-31'), { rows: ['client', 'project'] })
    expect(rows.map(({ label, running, isParent }) => [label, running, isParent])).toEqual([
      ['Acme', true, true],
      ['Shop', false, false],
      ['Website', true, false],
    ])
  })

  test('rejects entries outside of the columns', () => {
    const entries = [entry('2024-05-06T22:30', '2024-05-07T01:00')]
    expect(() => gridOfEntries(entries, span('2024-05-06', '2024-05-06'))).toThrow('no column for 2024-05-07')
    const report = { by: ['project'], groups: [] } as unknown as Parameters<typeof gridOf>[0]
    expect(() => gridOf(report, [])).toThrow('not of the calendar')
  })
})
