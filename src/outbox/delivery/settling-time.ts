import type { QueuedChange } from '../queued-change.js'

/**
 * How long a create with an unknown outcome is only looked up, and not sent again, in milliseconds: longer than the
 * usual limits of proxies and application servers, so that a request that commits late is found.
 */
export const settlingMs = 60_000

/** The clocks of this machine. */
export interface Clocks {
  clock(): Date
  /** Returns the milliseconds since this machine started; undefined if that is unknown. */
  uptimeMs?: (() => number) | undefined
}

/** A create with an unknown outcome that is not sent again yet. */
export interface SettlingChange {
  seq: number
  /** The time from which it may be sent again, in epoch milliseconds; undefined while the service sends incomplete lists. */
  until: number | undefined
}

/** Whether the time of the next request is known. */
export function hasEnd(settling: SettlingChange): settling is SettlingChange & { until: number } {
  return settling.until !== undefined
}

/**
 * Returns the milliseconds until a change may be sent again; undefined if no clock shows the time since it was sent.
 *
 * Uses the shorter of the times that the two clocks show, without a wall clock that was set back; after a restart, the
 * time since then.
 */
export function remainingSettlingMs(
  { sentAt, sentUptimeMs }: Pick<QueuedChange, 'sentAt' | 'sentUptimeMs'>,
  { clock, uptimeMs }: Clocks,
): number | undefined {
  const elapsed: number[] = []
  const sinceMs = sentAt === null ? -1 : clock().getTime() - sentAt
  if (sinceMs >= 0) elapsed.push(sinceMs)
  const upMs = uptimeMs?.()
  if (upMs !== undefined && sentUptimeMs !== null)
    elapsed.push(upMs >= sentUptimeMs ? upMs - sentUptimeMs : upMs)
  return elapsed.length === 0 ? undefined : Math.max(0, settlingMs - Math.min(...elapsed))
}
