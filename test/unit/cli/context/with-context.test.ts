import { expect, test, vi } from 'vitest'
import { Resources } from '../../../../src/cli/context/with-context.js'

test('closes every resource once, except those that could not be opened', async () => {
  const resources = new Resources()
  const [first, last] = [{ close: vi.fn() }, { close: vi.fn(async () => {}) }]
  expect(await resources.add(Promise.resolve(first))).toBe(first)
  const failing = resources.add(Promise.reject(new Error('broken')))
  await expect(failing).rejects.toThrow('broken')
  resources.add(Promise.resolve(last))
  await resources.close()
  await resources.close()
  expect([first.close.mock.calls.length, last.close.mock.calls.length]).toEqual([1, 1])
})

test('closes a resource that is still being opened', async () => {
  const resources = new Resources()
  let open = (_: { close(): void }) => {}
  resources.add(
    new Promise<{ close(): void }>((resolve) => {
      open = resolve
    }),
  )
  const closed = resources.close()
  const resource = { close: vi.fn() }
  open(resource)
  await closed
  expect(resource.close).toHaveBeenCalledOnce()
})
