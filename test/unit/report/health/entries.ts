import { type FixCommands, fixCommands, fixStep } from '../../../../src/cli/fix-command.js'
import { weekday } from '../../../../src/lib/calendar/day.js'
import { DurationDisplay } from '../../../../src/lib/calendar/duration-display.js'
import type { FindingKind } from '../../../../src/records/report-names.js'
import { type Finding, findings, type HealthOptions } from '../../../../src/report/health/findings.js'
import type { WorkCalendar } from '../../../../src/report/work-calendar.js'
import { type Entry, entryFromJson } from '../../../../src/tracking/entries/entry.js'

/** Returns an entry from `start` to `end` (null while it runs), in local time or RFC 3339. */
export function entry(
  id: number | string,
  start: string,
  end: string | null,
  more: { notes?: string; link?: number | null } = {},
): Entry {
  const { notes = 'noted', link = 7 } = more
  const named =
    link === null ? {} : { project: 'Website', project_id: 1, task: `Task ${link}`, task_id: link }
  return entryFromJson({
    id,
    time_start: new Date(start).toISOString(),
    time_end: end === null ? null : new Date(end).toISOString(),
    notes,
    task_link_id: link,
    ...named,
  })
}

/** Monday to Friday. */
const weekdays: Pick<WorkCalendar, 'isWorkingDay'> = {
  isWorkingDay: (day) => weekday(day) >= 1 && weekday(day) <= 5,
}

const durations = DurationDisplay.of('1h 24m')

/** Returns the findings of one kind among the entries, up to `now`, with the commands that fix them. */
export async function findingsOf(
  kind: FindingKind,
  entries: Entry[],
  now: string,
  options: Partial<HealthOptions> = {},
): Promise<(Omit<Finding, 'fixes' | 'alternative'> & FixCommands)[]> {
  const problems = await findings([entries], {
    kinds: [kind],
    period: {},
    settings: { workingHours: [{ from: 9 * 60, to: 17 * 60 }], entryLimitSeconds: 36_000 },
    work: weekdays,
    now: new Date(now),
    durations,
    ...options,
  })
  return problems.map(({ fixes, alternative, ...finding }) => ({
    ...finding,
    ...fixCommands(fixStep({ fixes, ...(alternative === undefined ? {} : { alternative }) }, durations)),
  }))
}
