import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aliasesPath } from '../config/aliases.js'
import { parseJson } from '../config/config-file.js'
import { invoiceNumbersPath, type Paths } from '../config/paths.js'
import { checkProfiles, type Profiles, profilesPath, readProfiles } from '../config/profiles.js'
import { settingsPath } from '../config/settings/settings.js'
import { TtError } from '../lib/errors.js'
import { makeDirectoryPrivate, writePrivateFile } from '../lib/private-file.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import { openSqlite } from '../lib/sqlite/open.js'
import { hasTable } from '../outbox/cache/inspect-state.js'
import {
  checkNumberFile,
  formatNumberFile,
  mergeNumbers,
  readNumberFile,
} from '../report/invoice/taken-numbers.js'
import { unusedDatedPath } from './backup-path.js'
import {
  aliasesName,
  type BackupFiles,
  findFiles,
  invoiceNumbersName,
  isDatabase,
  profilesName,
  readContents,
  settingsName,
  stateName,
  totalsOf,
} from './contents.js'
import { saveFiles } from './create-backup.js'
import { hasPlan, newPathOf, type RestorePlan, removePlan, writePlan } from './restore-journal.js'
import {
  attach,
  convertFormerState,
  isReplaced,
  isUsable,
  type LockedDatabase,
  lockDatabase,
  migrateDatabase,
  renameDamaged,
  replaceFromCopy,
  targetPath,
} from './restore-target.js'

export interface Replacement {
  /** The directory of the extracted backup, and its files. */
  directory: string
  files: BackupFiles
  plan: RestorePlan
  clocks: RestoreClocks
}

export interface ReplacedData {
  /** The backups of the data that was replaced; none if there was no data. */
  savedAs: string[]
  /** The new paths of databases that could not be read. */
  renamedFiles: string[]
}

/**
 * Replaces the current data with that of an extracted backup, under the locks of the caller: first the databases that can be
 * used, in transactions that begin before the data is saved, so that no row is replaced unsaved; then the missing and
 * damaged ones, the settings, aliases and profiles. Databases that this plan has replaced before stay, so that it can be
 * repeated after an interruption. What other processes have written since then is saved as well.
 */
export async function replaceData(paths: Paths, replacement: Replacement): Promise<ReplacedData> {
  const { files, plan } = replacement
  await convertFormerState(paths)
  const first = await replaceDatabases(paths, replacement, (locked) =>
    Promise.resolve(locked.length > 0 || !hasPlan(paths) || hasOtherTexts(paths, files)),
  )
  const renamedFiles: string[] = []
  for (const name of [...files.paths.keys()].filter(isDatabase)) {
    const path = targetPath(paths, name)
    if (await isReplaced(path, plan.id)) continue
    if (existsSync(path) && !(await isUsable(path))) {
      renameDamaged(path, newPathOf(path, plan))
      renamedFiles.push(newPathOf(path, plan))
    }
    await migrateDatabase(path, name)
  }
  // They are new, unless another process has just created them.
  const second = await replaceDatabases(paths, replacement, hasRecords)
  writeText(files.paths.get(settingsName), settingsPath(paths))
  writeText(files.paths.get(aliasesName), aliasesPath(paths))
  writeText(files.paths.get(profilesName), profilesPath(paths))
  writeText(files.paths.get(invoiceNumbersName), invoiceNumbersPath(paths))
  removePlan(paths)
  return { savedAs: [first, second].filter((path) => path !== undefined), renamedFiles }
}

/**
 * Replaces the rows of the databases that can be used and do not have the new rows yet. Returns the path of the backup of
 * the current data; undefined without one.
 */
async function replaceDatabases(
  paths: Paths,
  { directory, files, plan, clocks }: Replacement,
  shouldSave: (locked: readonly LockedDatabase[]) => Promise<boolean>,
): Promise<string | undefined> {
  const { files: current } = await findUsableFiles(paths)
  const locked: LockedDatabase[] = []
  try {
    for (const name of [...files.paths.keys()].filter(isDatabase)) {
      if (!current.paths.has(name)) continue
      const path = targetPath(paths, name)
      if (await isReplaced(path, plan.id)) continue
      await migrateDatabase(path, name)
      locked.push(await lockDatabase(path, name))
    }
    const savedAs = (await shouldSave(locked)) ? await saveCurrent(paths, current, clocks.now) : undefined
    for (const key of files.stateKeys) {
      const name = stateName(key)
      await prepareOutbox(join(directory, name), current.paths.get(name), clocks)
    }
    for (const { name, path } of locked) await keepInvoices(join(directory, name), path)
    mergeProfiles(files, currentProfiles(paths))
    mergeInvoiceNumbers(files, paths)
    for (const each of locked) await replaceFromCopy(each, join(directory, each.name), plan.id)
    commitAll(paths, locked, plan)
    return savedAs
  } finally {
    for (const { database } of locked) {
      database.rollBack()
      database.close()
    }
  }
}

