import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ComparedGroup } from '../../../../src/report/comparison.js'
import { limitComparedGroups, limitGroups } from '../../../../src/report/limits.js'
import type { Group } from '../../../../src/report/report-model.js'
import { outline } from '../fixtures.js'

function group(label: string, seconds: number, groups: Group[] = []): Group {
  return {
    ...{ by: 'notes', key: label, id: null, label, seconds, roundedSeconds: seconds + 1 },
    ...{ billableSeconds: seconds, billableRoundedSeconds: seconds, count: 1, share: seconds / 100 },
    ...{ running: false, amounts: [{ currency: 'EUR', amount: `${seconds}.05` }], groups },
    rate: { currency: 'EUR', amount: '95.00' },
  }
}

const leaves = (...seconds: number[]) => seconds.map((length, index) => group(`n${index}`, length))
const sumOf = (groups: readonly Group[], name: 'seconds' | 'roundedSeconds' | 'count') =>
  groups.reduce((sum, one) => sum + one[name], 0)
const countOf = (groups: readonly Group[]): number =>
  groups.reduce((sum, { groups }) => sum + 1 + countOf(groups), 0)

test('groups that fit stay the same', () => {
  const groups = [group('A', 3, leaves(1, 2)), group('B', 4)]
  expect(limitGroups(groups, 4)).toEqual({ nodes: groups, omitted: 0, count: 4 })
})

test('the last groups are combined with their sums, rates and amounts', () => {
  const { nodes, ...counts } = limitGroups(leaves(9, 5, 4, 3, 2), 2)
  expect(counts).toEqual({ omitted: 3, count: 5 })
  expect(outline(nodes)).toEqual(['n0 9', 'n1 5', '3 others 9'])
  expect(nodes[2]).toMatchObject({
    ...{ key: null, roundedSeconds: 12, count: 3, share: expect.closeTo(0.09) },
    amounts: [{ currency: 'EUR', amount: '9.15' }],
    rate: { currency: 'EUR', amount: '95.00' },
  })
})

test('combined groups with different rates have none', () => {
  const [first, second, ...rest] = leaves(9, 5, 4, 3)
  const other = rest.map((one) => ({ ...one, rate: { currency: 'EUR', amount: `9${one.seconds}` } }))
  expect(limitGroups([first, second, ...other] as Group[], 1).nodes.at(-1)?.rate).toBeNull()
})

test('outer groups precede inner ones, which have the same number in each group', () => {
  const groups = [group('A', 10, leaves(4, 3, 2, 1)), group('B', 2, leaves(1, 1)), group('C', 1, leaves(1))]
  expect(outline(limitGroups(groups, 8).nodes)).toEqual([
    ...['A 10', '  n0 4', '  n1 3', '  2 others 3'],
    ...['B 2', '  n0 1', '  n1 1', 'C 1', '  n0 1'],
  ])
  expect(outline(limitGroups(groups, 4).nodes)).toEqual(['A 10', 'B 2', 'C 1'])
})

test('a single group is not combined', () => {
  expect(limitGroups(leaves(3, 2, 1), 2)).toMatchObject({ omitted: 0, count: 3 })
})

const leaf = fc.nat({ max: 20 }).map((seconds) => group('leaf', seconds))
const parentOf = (below: fc.Arbitrary<Group>) =>
  fc.array(below, { minLength: 1, maxLength: 6 }).map((groups) => ({
    ...group('parent', sumOf(groups, 'seconds'), groups),
    roundedSeconds: sumOf(groups, 'roundedSeconds'),
  }))
const trees = fc.oneof(leaf, parentOf(leaf), parentOf(parentOf(leaf)))

test('combined groups have the sums of the group around them, and are about as many as requested', () => {
  const expectSums = (groups: readonly Group[], around: { seconds: number; roundedSeconds: number }) => {
    expect(sumOf(groups, 'seconds')).toBe(around.seconds)
    expect(sumOf(groups, 'roundedSeconds')).toBe(around.roundedSeconds)
    for (const one of groups) if (one.groups.length > 0) expectSums(one.groups, one)
  }
  fc.assert(
    fc.property(fc.array(trees, { maxLength: 12 }), fc.nat({ max: 40 }), (groups, max) => {
      const { nodes, omitted, count } = limitGroups(groups, max)
      const all = { seconds: sumOf(groups, 'seconds'), roundedSeconds: sumOf(groups, 'roundedSeconds') }
      expectSums(nodes, all)
      expect(sumOf(nodes, 'count')).toBe(sumOf(groups, 'count'))
      expect(count).toBe(countOf(groups))
      const listed = count - omitted
      const combined = countOf(nodes) - listed
      expect(listed + combined).toBeLessThanOrEqual(Math.max(2 * max + 1, 1))
      expect(combined === 0 || omitted > combined).toBe(true)
    }),
  )
})

function comparedGroup(name: string, seconds: number, comparedSeconds: number): ComparedGroup {
  const totals = (of: number) => ({ ...group(name, of), displayed: group(name, of) })
  return {
    ...{ by: 'notes', label: name, comparedLabel: name, key: name, comparedKey: name, id: null },
    ...{ current: totals(seconds), compared: totals(comparedSeconds), running: false, groups: [] },
  }
}

test('groups of two periods are combined with their sums in each period', () => {
  const groups = Array.from({ length: 10 }, (_, index) => comparedGroup(`n${index}`, index, 100 + index))
  const { nodes, omitted, count } = limitComparedGroups(groups, 4)
  expect({ omitted, count }).toEqual({ omitted: 6, count: 10 })
  expect(nodes.slice(0, 4)).toEqual(groups.slice(0, 4))
  expect(nodes).toHaveLength(5)
  expect(nodes[4]).toMatchObject({
    label: '6 others',
    current: { seconds: 39, count: 6, amounts: [{ currency: 'EUR', amount: '39.30' }] },
    compared: { seconds: 639, count: 6, amounts: [{ currency: 'EUR', amount: '639.30' }] },
  })
  expect(nodes[4]?.compared.share).toBeCloseTo(6.39)
})
