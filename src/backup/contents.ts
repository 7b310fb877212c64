import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { aliasesPath } from '../config/aliases.js'
import { clientStatePath, invoiceNumbersPath, type Paths, workspacePath } from '../config/paths.js'
import { localName, nameOfState } from '../config/profile.js'
import { type Profiles, profilesPath } from '../config/profiles.js'
import { settingsPath } from '../config/settings/settings.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import { isBrokenLink } from '../lib/sqlite/database-errors.js'
import { openSqlite } from '../lib/sqlite/open.js'
import { hasTable } from '../outbox/cache/inspect-state.js'

/** The records of a workspace database. Days are YYYY-MM-DD in the zone of this process. */
export interface WorkspaceContents {
  entries: number
  /** The number of days on which entries start, and the first and the last of them. */
  days: number
  firstDay: string | null
  lastDay: string | null
  expenses: number
}

/** The changes in a client state that the service does not have. */
interface StateContents {
  stateKey: string
  /** The name of its profile; undefined for a signed-out account and for one from the environment. */
  profile: string | undefined
  pending: number
  /** Their Idempotency-Keys, which identify them. */
  pendingKeys: ReadonlySet<string>
}

/** The contents of a backup, or of the files that it would replace. */
export interface Contents {
  hasSettings: boolean
  hasAliases: boolean
  /** The names of the profiles of a service. */
  profiles: string[]
  workspace: WorkspaceContents | undefined
  states: StateContents[]
}

/** Counts the records in these files. Throws TtError `failure` for a database that cannot be read. */
export async function readContents({ paths, stateKeys }: BackupFiles, all: Profiles): Promise<Contents> {
  const workspace = paths.get(workspaceName)
  const states: StateContents[] = []
  const databases = stateKeys.map((key) => [key, paths.get(stateName(key)) as string] as const)
  for (const [stateKey, path] of workspace === undefined
    ? databases
    : [...databases, [localName, workspace] as const]) {
    const keys = await withOpen(path, pendingKeysOf)
    const pendingKeys = new Set(keys)
    states.push({ stateKey, profile: nameOfState(stateKey, all), pending: keys.length, pendingKeys })
  }
  return {
    hasSettings: paths.has(settingsName),
    hasAliases: paths.has(aliasesName),
    profiles: Object.keys(all.profiles),
    workspace: workspace === undefined ? undefined : await withOpen(workspace, countRecords),
    states,
  }
}

/** Returns the totals over all databases. */
export function totalsOf({ workspace, states }: Contents) {
  return {
    entries: workspace?.entries ?? 0,
    expenses: workspace?.expenses ?? 0,
    pending: states.reduce((sum, state) => sum + state.pending, 0),
  }
}

async function withOpen<Result>(path: string, work: (database: Sqlite) => Result): Promise<Result> {
  const database = await openSqlite(path)
  try {
    return work(database)
  } finally {
    database.close()
  }
}

function countRecords(database: Sqlite): WorkspaceContents {
  const none = { entries: 0, days: 0, firstDay: null, lastDay: null, expenses: 0 }
  if (!hasTable(database, 'time_entries') || !hasTable(database, 'expenses')) return none
  return database.prepare(countsQuery).get() as WorkspaceContents
}

const countsQuery = `
  SELECT count(*) AS entries, count(DISTINCT day) AS days, min(day) AS firstDay, max(day) AS lastDay,
    (SELECT count(*) FROM expenses) AS expenses
  FROM (SELECT date(time_start / 1000, 'unixepoch', 'localtime') AS day FROM time_entries)`

function pendingKeysOf(database: Sqlite): string[] {
  if (!hasTable(database, 'outbox')) return []
  return (database.prepare('SELECT key FROM outbox').all() as { key: string }[]).map(({ key }) => key)
}

/** The files that belong to a backup. Credentials, locks, older copies and the code cache do not. */
export interface BackupFiles {
  /** Absolute path by name in the backup, of those that exist. */
  paths: ReadonlyMap<string, string>
  /** The keys of the client states. */
  stateKeys: readonly string[]
}

export const settingsName = 'config.json'
export const aliasesName = 'aliases.json'
export const profilesName = 'profiles.json'
export const workspaceName = 'workspace.db'
export const invoiceNumbersName = 'invoice-numbers.json'

/** Returns the name of a client state in a backup. */
export const stateName = (key: string) => `profiles/${key}/state.db`

/** Returns the files of this user. States without a profile belong to it too: they may have pending changes. */
export function findFiles(paths: Paths): BackupFiles {
  return listFiles({
    [settingsName]: settingsPath(paths),
    [aliasesName]: aliasesPath(paths),
    [profilesName]: profilesPath(paths),
    [workspaceName]: workspacePath(paths),
    [invoiceNumbersName]: invoiceNumbersPath(paths),
    stateOf: (key) => clientStatePath(paths, key),
    statesIn: join(paths.state, 'profiles'),
  })
}

/** Returns the files of a backup that was extracted to `directory`. */
export function findExtractedFiles(directory: string): BackupFiles {
  return listFiles({
    [settingsName]: join(directory, settingsName),
    [aliasesName]: join(directory, aliasesName),
    [profilesName]: join(directory, profilesName),
    [workspaceName]: join(directory, workspaceName),
    [invoiceNumbersName]: join(directory, invoiceNumbersName),
    stateOf: (key) => join(directory, stateName(key)),
    statesIn: join(directory, 'profiles'),
  })
}

interface Places
  extends Record<
    | typeof settingsName
    | typeof aliasesName
    | typeof profilesName
    | typeof workspaceName
    | typeof invoiceNumbersName,
    string
  > {
  stateOf(key: string): string
  statesIn: string
}

function listFiles({ stateOf, statesIn, ...files }: Places): BackupFiles {
  const keys = existsSync(statesIn) ? readdirSync(statesIn) : []
  // Opening a broken link reports it.
  const isPresent = (path: string) => existsSync(path) || isBrokenLink(path)
  const stateKeys = keys.filter((key) => keyPattern.test(key) && isPresent(stateOf(key))).sort()
  const states = stateKeys.map((key) => [stateName(key), stateOf(key)] as const)
  const present = Object.entries(files).filter(([, path]) => isPresent(path))
  return { paths: new Map([...present, ...states]), stateKeys }
}

/** The keys of the program (`newStateKey`). Other directories, such as copies of a user, are not part of a backup. */
const keyPattern = /^[A-Za-z0-9][\w.-]{0,79}$/

/** Whether a file of a backup is a database. */
export const isDatabase = (name: string) => name.endsWith('.db')
