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
