/**
 * Returns the milliseconds of a clock that setting the time does not change. Unlike the first use of `performance`, it
 * loads nothing.
 */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}
