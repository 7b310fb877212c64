import { onTestFinished } from 'vitest'

/** Stops the clock of `monotonicMs` until the test ends; returns a function that advances it. */
export function stopMonotonicClock(): (ms: number) => void {
  const { hrtime } = process
  const [startSeconds, nanoseconds] = hrtime()
  let addedMs = 0
  const stopped = (): [number, number] => {
    const ms = addedMs + nanoseconds / 1e6
    return [startSeconds + Math.floor(ms / 1000), (ms % 1000) * 1e6]
  }
  process.hrtime = Object.assign(stopped, { bigint: hrtime.bigint })
  onTestFinished(() => {
    process.hrtime = hrtime
  })
  return (ms) => {
    addedMs += ms
  }
}