async function hasRecords(locked: readonly LockedDatabase[]): Promise<boolean> {
  const files = new Map(locked.map(({ name, path }) => [name, path]))
  const stateKeys = locked.flatMap(({ name }) => /^profiles\/(.+)\/state\.db$/.exec(name)?.[1] ?? [])
  const { entries, expenses, pending } = totalsOf(
    await readContents({ paths: files, stateKeys }, { profiles: {} }),
  )
  return entries + expenses + pending > 0
}

/** Whether the settings, aliases or profiles differ from those that replace them. */
function hasOtherTexts(paths: Paths, { paths: copies }: BackupFiles): boolean {
  const isOther = (copy: string | undefined, path: string) =>
    copy !== undefined && existsSync(path) && readFileSync(path, 'utf8') !== readFileSync(copy, 'utf8')
  return (
    isOther(copies.get(settingsName), settingsPath(paths)) ||
    isOther(copies.get(aliasesName), aliasesPath(paths)) ||
    isOther(copies.get(profilesName), profilesPath(paths))
  )
}

async function saveCurrent(paths: Paths, files: BackupFiles, now: Date): Promise<string | undefined> {
  if (files.paths.size === 0) return undefined
  makeDirectoryPrivate(paths.data)
  const target = unusedDatedPath(paths.data, 'before-restore', '.tar.gz', now)
  await saveFiles({ paths, files, profiles: currentProfiles(paths), target, now })
  return target
}

/** Adds the current profiles that are not in the backup to the profiles that replace them. */
function mergeProfiles({ paths }: BackupFiles, { profiles: current }: Profiles) {
  const path = paths.get(profilesName)
  if (path === undefined) return
  const saved = checkProfiles(parseJson(readFileSync(path, 'utf8')))
  const merged: Profiles = { ...saved, profiles: { ...current, ...saved.profiles } }
  writeFileSync(path, `${JSON.stringify(merged, null, 2)}\n`, { mode: 0o600, flush: true })
}

/** Adds the numbers that were taken since the backup to those that replace them: no restore takes a number back. */
function mergeInvoiceNumbers({ paths: files }: BackupFiles, paths: Paths) {
  const path = files.get(invoiceNumbersName)
  if (path === undefined) return
  const saved = checkNumberFile(parseJson(readFileSync(path, 'utf8')))
  const merged = mergeNumbers(readNumberFile(invoiceNumbersPath(paths)), saved)
  writeFileSync(path, formatNumberFile(merged), { mode: 0o600, flush: true })
}

/**
 * Makes the restore pending, and commits all databases. If the first commit of a new restore fails, nothing is replaced;
 * otherwise the restore stays pending.
 */
function commitAll(paths: Paths, locked: readonly LockedDatabase[], plan: RestorePlan) {
  let canCancel = !hasPlan(paths)
  if (canCancel) writePlan(paths, plan)
  try {
    for (const { database } of locked) {
      database.commit()
      canCancel = false
    }
  } catch (error) {
    if (canCancel) removePlan(paths)
    throw error
  }
}

/** Writes a file like the commands that change it: a symbolic link to it stays. */
function writeText(source: string | undefined, target: string) {
  if (source !== undefined)
    writePrivateFile(existsSync(target) ? realpathSync(target) : target, readFileSync(source, 'utf8'))
}

/** Returns the current profiles; none if their file cannot be read, which the restore replaces. */
export function currentProfiles(paths: Paths): Profiles {
  try {
    return readProfiles(paths)
  } catch (error) {
    if (error instanceof TtError) return { profiles: {} }
    throw error
  }
}

/** Returns the current files without the damaged databases, and the paths of those. */
export async function findUsableFiles(paths: Paths): Promise<{ files: BackupFiles; damaged: string[] }> {
  const files = findFiles(paths)
  const damaged: string[] = []
  for (const [name, path] of files.paths) if (isDatabase(name) && !(await isUsable(path))) damaged.push(path)
  const usable = new Map([...files.paths].filter(([, path]) => !damaged.includes(path)))
  const stateKeys = files.stateKeys.filter((key) => usable.has(stateName(key)))
  return { files: { paths: usable, stateKeys }, damaged }
}

/**
 * Adds the invoices that were written since a backup to its copy of a client state: an invoice that a client may have got is not
 * taken back, and its entries stay on it. An invoice with the same number in the backup gives way, which happens only with the
 * backup of another machine.
 *
 * @param current the path of the state that is replaced
 */
