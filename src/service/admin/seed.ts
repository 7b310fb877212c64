import type { Insertable, Kysely } from 'kysely'
import { TtError } from '../../lib/errors.js'
import { dayMs, minuteMs } from '../../lib/time-units.js'
import { dayAt, startOfDay } from '../resources/time-zone.js'
import { formatDecimal, isDay } from '../resources/values.js'
import type { Schema } from '../storage/schema.js'
import type { Storage } from '../storage/storage.js'
import { addExpenseType, addLink, companyOf, listExpenseTypes } from './administration.js'
import { type SeededRandom, seededRandom } from './seeded-random.js'
import { findUserId } from './users.js'

export interface SeedOptions {
  /** How many time entries to invent. */
  entries: number
  /** How many expenses, on the days of the entries; one for 20 entries, at most 500, unless it is given. */
  expenses?: number
  /** The same number invents the same records. */
  randomSeed: number
  /** No entry ends later. */
  until: Date
  /** Whose they are. */
  email: string
  /** Told now and then how many entries are made. */
  onProgress?(count: number): void
}

export interface SeedResult {
  entries: number
  expenses: number
  /** YYYY-MM-DD; null when there are no entries. */
  first_day: string | null
  last_day: string | null
}

const names = [
  ['Acme', 'Website', 'Design'],
  ['Acme', 'Website', 'Development'],
  ['Acme', 'Website', 'Design review'],
  ['Acme', 'Shop', 'Development'],
  ['Acme', 'Shop', 'Support'],
  ['Bäckerei Süß', 'Kassensystem', 'Entwicklung'],
  ['Bäckerei Süß', 'Kassensystem', 'Schulung'],
  ['Northwind', 'Data warehouse', 'Analysis'],
  ['Northwind', 'Data warehouse', 'Development'],
  [undefined, 'Internal', 'Meetings'],
  [undefined, 'Internal', 'Administration'],
] as const

const notes = [
  null,
  null,
  '',
  'Stand-up',
  'Reviewed the open pull requests',
  'Größenänderung der Übersicht',
  'Café mit Zoë: "Angebot" besprochen',
  "Fixed the customer's import",
  'Deploy 🚀 and watch the graphs',
  'Release 2.4 \\ hotfix 100% done_now',
  'Angebot für das nächste Quartal, zweiter Entwurf nach dem Gespräch vom Vormittag',
] as const

const expenseTypeNames = ['Travel', 'Meals', 'Accommodation', 'Software'] as const
const batchRows = 500

type NewEntry = Insertable<Schema['time_entries']>
type NewExpense = Insertable<Schema['expenses']>

/** A time entry before it has an owner. */
interface Draft {
  start: number
  end: number
  notes: string | null
  /** Which of the task links, counted from 0. */
  link: number
  planned: boolean
}

/**
 * Invents a user's history: about 8 entries a working day in the company's time zone, none overlapping, going
 * back from `until` over as many days as it takes. What a day holds does not depend on how many entries there are.
 *
 * Throws TtError `not_found` for an unknown user, `usage` for more entries than the calendar has room for.
 */
export async function seed(storage: Storage, options: SeedOptions): Promise<SeedResult> {
  const { db } = storage
  const userId = await findUserId(storage, options.email)
  const { currency, time_zone } = await companyOf(storage)
  const diary = new Diary(options.randomSeed, options.until.getTime(), time_zone)
  const days = await diary.daysFor(options.entries)
  const links = await seedLinks(storage)
  const types = await seedExpenseTypes(storage)
  const base = { userId, ...(await firstFree(db, userId)) }
  const expenses =
    days.length === 0 ? 0 : (options.expenses ?? Math.min(500, Math.ceil(options.entries / 20)))

  await db.transaction().execute(async (transaction) => {
    const rows = entryRows(diary, days, options.entries, links, base)
    let made = 0
    await insertBatched(rows, async (batch) => {
      await transaction.insertInto('time_entries').values(batch).execute()
      made += batch.length
      options.onProgress?.(made)
    })
    const spent = expenseRows(seededRandom(options.randomSeed), days, expenses, types, currency, base)
    await insertBatched(spent, (batch) => transaction.insertInto('expenses').values(batch).execute())
  })
  return { entries: options.entries, expenses, first_day: days[0] ?? null, last_day: days.at(-1) ?? null }
}

/** What the user did on each day, always the same for the same seed and day. */
class Diary {
  constructor(
    readonly seed: number,
    readonly until: number,
    readonly zone: string,
  ) {}

