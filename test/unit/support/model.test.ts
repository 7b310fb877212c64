import { expect, test } from 'vitest'
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
const typed = [entry(1), entry(2), entry(3)]
const against = (...rows: ReturnType<typeof row>[]) => findDifferences(typed, { entry: rows, expense: [] })

test('rows that are what was typed differ in nothing, in whatever order they are listed', () => {
  expect(against(row(12, 3), row(10, 1), row(11, 2))).toEqual([])
})

test.for([
  ['a lost one', [row(10, 1), row(12, 3)], /^entry #2 is missing/],
  ['a doubled one', [row(10, 1), row(11, 2), row(12, 3), row(13, 3)], /^entry #3 is there 2 times$/],
  [
    'two that are swapped',
    [row(11, 1), row(10, 2), row(12, 3)],
    /^entry #2 \(id 10\) was created before entry #1/,
  ],
  ['one with other values', [row(10, 1), row(11, 2, '#2 fax'), row(12, 3)], /^entry #2 is .*fax.* should be/],
  [
    'one that was deleted',
    [row(10, 1), row(11, 2), row(12, 3), row(13, 4)],
    /^entry #4 is there \(1\) and should not be$/,
  ],
  [
    'one that nobody typed',
    [row(10, 1), row(11, 2), row(12, 3), row(13, 4, 'x')],
    /^entry 13 was never typed/,
  ],
] as const)('%s is told', ([, rows, told]) => {
  expect(against(...rows)).toEqual([expect.stringMatching(told)])
})

test('the same marks of entries and expenses are not mixed up', () => {
  const expense: ExpectedRecord = { kind: 'expense', mark: 1, fields: { amount: 12.5, notes: '#1' } }
  const paid = { id: 1, notes: '#1', amount: '12.50' }
  expect(findDifferences([entry(1), expense], { entry: [row(1, 1)], expense: [paid] })).toEqual([])
  expect(findDifferences([entry(1), expense], { entry: [row(1, 1)], expense: [] })).toEqual([
    expect.stringMatching(/^expense #1 is missing/),
  ])
})

test('a killed command was done or not, and what is seen once stays so', () => {
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
    expect.stringMatching(/^entry #2 is there/),
  ])
})

test('undo leads back, and what was deleted comes back at any place', () => {
  const full = nextModel({ records: [], history: [] }, typed)
  const without = nextModel(full, typed.slice(1))
  expect(undoChanges(without).records).toEqual([{ ...entry(1), isRestored: true }, entry(2), entry(3)])
  expect(
    findDifferences(undoChanges(without).records, { entry: [row(4, 1), row(2, 2), row(3, 3)], expense: [] }),
  ).toEqual([])
  expect(undoChanges(without, 2).records).toEqual([])
})

test('what came back once is at any place for good', () => {
  const edited = nextModel(nextModel({ records: [], history: [] }, typed), [
    entry(1, '#1 fax'),
    entry(2),
    entry(3),
  ])
  const back = undoChanges(nextModel(edited, edited.records.slice(1)))
  expect(undoChanges(back).records).toEqual([{ ...entry(1), isRestored: true }, entry(2), entry(3)])
})
