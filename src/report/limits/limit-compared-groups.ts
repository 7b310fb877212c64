import type { ComparedGroup } from '../comparison.js'
import type { RatedTotals } from '../report-model.js'
import { addTotals, othersLabel } from './limit-groups.js'
import { type LimitedTree, limitTree, type TreeNodes } from './limit-tree.js'

const groupTree: TreeNodes<ComparedGroup> = {
  childrenOf: ({ groups }) => groups,
  withChildren: (group, groups) => ({ ...group, groups }),
  merge: mergeGroups,
}

/** Returns about `max` groups; the rest are combined into groups such as "98,000 others", with their sums in each period. */
export function limitComparedGroups(
  groups: readonly ComparedGroup[],
  max: number,
): LimitedTree<ComparedGroup> {
  return limitTree(groups, max, groupTree)
}

function mergeGroups(groups: readonly ComparedGroup[]): ComparedGroup {
  const [first] = groups
  if (!first) throw new Error('There are no groups to combine.')
  const label = othersLabel(groups.length)
  const totalsOf = (period: 'current' | 'compared'): RatedTotals =>
    addTotals(groups.map((group) => group[period]))
  const sum = (read: (group: ComparedGroup) => number) =>
    groups.reduce((total, group) => total + read(group), 0)
  return {
    by: first.by,
    id: null,
    label,
    comparedLabel: label,
    currentKey: null,
    comparedKey: null,
    current: totalsOf('current'),
    compared: totalsOf('compared'),
    currentShare: sum(({ currentShare }) => currentShare),
    comparedShare: sum(({ comparedShare }) => comparedShare),
    groups: [],
  }
}
