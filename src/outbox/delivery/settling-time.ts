import type { RecordKind } from '../../api-client/types.js'
import type { TtError } from '../../lib/errors.js'
import type { QueuedChange } from '../queued-change.js'

/**
 * How long after its last request the service may still apply a change with an unknown outcome, in milliseconds: longer
 * than the usual limits of proxies and application servers. Until then a create is only looked up, and the later changes of
 * an updated record wait.
 */
export const settlingMs = 60_000

/** The clocks of this machine. */
export interface Clocks {
  clock(): Date
  /** Returns the milliseconds since this machine started; undefined if that is unknown. */
  uptimeMs?: (() => number) | undefined
}

/** The time of an event by both clocks of this machine. */
export interface ClockReading {
  wallMs: number
  /** Counts the time in which the machine slept; undefined where that is unknown. */
  uptimeMs: number | undefined
}

/** How long after the response a record is changed without reading it again, in milliseconds. */
const recentMs = 2_000

/** When a change was sent. See `QueuedChange`. */
export type SendingTimes = Pick<QueuedChange, 'sentAt' | 'sentUptimeMs' | 'firstSentAt' | 'clockOffsetMs'>

/** Returns the current time by both clocks. */
export function readClocks({ clock, uptimeMs }: Clocks): ClockReading {
  return { wallMs: clock().getTime(), uptimeMs: uptimeMs?.() }
}

/** Whether a response arrived a moment ago by both clocks: a machine that slept in between may have missed other changes. */
export function isRecent(arrival: ClockReading, clocks: Clocks): boolean {
  const now = readClocks(clocks)
  const elapsedMs = [now.wallMs - arrival.wallMs]
  if (now.uptimeMs !== undefined && arrival.uptimeMs !== undefined)
    elapsedMs.push(now.uptimeMs - arrival.uptimeMs)
  return elapsedMs.every((ms) => Math.abs(ms) <= recentMs)
}

/**
 * Returns how far the clock of the service was ahead of this one when a change was sent, in milliseconds: the difference
 * that was measured then, otherwise the current one if the clock was not set since. Undefined if that is unknown.
 */
export function offsetAtSending(
  facts: { clockOffsetMs(): number | undefined },
  clocks: Clocks,
): (sent: SendingTimes) => number | undefined {
  return ({ sentAt, sentUptimeMs, firstSentAt, clockOffsetMs }) => {
    if (clockOffsetMs !== null) return clockOffsetMs
    const { wallMs, uptimeMs } = readClocks(clocks)
    if (sentAt === null || (firstSentAt !== null && firstSentAt !== sentAt)) return undefined
    const elapsedMs = uptimeMs === undefined || sentUptimeMs === null ? 0 : uptimeMs - sentUptimeMs
    return Math.abs(wallMs - sentAt - elapsedMs) <= recentMs ? facts.clockOffsetMs() : undefined
  }
}

/** A change that is not sent yet, or a record that is read again, because the service may still apply an earlier request. */
export interface SettlingChange {
  /** The number of the change; undefined for a record that is only read again. */
  seq: number | undefined
  kind: RecordKind
  /** The ID of its record. */
  record: string
  reason: 'unknown_create' | 'unreadable' | 'earlier_attempt' | 'read_again'
  /**
   * The time from which it may be sent or read again, in epoch milliseconds; undefined while the service sends incomplete
   * lists, or none.
   */
  until: number | undefined
  /** Why a create could not be looked up, or a record not read. */
  failure?: TtError | undefined
}

/** Whether the time of the next request is known. */
export function hasEnd(settling: SettlingChange): settling is SettlingChange & { until: number } {
  return settling.until !== undefined
}

/** A smaller step back of a clock is no restart: virtual machines that move may show one. */
const clockErrorMs = 1000

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
  if (upMs !== undefined && sentUptimeMs !== null) {
    const isRestarted = sentUptimeMs - upMs > clockErrorMs
    elapsed.push(isRestarted ? upMs : Math.max(0, upMs - sentUptimeMs))
  }
  return elapsed.length === 0 ? undefined : Math.max(0, settlingMs - Math.min(...elapsed))
}
