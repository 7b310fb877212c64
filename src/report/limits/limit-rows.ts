import { addCells, type Grid, type GridRow } from '../grid/grid.js'
import { othersLabel } from './limit-groups.js'
import { type LimitedTree, limitTree } from './limit-tree.js'

interface RowNode {
  row: GridRow
  groups: RowNode[]
}

/** Returns a grid with about `max` rows; the rest are combined into rows such as "98,000 others", with their sums. */
export function limitRows(grid: Grid, max: number): { grid: Grid } & Omit<LimitedTree<GridRow>, 'nodes'> {
  const { nodes, ...counts } = limitTree(nested(grid.rows), max, (others) => ({
    row: mergeRows(others.map(({ row }) => row)),
    groups: [],
  }))
  return { grid: { ...grid, rows: flat(nodes) }, ...counts }
}

function nested(rows: readonly GridRow[]): RowNode[] {
  const roots: RowNode[] = []
  const open = [roots]
  for (const row of rows) {
    const node: RowNode = { row, groups: [] }
    open[row.depth]?.push(node)
    open[row.depth + 1] = node.groups
  }
  return roots
}

function flat(nodes: readonly RowNode[]): GridRow[] {
  return nodes.flatMap(({ row, groups }) => [{ ...row, isParent: groups.length > 0 }, ...flat(groups)])
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
