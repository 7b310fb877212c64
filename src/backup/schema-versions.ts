import { openReadOnly } from '../lib/sqlite/open.js'
import { schemaVersion as stateVersion } from '../outbox/cache/state-schema.js'
import { readClientSchema } from '../outbox/cache/workspace-state.js'
import { workspaceName } from './backup-files.js'

/** Whether this program knows the schema of a database from a backup. */
export async function hasKnownVersion(path: string, name: string): Promise<boolean> {
  const { schemaVersion: serviceVersion } = await import('../service/storage/schema.js')
  const database = await openReadOnly(path)
  try {
    const row = database?.prepare('PRAGMA user_version').get() as { user_version: number } | undefined
    const client = name === workspaceName && database ? readClientSchema(database)?.version : undefined
    const version = row?.user_version ?? 0
    return name === workspaceName
      ? version <= serviceVersion && (client ?? 0) <= stateVersion
      : version <= stateVersion
  } finally {
    database?.close()
  }
}
