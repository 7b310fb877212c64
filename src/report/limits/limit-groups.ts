import type { ComparedGroup, PeriodTotals } from '../comparison.js'
import { addAmounts } from '../money.js'
import type { BillableDurations, Group, Money, RatedTotals } from '../report-model.js'
import { type LimitedTree, limitTree } from './limit-tree.js'

/** Returns about `max` groups; the rest are combined into groups such as "98,000 others", with their sums. */
export function limitGroups(groups: readonly Group[], max: number): LimitedTree<Group> {
  return limitTree(groups, max, (others) => ({ ...headOf(others), ...addTotals(others) }))
}

/** Returns about `max` groups, as `limitGroups` does; combined groups have their sums in each period. */
export function limitComparedGroups(
  groups: readonly ComparedGroup[],
  max: number,
): LimitedTree<ComparedGroup> {
  return limitTree(groups, max, (others) => ({
    ...headOf(others),
    ...{ comparedKey: null, comparedLabel: othersLabel(others.length) },
    running: others.some(({ running }) => running),
    current: addPeriodTotals(others.map(({ current }) => current)),
    compared: addPeriodTotals(others.map(({ compared }) => compared)),
  }))
}

/** Returns the label of combined groups, such as "98,000 others". */
export function othersLabel(count: number): string {
  return `${count.toLocaleString('en')} others`
}

function headOf<Node extends Pick<Group, 'by'>>(groups: readonly Node[]) {
  const [first] = groups
  if (!first) throw new Error('There are no groups to combine.')
  return { by: first.by, key: null, id: null, label: othersLabel(groups.length), groups: [] }
}

function addPeriodTotals(totals: readonly PeriodTotals[]): PeriodTotals {
  return { ...addTotals(totals), displayed: addDurations(totals.map(({ displayed }) => displayed)) }
}

/** Returns the sums of totals, with their rate if all have the same one. */
function addTotals(
  totals: readonly (RatedTotals & Pick<Group, 'share'>)[],
): RatedTotals & Pick<Group, 'share'> {
  const rate = totals[0]?.rate ?? null
  const hasOneRate = totals.every(
    (each) => each.rate?.amount === rate?.amount && each.rate?.currency === rate?.currency,
  )
  return {
    ...addDurations(totals),
    count: sumOf(totals, 'count'),
    share: sumOf(totals, 'share'),
    running: totals.some(({ running }) => running),
    amounts: totals.reduce<Money[]>((sums, { amounts }) => addAmounts(sums, amounts), []),
    rate: hasOneRate ? rate : null,
  }
}

function addDurations(durations: readonly BillableDurations[]): BillableDurations {
  return {
    seconds: sumOf(durations, 'seconds'),
    roundedSeconds: sumOf(durations, 'roundedSeconds'),
    billableSeconds: sumOf(durations, 'billableSeconds'),
    billableRoundedSeconds: sumOf(durations, 'billableRoundedSeconds'),
  }
}

function sumOf<Name extends string>(items: readonly Record<Name, number>[], name: Name): number {
  return items.reduce((sum, item) => sum + item[name], 0)
}
