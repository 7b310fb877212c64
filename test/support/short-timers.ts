import { onTestFinished, vi } from 'vitest'

/** Makes timers of a second or more expire in a hundredth of their time, until `restore` is called or the test ends. */
export function shortenTimers(): { restore(): void } {
  const { setTimeout } = globalThis
  const shortened = (work: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) =>
    setTimeout(work, ms < 1000 ? ms : ms / 100, ...values)
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(shortened as typeof setTimeout)
  const restore = () => spy.mockRestore()
  onTestFinished(restore)
  return { restore }
}
