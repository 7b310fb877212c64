import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { roundGrid } from '../../../../src/report/grid/controlled-rounding.js'
import { addCells, type Grid, type GridRow, sumOf } from '../../../../src/report/grid/grid.js'

/** A tree of names with the cells of the innermost groups. */
type Tree = (readonly (number | null)[] | Tree)[]

function gridOfTree(tree: Tree, width: number): Grid {
  const rowsOf = (below: Tree, depth: number): GridRow[] =>
    below.flatMap((node) => {
      const isLeaf = node.every((item) => !Array.isArray(item))
      const rows = isLeaf ? [] : rowsOf(node as Tree, depth + 1)
      const children = rows.filter((row) => row.depth === depth + 1).map((row) => row.cells)
      const cells = isLeaf ? (node as (number | null)[]) : addCells(children, width)
      return [rowWith(cells, depth, !isLeaf), ...rows]
    })
  const rows = rowsOf(tree, 0)
  const outermost = rows.filter(({ depth }) => depth === 0).map(({ cells }) => cells)
  return {
    by: ['project'],
    columnsBy: 'day',
    columns: Array.from({ length: width }, (_, index) => {
      const day = `2024-05-${String(index + 1).padStart(2, '0')}`
      return { key: day, label: day, first: day, last: day }
    }),
    rows,
    total: rowWith(addCells(outermost, width), 0, true),
    isEmpty: tree.length === 0,
  }
}

function rowWith(cells: readonly (number | null)[], depth: number, isParent: boolean): GridRow {
  return { label: 'A', depth, isParent, running: false, path: [], cells, seconds: sumOf(cells) }
}

/** Expects that each figure is the sum of its parts: rows over columns, parents over their subgroups, the total over all. */
function expectSumsToAgree({ rows, total, columns }: Grid) {
  const all = [{ ...total, depth: -1 }, ...rows]
  for (const [index, row] of all.entries()) {
    expect(row.seconds).toBe(sumOf(row.cells))
    const rest = all.slice(index + 1)
    const end = rest.findIndex(({ depth }) => depth <= row.depth)
    const below = rest.slice(0, end < 0 ? undefined : end).filter(({ depth }) => depth === row.depth + 1)
    if (below.length === 0) continue
    expect(row.cells).toEqual(
      addCells(
        below.map(({ cells }) => cells),
        columns.length,
      ),
    )
  }
}

const width = 5
const cell = fc.option(fc.nat({ max: 40_000 }), { freq: 2 })
const cells = fc.array(cell, { minLength: width, maxLength: width })
const trees: fc.Arbitrary<Tree> = fc.oneof(
  fc.array(cells, { maxLength: 8 }),
  fc.array(fc.array(fc.array(cells, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }), {
    maxLength: 4,
  }),
)
/** Hundredths of hours, minutes, quarters, and exact hours and minutes with steps of 0.36 and 0.6 seconds. */
const steps = fc.constantFrom(100, 60, 4, 10_000, 6000)

/** Returns a rounded grid with the number of steps instead of seconds, which have fractions. */
function inSteps(grid: Grid, stepsPerHour: number): Grid {
  const steps = (seconds: number) => Number(((seconds * stepsPerHour) / 3600).toFixed(6))
  const row = (row: GridRow): GridRow => ({
    ...row,
    seconds: steps(row.seconds),
    cells: row.cells.map((cell) => (cell === null ? null : steps(cell))),
  })
  return { ...grid, rows: grid.rows.map(row), total: row(grid.total) }
}

describe('roundGrid', () => {
  test('preserves all sums, with every figure the next lower or higher multiple', { tags: 'slow' }, () => {
    fc.assert(
      fc.property(trees, steps, fc.boolean(), (tree, stepsPerHour, isUp) => {
        const exact = gridOfTree(tree, width)
        const round = isUp ? Math.ceil : Math.floor
        const total = (round((exact.total.seconds * stepsPerHour) / 3600) * 3600) / stepsPerHour
        const rounded = inSteps(roundGrid(exact, stepsPerHour, total), stepsPerHour)
        expectSumsToAgree(exact)
        expectSumsToAgree(rounded)
        expect(rounded.total.seconds).toBe(Math.round((total * stepsPerHour) / 3600))
        const figures = ({ rows, total }: Grid) =>
          [total, ...rows].flatMap((row) => [row.seconds, ...row.cells])
        const before = figures(exact)
        for (const [index, figure] of figures(rounded).entries()) {
          const was = before[index]
          if (typeof was !== 'number') expect(figure).toBe(was)
          else {
            const steps = (was * stepsPerHour) / 3600
            expect([Math.floor(steps), Math.ceil(steps)]).toContain(figure)
          }
        }
      }),
    )
  })

  test('leaves whole minutes as they are', () => {
    const grid = gridOfTree([[600, null, 0, 5400, 60]], width)
    expect(roundGrid(grid, 60, grid.total.seconds)).toEqual(grid)
  })

  test('leaves the figures exact if the total is not a multiple of the unit', () => {
    const grid = gridOfTree([[20, null, 25, null, null]], width)
    expect(roundGrid(grid, 60, 45)).toBe(grid)
  })

  test('rounds eight equal cells of 29m 20s to a total of 3h 54m', () => {
    const grid = gridOfTree(new Array(8).fill([1760, null, null, null, null]), width)
    const rounded = roundGrid(grid, 60, 14_040)
    expect(rounded.rows.map(({ seconds }) => seconds / 60).sort()).toEqual([29, 29, 29, 29, 29, 29, 30, 30])
    expect(rounded.total.cells[0]).toBe(14_040)
  })

  test('rounds 100,000 cells', { tags: 'slow' }, () => {
    const tree = Array.from({ length: 1000 }, (_, row) =>
      Array.from({ length: 100 }, (_, column) => 1 + ((row * 7919 + column * 104_729) % 7200)),
    )
    const exact = gridOfTree(tree, 100)
    expectSumsToAgree(roundGrid(exact, 60, Math.floor(exact.total.seconds / 60) * 60))
  })
})
