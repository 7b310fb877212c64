import { type Queries, runAll } from '../queries.js'
import { rawSql, sql } from '../sql.js'
import { columnTypes, createIndex, createTable } from './tables.js'

/**
 * Adds versions of the records of each user (`versionOf`): triggers increase them with every change of an entry or expense,
 * by requests and by other programs, in the same transaction.
 *
 * The steps are random, so that a restored database and one that has lost its last transactions have no version in common
 * with what they were before. Versions have no reference to users, because a restore fills the tables in any order; the
 * version of a deleted user is without effect.
 */
export async function addRecordVersions(queries: Queries): Promise<void> {
  const { id } = columnTypes[queries.dialect]
  const version = { user_id: sql`bigint not null`, version: sql`bigint not null` }
  await createTable(queries, 'record_versions', { id, ...version })
  await createIndex(queries, 'record_versions_by_user_id', 'record_versions', 'user_id')
  const statements = queries.dialect === 'sqlite' ? sqliteTriggers() : postgresTriggers()
  await runAll(queries, statements.map(rawSql))
}

const tables = ['time_entries', 'expenses']
const changes = { insert: 'new', update: 'new', delete: 'old' }
/** Only other programs give a record to another user; both users then have another version. */
const givenAway = 'when (old.user_id <> new.user_id)'

/** SQLite has one writer at a time, so that a user has one version. */
function sqliteTriggers(): string[] {
  const create = (table: string, name: string, event: string, row: string) => `
    create trigger ${table}_version_after_${name} after ${event} begin
      update record_versions set version = version + 1 + abs(random() % 1000000000)
        where user_id = ${row}.user_id;
      insert into record_versions (user_id, version) select ${row}.user_id, abs(random() % 1000000000)
        where not exists (select 1 from record_versions where user_id = ${row}.user_id);
    end`
  return tables.flatMap((table) => [
    ...Object.entries(changes).map(([change, row]) => create(table, change, `${change} on ${table}`, row)),
    create(table, 'transfer', `update of user_id on ${table} ${givenAway}`, 'old'),
  ])
}

/**
 * A transaction takes a version that no other one has locked, or adds one: otherwise concurrent changes of one user would
 * wait for the commits of each other. So a user has as many versions as there were concurrent changes.
 */
function postgresTriggers(): string[] {
  const increase = `
    create function increase_version_of(changed_user bigint) returns void language plpgsql as $$
      begin
        update record_versions set version = version + 1 + floor(random() * 1000000000)::bigint
          where id = (select id from record_versions where user_id = changed_user
            order by id limit 1 for update skip locked);
        if not found then
          insert into record_versions (user_id, version)
            values (changed_user, floor(random() * 1000000000)::bigint);
        end if;
      end $$`
  const ofChanged = `
    create function increase_record_version() returns trigger language plpgsql as $$
      declare
        changed_user bigint;
      begin
        for changed_user in select distinct user_id from changed loop
          perform increase_version_of(changed_user);
        end loop;
        return null;
      end $$`
  const ofPrevious = `
    create function increase_previous_version() returns trigger language plpgsql as $$
      begin
        perform increase_version_of(old.user_id);
        return null;
      end $$`
  const triggers = tables.flatMap((table) => [
    ...Object.entries(changes).map(
      ([change, row]) => `
        create trigger ${table}_version_after_${change} after ${change} on ${table}
        referencing ${row} table as changed for each statement execute function increase_record_version()`,
    ),
    `create trigger ${table}_version_after_transfer after update of user_id on ${table}
      for each row ${givenAway} execute function increase_previous_version()`,
  ])
  return [increase, ofChanged, ofPrevious, ...triggers]
}
