import { describe, expect, test } from 'vitest'
import {
  type ExpectedRecord,
  findDifferences,
  nextModel,
  PossibleModels,
  undoChanges,
} from '../../support/model.js'

const entry = (mark: number, notes = `#${mark} phone`): ExpectedRecord => ({
  kind: 'entry',
  mark,
  fields: { notes, time_start: mark * 1000, time_end: null },
})
const row = (id: number, mark: number, notes = `#${mark} phone`) => ({
  id,
  notes,
  time_start: new Date(mark * 1000).toISOString(),
  time_end: null,
})
const expected = [entry(1), entry(2), entry(3)]
const differencesOf = (...rows: ReturnType<typeof row>[]) =>
  findDifferences(expected, { entry: rows, expense: [] })

test('equal records have no differences, in any list order', () => {
  expect(differencesOf(row(12, 3), row(10, 1), row(11, 2))).toEqual([])
})

test.for([
  ['a missing record', [row(10, 1), row(12, 3)], /^entry #2 is missing/],
  ['a duplicate', [row(10, 1), row(11, 2), row(12, 3), row(13, 3)], /^entry #3 exists 2 times$/],
  [
    'two swapped records',
    [row(11, 1), row(10, 2), row(12, 3)],
    /^entry #2 \(id 10\) was created before entry #1/,
  ],
  ['different values', [row(10, 1), row(11, 2, '#2 fax'), row(12, 3)], /^entry #2 is .*fax.* should be/],
  [
    'a deleted record',
    [row(10, 1), row(11, 2), row(12, 3), row(13, 4)],
    /^entry #4 exists \(1\) and should not$/,
  ],
  ['an unknown record', [row(10, 1), row(11, 2), row(12, 3), row(13, 4, 'x')], /^entry 13 is unknown/],
] as const)('%s is one difference', ([, rows, difference]) => {
  expect(differencesOf(...rows)).toEqual([expect.stringMatching(difference)])
})

describe('equal records, whose notes have the mark of the first', () => {
  const twin: ExpectedRecord = { ...entry(1), mark: 4 }
  const edited: ExpectedRecord = { ...entry(1, '#1 fax'), mark: 5 }
  const compare = (...rows: ReturnType<typeof row>[]) =>
    findDifferences([entry(1), twin, edited], { entry: rows, expense: [] })

  test('have no differences, whichever row belongs to which', () => {
    expect(compare(row(12, 1, '#1 fax'), row(10, 1), row(11, 1))).toEqual([])
  })

  test.for([
    ['a lost one', [row(10, 1), row(12, 1, '#1 fax')], /^entry #1 is missing: .*phone/],
    [
      'a double',
      [row(10, 1), row(11, 1), row(12, 1), row(13, 1, '#1 fax')],
      /^entry #1 exists 4 times, 3 are/,
    ],
    ['another value', [row(10, 1), row(11, 1), row(12, 1)], /^entry #1 is .*phone.* should be .*fax/],
  ] as const)('%s is one difference', ([, rows, difference]) => {
    expect(compare(...rows)).toEqual([expect.stringMatching(difference)])
  })
})

test('entries and expenses with the same mark are different records', () => {
  const expense: ExpectedRecord = { kind: 'expense', mark: 1, fields: { amount: 12.5, notes: '#1' } }
  const paid = { id: 1, notes: '#1', amount: '12.50' }
  expect(findDifferences([entry(1), expense], { entry: [row(1, 1)], expense: [paid] })).toEqual([])
  expect(findDifferences([entry(1), expense], { entry: [row(1, 1)], expense: [] })).toEqual([
    expect.stringMatching(/^expense #1 is missing/),
  ])
})

test('a killed command has run or not, and a comparison settles which', () => {
  const models = new PossibleModels()
  const create = (mark: number) => (model: ReturnType<typeof undoChanges>) =>
    nextModel(model, [...model.records, entry(mark)])
  models.apply(create(1))
  models.applyUncertain(create(2))
  models.applyUncertain(create(3))
  expect(models.count).toBe(4)
  expect(models.compare({ entry: [row(1, 1), row(2, 3), row(3, 3)], expense: [] })).not.toEqual([])
  expect(models.compare({ entry: [row(1, 1), row(2, 3)], expense: [] })).toEqual([])
  expect(models.count).toBe(1)
  expect(models.compare({ entry: [row(1, 1), row(2, 2), row(3, 3)], expense: [] })).toEqual([
    expect.stringMatching(/^entry #2 exists/),
  ])
})

test('undo restores the previous state, and a restored record has any place in the order from then on', () => {
  const full = nextModel({ records: [], history: [] }, expected)
  const edited = nextModel(full, [entry(1, '#1 fax'), entry(2), entry(3)])
  const restored = undoChanges(nextModel(edited, edited.records.slice(1)))
  expect(restored.records).toEqual([{ ...entry(1, '#1 fax'), isRestored: true }, entry(2), entry(3)])
  const rows = [row(4, 1, '#1 fax'), row(2, 2), row(3, 3)]
  expect(findDifferences(restored.records, { entry: rows, expense: [] })).toEqual([])
  expect(undoChanges(restored).records).toEqual([{ ...entry(1), isRestored: true }, entry(2), entry(3)])
  expect(undoChanges(restored, 2).records).toEqual([])
})
