// Inserts the time entries of a workspace into a copy of its schema, one statement for each entry in one transaction, with
// the driver that `tt` uses: the least that storing them costs.
import { Database, parameters } from './driver.js'

const [, , path = '', copy = ''] = process.argv
const source = new Database(path)
const rows = /** @type {Record<string, unknown>[]} */ (
  source.prepare('select * from time_entries order by id').all()
)
const database = new Database(copy)
database.exec('pragma journal_mode = wal')
const schema = source
  .prepare(
    `select sql from sqlite_master
     where tbl_name = 'time_entries' and type in ('table', 'index') and sql is not null order by type desc`,
  )
  .all()
for (const { sql } of schema) database.exec(sql.replace(/ references "\w+" \("\w+"\)/g, ''))
const columns = source
  .prepare('pragma table_info(time_entries)')
  .all()
  .map((/** @type {any} */ { name }) => name)
const insert = database.prepare(`insert into time_entries (${columns}) values (${columns.map(() => '?')})`)
database.exec('begin')
for (const row of rows) insert.run(...parameters(columns.map((/** @type {string} */ name) => row[name])))
database.exec('commit')
database.close()
process.stdout.write(`${rows.length}\n`)
