import type { CpuInfo } from 'node:os'

/** Milliseconds since a machine started, and those of them in which it slept. */
export interface SleepReading {
  uptimeMs: number
  sleptMs: number
}

/** What an operating system tells about the time since its start. */
export interface SystemClocks {
  platform: NodeJS.Platform
  /** Returns the seconds since the start, including those of sleep. */
  uptime(): number
  /** Returns the nanoseconds of a clock that never goes back; on Linux, it stops during sleep. */
  monotonic(): bigint
  cpus(): Pick<CpuInfo, 'times'>[]
}

/** Returns the clocks of this machine. */
export function systemClocks(): SystemClocks {
  const { uptime, cpus } = process.getBuiltinModule('node:os')
  return { platform: process.platform, uptime, monotonic: process.hrtime.bigint, cpus }
}

/**
 * Returns how long a machine has been on, and how much of that it slept: the uptime less the time awake. Where the time awake
 * is unknown, it never slept.
 */
export function readSleep(clocks: SystemClocks): SleepReading {
  const uptimeMs = clocks.uptime() * 1000
  return { uptimeMs, sleptMs: Math.max(0, uptimeMs - (awakeMs(clocks) ?? uptimeMs)) }
}

function awakeMs({ platform, monotonic, cpus }: SystemClocks): number | undefined {
  if (platform === 'linux') return Number(monotonic() / 1_000_000n)
  // On macOS and Windows that clock may include sleep; the times of a processor, idle or not, do not.
  const sums = cpus().map(({ times }) => Object.values(times).reduce((sum, ms) => sum + ms, 0))
  return sums.length > 0 ? Math.max(...sums) : undefined
}
