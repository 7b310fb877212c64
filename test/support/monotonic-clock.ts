import { onTestFinished, vi } from 'vitest'

/** Stops the clock of `monotonicMs` until the test ends; returns a function that advances it. */
export function stopMonotonicClock(): (ms: number) => void {
  let seconds = process.uptime()
  const clock = vi.spyOn(process, 'uptime').mockImplementation(() => seconds)
  onTestFinished(() => clock.mockRestore())
  return (ms) => {
    seconds += ms / 1000
  }
}
