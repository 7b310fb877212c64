import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  assignment,
  expense,
  project,
  type RecordDeclaration,
  timeEntry,
} from '../../../../src/records/records.js'
import * as administration from '../../../../src/service/admin/administration.js'
import type { ApiRequest } from '../../../../src/service/http/request-context.js'
import { comparedInstant, parseConditions, readFilter } from '../../../../src/service/resources/ransack.js'
import type { Queries } from '../../../../src/service/storage/queries.js'
import { insertInto, sql } from '../../../../src/service/storage/sql.js'
import type { Storage } from '../../../../src/service/storage/storage.js'
import { databases, q, type ServiceFixture, useDatabase, useServiceFixture } from '../fixtures.js'

const source = { queries: { dialect: 'sqlite' } as Queries, timeZone: 'Europe/Berlin' }
const filterOf = (query: string, record: RecordDeclaration = timeEntry) =>
  readFilter({ parameters: new URLSearchParams(query) } as ApiRequest, record)

describe('a filter', () => {
  const expectInvalid = async (query: string, message: string, record: RecordDeclaration = timeEntry) => {
    const read = async () => parseConditions(filterOf(query, record), record, source)
    const problem = { status: 400, code: 'invalid_query', message: expect.stringContaining(message) }
    await expect(read()).rejects.toThrow(expect.objectContaining(problem))
  }

  it.each([
    ['{', 'JSON'],
    ['[]', 'object'],
    ['"x"', 'object'],
    ['null', 'object'],
    ['{"colour_eq":1}', 'colour'],
    ['{"__proto___eq":1}', '__proto__'],
    ['{"constructor_eq":1}', 'constructor'],
    ['{"user_id_eq":1}', 'user_id'],
    ['{"notes_matches":"x"}', 'notes_matches'],
    ['{"notes":"x"}', '"notes"'],
    ['{"_eq":1}', '_eq'],
    ['{"id_eq":[1]}', 'id_eq'],
    ['{"id_eq":{}}', 'id_eq'],
    ['{"id_eq":true}', 'id_eq'],
    ['{"id_eq":"one"}', '"id_eq" requires a whole number.'],
    ['{"task_link_id_lt":""}', '"task_link_id_lt" requires a whole number.'],
    ['{"id_lt":null}', 'id_lt'],
    ['{"id_cont":"1"}', 'id_cont'],
    ['{"notes_eq":false}', 'notes_eq'],
    ['{"notes_cont":"\\u0000"}', 'notes_cont'],
    ['{"notes_eq":"\\ud800"}', 'notes_eq'],
    ['{"time_start_cont":"2024"}', 'time_start_cont'],
    ['{"time_start_gteq":1715155200}', 'time_start_gteq'],
    ['{"time_start_gteq":""}', '"time_start_gteq" requires a date (YYYY-MM-DD) or a time'],
  ])('that is %s is rejected, and the message names the invalid part', (text, part) =>
    expectInvalid(`q=${encodeURIComponent(text)}`, part),
  )

  it.each([
    ...['yesterday', '2024-02-30', '2024-05-08T24:00', '2024-05-08T09:60', '2024-13-08 09:00'],
    ...['2024-05-08T09:00+25:00', '2024-05-08T09', '2024-05-08 09:00 CEST'],
  ])('rejects the time %s', (time) => expectInvalid(q({ time_start_gteq: time }), 'time_start_gteq'))

  it.each(['yes', 'on', '', 2, -1, '01'])('rejects %j as a boolean', (value) =>
    expectInvalid(q({ active_eq: value }), '"active_eq" requires true or false.', project),
  )

  it.each(['2024-2-30', '2024-13-1', '2024-5-', '2024-005-1', '24-5-1', '2024-05-01T00:00:00Z'])(
    'rejects the day %s',
    (day) => expectInvalid(q({ starts_on_eq: day }), '"starts_on_eq" requires a date', assignment),
  )

  it('rejects an amount that is no decimal number', () =>
    expectInvalid(q({ amount_eq: 'much' }), '"amount_eq" requires a decimal number.', expense))

  it.each([
    ['q[notes_eq]=a&q[notes_eq]=b', '"notes_eq" occurs more than once.'],
    ['q={"notes_eq":"a"}&q={"notes_eq":"b"}', 'The parameter q occurs more than once.'],
    ['q={"notes_eq":"a","notes\\u005feq":"b"}', '"notes_eq" occurs more than once.'],
    ['q={"notes_eq":"a"}&q[notes_eq]=a', 'q and q[FIELD_MATCHER] cannot be combined.'],
    ['q=&q[notes_eq]=a', 'q and q[FIELD_MATCHER] cannot be combined.'],
    ['q[s]=notes', '"s" does not end in a matcher'],
    ['q[g][0][notes_eq]=a', '"q[g][0][notes_eq]" is not supported'],
    ['q[g]=a', '"g" does not end in a matcher'],
    ['q[notes_eq][]=a', '"q[notes_eq][]" is not supported'],
    ['q[]=notes_eq', '"q[]" is not supported'],
    ['q[notes_eq=a', '"q[notes_eq" is not supported'],
    ['q.notes_eq=a', '"q.notes_eq" is not supported'],
    ['Q[notes_eq]=a', '"Q[notes_eq]" is not supported'],
    ['Q={"notes_eq":"a"}', '"Q" is not supported'],
    ['filter[notes]=a', '"filter[notes]" is not a parameter'],
    ['notes_eq=a', '"notes_eq" is not a parameter'],
    ['notes_not_eq=a', '"notes_not_eq" is not a parameter'],
    ['colour_cont=a', '"colour_cont" is not a parameter'],
    ['notes=a', '"notes" is not a parameter'],
    ['external_id=X-1', '"external_id" is not a parameter'],
    ['notes[eq]=a', '"notes[eq]" is not a parameter'],
    ['per_page=5&time_start_gteq=2024-05-08', '"time_start_gteq" is not a parameter'],
  ])('is never ignored: %s is rejected', (query, message) => expectInvalid(query, message))

  it.each([
    { notes_lt: 'b', time_start_gteq: '2024-05-08' },
    { time_start_lt: '2024-5-9 09:30', notes_cont: 'ÜB' },
    { notes_matches: 'x', colour_eq: '1', __proto___eq: '1', notes_eq: 'a\0' },
  ])('has the brackets of Ransack as another form: %j', (filter) => {
    const bracketed = Object.entries(filter).map(([key, value]): [string, string] => [`q[${key}]`, value])
    expect(filterOf(String(new URLSearchParams(bracketed)))).toEqual(filterOf(q(filter)))
  })

  it.each(['q=', 'q=%20', 'q=%7B%7D', 'utm=1&per_page=5'])(
    'that is empty (%s) has no conditions',
    (query) => {
      expect(filterOf(query).size).toBe(0)
    },
  )

  it.each([
    ...[true, 'true', 'TRUE', 't', 'T', '1', 1].map((value) => [value, 1]),
    ...[false, 'false', 'FALSE', 'f', 'F', '0', 0].map((value) => [value, 0]),
  ])('reads %j as %i', async (value, stored) => {
    const [condition] = await parseConditions(new Map([['active_eq', value]]), project, source)
    expect(condition?.values).toEqual([stored])
  })

  it.each(['2024-5-1', '2024-05-1', '2024-5-01'])('accepts the day %s', async (day) => {
    const [condition] = await parseConditions(new Map([['starts_on_eq', day]]), assignment, source)
    expect(condition?.values).toEqual(['2024-05-01'])
  })

  it.each([
    ['Europe/Berlin', '2024-05-08T09:30', '2024-05-08T07:30:00Z'],
    ['Europe/Berlin', '2024-05-08 09:30', '2024-05-08T07:30:00Z'],
    ['Europe/Berlin', '2024-5-8 9:30', '2024-05-08T07:30:00Z'],
    ['Europe/Berlin', '2024-12-08T09:30:15', '2024-12-08T08:30:15Z'],
    ['Europe/Berlin', '2024-12-08T09:30:15.25', '2024-12-08T08:30:15.250Z'],
    ['Europe/Berlin', '2024-12-08T09:30Z', '2024-12-08T09:30:00Z'],
    ['Europe/Berlin', '2024-12-08 09:30:00 UTC', '2024-12-08T09:30:00Z'],
    ['Europe/Berlin', '2024-12-08 09:30:00 +0530', '2024-12-08T04:00:00Z'],
    ['Europe/Berlin', '2024-12-08T09:30-03', '2024-12-08T12:30:00Z'],
    ['Europe/Berlin', '2024-12-08T13:30:00.123+05:30', '2024-12-08T08:00:00.123Z'],
    // The clocks show this time twice: the first one counts.
    ['Europe/Berlin', '2024-10-27T02:30', '2024-10-27T00:30:00Z'],
    // The clocks skip this time.
    ['Europe/Berlin', '2024-03-31T02:30', '2024-03-31T01:30:00Z'],
    ['America/New_York', '2024-05-08T23:30', '2024-05-09T03:30:00Z'],
    ['Pacific/Kiritimati', '2024-05-08T00:30', '2024-05-07T10:30:00Z'],
    ['UTC', '2024-05-08T09:30', '2024-05-08T09:30:00Z'],
    ['Europe/Berlin', '2024-5-8', '2024-05-07T22:00:00Z'],
    ['America/New_York', '2024-05-08', '2024-05-08T04:00:00Z'],
    ['UTC', '0001-01-01', '0001-01-01T00:00:00Z'],
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00Z'],
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00Z'],
    ['America/Havana', '2024-11-03', '2024-11-03T04:00:00Z'],
  ])('for a company in %s reads the time or date %s as %s', async (timeZone, time, instant) => {
    const predicate = { field: 'time_start', matcher: 'eq' } as const
    const read = await comparedInstant(new Map([['time_start_eq', time]]), predicate, { ...source, timeZone })
    expect(read).toBe(Date.parse(instant))
    const [condition] = await parseConditions(new Map([['time_start_eq', time]]), timeEntry, {
      ...{ ...source, timeZone },
    })
    expect(condition?.values).toEqual([Date.parse(instant)])
  })
})

