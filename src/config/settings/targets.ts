import type { Weekday } from '../../calendar/day.js'
import { formatDuration } from '../../calendar/duration.js'
import { TtError } from '../../lib/errors.js'

/** What is set of the time to be worked, in seconds. */
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
 * The seconds to be worked on each weekday, from Sunday; undefined where nothing is set. What `weekly` leaves beside the
 * single days is spread over the other working days.
 *
 * Throws TtError `usage` for targets that do not go together.
 */
export function targetsOf(targets: TargetSettings, workingDays: readonly Weekday[]): number[] | undefined {
  const { daily, weekly, days } = targets
  if (daily !== undefined && weekly !== undefined) {
    throw new TtError('usage', 'target.daily and target.weekly are both set.', {
      hint: 'Set one of them: `tt config unset target.daily` or `tt config unset target.weekly`.',
    })
  }
  if (daily === undefined && weekly === undefined && Object.keys(days).length === 0) return undefined
  const others = workingDays.filter((day) => days[day] === undefined)
  const shares =
    weekly === undefined ? others.map(() => daily ?? 0) : spreadWeekly(weekly, targets, others.length)
  return week.map((day) => days[day] ?? shares[others.indexOf(day)] ?? 0)
}

/** Whole seconds that add up; what cannot be divided goes to the first days. */
function spreadWeekly(weekly: number, { days }: TargetSettings, count: number): number[] {
  const set = Object.values(days).reduce((sum, seconds) => sum + seconds, 0)
  const rest = weekly - set
  if (rest < 0 || (count === 0 && rest > 0)) {
    throw new TtError(
      'usage',
      `target.weekly is ${formatDuration(weekly)}, and the targets of single days make ${formatDuration(set)}.`,
      { hint: 'Change one of them, or `tt config unset target.weekly`.' },
    )
  }
  return Array.from(
    { length: count },
    (_, index) => Math.floor(rest / count) + (index < rest % count ? 1 : 0),
  )
}
