import type { Sqlite } from '../../src/lib/sqlite/connection.js'
import type { LocalDay } from './year.js'

/** What a report says of a group, whichever one made it. */
export interface Figure {
  seconds: number
  count: number
}

/** How SQLite tells what `tt report` groups by. */
const columns: Record<string, string> = {
  day: 'day',
  week: "date(day, '-6 days', 'weekday 1')",
  month: 'substr(day, 1, 7)',
  quarter: "substr(day, 1, 4) || '-Q' || ((substr(day, 6, 2) + 2) / 3)",
  year: 'substr(day, 1, 4)',
  weekday: `case strftime('%w', day) when '0' then 'Sunday' when '1' then 'Monday' when '2' then 'Tuesday'
    when '3' then 'Wednesday' when '4' then 'Thursday' when '5' then 'Friday' else 'Saturday' end`,
  client: 'client_id',
  project: 'project_id',
  task: 'task_id',
  notes: 'notes',
  place: 'task_link_id',
}

/** Has the database know the days and the moment of the report, and `parts`: each entry cut where a day begins. */
export function createPartsView(database: Sqlite, days: readonly LocalDay[], now: number) {
  database.exec(`
    create temp table days (day text, day_from integer, day_to integer);
    create temp view parts as
      select e.id, e.task_link_id, l.project_id, l.task_id, p.client_id, nullif(trim(coalesce(e.notes, '')), '') as notes,
        day, max(e.time_start / 1000, (select min(day_from) from days)) as entry_from,
        max(e.time_start / 1000, day_from) as part_from, min(coalesce(e.time_end / 1000, ${now}), day_to) as part_to
      from time_entries e
        join task_links l on l.id = e.task_link_id join projects p on p.id = l.project_id
        join days on e.time_start / 1000 < day_to and coalesce(e.time_end / 1000, ${now}) > day_from`)
  const insert = database.prepare('insert into days values (?, ?, ?)')
  database.transaction(() => {
    for (const { day, from, to } of days) insert.run([day, from, to])
  })
}

/** The sums of the parts by those words, each by its keys, as in `figuresOf`. */
export function sumWithSql(
  database: Sqlite,
  by: readonly string[],
  seconds = 'part_to - part_from',
): Map<string, Figure> {
  const keys = by.map((word) => columns[word] ?? '')
  const rows = database
    .prepare(
      `select json_array(${keys}) as keys, sum(${seconds}) as seconds, count(distinct id) as count
       from parts group by ${keys}`,
    )
    .all() as { keys: string; seconds: number; count: number }[]
  return new Map(rows.map(({ keys, seconds, count }) => [keys, { seconds, count }]))
}

/** How SQLite rounds whole seconds, halves up. */
export function roundWithSql(seconds: string, step: number, direction: 'up' | 'down' | 'nearest'): string {
  const whole = { up: `(${seconds}) + ${step - 1}`, down: seconds, nearest: `(${seconds}) + ${step} / 2` }[
    direction
  ]
  return `((${whole}) / ${step} * ${step})`
}

/** The figures of a report in JSON. */
export interface ReportGroup extends Figure {
  by: string
  key: string | null
  id: number | null
  rounded_seconds: number
  amounts: { currency: string; amount: string }[]
  groups: ReportGroup[]
}

/** The groups at that depth, with the keys around them: an id where there is one, a name or a date elsewhere. */
export function groupsAt(
  groups: readonly ReportGroup[],
  depth: number,
  around: unknown[] = [],
): [string, ReportGroup][] {
  return groups.flatMap((group): [string, ReportGroup][] => {
    const keys = [...around, group.id ?? group.key]
    return depth === 1 ? [[JSON.stringify(keys), group]] : groupsAt(group.groups, depth - 1, keys)
  })
}

/** What the report says of its groups at that depth. */
export function figuresOf(groups: readonly ReportGroup[], depth: number): Map<string, Figure> {
  return new Map(groupsAt(groups, depth).map(([keys, { seconds, count }]) => [keys, { seconds, count }]))
}
