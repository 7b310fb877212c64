import { existsSync, statSync } from 'node:fs'
import type { Sqlite } from '../../lib/sqlite/connection.js'
import { type ClientState, createClientState, newerStateError } from './client-state.js'
import { schemaVersion } from './state-schema.js'

export interface WorkspaceStateParts {
  /** The database of the local workspace. */
  database: Sqlite
  path: string
  /** The path of the state that the workspace had in a file of its own. */
  formerPath: string
  /** Migrates the service in the same database, so that earlier versions of this program no longer use it. */
  migrateService(): Promise<unknown>
  /** Renames a file of the former state; tests replace it. */
  rename?(path: string, newPath: string): void
}

/** The row of the table `client_schema`: the tables of the client have their own version, beside that of the service. */
export interface ClientSchema {
  version: number
  /** What was read of the former state, as JSON (`FormerState`); null if there was none. */
  former: string | null
}

/**
 * Returns the client state in the database of the local workspace. Creates or migrates its tables, and moves the rows of
 * the former state into them, in one transaction.
 *
 * Throws TtError `failure` when a newer `tt` has written it, or when a file cannot be used.
 */
export async function openWorkspaceState(parts: WorkspaceStateParts): Promise<ClientState> {
  const { database, path, formerPath } = parts
  const schema = readClientSchema(database)
  if (schema && schema.version > schemaVersion) throw newerStateError(path, schema.version)
  const isFormer = existsSync(formerPath)
  const isConverted =
    schema?.version === schemaVersion &&
    !isFormerChanged(isFormer ? formerPath : convertedPath(formerPath), isFormer, schema)
  if (isFormer || !isConverted) {
    const { convertState } = await import('./convert-state.js')
    await convertState(parts)
  }
  return createClientState(database)
}

/** Returns undefined for a database without tables of the client. */
export function readClientSchema(database: Sqlite): ClientSchema | undefined {
  const [table] = database.prepare("SELECT 1 FROM main.sqlite_master WHERE name = 'client_schema'").all()
  if (table === undefined) return undefined
  return database.prepare('SELECT version, former FROM client_schema').get() as ClientSchema
}

/** What the workspace has of its former state. */
export interface FormerState {
  /** See `signatureOf`. */
  signature: string
  /** The last numbers of its history and its outbox. */
  history: number
  outbox: number
}

/** Returns the new path of a former state that is converted. */
export function convertedPath(formerPath: string): string {
  return `${formerPath}.converted`
}

/**
 * Whether an earlier version of this program has written to the former state after it was converted, or it was not.
 *
 * @param path that of the former state, which may be renamed
 * @param isFormer whether it is not
 */
function isFormerChanged(path: string, isFormer: boolean, { former }: ClientSchema): boolean {
  if (former === null) return isFormer
  return (JSON.parse(former) as FormerState).signature !== signatureOf(path)
}

/** Returns a text that changes when a process writes to the database at `path`. */
export function signatureOf(path: string): string {
  return ['', '-wal']
    .map((end) => statSync(`${path}${end}`, { throwIfNoEntry: false }))
    .map((stats) => (stats && stats.size > 0 ? `${stats.size} ${stats.mtimeMs}` : ''))
    .join()
}
