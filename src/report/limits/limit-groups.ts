import { addAmounts } from '../money.js'
import type { Group, Money, RatedTotals } from '../report-model.js'
import { type LimitedTree, limitTree, type TreeNodes } from './limit-tree.js'

const groupTree: TreeNodes<Group> = {
  childrenOf: ({ groups }) => groups,
  withChildren: (group, groups) => ({ ...group, groups }),
  merge: mergeGroups,
}

/** Returns about `max` groups; the rest are combined into groups such as "98,000 others", with their sums. */
export function limitGroups(groups: readonly Group[], max: number): LimitedTree<Group> {
  return limitTree(groups, max, groupTree)
}

/** Returns the label of combined groups, such as "98,000 others". */
export function othersLabel(count: number): string {
  return `${count.toLocaleString('en')} others`
}

/** Returns the sums of totals, with their rate if all have the same one. */
export function addTotals(totals: readonly RatedTotals[]): RatedTotals {
  const rate = totals[0]?.rate ?? null
  const hasOneRate = totals.every(
    (each) => each.rate?.amount === rate?.amount && each.rate?.currency === rate?.currency,
  )
  const sum = (read: (totals: RatedTotals) => number) => totals.reduce((all, each) => all + read(each), 0)
  return {
    seconds: sum(({ seconds }) => seconds),
    roundedSeconds: sum(({ roundedSeconds }) => roundedSeconds),
    billableSeconds: sum(({ billableSeconds }) => billableSeconds),
    billableRoundedSeconds: sum(({ billableRoundedSeconds }) => billableRoundedSeconds),
    count: sum(({ count }) => count),
    running: totals.some(({ running }) => running),
    amounts: totals.reduce<Money[]>((sums, { amounts }) => addAmounts(sums, amounts), []),
    rate: hasOneRate ? rate : null,
  }
}

function mergeGroups(groups: readonly Group[]): Group {
  const [first] = groups
  if (!first) throw new Error('There are no groups to combine.')
  return {
    by: first.by,
    key: null,
    id: null,
    label: othersLabel(groups.length),
    ...addTotals(groups),
    share: groups.reduce((sum, { share }) => sum + share, 0),
    groups: [],
  }
}
