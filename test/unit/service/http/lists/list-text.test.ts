import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { selectText } from '../../../../../src/service/http/lists/list-text.js'
import { RecordBatches } from '../../../../../src/service/http/response.js'
import {
  expenses,
  projects,
  type Resource,
  type Row,
  timeEntries,
  toRecords,
} from '../../../../../src/service/resources/resources.js'
import { firstInstant, isStorable, lastInstant } from '../../../../../src/service/resources/values.js'
import { identifier, joinSql, sql } from '../../../../../src/service/storage/sql.js'
import { createServiceFixture, type Database, databases, type ServiceFixture } from '../../fixtures.js'

const storable = fc
  .oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.string({ unit: 'grapheme', maxLength: 20 }))
  .filter(isStorable)
const special = fc.constantFrom(
  '"',
  '\\',
  '\u0001\u001f\u007f',
  '\b\f\n\r\t',
  ',\n',
  '\u2028\u2029',
  '😀',
  '/<>&',
)
const text = fc.oneof(storable, special, fc.constant(null))
const instant = fc.oneof(
  fc.integer({ min: firstInstant, max: lastInstant }),
  fc.integer({ min: 0, max: 4_000_000_000_000 }),
  fc.constantFrom(firstInstant, lastInstant, -1, 0, 999, 59_999, 86_399_999),
)

describe.each(databases)('JSON text of %s', (_, open) => {
  let database: Database
  let at: ServiceFixture
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    at = await createServiceFixture(database.storage)
  })

  /** Stores rows, and expects the same text from the database as from records. */
  async function expectSameText(resource: Resource<unknown>, rows: Row[]) {
    const { queries } = database.storage
    await queries.all(sql`delete from ${identifier(resource.table)} returning 1`)
    for (const row of rows) {
      const names = joinSql(Object.keys(row).map((name) => identifier(name)))
      await queries.all(sql`
        insert into ${identifier(resource.table)} (${names}) values (${joinSql(Object.values(row))}) returning 1`)
    }
    for (const times of [undefined, 'ms']) {
      const order = joinSql(resource.order.map((column) => identifier(resource.table, column)))
      const stored = await queries.all<Row>(
        sql`select ${resource.columns} from ${identifier(resource.table)} order by ${order}`,
      )
      const expected = new RecordBatches([toRecords(resource, stored, times)]).text()
      const read = await selectText(queries, resource, [], { limit: 1000, times })
      expect(read).toEqual({ text: expected, count: rows.length })
    }
  }

  it('is that of time entries', async () => {
    const row = fc.record({
      time_start: instant,
      time_end: fc.oneof(instant, fc.constant(null)),
      notes: text,
      created_at: instant,
      updated_at: instant,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 8 }), (rows) =>
        expectSameText(
          timeEntries,
          rows.map((values, index) => ({
            ...{ ...values, user_id: at.users[0], task_link_id: at.link },
            external_id: values.notes === null ? null : `${values.notes}${index}`,
          })),
        ),
      ),
      { numRuns: 60 },
    )
  })

  it('is that of expenses', async () => {
    const row = fc.record({
      spent_on: fc.constantFrom('0001-01-01', '2024-02-29', '9999-12-31'),
      amount: fc.constantFrom('12.50', '-0.0001', '999999999999.9999'),
      notes: text,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 4 }), (rows) =>
        expectSameText(
          expenses,
          rows.map((values) => ({
            ...{ ...values, user_id: at.users[0], amount_units: 1, currency: 'EUR' },
            ...{ created_at: 1, updated_at: 2 },
          })),
        ),
      ),
      { numRuns: 20 },
    )
  })

  it('is that of records with booleans', async () => {
    const { queries } = database.storage
    await queries.all(sql`delete from task_links returning 1`)
    await expectSameText(projects, [
      { name: 'One', active: 1 },
      { name: 'Two', active: 0 },
    ])
  })

  it.each([
    { notes: 'new' },
    { notes: null, time_end: null },
    { notes: 7 },
    { time_end: '2024-05-08T07:59:59Z' },
    { time_end: '2024-05-08T08:00:00Z' },
    { time_start: '2024-05-08T09:00:01Z' },
    { time_start: '2024-05-08T09:00:00Z' },
    { time_start: '2024-05-07T09:00:00Z' },
    { time_start: '2024-05-08T12:00:00Z', time_end: '2024-05-08T11:00:00Z' },
    { time_start: '2024-05-08T10:00:00Z', time_end: '2024-05-08T11:00:00Z' },
    { task_link_id: 999_999 },
    { external_id: 'x' },
    { external_id: null },
    {},
  ])('of an entry changed by %j is the same over a socket and in process', async (change) => {
    const entry = { time_start: '2024-05-08T08:00:00Z', time_end: '2024-05-08T09:00:00Z', notes: 'old' }
    for (const visibility of ['open', 'assigned']) {
      const responses: unknown[] = []
      await database.storage.queries.all(sql`delete from time_entries`)
      await database.storage.queries.all(sql`update company set visibility = 'open'`)
      const ids: number[] = []
      for (const user of at.users) {
        const created = await at.send('POST', '/timesheets', { ...entry, task_link_id: at.link }, user)
        ids.push(((await created.json()) as { id: number }).id)
      }
      await database.storage.queries.all(
        sql`update company set visibility = ${visibility as 'open' | 'assigned'}`,
      )
      const [served, inProcess] = ids
      const body = JSON.stringify(change)
      const overSocket = await at.send('PATCH', `/timesheets/${served}`, change)
      responses.push([overSocket.status, withoutIdAndTimes(await overSocket.text())])
      const headers = new Map([
        ['content-length', String(body.length)],
        ['authorization', `Bearer ${at.users[1]}`],
      ])
      const direct = await at.app.respond({
        method: 'PATCH',
        url: `http://local/api/v1/timesheets/${inProcess}`,
        headers: { get: (name) => headers.get(name.toLowerCase()) ?? null },
        text: async () => body,
      })
      responses.push([direct.status, withoutIdAndTimes(String(direct.body))])
      expect(responses[0]).toEqual(responses[1])
    }
  })
})

/** Returns the fields that are the same for every record with the same contents: PostgreSQL has a clock of its own. */
function withoutIdAndTimes(text: string): unknown {
  const { id: _, etag: _etag, created_at, updated_at, ...rest } = JSON.parse(text)
  return rest
}
