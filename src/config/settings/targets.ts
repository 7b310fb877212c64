import type { Weekday } from '../../lib/calendar/day.js'
import { formatDuration } from '../../lib/calendar/duration.js'
import { TtError } from '../../lib/errors.js'

/** The target settings, in seconds. */
export interface TargetSettings {
  /** For each working day. */
  daily?: number
  /** For the whole week. */
  weekly?: number
  /** For single days, whether they are working days or not. */
  days: Partial<Record<Weekday, number>>
}

const week: readonly Weekday[] = [0, 1, 2, 3, 4, 5, 6]

/**
 * Returns the target for each weekday in seconds, from Sunday; undefined without any target setting. The weekly target,
 * less the targets of single days, is spread over the other working days.
 *
 * Throws TtError `usage` for targets that contradict each other.
 */
export function targetsOf(targets: TargetSettings, workingDays: readonly Weekday[]): number[] | undefined {
  const { daily, weekly, days } = targets
  if (daily !== undefined && weekly !== undefined) {
    throw new TtError('usage', 'target.daily and target.weekly are both set.', {
      hint: 'Remove one of them.',
      nextStep: { action: 'unset', setting: 'target.daily' },
    })
  }
  if (daily === undefined && weekly === undefined && Object.keys(days).length === 0) return undefined
  const others = workingDays.filter((day) => days[day] === undefined)
  const shares =
    weekly === undefined ? others.map(() => daily ?? 0) : spreadWeekly(weekly, targets, others.length)
  return week.map((day) => days[day] ?? shares[others.indexOf(day)] ?? 0)
}

/** Divides the rest of the weekly target into whole seconds for `count` days; the first days get the remainder. */
function spreadWeekly(weekly: number, { days }: TargetSettings, count: number): number[] {
  const singleDays = Object.values(days).reduce((sum, seconds) => sum + seconds, 0)
  const rest = weekly - singleDays
  if (rest < 0 || (count === 0 && rest > 0)) {
    throw new TtError(
      'usage',
      `target.weekly is ${formatDuration(weekly)}, and the targets of single days make ${formatDuration(singleDays)}.`,
      {
        hint: 'Change one of them, or remove the weekly target.',
        nextStep: { action: 'unset', setting: 'target.weekly' },
      },
    )
  }
  return Array.from(
    { length: count },
    (_, index) => Math.floor(rest / count) + (index < rest % count ? 1 : 0),
  )
}
