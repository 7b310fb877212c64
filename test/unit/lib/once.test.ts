import { expect, test, vi } from 'vitest'
import { once } from '../../../src/lib/once.js'

test('creates the value on the first call only', () => {
  const create = vi.fn(() => undefined)
  const value = once(create)
  expect(create).not.toHaveBeenCalled()
  expect([value(), value(), create.mock.calls.length]).toEqual([undefined, undefined, 1])
})

test('creates the value again after an error', () => {
  const create = vi
    .fn(() => 'value')
    .mockImplementationOnce(() => {
      throw new Error('once')
    })
  const value = once(create)
  expect(value).toThrow('once')
  expect(value()).toBe('value')
})
