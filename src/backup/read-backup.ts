import { readFileSync } from 'node:fs'
import { checkAliases } from '../config/aliases.js'
import { parseJson } from '../config/config-file.js'
import type { Paths } from '../config/paths.js'
import { checkProfiles, type Profiles } from '../config/profiles.js'
import { readSettings } from '../config/settings/settings-file.js'
import { isObject } from '../lib/is-object.js'
import { openReadOnly, openSqlite } from '../lib/sqlite/open.js'
import { schemaVersion as stateVersion } from '../outbox/cache/state-schema.js'
import { readClientSchema } from '../outbox/cache/workspace-state.js'
import { checkNumberFile } from '../report/invoice/taken-numbers.js'
import {
  ArchiveError,
  type Manifest,
  readArchive,
  refused,
  toReadableArchiveError,
} from './archive/archive.js'
import {
  aliasesName,
  type BackupFiles,
  type Contents,
  findExtractedFiles,
  invoiceNumbersName,
  isDatabase,
  profilesName,
  readContents,
  settingsName,
  totalsOf,
  workspaceName,
} from './contents.js'
import { checkIntegrity } from './database-copy.js'
import { migrateCopies } from './restore-target.js'

/** A backup that was extracted and verified. Its databases have the schema of this program. */
export interface ExtractedBackup {
  manifest: Manifest
  files: BackupFiles
  profiles: Profiles
  contents: Contents
}

/**
 * Extracts the backup `file` to the directory, and verifies all of it. Throws TtError `usage` or `not_found` for a file
 * that is not a backup, and `failure` for one that is damaged or was written by a newer version.
 */
export async function extractBackup(paths: Paths, file: string, directory: string): Promise<ExtractedBackup> {
  try {
    const { manifest } = await readArchive(file, directory)
    const databases = [...findExtractedFiles(directory).paths].filter(([name]) => isDatabase(name))
    for (const [name, path] of databases) {
      if (!(await hasKnownVersion(path, name)))
        throw new ArchiveError('newer', undefined, manifest.tt_version)
      await removeComputations(path, name)
      await checkIntegrity(path, name).catch((cause) => {
        throw new ArchiveError('damaged', cause)
      })
    }
    await migrateCopies(directory)
    const files = findExtractedFiles(directory)
    const profiles = parseFile(files, profilesName, checkProfiles) ?? { profiles: {} }
    const settings = parseFile(files, settingsName, checkObject)
    parseFile(files, aliasesName, checkAliases)
    parseFile(files, invoiceNumbersName, checkNumberFile)
    if (settings) await readSettings(paths, () => settings)
    const contents = await readContents(files, profiles)
    const totals = totalsOf(contents)
    if (JSON.stringify(totals) !== JSON.stringify({ ...totals, ...manifest.records }))
      throw new ArchiveError('damaged', new Error('The number of records differs.'))
    return { manifest, files, profiles, contents }
  } catch (error) {
    throw toReadableArchiveError(error, file)
  }
}

function parseFile<Value>(
  { paths }: BackupFiles,
  name: string,
  check: (value: unknown) => Value,
): Value | undefined {
  const path = paths.get(name)
  if (path === undefined) return undefined
  try {
    return check(parseJson(readFileSync(path, 'utf8')))
  } catch (cause) {
    throw new ArchiveError('damaged', cause)
  }
}

function checkObject(value: unknown): Record<string, unknown> {
  if (isObject(value)) return value
  throw new Error('The settings are not a JSON object.')
}

/** What no schema of `tt` has, and what could compute huge values or rows without end while a backup is read. */
const computations: Record<string, RegExp> = {
  table: /^CREATE\s+VIRTUAL\b|\b(CHECK|GENERATED|AS)\b/i,
  index: /\bSELECT\b|(?<!\bON\s+"?\w+"?\s*|\bcoalesce)\(/i,
}

/**
 * Prepares the database of a backup, which someone else may have made, for reading: removes its triggers, whose changes a
 * restore does not need. Throws ArchiveError if its tables or indexes compute values.
 *
 * @param name its name in the backup
 */
async function removeComputations(path: string, name: string): Promise<void> {
  const database = await openSqlite(path)
  try {
    const objects = database.prepare('SELECT type, name, sql FROM sqlite_master').all() as SchemaObject[]
    for (const { type, name: object, sql } of objects) {
      if (type === 'trigger') database.exec(`DROP TRIGGER "${object.replaceAll('"', '""')}"`)
      // SQLite itself creates the indexes without a statement.
      else if (sql !== null && (computations[type]?.test(sql) ?? true))
        throw refused(`${name} computes the values of ${object}`)
    }
  } finally {
    database.close()
  }
}

interface SchemaObject {
  type: string
  name: string
  sql: string | null
}

/** Whether this program knows the schema of a database from a backup. */
async function hasKnownVersion(path: string, name: string): Promise<boolean> {
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
