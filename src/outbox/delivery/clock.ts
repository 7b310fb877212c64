/** Returns milliseconds that only increase. `performance.now()` would load a module that short commands do not need. */
export function monotonicMs(): number {
  return process.uptime() * 1000
}
