// The statements of the rival, prepared once: what a hand-written service over the same tables would use.
import { createRequire } from 'node:module'
import { Database, parameters } from '../driver.js'

const requireModule = createRequire(import.meta.url)

const columns =
  'id, time_start, time_end, notes, task_link_id, external_id, created_at, updated_at, version as etag'

/** Placeholders are numbered, in the order of the values. */
const texts = {
  token: `select tokens.id, tokens.user_id, tokens.kind, tokens.scopes, tokens.created_at, tokens.expires_at,
      tokens.used_at, company.legacy_keys, company.legacy_key_days
    from tokens inner join users on users.id = tokens.user_id left join company on true
    where tokens.hash = $1 and tokens.revoked_at is null and users.active = 1`,
  week: `select ${columns} from time_entries
    where user_id = $1 and time_start >= $2 and time_start < $3 order by time_start, id`,
  page: `select ${columns} from time_entries where user_id = $1 order by time_start, id limit $2 offset $3`,
  entry: `select ${columns} from time_entries where user_id = $1 and id = $2`,
  insert: `insert into time_entries
      (user_id, time_start, time_end, notes, task_link_id, external_id, created_at, updated_at, version)
    select $1, $2, $3, $4, task_links.id, null, $5, $6, $7 from task_links
    where task_links.id = $8 and task_links.active = 1 returning ${columns}`,
  update: `update time_entries set notes = $1, time_end = $2, updated_at = $3, version = version + $4
    where user_id = $5 and id = $6 and time_start <= $7 returning ${columns}`,
}

/** @typedef {Record<keyof typeof texts, (...values: unknown[]) => Promise<any[]>>} Statements */

/**
 * @param {string} location `sqlite:PATH` or a PostgreSQL URL
 * @returns {Promise<Statements>}
 */
export async function openStatements(location) {
  const run = location.startsWith('sqlite:') ? openSqlite(location.slice(7)) : await openPostgres(location)
  const names = /** @type {(keyof typeof texts)[]} */ (Object.keys(texts))
  return /** @type {Statements} */ (Object.fromEntries(names.map((name) => [name, run(name, texts[name])])))
}

/** @param {string} path */
function openSqlite(path) {
  const database = new Database(path)
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
  return (/** @type {string} */ _, /** @type {string} */ text) => {
    const statement = database.prepare(text.replace(/\$\d/g, '?'))
    return async (/** @type {unknown[]} */ ...values) => statement.all(...parameters(values))
  }
}

/** @param {string} url */
async function openPostgres(url) {
  const pg = requireModule('pg')
  const int8 = 20
  pg.types.setTypeParser(int8, Number)
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  return (/** @type {string} */ name, /** @type {string} */ text) => {
    return async (/** @type {unknown[]} */ ...values) => (await pool.query({ name, text, values })).rows
  }
}
