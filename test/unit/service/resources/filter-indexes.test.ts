import { beforeAll, describe, expect, it } from 'vitest'
import {
  expense,
  type FieldType,
  type RecordDeclaration,
  timeEntry,
} from '../../../../src/records/records.js'
import { isTextType } from '../../../../src/service/resources/fields.js'
import { matchers } from '../../../../src/service/resources/ransack.js'
import { rawSql, type Sql, sql } from '../../../../src/service/storage/sql.js'
import type { Storage } from '../../../../src/service/storage/storage.js'
import { createServiceFixture, databases, observed, q, sendTo, useDatabase } from '../fixtures.js'

/**
 * The column that a filter by each field looks up in an index. `user_id` alone means that it reads all records of the user,
 * and none of other users: an exact time of a change, which no client needs, selects as much as the order of lists.
 */
const lookedUp: Record<string, Record<string, Columns>> = {
  time_entries: {
    id: both('id'),
    time_start: both('time_start'),
    time_end: { ...both('time_start'), lt: 'user_id' }, // Nearly all entries ended before most times.
    notes: both('user_id'),
    task_link_id: both('task_link_id'),
    external_id: both('external_id'),
    created_at: both('user_id'),
    updated_at: { eq: 'user_id', range: 'updated_at' },
    etag: both('user_id'),
  },
  expenses: {
    id: both('id'),
    spent_on: both('spent_on'),
    ...{ amount: both('user_id'), currency: both('user_id'), expense_type_id: both('user_id') },
    project_id: both('project_id'),
    notes: both('user_id'),
    external_id: both('external_id'),
    created_at: both('user_id'),
    updated_at: { eq: 'user_id', range: 'updated_at' },
    etag: both('user_id'),
  },
}

type Columns = { eq: string; range: string; lt?: string }

function both(column: string): Columns {
  return { eq: column, range: column }
}

const users = 40
const recordsOfUser = 500
const start = Date.parse('2024-01-01T00:00:00Z')
const hourMs = 3_600_000

/** Returns a value with which a predicate matches few of the stored records. */
function comparedValue(type: FieldType, matcher: string): string {
  const last = new Date(start + (recordsOfUser - 1) * hourMs).toISOString()
  const first = new Date(start + hourMs).toISOString()
  const isLast = matcher !== 'lt'
  if (type === 'time') return isLast ? last : first
  if (type === 'day') return (isLast ? last : first).slice(0, 10)
  if (isTextType(type)) return isLast ? 'x99' : 'x01'
  if (type === 'tag') return '"20"'
  return isLast ? '20' : '2'
}

describe.each(databases)('a filter over %s', (_, open) => {
  const database = useDatabase(open)
  let statements: Sql[]
  let list: (path: string) => Promise<Response>
  beforeAll(async () => {
    const { storage } = database
    const { users } = await createServiceFixture(storage)
    await fill(storage)
    // The service never analyzes a SQLite database, and PostgreSQL analyzes all tables itself.
    if (storage.dialect === 'postgres') await storage.queries.all(sql`analyze`)
    const queries = observed(storage.queries, (query) => statements.push(query))
    list = (path) => sendTo({ storage: { queries } }, users[0], path)
  })

  /** Returns the plans of the statements of a list that read its table. */
  async function plansOf(table: string, query: string): Promise<string[]> {
    statements = []
    const response = await list(`/${table === 'time_entries' ? 'timesheets' : table}?${query}`)
    expect(response.status, await response.text()).toBe(200)
    const reads = statements.filter(({ texts }) => texts.join('').includes(`from "${table}"`))
    expect(reads).not.toEqual([])
    return Promise.all(reads.map((statement) => planOf(database.storage, statement)))
  }

  const filters = [timeEntry, expense].flatMap(({ table, fields }: RecordDeclaration) =>
    Object.entries(fields).flatMap(([field, { type }]) =>
      matchers
        .filter((matcher) => matcher !== 'cont' || isTextType(type))
        .filter((matcher) => matcher === 'eq' || type !== 'tag')
        .map((matcher) => ({ table, field, type, matcher })),
    ),
  )

  it.each(filters)(
    'by $field of $table with _$matcher uses an index',
    async ({ table, field, type, matcher }) => {
      const predicates = q({ [`${field}_${matcher}`]: comparedValue(type, matcher) })
      const { eq, range, lt = range } = lookedUp[table]?.[field] ?? both('no declared column')
      const column = { eq, gteq: range, lt, cont: 'user_id' }[matcher]
      for (const query of [predicates, `${predicates}&per_page=5`])
        for (const plan of await plansOf(table, query)) expect(lookedUpIn(plan), plan).toContain(column)
    },
  )

  it('by the end of entries finds long entries by their own index', async () => {
    statements = []
    await list(`/timesheets?${q({ time_end_gteq: comparedValue('time', 'gteq') })}`)
    const lookUps = statements.filter(({ texts }) => texts.join('').includes('min(time_start)'))
    const plans = await Promise.all(lookUps.map((statement) => planOf(database.storage, statement)))
    expect(plans).toEqual([expect.stringContaining('time_entries_long')])
  })

  it.each(filters.filter(({ matcher }) => matcher === 'eq'))(
    'by a missing $field of $table uses an index',
    async ({ table, field }) => {
      for (const plan of await plansOf(table, q({ [`${field}_eq`]: null })))
        expect(lookedUpIn(plan), plan).toMatch(/user_id|\bid\b|^never$/)
    },
  )
})