  /** The days, the last ones before `until`, that together hold at least that many entries; oldest first. */
  async daysFor(entries: number): Promise<string[]> {
    const last = await dayAt(this.until, this.zone)
    const days: string[] = []
    let count = 0
    for (let midnight = Date.parse(last); count < entries; midnight -= dayMs) {
      const day = new Date(midnight).toISOString().slice(0, 10)
      if (!isDay(day)) {
        throw new TtError('usage', `There are too few days before ${last} for ${entries} entries.`)
      }
      const drafts = await this.draftsOf(day)
      count += drafts.length
      if (drafts.length > 0) days.push(day)
    }
    return days.reverse()
  }

  async draftsOf(day: string): Promise<Draft[]> {
    const date = Date.parse(day)
    const weekday = new Date(date).getUTCDay()
    if (weekday === 0 || weekday === 6) return []
    const midnight = await startOfDay(day, this.zone)
    const random = seededRandom(this.seed + (date / dayMs) * 7919)
    const drafts: Draft[] = []
    const add = (start: number, minutes: number) => {
      drafts.push({
        start: midnight + start * minuteMs,
        end: midnight + (start + minutes) * minuteMs,
        notes: random.pick(notes),
        link: random.between(0, names.length - 1),
        planned: random.next() < 0.02,
      })
      return start + minutes
    }
    let minute = random.between(8 * 60, 9 * 60)
    for (let left = random.between(7, 9); left > 0; left--) {
      minute = add(minute, random.between(15, 80)) + random.between(0, 12)
    }
    if (random.next() < 0.03) add(random.between(22 * 60, 23 * 60 + 30), random.between(121, 180))
    return drafts.filter(({ end }) => end <= this.until)
  }
}

async function* entryRows(
  diary: Diary,
  days: readonly string[],
  wanted: number,
  links: readonly number[],
  { userId, number }: { userId: number; number: number },
): AsyncGenerator<NewEntry> {
  let count = 0
  for (const day of days) count += (await diary.draftsOf(day)).length
  // The oldest day holds more than is wanted, as a rule.
  let surplus = count - wanted
  let planned = number
  for (const day of days) {
    for (const draft of await diary.draftsOf(day)) {
      if (surplus-- > 0) continue
      yield {
        user_id: userId,
        time_start: draft.start,
        time_end: draft.end,
        notes: draft.notes,
        task_link_id: links[draft.link] ?? 0,
        external_id: draft.planned ? `PLAN-${planned++}` : null,
        created_at: draft.end,
        updated_at: draft.end,
      }
    }
  }
}

function* expenseRows(
  random: SeededRandom,
  days: readonly string[],
  wanted: number,
  types: readonly [number, ...number[]],
  currency: string,
  { userId, number }: { userId: number; number: number },
): Generator<NewExpense> {
  for (let made = 0; made < wanted; made++) {
    const day = days[random.between(0, days.length - 1)] ?? ''
    const cents = random.between(150, 25_000)
    const at = Date.parse(`${day}T18:00:00Z`)
    yield {
      user_id: userId,
      spent_on: day,
      amount: formatDecimal({ digits: BigInt(cents), decimals: 2 }),
      amount_units: cents * 100,
      currency,
      expense_type_id: random.pick(types),
      notes: random.pick(notes),
      external_id: made % 10 === 9 ? `RECEIPT-${number + made}` : null,
      created_at: at,
      updated_at: at,
    }
  }
}

async function insertBatched<Row>(
  rows: AsyncIterable<Row> | Iterable<Row>,
  insert: (batch: Row[]) => Promise<unknown>,
): Promise<void> {
  let batch: Row[] = []
  for await (const row of rows) {
    batch.push(row)
    if (batch.length < batchRows) continue
    await insert(batch)
    batch = []
  }
  if (batch.length > 0) await insert(batch)
}

async function seedLinks(storage: Storage): Promise<number[]> {
  const ids: number[] = []
  for (const [client, project, task] of names) {
    ids.push(Number((await addLink(storage, { client, project, task })).id))
  }
  return ids
}

async function seedExpenseTypes(storage: Storage): Promise<[number, ...number[]]> {
  const known = await listExpenseTypes(storage)
  const idOf = async (name: string) =>
    Number((known.find((type) => type.name === name) ?? (await addExpenseType(storage, name))).id)
  const [first, ...others] = expenseTypeNames
  const ids: [number, ...number[]] = [await idOf(first)]
  for (const name of others) ids.push(await idOf(name))
  return ids
}

/** A number that no earlier seed has used in an external id: those stay unique. */
async function firstFree(db: Kysely<Schema>, userId: number): Promise<{ number: number }> {
  const count = async (table: 'time_entries' | 'expenses') => {
    const query = db.selectFrom(table).select((eb) => eb.fn.max<number | null>('id').as('id'))
    return (await query.where('user_id', '=', userId).executeTakeFirst())?.id ?? 0
  }
  return { number: 1 + Math.max(await count('time_entries'), await count('expenses')) }
}
