// Fills the databases of the throughput benchmark: the same entries in SQLite and in PostgreSQL.

import { execute } from '../../support/postgres-cluster.js'
import { Database } from '../driver.js'
import { outputOf, tt } from '../timing.js'

/** Ordinary users and their entries, 100,000 together. */
const users = 20
const entriesPerUser = 5000
/** The entries of the users whose pages are compared. */
const entriesOf = { short: 1000, long: 100_000 }

/** The first day with entries; there are three a day. */
const firstDay = '2020-01-01'
const dayMs = 86_400_000
const hourMs = 3_600_000

/**
 * @typedef {object} Data
 * @property {string} database the location
 * @property {Record<'reader' | 'writer' | 'short' | 'long', string>} tokens
 * @property {number} link the ID of the only task link
 * @property {number} entry the ID of an entry of the reader
 * @property {number[]} entries IDs of entries of the writer
 */

/**
 * Creates users and entries in an empty database.
 * @param {string} home
 * @param {string} database
 * @returns {Promise<Data>}
 */
export async function fill(home, database) {
  /** @param {string[]} argv */
  const admin = (...argv) =>
    JSON.parse(
      outputOf({ name: 'admin', argv: [tt, 'admin', ...argv, '--database', database, '--json'], home }),
    )
  const tokens = Object.fromEntries(
    ['reader', 'writer', 'short', 'long'].map((name) => [
      name,
      admin('user', 'add', `${name}@example.com`).token,
    ]),
  )
  admin('projects', 'add', 'Website')
  admin('tasks', 'add', 'Website/Design')
  // The users have the IDs 1 to 4 (reader, writer, short, long) and 5 to 22.
  const statements = [
    `insert into users (email, name, active, created_at)
      ${numbers(users - 2)} select 'user' || n || '@example.com', 'User ' || n, 1, 0 from numbers`,
    ...Array.from({ length: users + 2 }, (_, index) =>
      insertEntries(index + 1, { 2: entriesOf.short, 3: entriesOf.long }[index] ?? entriesPerUser),
    ),
    'analyze',
  ]
  if (database.startsWith('sqlite:')) {
    const sqlite = new Database(database.slice(7))
    for (const statement of statements) sqlite.exec(statement)
    sqlite.exec('pragma wal_checkpoint(truncate)')
    sqlite.close()
  } else {
    await execute(database, statements.join(';'))
  }
  return {
    database,
    tokens: /** @type {Data['tokens']} */ (tokens),
    link: 1,
    entry: 1000,
    entries: Array.from({ length: 100 }, (_, index) => entriesPerUser + 1 + index * 10),
  }
}

/** @param {number} user @param {number} count */
function insertEntries(user, count) {
  const start = `${Date.parse(firstDay)} + (n - 1) / 3 * ${dayMs} + (8 + (n - 1) % 3 * 3) * ${hourMs}`
  return `insert into time_entries (user_id, time_start, time_end, notes, task_link_id, created_at, updated_at)
    ${numbers(count)}
    select ${user}, ${start}, ${start} + ${2 * hourMs} + n % 60 * 60000,
      case n % 7 when 0 then null when 1 then 'Überprüfung "Startseite" ' || n else 'Page ' || n || ' of the site' end,
      1, ${start} + 12345, ${start} + 54321 from numbers`
}

/** Returns the clause that defines `numbers` with the numbers from 1. @param {number} count */
const numbers = (count) => `with recursive numbers (n) as
  (select cast(1 as bigint) union all select n + 1 from numbers where n < ${count})`