interface StoredEntry {
  id: number
  time_start: number
  time_end: number | null
  notes: string | null
  external_id: string | null
}

describe.each(databases)('q over %s', (_, open) => {
  const database = useDatabase(open)
  const at = useServiceFixture(database)

  const store = (entries: readonly Omit<StoredEntry, 'id'>[]) => insert(database.storage, at, entries)
  const entry = (fields: Partial<StoredEntry>) => ({
    time_start: Date.parse('2024-05-08T08:00:00Z'),
    time_end: null,
    notes: null,
    external_id: null,
    ...fields,
  })

  it('compares booleans and days, also in brackets, which further pages keep', async () => {
    const { storage } = database
    await administration.addProject(storage, 'Old')
    await administration.setProjectActive(storage, 'Old', false)
    await administration.assign(storage, { email: 'a@example.org', project: 'Old', startsOn: '2024-05-01' })
    expect(await at.ids(`/projects?${q({ active_eq: false })}`)).toHaveLength(1)
    expect(await at.ids(`/projects?${q({ active_eq: 'true', name_cont: 'WEB' })}`)).toHaveLength(1)
    expect(
      await at.ids(`/assignments?${q({ starts_on_gteq: '2024-05-01', ends_on_eq: null })}`),
    ).toHaveLength(1)
    expect(await at.ids(`/assignments?${q({ starts_on_lt: '2024-05-01' })}`)).toHaveLength(0)
    expect(await at.ids('/projects?q[active_eq]=f')).toHaveLength(1)
    expect(await at.ids('/assignments?q%5Bstarts_on_lt%5D=2024-5-1')).toHaveLength(0)
    expect(await at.ids('/timesheets/most_used_tasks?q[active_eq]=true')).toEqual([])
    expect((await at.get('/timesheets?q[notes_matches]=x')).status).toBe(400)
    await store([1, 2, 3].map((n) => entry({ notes: `note ${n}` })))
    await store([entry({ notes: 'other' })])
    const first = await at.get('/timesheets?q[notes_cont]=note&per_page=2')
    const [, next = ''] = /<[^>]*\/api\/v1([^>]*)>; rel="next"/.exec(first.headers.get('Link') ?? '') ?? []
    expect(await at.ids(next)).toHaveLength(1)
    const times = { Accept: 'application/vnd.tt.entry-times+json' }
    const columns = await at.send('GET', '/timesheets?q[notes_cont]=other', undefined, undefined, times)
    expect(await columns.json()).toMatchObject([{ time_start: expect.any(Number) }])
  })

  it('reads strings that look like keys, and parameters that are no conditions', async () => {
    const [stored] = await store([entry({ notes: '"notes_eq": "x"' })])
    const filter = { notes_eq: '"notes_eq": "x"', notes_cont: ':' }
    expect(await at.ids(`/timesheets?${q(filter)}&utm=1&per_page=5`)).toEqual([stored?.id])
  })

  it.each(['projects', 'clients', 'tasks', 'task_links', 'assignments', 'expense_types', 'expenses'])(
    'works on /%s',
    async (list) => {
      expect(await at.ids(`/${list}?${q({ id_lt: 0 })}`)).toEqual([])
      expect((await at.get(`/${list}?${q({ nothing_eq: 1 })}`)).status).toBe(400)
    },
  )

  it('finds the entries that overlap a period, however long', async () => {
    const hourMs = 3_600_000
    const from = Date.parse('2024-05-01T00:00:00Z')
    const starts = [-1000, -960, -200, -30, -24, -2, 0, 5, 100]
    const stored = await store(
      starts.flatMap((start) =>
        [1, 25, 190, 961, 2000].map((hours) =>
          entry({ time_start: from + start * hourMs, time_end: from + (start + hours) * hourMs }),
        ),
      ),
    )
    for (const at_ of [-900, -100, 0, 3, 200]) {
      const [begin, end] = [from + at_ * hourMs, from + (at_ + 24) * hourMs]
      const expected = stored
        .filter((row) => (row.time_end ?? 0) >= begin && row.time_start < end)
        .sort((a, b) => a.time_start - b.time_start || a.id - b.id)
      const filter = {
        time_end_gteq: new Date(begin).toISOString(),
        time_start_lt: new Date(end).toISOString(),
      }
      expect(await at.ids(`/timesheets?${q(filter)}`)).toEqual(expected.map(({ id }) => id))
    }
  })

  it('reads dates and times in the time zone of the company', async () => {
    await administration.updateCompany(database.storage, { timeZone: 'America/New_York' })
    const start = Date.parse('2024-05-08T04:00:00Z')
    const [before, exactly] = await store([entry({ time_start: start - 1 }), entry({ time_start: start })])
    for (const time of ['2024-05-08', '2024-05-08T00:00']) {
      expect(await at.ids(`/timesheets?${q({ time_start_eq: time })}`)).toEqual([exactly?.id])
      expect(await at.ids(`/timesheets?${q({ time_start_gteq: time })}`)).toEqual([exactly?.id])
      expect(await at.ids(`/timesheets?${q({ time_start_lt: time })}`)).toEqual([before?.id])
    }
  })

  it('compares numbers exactly, also beyond the stored range', async () => {
    const [one, next] = await store([entry({}), entry({})])
    const [id, nextId] = [one?.id ?? 0, next?.id]
    expect(nextId).toBe(id + 1)
    expect(await at.ids(`/timesheets?${q({ id_eq: String(id) })}`)).toEqual([id])
    expect(await at.ids(`/timesheets?${q({ id_lt: `${id}.5`, id_gteq: id - 0.5 })}`)).toEqual([id])
    expect(await at.ids(`/timesheets?${q({ id_eq: id + 0.5 })}`)).toEqual([])
    expect(await at.ids(`/timesheets?${q({ id_lt: '99999999999999999999999' })}`)).toEqual([id, nextId])
    expect(await at.ids(`/timesheets?${q({ id_gteq: '-99999999999999999999999' })}`)).toEqual([id, nextId])
    expect(await at.ids(`/timesheets?${q({ id_eq: '99999999999999999999999' })}`)).toEqual([])
  })

  it('finds exactly the records that match the predicates', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(entries, { maxLength: 6 }),
        fc.array(predicates, { maxLength: 3 }),
        async (rows, predicates) => {
          await database.storage.queries.all(sql`delete from time_entries`)
          const stored = await store(
            rows.map((row, index) => ({
              ...row,
              external_id: row.external_id && `${row.external_id}${index}`,
            })),
          )
          const filter = Object.fromEntries(predicates)
          const expected = stored
            .filter((row) => Object.entries(filter).every(([key, value]) => holds(row, key, value)))
            .toSorted((a, b) => a.time_start - b.time_start || a.id - b.id)
          expect(await at.ids(`/timesheets?${q(filter)}`)).toEqual(expected.map(({ id }) => id))
        },
      ),
      { numRuns: 150 },
    )
  })
})

