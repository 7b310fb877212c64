import { setImmediate as immediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { endOfTurn, nextTurn } from '../../../../src/service/http/turns.js'

describe('endOfTurn', () => {
  test('all callers of a turn continue in succession, in their order, after the input of the turn', async () => {
    const events: string[] = []
    const continues = [1, 2, 3].map((caller) => endOfTurn().then(() => events.push(`caller ${caller}`)))
    // Input that is handled in the same turn.
    process.nextTick(() => events.push('input'))
    const nextImmediate = immediate().then(() => events.push('next'))
    await Promise.all([...continues, nextImmediate])
    expect(events).toEqual(['input', 'caller 1', 'caller 2', 'caller 3', 'next'])
  })

  test('sixteen callers continue at once, and later ones at the end of the turn', async () => {
    const events: string[] = []
    const nextImmediate = immediate().then(() => events.push('turn'))
    const continues = Array.from({ length: 20 }, (_, index) =>
      endOfTurn().then(() => events.push(`${index}`)),
    )
    await Promise.all([...continues, nextImmediate])
    const order = Array.from({ length: 20 }, (_, index) => `${index}`)
    expect(events).toEqual([...order.slice(0, 16), 'turn', ...order.slice(16)])
  })
})

test('nextTurn lets one caller continue in each turn', async () => {
  const turns: number[] = []
  let turn = 0
  const count = () => {
    turn += 1
    if (turns.length < 3) setImmediate(count)
  }
  setImmediate(count)
  await Promise.all([1, 2, 3].map(() => nextTurn().then(() => turns.push(turn))))
  expect(new Set(turns).size).toBe(3)
})
