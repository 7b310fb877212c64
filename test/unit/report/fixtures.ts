import type { Day } from '../../../src/lib/calendar/day.js'
import type { Period } from '../../../src/lib/calendar/period.js'
import type { Dimension } from '../../../src/records/report-names.js'
import type { Group, Report } from '../../../src/report/report-model.js'
import { Tally, type TallyOptions } from '../../../src/report/tally.js'
import { type Link, toLink } from '../../../src/tracking/catalog/links.js'
import { type Entry, toEntry } from '../../../src/tracking/entries/entry.js'

let lastId = 0
const ids = new Map<string, number>()

/** Returns a task link with these names; equal names are the same client, project of that client, or task. */
export function link(client: string | null, project: string, task: string): Link {
  const named = (kind: string, name: string) => ({ id: idOf(`${kind} ${name}`), name })
  const id = idOf(`link ${client}/${project}/${task}`)
  return toLink(
    { id, project_id: null, task_id: null },
    client === null ? null : named('client', client),
    { id: idOf(`project ${client}/${project}`), name: project },
    named('task', task),
  )
}

function idOf(name: string): number {
  const id = ids.get(name) ?? ids.size + 1
  ids.set(name, id)
  return id
}

const design = link('Acme', 'Website', 'Design')

/** Returns an entry from and to local times; it is running without an end. */
export function entry(start: string, end: string | null, more: { link?: Link; notes?: string } = {}): Entry {
  const { link: on = design, notes = null } = more
  lastId++
  const wire = {
    id: lastId,
    time_start: new Date(start).toISOString(),
    time_end: end === null ? null : new Date(end).toISOString(),
    notes,
    task_link_id: on.id,
  }
  return toEntry({ record: wire, pending: false }, on)
}

/** Returns the groups of a report as lines, such as "  Website 3600", indented by two spaces per level. */
export function outline(groups: readonly Group[], depth = 0): string[] {
  return groups.flatMap((group) => [
    `${'  '.repeat(depth)}${group.label} ${group.seconds}`,
    ...outline(group.groups, depth + 1),
  ])
}

/** Returns the sums of entries; weeks begin on Monday, and all time is billable without a rate. */
export function tallyOf(entries: readonly Entry[], by: Dimension[], options: Partial<TallyOptions> = {}) {
  const sums = new Tally({
    ...{ by, now: new Date('2024-12-31T12:00:00'), weekStart: 1 },
    termsOf: () => ({ isBillable: true, rate: undefined }),
    ...options,
  })
  for (const one of entries) sums.add(one)
  return sums.sums()
}

/** The fields of a report without rounding, rates, filters and targets. */
export const reportFrame = {
  ...{ rounding: null, isBilled: false, unratedSeconds: 0, isFiltered: false, isOver: false },
  ...{ sinceEarlierDay: [], workingDays: 0, averageSeconds: null },
  ...{ targetSeconds: null, targetSince: null, secondsBeforeTarget: 0 },
}

/** Returns the report of entries in a period. */
export function reportOf(
  entries: readonly Entry[],
  by: Dimension[],
  { first, last }: Period,
  options: Partial<TallyOptions> = {},
): Report & { since: Day } {
  const { totals, groups } = tallyOf(entries, by, options)
  return { ...reportFrame, ...totals, since: first, until: last, by, groups }
}
