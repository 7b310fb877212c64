import { type Grid, type GridRow, overlapDepth } from './grid.js'

/** A figure of the grid, as the flow of an arc from one node to another. */
interface Arc {
  from: number
  to: number
  /** Seconds times the steps of an hour: 3600 for each step, and a whole number for whole seconds. */
  flow: number
}

const flowOfStep = 3600

/**
 * Rounds all figures of a grid to steps, `stepsPerHour` in an hour, so that they still add up in rows, columns and
 * subtotals ("controlled rounding"). Each figure becomes the next lower or the next higher step of its exact value, or
 * stays the same if it is one. `total` is the rounded sum of all in seconds, one of the two steps around it; with any
 * other total, such as seconds below one minute, the figures stay exact.
 *
 * The figures are flows of a network: from the total to its rows, from a row to its subgroups, from an innermost row to
 * its cells, from a cell to that of its parent, from the outermost cells to the totals of columns, and back to the total.
 * What enters a node leaves it again. Where one of its flows is not a multiple of a step, so is another one, so that
 * these flows form cycles. Moving flow around a cycle changes no balance, and makes at least one flow a multiple.
 */
export function roundGrid(grid: Grid, stepsPerHour: number, total: number): Grid {
  // A step may be a fraction of a second, such as 0.36 s.
  const target = Math.round(total * stepsPerHour)
  if (target % flowOfStep !== 0) return grid
  const network = new Network(grid, stepsPerHour)
  network.roundFlows(flowOfStep, target)
  return network.grid()
}

class Network {
  readonly #grid: Grid
  readonly #stepsPerHour: number
  readonly #arcs: Arc[] = []
  /** The total of all rows, then those of each row. */
  readonly #totals: Arc[]
  /** The cells of the total, then those of each row. */
  readonly #cells: (Arc | null)[][]

  constructor(grid: Grid, stepsPerHour: number) {
    this.#grid = grid
    this.#stepsPerHour = stepsPerHour
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

  #add(from: number, to: number, seconds: number): Arc {
    const arc = { from, to, flow: seconds * this.#stepsPerHour }
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
    const secondsOf = ({ flow }: Arc) => flow / this.#stepsPerHour
    const rounded = (row: GridRow, index: number): GridRow => {
      const total = this.#totals[index]
      const cells = (this.#cells[index] ?? []).map((arc) => arc && secondsOf(arc))
      return { ...row, seconds: total ? secondsOf(total) : 0, cells }
    }
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
