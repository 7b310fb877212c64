import { onTestFinished } from 'vitest'
import { scopes } from '../../src/api-client/types.js'
import { generateToken, hashToken } from '../../src/service/accounts/tokens.js'
import * as administration from '../../src/service/admin/administration.js'
import { insertInto, literal, rawSql, sql } from '../../src/service/storage/sql.js'
import { openStorage, type Storage } from '../../src/service/storage/storage.js'
import { createSharedDatabase, findPostgresPrograms } from '../support/postgres.js'
import { temporaryDirectory } from '../support/process.js'

/** The databases to measure. */
export const places = ['SQLite', ...(findPostgresPrograms() ? ['PostgreSQL'] : [])]

/** Rounds of a measurement. */
export const rounds = Number(process.env.TT_ROUNDS ?? 3)

/** Prints a figure of a test. */
export function printFigure(text: string) {
  process.stdout.write(`${text}\n`)
}

/** Creates an empty database, removed with the test, and returns its location. */
export async function createLocation(place: string): Promise<string> {
  if (place === 'SQLite') return `sqlite:${temporaryDirectory()}/team.db`
  const { url, drop } = await createSharedDatabase()
  onTestFinished(drop)
  return url
}

/** Opens the database with a company in it. */
export async function openCompany(location: string): Promise<Storage> {
  const storage = await openStorage(location)
  await administration.ensureCompany(storage, { name: 'Acme', currency: 'EUR', time_zone: 'UTC' })
  return storage
}

/** Adds rows of a table whose columns are SQL expressions of `n`, the number of the row from 1. */
export async function fill(
  { queries }: Storage,
  table: string,
  count: number,
  columns: Record<string, string>,
) {
  const [names, values] = [Object.keys(columns).join(), Object.values(columns).join()]
  await queries.all(sql`
    with recursive numbers (n) as (select cast(1 as bigint) union all select n + 1 from numbers where n < ${literal(count)})
    insert into ${rawSql(`${table} (${names}) select ${values}`)} from numbers`)
}

/** Adds a user, and returns the ID and the headers of requests. */
export async function addUser(storage: Storage, email: string) {
  const { id } = await administration.addUser(storage, { email, name: email, clock: () => new Date() })
  const token = generateToken(0)
  const granted = { hash: hashToken(token), scopes: scopes.join(' '), name: 'test', created_at: 0 }
  await storage.queries.all(insertInto('tokens', { user_id: id, ...granted }))
  return { id, headers: { authorization: `Bearer ${token}` } }
}

/** Reads a metric of the server with this port for metrics; NaN if it is missing. */
export async function readMetric(port: string, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const line = text.split('\n').find((line) => line.startsWith(`${name} `))
  return Number(line?.split(' ')[1])
}

/** Returns the value that a part of the values, from 0 to 1, does not exceed. */
export const percentile = (values: number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0

/** Returns the durations of requests in milliseconds, one after the other until `isDone`. */
export async function timeRequests(
  request: () => Promise<unknown>,
  isDone: (count: number) => boolean,
): Promise<number[]> {
  const durations: number[] = []
  while (!isDone(durations.length)) {
    const startMs = performance.now()
    await request()
    durations.push(performance.now() - startMs)
  }
  return durations
}
