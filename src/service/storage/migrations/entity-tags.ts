import { type Queries, runAll } from '../queries.js'
import { literal, rawSql, sql } from '../sql.js'
import { addColumns } from './tables.js'

const tables = ['time_entries', 'expenses'] as const

/**
 * Adds the version of each entry and expense, from which its entity tag is made (`entityTag`). Triggers increase it whenever a statement
 * changes a record without a new version, so that no change of the service or of another program can leave it as it was.
 *
 * The first versions and the steps are random, so that a restored database repeats no version of a record that was changed
 * or created after the backup. All existing records get one random version, because a constant is added without writing
 * them.
 */
export async function addEntityTags(queries: Queries): Promise<void> {
  const version = literal(1 + Math.floor(Math.random() * 1_000_000_000))
  for (const table of tables)
    await addColumns(queries, table, { version: sql`bigint default ${version} not null` })
  const statements = queries.dialect === 'sqlite' ? sqliteTriggers() : postgresTriggers()
  await runAll(queries, statements.map(rawSql))
}

/** SQLite cannot change a row before it is stored, so that `returning` shows the previous version (`assignmentsOf` in records.ts). */
function sqliteTriggers(): string[] {
  return tables.map(
    (table) => `
      create trigger ${table}_entity_tag after update on ${table} when new.version = old.version begin
        update ${table} set version = version + 1 + abs(random() % 1000000000) where id = new.id;
      end`,
  )
}

function postgresTriggers(): string[] {
  const step = '1 + floor(random() * 1000000000)::bigint'
  const increase = `
    create function increase_version() returns trigger language plpgsql as $$
      begin
        new.version := old.version + ${step};
        return new;
      end $$`
  return [
    increase,
    ...tables.flatMap((table) => [
      `alter table ${table} alter column version set default ${step}`,
      `create trigger ${table}_entity_tag before update on ${table} for each row
        when (new.version = old.version) execute function increase_version()`,
    ]),
  ]
}
