import { type Grid, type GridRow, overlapDepth } from './grid.js'

/** A figure of the grid, as the flow of an arc from one node to another. */
interface Arc {
  from: number
  to: number
  /** In seconds. */
  flow: number
}

/**
 * Rounds all figures of a grid to multiples of a unit in seconds, so that they still add up in rows, columns and
 * subtotals ("controlled rounding"). Each figure becomes the next lower or the next higher multiple of its exact value, or
 * stays the same if it is one. `total` is the rounded sum of all, one of the two multiples around it; with any other
 * total, such as seconds below one minute, the figures stay exact.
 *
 * The figures are flows of a network: from the total to its rows, from a row to its subgroups, from an innermost row to
 * its cells, from a cell to that of its parent, from the outermost cells to the totals of columns, and back to the total.
 * What enters a node leaves it again. Where one of its flows is not a multiple of the unit, so is another one, so that
 * these flows form cycles. Moving flow around a cycle changes no balance, and makes at least one flow a multiple.
 */
export function roundGrid(grid: Grid, unitSeconds: number, total: number): Grid {
  if (total % unitSeconds !== 0) return grid
  const network = new Network(grid)
  network.roundFlows(unitSeconds, total)
  return network.grid()
}

class Network {
  readonly #grid: Grid
  readonly #arcs: Arc[] = []
  /** The total of all rows, then those of each row. */
  readonly #totals: Arc[]
  /** The cells of the total, then those of each row. */
  readonly #cells: (Arc | null)[][]

  constructor(grid: Grid) {
    this.#grid = grid
    const rows = [grid.total, ...grid.rows]
    const width = grid.columns.length
    const sink = 0
    // Each row has a node for its total and, as a parent, one for each column.
    const totalNode = (row: number) => 1 + row * (width + 1)
    const cellNode = (row: number, column: number) => totalNode(row) + 1 + column
    const parents = parentsOf(rows, overlapDepth(grid))
    this.#totals = rows.map(({ seconds }, row) => {
      const parent = parents[row]
      return this.#add(parent === undefined ? sink : totalNode(parent), totalNode(row), seconds)
    })
    this.#cells = rows.map(({ cells }, row) =>
      cells.map((cell, column) => {
        if (cell === null) return null
        const parent = parents[row]
        const from = this.#isLeaf(row, parents) ? totalNode(row) : cellNode(row, column)
        return this.#add(from, parent === undefined ? sink : cellNode(parent, column), cell)
      }),
    )
  }

  #isLeaf(row: number, parents: readonly (number | undefined)[]): boolean {
    return parents[row + 1] !== row
  }

  #add(from: number, to: number, flow: number): Arc {
    const arc = { from, to, flow }
    this.#arcs.push(arc)
    return arc
  }

  /** Rounds every flow. A walk along fractional flows ends where it meets itself: there it has found a cycle. */
  roundFlows(unit: number, total: number) {
    const isFractional = (arc: Arc) => arc.flow % unit !== 0
    const arcsAt = new Map<number, Arc[]>()
    for (const arc of this.#arcs.filter(isFractional))
      for (const node of [arc.from, arc.to]) {
        const arcs = arcsAt.get(node)
        if (arcs) arcs.push(arc)
        else arcsAt.set(node, [arc])
      }
    const nextFrom = (node: number, previous: Arc | undefined) => {
      const arcs = arcsAt.get(node) ?? []
      for (let index = arcs.length - 1; index >= 0; index--) {
        const arc = arcs[index]
        if (!arc || !isFractional(arc)) arcs.splice(index, 1)
        else if (arc !== previous) return arc
      }
      return undefined
    }
    for (const node of arcsAt.keys()) {
      const path: Step[] = []
      const positions = new Map<number, number>([[node, 0]])
      let current = node
      for (let arc = nextFrom(current, undefined); arc; arc = nextFrom(current, path.at(-1)?.arc)) {
        const isForward = arc.from === current
        path.push({ arc, isForward, from: current })
        current = isForward ? arc.to : arc.from
        const position = positions.get(current)
        if (position === undefined) positions.set(current, path.length)
        else {
          const cycle = path.splice(position)
          for (const step of cycle) if (step.from !== current) positions.delete(step.from)
          this.#moveFlow(cycle, unit, total)
        }
      }
    }
  }

  /** Moves flow around a cycle in the direction that changes less, but never moves the total away from its target. */
  #moveFlow(cycle: readonly Step[], unit: number, target: number) {
    const [total] = this.#totals
    const room = (isWithArcs: boolean) =>
      Math.min(
        ...cycle.map(({ arc, isForward }) =>
          isForward === isWithArcs ? unit - (arc.flow % unit) : arc.flow % unit,
        ),
      )
    const step = cycle.find(({ arc }) => arc === total)
    const [along, against] = [room(true), room(false)]
    const isAlong = step && total ? step.isForward === total.flow < target : along <= against
    const amount = isAlong ? along : against
    for (const { arc, isForward } of cycle) arc.flow += isForward === isAlong ? amount : -amount
  }

  grid(): Grid {
    const { total, rows } = this.#grid
    const rounded = (row: GridRow, index: number): GridRow => ({
      ...row,
      seconds: this.#totals[index]?.flow ?? 0,
      cells: (this.#cells[index] ?? []).map((arc) => (arc === null ? null : arc.flow)),
    })
    return {
      ...this.#grid,
      total: rounded(total, 0),
      rows: rows.map((row, index) => rounded(row, index + 1)),
    }
  }
}

interface Step {
  arc: Arc
  /** Whether the walk follows the arc in its direction. */
  isForward: boolean
  /** The node before the arc. */
  from: number
}

/**
 * Returns the index of the row above each row; undefined for the total, which is the first, and for tags,
 * which overlap.
 */
function parentsOf(rows: readonly GridRow[], depthOfTags: number | undefined): (number | undefined)[] {
  const latest: number[] = []
  return rows.map(({ depth }, index) => {
    if (index === 0) return undefined
    latest[depth] = index
    if (depth === depthOfTags) return undefined
    return depth === 0 ? 0 : latest[depth - 1]
  })
}
