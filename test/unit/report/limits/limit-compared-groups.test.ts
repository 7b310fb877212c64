import { expect, test } from 'vitest'
import type { ComparedGroup, PeriodTotals } from '../../../../src/report/comparison.js'
import { limitComparedGroups } from '../../../../src/report/limits.js'

function totals(seconds: number, share: number): PeriodTotals {
  const durations = {
    ...{ seconds, roundedSeconds: seconds, billableSeconds: seconds, billableRoundedSeconds: seconds },
  }
  return {
    ...durations,
    displayed: durations,
    share,
    count: 1,
    running: false,
    rate: null,
    amounts: [{ currency: 'EUR', amount: `${seconds}.50` }],
  }
}

function group(name: string, seconds: number, comparedSeconds: number): ComparedGroup {
  return {
    ...{ by: 'notes', label: name, comparedLabel: name, key: name, comparedKey: name, id: null },
    ...{ current: totals(seconds, 0.1), compared: totals(comparedSeconds, 0.2) },
    ...{ running: false, groups: [] },
  }
}

test('combines the groups that do not fit, with their sums in each period', () => {
  const groups = Array.from({ length: 10 }, (_, index) => group(`n${index}`, index, 100 + index))
  const { nodes, omitted, count } = limitComparedGroups(groups, 4)
  expect({ omitted, count }).toEqual({ omitted: 6, count: 10 })
  expect(nodes.slice(0, 4)).toEqual(groups.slice(0, 4))
  expect(nodes).toHaveLength(5)
  expect(nodes[4]).toMatchObject({
    label: '6 others',
    current: { seconds: 39, count: 6, amounts: [{ currency: 'EUR', amount: '42.00' }] },
    compared: { seconds: 639, count: 6, amounts: [{ currency: 'EUR', amount: '642.00' }] },
  })
  expect(nodes[4]?.compared.share).toBeCloseTo(1.2)
})
