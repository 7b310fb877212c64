import type { Sqlite } from '../../src/lib/sqlite/connection.js'
import type { LocalDay } from './year.js'

/** Total time and number of entries of a report group. */
export interface Figure {
  seconds: number
  count: number
}

/** SQL expressions for the dimensions of `tt report`. */
const columns: Record<string, string> = {
  day: 'day',
  week: "date(day, '-6 days', 'weekday 1')",
  month: 'substr(day, 1, 7)',
  weekday: `case strftime('%w', day) when '0' then 'Sunday' when '1' then 'Monday' when '2' then 'Tuesday'
    when '3' then 'Wednesday' when '4' then 'Thursday' when '5' then 'Friday' else 'Saturday' end`,
  client: 'client_id',
  project: 'project_id',
  task: 'task_id',
}

/** Creates the view `parts`: every entry split at the start of each day. */
export function createPartsView(database: Sqlite, days: readonly LocalDay[], now: number) {
  database.exec(`
    create temp table days (day text, day_from integer, day_to integer);
    create temp view parts as
      select e.id, l.project_id, l.task_id, p.client_id, day,
        max(e.time_start / 1000, day_from) as part_from, min(coalesce(e.time_end / 1000, ${now}), day_to) as part_to
      from time_entries e
        join task_links l on l.id = e.task_link_id join projects p on p.id = l.project_id
        join days on e.time_start / 1000 < day_to and coalesce(e.time_end / 1000, ${now}) > day_from`)
  const insert = database.prepare('insert into days values (?, ?, ?)')
  database.transaction(() => {
    for (const { day, from, to } of days) insert.run([day, from, to])
  })
}

/** Sums `parts` by these dimensions; the keys of the map are those of `figuresOf`. */
export function sumWithSql(database: Sqlite, by: readonly string[]): Map<string, Figure> {
  const keys = by.map((dimension) => columns[dimension] ?? '')
  const rows = database
    .prepare(
      `select json_array(${keys}) as keys, sum(part_to - part_from) as seconds, count(distinct id) as count
       from parts group by ${keys}`,
    )
    .all() as { keys: string; seconds: number; count: number }[]
  return new Map(rows.map(({ keys, seconds, count }) => [keys, { seconds, count }]))
}

/** A group in the JSON of a report. */
export interface ReportGroup extends Figure {
  by: string
  key: string | null
  id: number | null
  rounded_seconds: number
  amounts: { currency: string; amount: string }[]
  groups: ReportGroup[]
}

/** Returns the figures of the groups at a depth, by the keys of their parents and their own as JSON: IDs, names or dates. */
export function figuresOf(
  groups: readonly ReportGroup[],
  depth: number,
  parentKeys: unknown[] = [],
): Map<string, Figure> {
  return new Map(
    groups.flatMap(({ id, key, seconds, count, groups }): [string, Figure][] => {
      const keys = [...parentKeys, id ?? key]
      return depth === 1
        ? [[JSON.stringify(keys), { seconds, count }]]
        : [...figuresOf(groups, depth - 1, keys)]
    }),
  )
}
