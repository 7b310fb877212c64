import { dayAt, startOfDay } from '../../lib/calendar/time-zone.js'
import { TtError } from '../../lib/errors.js'
import { dayMs, minuteMs } from '../../lib/time-units.js'
import { versionStep } from '../resources/fields.js'
import { formatDecimal, isDay } from '../resources/values.js'
import type { Queries } from '../storage/queries.js'
import { type ColumnValues, insertInto, sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'
import { addExpenseType, addLink, companyOf, listExpenseTypes } from './administration.js'
import { findUserId } from './users.js'

export interface SeedOptions {
  /** The number of time entries to generate. */
  entries: number
  /** The number of expenses to generate; default: one per 20 entries, at most 500. */
  expenses?: number
  /** The seed of the random numbers: the same seed generates the same records. */
  randomSeed: number
  /** The latest possible end of an entry. */
  until: Date
  /** The user of the records. */
  email: string
  /** Called after each batch with the number of entries created so far. */
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

/** A generated time entry without a user. */
interface GeneratedEntry {
  start: number
  end: number
  notes: string | null
  /** The index of the task link. */
  linkIndex: number
  hasExternalId: boolean
}

/**
 * Generates the history of a user: about 8 entries without overlaps per working day in the company's time zone, going
 * back from `until` as many days as necessary. The entries of a day do not depend on the number of entries.
 *
 * Throws TtError `not_found` for an unknown user, `usage` when the calendar has too few days for the entries.
 */
export async function seed(storage: Storage, options: SeedOptions): Promise<SeedResult> {
  const { queries } = storage
  const userId = await findUserId(queries, options.email)
  const { currency, time_zone } = await companyOf(storage)
  const history = new History(options.randomSeed, options.until.getTime(), time_zone)
  const days = await history.daysFor(options.entries)
  const links = await seedLinks(storage)
  const types = await seedExpenseTypes(storage)
  const base = { userId, ...(await findUnusedNumber(queries, userId)) }
  const expenses =
    days.length === 0 ? 0 : (options.expenses ?? Math.min(500, Math.ceil(options.entries / 20)))

  await queries.transaction(async (transaction) => {
    const rows = entryRows(history, days, options.entries, links, base)
    let insertedCount = 0
    await insertInBatches(rows, async (batch) => {
      await transaction.all(insertInto('time_entries', ...batch))
      insertedCount += batch.length
      options.onProgress?.(insertedCount)
    })
    const expenseBatch = expenseRows(seededRandom(options.randomSeed), days, expenses, types, currency, base)
    await insertInBatches(expenseBatch, (batch) => transaction.all(insertInto('expenses', ...batch)))
  })
  return { entries: options.entries, expenses, first_day: days[0] ?? null, last_day: days.at(-1) ?? null }
}

/** Generates the entries of each day; the same seed and day give the same entries. */
class History {
  constructor(
    readonly seed: number,
    readonly until: number,
    readonly zone: string,
  ) {}

  /** Returns the last days before `until` that together have at least that many entries, oldest first. */
  async daysFor(entries: number): Promise<string[]> {
    const last = await dayAt(this.until, this.zone)
    const days: string[] = []
    let count = 0
    for (let midnight = Date.parse(last); count < entries; midnight -= dayMs) {
      const day = new Date(midnight).toISOString().slice(0, 10)
      if (!isDay(day)) {
        throw new TtError('usage', `There are too few days before ${last} for ${entries} entries.`)
      }
      const generated = await this.entriesOf(day)
      count += generated.length
      if (generated.length > 0) days.push(day)
    }
    return days.reverse()
  }

  async entriesOf(day: string): Promise<GeneratedEntry[]> {
    const date = Date.parse(day)
    const weekday = new Date(date).getUTCDay()
    if (weekday === 0 || weekday === 6) return []
    const midnight = await startOfDay(day, this.zone)
    const random = seededRandom(this.seed + (date / dayMs) * 7919)
    const generated: GeneratedEntry[] = []
    const add = (start: number, minutes: number) => {
      generated.push({
        start: midnight + start * minuteMs,
        end: midnight + (start + minutes) * minuteMs,
        notes: random.pick(notes),
        linkIndex: random.between(0, names.length - 1),
        hasExternalId: random.next() < 0.02,
      })
      return start + minutes
    }
    let minute = random.between(8 * 60, 9 * 60)
    for (let remaining = random.between(7, 9); remaining > 0; remaining--) {
      minute = add(minute, random.between(15, 80)) + random.between(0, 12)
    }
    if (random.next() < 0.03) add(random.between(22 * 60, 23 * 60 + 30), random.between(121, 180))
    return generated.filter(({ end }) => end <= this.until)
  }
}

async function* entryRows(
  history: History,
  days: readonly string[],
  entryCount: number,
  links: readonly number[],
  { userId, number }: { userId: number; number: number },
): AsyncGenerator<ColumnValues> {
  let generatedCount = 0
  for (const day of days) generatedCount += (await history.entriesOf(day)).length
  // The oldest day usually has more entries than necessary.
  let surplus = generatedCount - entryCount
  let planNumber = number
  for (const day of days) {
    for (const entry of await history.entriesOf(day)) {
      if (surplus-- > 0) continue
      yield {
        user_id: userId,
        time_start: entry.start,
        time_end: entry.end,
        notes: entry.notes,
        task_link_id: links[entry.linkIndex] ?? 0,
        external_id: entry.hasExternalId ? `PLAN-${planNumber++}` : null,
        created_at: entry.end,
        updated_at: entry.end,
        version: versionStep(),
      }
    }
  }
}

function* expenseRows(
  random: SeededRandom,
  days: readonly string[],
  count: number,
  types: readonly [number, ...number[]],
  currency: string,
  { userId, number }: { userId: number; number: number },
): Generator<ColumnValues> {
  for (let index = 0; index < count; index++) {
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
      external_id: index % 10 === 9 ? `RECEIPT-${number + index}` : null,
      created_at: at,
      updated_at: at,
      version: versionStep(),
    }
  }
}

async function insertInBatches<Row>(
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
  const existing = await listExpenseTypes(storage)
  const idOf = async (name: string) =>
    Number((existing.find((type) => type.name === name) ?? (await addExpenseType(storage, name))).id)
  const [first, ...others] = expenseTypeNames
  const ids: [number, ...number[]] = [await idOf(first)]
  for (const name of others) ids.push(await idOf(name))
  return ids
}

/** Returns a number that no earlier run has used in an external ID, because external IDs are unique. */
async function findUnusedNumber(queries: Queries, userId: number): Promise<{ number: number }> {
  const [latest] = await queries.all<{ entry: number | null; expense: number | null }>(sql`
    select (select max(id) from time_entries where user_id = ${userId}) as entry,
      (select max(id) from expenses where user_id = ${userId}) as expense`)
  return { number: 1 + Math.max(latest?.entry ?? 0, latest?.expense ?? 0) }
}

/** A random number generator with a seed (mulberry32): the same seed gives the same numbers. */
interface SeededRandom {
  /** Returns a number n with 0 ≤ n < 1. */
  next(): number
  /** Returns a whole number from `min` to `max`, both included. */
  between(min: number, max: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
}

function seededRandom(seed: number): SeededRandom {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
  }
}
