import { addCells, type Grid, type GridRow } from '../grid/grid.js'
import { othersLabel } from './limit-groups.js'
import { type LimitedTree, limitTree, type TreeNodes } from './limit-tree.js'

interface RowNode {
  row: GridRow
  below: RowNode[]
}

const rowTree: TreeNodes<RowNode> = {
  childrenOf: ({ below }) => below,
  withChildren: ({ row }, below) => ({ row: { ...row, isParent: below.length > 0 }, below }),
  merge: (nodes) => ({ row: mergeRows(nodes.map(({ row }) => row)), below: [] }),
}

/** Returns a grid with about `max` rows; the rest are combined into rows such as "98,000 others", with their sums. */
export function limitRows(grid: Grid, max: number): { grid: Grid } & Omit<LimitedTree<GridRow>, 'nodes'> {
  const { nodes, ...counts } = limitTree(nested(grid.rows), max, rowTree)
  return { grid: { ...grid, rows: flat(nodes) }, ...counts }
}

function nested(rows: readonly GridRow[]): RowNode[] {
  const roots: RowNode[] = []
  const open = [roots]
  for (const row of rows) {
    const node: RowNode = { row, below: [] }
    open[row.depth]?.push(node)
    open[row.depth + 1] = node.below
  }
  return roots
}

function flat(nodes: readonly RowNode[]): GridRow[] {
  return nodes.flatMap(({ row, below }) => [row, ...flat(below)])
}

function mergeRows(rows: readonly GridRow[]): GridRow {
  const [first] = rows
  if (!first) throw new Error('There are no rows to combine.')
  return {
    label: othersLabel(rows.length),
    depth: first.depth,
    isParent: false,
    running: rows.some(({ running }) => running),
    path: [...first.path.slice(0, -1), null],
    cells: addCells(
      rows.map(({ cells }) => cells),
      first.cells.length,
    ),
    seconds: rows.reduce((sum, { seconds }) => sum + seconds, 0),
  }
}
