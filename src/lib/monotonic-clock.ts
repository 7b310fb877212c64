/**
 * Returns the milliseconds of a clock that setting the time does not change. Unlike the first use of `performance`, it
 * loads nothing.
 */
export function monotonicMs(): number {
  return process.uptime() * 1000
}
