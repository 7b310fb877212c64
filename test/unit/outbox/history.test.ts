import { expect, test } from 'vitest'
import { type HistoryStep, mergeSteps } from '../../../src/outbox/history.js'

const step = (record: string, before: string | null, after: string | null): HistoryStep => ({
  kind: 'entry',
  record,
  before: before === null ? null : { id: record, notes: before },
  after: after === null ? null : { id: record, notes: after },
})

test('the steps of a record become one at the position of the last', () => {
  expect(mergeSteps([step('1', 'a', 'b'), step('2', null, 'x'), step('1', 'b', 'c')])).toEqual([
    step('2', null, 'x'),
    step('1', 'a', 'c'),
  ])
})

test('a deletion is merged with the steps before it, not with those after it', () => {
  const steps = [step('1', 'a', 'b'), step('1', 'b', null), step('1', null, 'c'), step('1', 'c', 'd')]
  expect(mergeSteps(steps)).toEqual([step('1', 'a', null), step('1', null, 'd')])
})

test('steps of an entry and an expense with the same ID are not merged', () => {
  const steps = [step('1', 'a', 'b'), { ...step('1', 'a', 'b'), kind: 'expense' as const }]
  expect(mergeSteps(steps)).toEqual(steps)
})

test('each step is read a few times, however many there are', () => {
  let reads = 0
  const count = 1000
  const steps = Array.from({ length: count }, (_, number) => ({
    ...step(String(number), null, 'x'),
    get record() {
      reads++
      return String(number)
    },
  }))
  mergeSteps(steps)
  expect(reads).toBeLessThanOrEqual(3 * count)
})