async function keepInvoices(path: string, current: string): Promise<void> {
  const database = await openSqlite(path)
  try {
    if (!hasTable(database, 'invoice')) return
    // Within the transaction, which therefore does not lock it: this process keeps it locked.
    database.transaction(() => {
      attach(database, current, 'current')
      database.exec(`
        INSERT OR REPLACE INTO main.invoice (id, number, client, until, cancels, body, at)
          SELECT id, number, client, until, cancels, body, at FROM current.invoice ORDER BY rowid;
        INSERT OR REPLACE INTO main.invoiced (kind, record, invoice)
          SELECT kind, record, invoice FROM current.invoiced;
        DELETE FROM main.invoiced WHERE invoice NOT IN (SELECT id FROM main.invoice)
          OR invoice IN (SELECT cancels FROM main.invoice WHERE cancels IS NOT NULL);
        UPDATE main.history SET undone = 1 WHERE invoice IS NOT NULL AND (
          invoice NOT IN (SELECT id FROM main.invoice)
          OR invoice IN (SELECT cancels FROM main.invoice WHERE cancels IS NOT NULL))`)
    })
  } finally {
    database.close()
  }
}

/** The clocks that show later whether an earlier request of a create may still arrive; see settling-time.ts. */
export interface RestoreClocks {
  now: Date
  /** Returns the milliseconds since this machine started; undefined if that is unknown. */
  uptimeMs?: (() => number) | undefined
}

/**
 * Prepares the outbox of a client state from a backup, so that nothing is delivered twice: its changes may have been
 * delivered after the backup was made, here or on another machine.
 *
 * - The outcome of every pending create is unknown: the service is searched for its record first, and it keeps its
 *   Idempotency-Key. A local timer was never sent. A rejected create is sent only when the user retries it, and can be
 *   corrected before, which a create with an unknown outcome cannot.
 * - If the current state descends from the backup, it knows more: the creates that it has delivered leave the outbox, and
 *   a change whose outcome is unknown there stays as it was sent.
 *
 * Updates and deletes need no preparation: they are compared with the record of the service. Attempts of the backup have
 * settled, and their confirmed records are outdated; those of the current state stay.
 *
 * @param current the path of the state that is replaced; undefined if there is none
 */
async function prepareOutbox(
  path: string,
  current: string | undefined,
  { now, uptimeMs }: RestoreClocks,
): Promise<void> {
  const database = await openSqlite(path)
  try {
    database.transaction(() => {
      database.exec('DELETE FROM attempt; DELETE FROM deleted')
      if (current !== undefined) {
        // Within the transaction, which therefore does not lock it: this process keeps it locked.
        attach(database, current, 'current')
        if (isDescendant(database)) applyLaterDeliveries(database)
      }
      database
        .prepare(
          `UPDATE outbox SET in_doubt = 1, sends = max(sends, 1), sent_at = ?, sent_uptime = ?,
             known_until = coalesce(known_until, (SELECT coalesce(max(row), 0) FROM seen))
           WHERE op = 'create' AND state = 'waiting'`,
        )
        .run([now.getTime(), uptimeMs?.() ?? null])
    })
  } finally {
    database.close()
  }
}

/** Whether the current state has the last change of the backup in its history. */
function isDescendant(database: Sqlite): boolean {
  return (
    database
      .prepare(
        `SELECT 1 FROM current.history JOIN main.history AS saved USING (seq, at, what)
         WHERE saved.seq = (SELECT max(seq) FROM main.history)`,
      )
      .get() !== undefined
  )
}

function applyLaterDeliveries(database: Sqlite) {
  database.exec(`
    INSERT INTO main.attempt SELECT * FROM current.attempt;
    INSERT INTO main.deleted SELECT * FROM current.deleted;
    INSERT OR REPLACE INTO main.alias SELECT * FROM current.alias;
    DELETE FROM main.outbox WHERE op = 'create' AND EXISTS (
      SELECT 1 FROM current.alias WHERE alias.kind = outbox.kind AND alias.name = outbox.record
    );
    UPDATE main.outbox SET record = (
      SELECT id FROM current.alias WHERE alias.kind = outbox.kind AND alias.name = outbox.record
    ) WHERE EXISTS (SELECT 1 FROM current.alias WHERE alias.kind = outbox.kind AND alias.name = outbox.record);
    INSERT OR REPLACE INTO main.outbox SELECT * FROM current.outbox AS later
      WHERE in_doubt = 1 AND seq IN (SELECT seq FROM main.outbox)`)
}
