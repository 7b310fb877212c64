import { onTestFinished, vi } from 'vitest'

/** Makes timers of a second or more expire in `share` of their time, until `restore` is called or the test ends. */
export function shortenTimers(share = 1 / 100): { restore(): void } {
  const { setTimeout } = globalThis
  const shortened = (work: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) =>
    setTimeout(work, ms < 1000 ? ms : ms * share, ...values)
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(shortened as typeof setTimeout)
  const restore = () => spy.mockRestore()
  onTestFinished(restore)
  return { restore }
}
