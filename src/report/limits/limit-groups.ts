import type { ComparedGroup, PeriodTotals } from '../comparison.js'
import { addAmounts } from '../money.js'
import type { Group, Money } from '../report-model.js'
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
    current: addTotals(others.map(({ current }) => current)),
    compared: addTotals(others.map(({ compared }) => compared)),
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

/** Returns the sums of totals, with their rate if all have the same one. */
function addTotals(totals: readonly PeriodTotals[]): PeriodTotals {
  const rate = totals[0]?.rate ?? null
  const hasOneRate = totals.every(
    (each) => each.rate?.amount === rate?.amount && each.rate?.currency === rate?.currency,
  )
  const sum = (read: (totals: PeriodTotals) => number) => totals.reduce((all, each) => all + read(each), 0)
  return {
    seconds: sum(({ seconds }) => seconds),
    roundedSeconds: sum(({ roundedSeconds }) => roundedSeconds),
    billableSeconds: sum(({ billableSeconds }) => billableSeconds),
    billableRoundedSeconds: sum(({ billableRoundedSeconds }) => billableRoundedSeconds),
    count: sum(({ count }) => count),
    share: sum(({ share }) => share),
    running: totals.some(({ running }) => running),
    amounts: totals.reduce<Money[]>((sums, { amounts }) => addAmounts(sums, amounts), []),
    rate: hasOneRate ? rate : null,
  }
}
