import type { ComparedGroup, PeriodTotals } from './comparison.js'
import { addAmounts } from './rates.js'
import type { BillableDurations, Group, Money, RatedTotals } from './report-model.js'

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

interface TreeNode<Node> {
  groups: readonly Node[]
}

/** A tree with fewer nodes. */
export interface LimitedTree<Node> {
  nodes: Node[]
  /** The number of nodes that are merged into others or left out. */
  omitted: number
  /** The number of nodes of the complete tree. */
  count: number
}

/**
 * Returns a tree with about `max` nodes. Outer levels take precedence. On the first level that does not fit, each parent has
 * the same number of children at most, the first ones, and the rest are merged into one, so that sums stay the same;
 * a parent whose children do not fit at all, and all deeper levels, have none. `merge` returns a node without children that
 * has the sums of all of these.
 */
export function limitTree<Node extends TreeNode<Node>>(
  roots: readonly Node[],
  max: number,
  merge: (nodes: readonly Node[]) => Node,
): LimitedTree<Node> {
  const count = countNodes(roots)
  if (count <= max) return { nodes: [...roots], omitted: 0, count }
  const { depth, perParent } = cutOf(roots, max)
  let listed = 0
  const limit = (nodes: readonly Node[], level: number): Node[] => {
    if (level < depth) {
      listed += nodes.length
      return nodes.map((node) => ({ ...node, groups: limit(node.groups, level + 1) }))
    }
    if (level > 0 && perParent === 0) return []
    // A rest of one needs no more room than its merged node.
    const shown = nodes.length <= perParent + 1 ? nodes : nodes.slice(0, perParent)
    listed += shown.length
    const leaves = shown.map((node) => ({ ...node, groups: [] }))
    return shown.length < nodes.length ? [...leaves, merge(nodes.slice(perParent))] : leaves
  }
  const nodes = limit(roots, 0)
  return { nodes, omitted: count - listed, count }
}

/** Returns the first level that does not fit, and how many children of each parent fit on it. */
function cutOf<Node extends TreeNode<Node>>(
  roots: readonly Node[],
  max: number,
): { depth: number; perParent: number } {
  let siblings: (readonly Node[])[] = [roots]
  let room = max
  for (let depth = 0; ; depth++) {
    const size = siblings.reduce((sum, { length }) => sum + length, 0)
    if (size > room)
      return {
        depth,
        perParent: fittingPerParent(
          siblings.map(({ length }) => length),
          room,
        ),
      }
    room -= size
    siblings = siblings.flatMap((nodes) => nodes.map(({ groups }) => groups))
  }
}

/** Returns the largest number for which the lists fit, if each has that many items at most. */
function fittingPerParent(lengths: readonly number[], room: number): number {
  const sorted = [...lengths].sort((a, b) => a - b)
  let left = room
  for (const [index, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index))
    if (length > share) return share
    left -= length
  }
  return sorted.at(-1) ?? 0
}

function countNodes<Node extends TreeNode<Node>>(nodes: readonly Node[]): number {
  return nodes.reduce((sum, { groups }) => sum + 1 + countNodes(groups), 0)
}