const words = fc.oneof(
  fc.constantFrom(
    ...["'", '"', '%', '_', '\\', '%%', "' OR 1=1 --", '"; drop table time_entries; --', '?', '$1', 'Ä', 'ä'],
  ),
  fc.constantFrom('🚀', 'Straße', 'İ', 'I', 'ı', 'K', 'K', '￿', '😀', 'a', 'A', 'Ab', '', ' '),
  fc.string({ unit: 'grapheme', maxLength: 5 }).map((text) => text.replaceAll('\0', '')),
)
const texts = fc.array(words, { maxLength: 3 }).map((parts) => parts.join(''))
const instants = fc.oneof(
  fc.integer({ min: 1_715_000_000_000, max: 1_715_000_000_005 }),
  fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }),
)
const entries = fc.record({
  time_start: instants,
  time_end: fc.option(instants),
  notes: fc.option(texts),
  external_id: fc.option(texts.map((text) => `x${text}`)),
})
const matcher = fc.constantFrom('eq', 'gteq', 'lt')
const predicates: fc.Arbitrary<[key: string, value: string | null]> = fc.oneof(
  fc.tuple(fc.constantFrom('notes_cont', 'external_id_cont'), texts),
  fc.tuple(
    matcher.map((name) => `notes_${name}`),
    texts,
  ),
  fc.tuple(
    matcher.map((name) => `time_start_${name}`),
    instants.map((at) => new Date(at).toISOString()),
  ),
  fc.tuple(
    matcher.map((name) => `time_end_${name}`),
    instants.map((at) => new Date(at).toISOString()),
  ),
  fc.tuple(fc.constantFrom('notes_eq', 'time_end_eq', 'external_id_eq'), fc.constant(null)),
)

/** Returns whether a record matches a predicate as in service-api-v1.md section 4. */
function holds(row: StoredEntry, key: string, value: string | null): boolean {
  const [, field = '', name] = /^(.*)_(eq|gteq|lt|cont)$/.exec(key) ?? []
  const stored = row[field as keyof StoredEntry]
  if (value === null) return stored === null
  if (stored === null) return false
  if (name === 'cont') return folded(String(stored)).includes(folded(value))
  const order =
    typeof stored === 'number'
      ? stored - Date.parse(value)
      : Buffer.compare(Buffer.from(stored), Buffer.from(value))
  return name === 'eq' ? order === 0 : name === 'gteq' ? order >= 0 : order < 0
}

const folded = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

async function insert(
  { queries }: Storage,
  { users: [user_id], link }: ServiceFixture,
  rows: readonly Omit<StoredEntry, 'id'>[],
): Promise<StoredEntry[]> {
  const stored: StoredEntry[] = []
  for (const row of rows) {
    const values = { ...row, user_id, task_link_id: link, created_at: 0, updated_at: 0 }
    const [added] = await queries.all<{ id: number }>(sql`${insertInto('time_entries', values)} returning id`)
    stored.push({ ...row, id: added?.id ?? 0 })
  }
  return stored
}