/** Stores records of many users. Their times, days and texts differ, and the last ones of each have the highest values. */
async function fill({ queries, dialect }: Storage): Promise<void> {
  const run = (text: string) => queries.all(rawSql(text))
  const numbers = (count: number) =>
    `with recursive numbers(n) as (select ${dialect === 'sqlite' ? '1' : '1::bigint'}
      union all select n + 1 from numbers where n < ${count})`
  await run(`insert into users (email, name, active, created_at) ${numbers(users)}
    select 'user' || n, 'User', 1, 1 from numbers`)
  await run(`insert into tasks (name) ${numbers(20)} select 'Task ' || n from numbers`)
  await run(`insert into task_links (project_id, task_id, active)
    select projects.id, tasks.id, 1 from projects, tasks where tasks.name like 'Task %'`)
  await run(`insert into projects (name, active) ${numbers(20)} select 'Project ' || n, 1 from numbers`)
  const perUser = `from users, (${numbers(recordsOfUser)} select n, ${start} + (n - 1) * ${hourMs} as time from numbers) as record`
  const own = "users.id, 'x' || substr(cast(100 + n as text), 2) || users.id || n, 'note ' || n, time, time"
  await run(`insert into time_entries
      (user_id, external_id, notes, created_at, updated_at, time_start, time_end, task_link_id)
    select ${own}, time, time + 1000, (select min(id) from task_links) + n % 20 ${perUser}`)
  await run(`insert into expenses
      (user_id, external_id, notes, created_at, updated_at, spent_on, amount, amount_units, currency, project_id)
    select ${own}, ${dialect === 'sqlite' ? "date(time / 1000, 'unixepoch')" : "to_char(to_timestamp(time / 1000), 'YYYY-MM-DD')"},
      '2.00', 20000, 'EUR', (select min(id) from projects) + n % 20 ${perUser}`)
}

/** Returns the plan of a statement, one step per line. */
async function planOf({ dialect, queries }: Storage, statement: Sql): Promise<string> {
  if (dialect === 'sqlite') {
    const steps = await queries.all<{ detail: string }>(sql`explain query plan ${statement}`)
    return steps.map(({ detail }) => detail).join('\n')
  }
  const lines = await queries.all<{ 'QUERY PLAN': string }>(sql`explain ${statement}`)
  return lines.map((line) => line['QUERY PLAN']).join('\n')
}

/**
 * Returns the columns of the conditions with which a plan searches indexes of the records, as text. Fails for a plan that
 * reads a whole table or index.
 */
function lookedUpIn(plan: string): string {
  expect(plan).not.toMatch(/(^SCAN|Seq Scan on) (time_entries|expenses)/m)
  const searches = [
    ...plan.matchAll(/^SEARCH (?:time_entries|expenses) USING .*\((.*)\)$/gm),
    ...plan.matchAll(/Index Cond: (.*)$/gm),
  ]
  const columns = searches
    .map(([, condition]) => condition)
    .join('; ')
    .replaceAll('rowid=', 'id=')
  expect(columns).toMatch(/\b(user_id|id)\b/)
  return columns
}
