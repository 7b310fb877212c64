import { describe, expect, test } from 'vitest'
import { Calls } from '../../../src/mcp/calls.js'

const { signal } = new AbortController()

/** Starts a change that ends when `end` is called. */
function startChange(calls: Calls) {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { end, change: calls.change(signal, () => ended) }
}

describe('Calls', () => {
  test('makes changes one after the other, in order', async () => {
    const calls = new Calls({ isSerial: false })
    const order: number[] = []
    const { end, change } = startChange(calls)
    const others = [1, 2].map((number) => calls.change(signal, async () => void order.push(number)))
    await new Promise(setImmediate)
    expect(order).toEqual([])
    end()
    await Promise.all([change, ...others])
    expect(order).toEqual([1, 2])
  })

  test.each([
    [false, ['read', 'changed']],
    [true, ['changed', 'read']],
  ])('reads during a change unless it is serial (%s)', async (isSerial, expected) => {
    const calls = new Calls({ isSerial })
    const order: string[] = []
    const { end, change } = startChange(calls)
    const changed = change.then(() => void order.push('changed'))
    const read = calls.read(signal, async () => void order.push('read'))
    await new Promise(setImmediate)
    end()
    await Promise.all([changed, read])
    expect(order).toEqual(expected)
  })

  test('does not begin a cancelled change, and completes one that has begun', async () => {
    const calls = new Calls({ isSerial: false })
    const { end, change } = startChange(calls)
    const controller = new AbortController()
    let hasBegun = false
    const cancelled = calls.change(controller.signal, async () => {
      hasBegun = true
    })
    controller.abort()
    end()
    await expect(cancelled).rejects.toThrow('aborted')
    await expect(change).resolves.toBeUndefined()
    expect(hasBegun).toBe(false)
  })

  test('continues after a failed change, and becomes idle', async () => {
    const calls = new Calls({ isSerial: true })
    const failed = calls.change(signal, async () => {
      throw new Error('failed')
    })
    const next = calls.change(signal, async () => 'made')
    await expect(failed).rejects.toThrow('failed')
    await calls.idle()
    await expect(next).resolves.toBe('made')
  })
})
