import type { Kysely } from 'kysely'
import type { Schema } from './schema.js'
import { createKyselyQueries, type Storage } from './storage.js'

/** Runs `work` in a transaction, which is rolled back when it throws; in that of `db` if it is one. */
export function inTransaction<Result>(
  db: Kysely<Schema>,
  work: (transaction: Kysely<Schema>) => Promise<Result>,
): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work)
}

/** Runs `work` in a transaction, with a storage for it: SQLite has one connection, for which others would wait. */
export function inStorageTransaction<Result>(
  storage: Storage,
  work: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  return inTransaction(storage.db, (db) =>
    work({ ...storage, db, queries: createKyselyQueries(db, storage.dialect) }),
  )
}
