import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readAliases } from '../config/aliases.js'
import { readConfigFile } from '../config/config-file.js'
import {
  backupDirectory,
  backupLockPath,
  type Paths,
  usedWorkspacePath,
  workspacePath,
} from '../config/paths.js'
import { formerStatePath } from '../config/profile.js'
import { type Profiles, readProfiles } from '../config/profiles.js'
import { storedValues } from '../config/settings/settings.js'
import { errorMessage, TtError } from '../lib/errors.js'
import { withLock } from '../lib/lock.js'
import { makeDirectoryPrivate, randomSuffix, syncDirectory } from '../lib/private-file.js'
import { openSqlite } from '../lib/sqlite/open.js'
import { version } from '../lib/version.js'
import { checkWorkspaceExists } from '../outbox/cache/inspect-state.js'
import { type Manifest, maxTextBytes, readArchive, versionFor, writeArchive } from './archive/archive.js'
import { rememberBackup } from './backup-path.js'
import {
  aliasesName,
  type BackupFiles,
  type Contents,
  findExtractedFiles,
  findFiles,
  invoiceNumbersName,
  isDatabase,
  profilesName,
  readContents,
  settingsName,
  stateName,
  totalsOf,
  workspaceName,
} from './contents.js'
import { checkIntegrity, copyDatabase } from './database-copy.js'
import { recordUnfinished, removeWorkDirectory, tryRemoveWorkDirectory } from './restore-journal.js'
import { convertFormerState } from './restore-target.js'

export interface CreatedBackup {
  contents: Contents
  /** The number of passwords, tokens, sessions and applications of the local workspace, which are not included. */
  omittedCredentials: number
}

/**
 * Saves the local workspace, the client states, the settings, aliases and profiles to a file for its owner only, which is
 * replaced when the new file is complete and verified. Other processes may use all of them. The file has no credentials.
 *
 * Throws TtError `failure` when a file is damaged or cannot be read, or `target` cannot be written.
 */
export async function createBackup(paths: Paths, target: string, now: Date): Promise<CreatedBackup> {
  return withLock(backupLockPath(paths), async () => {
    await convertFormerState(paths)
    const files = findFiles(paths)
    if (!files.paths.has(workspaceName))
      await checkWorkspaceExists(workspacePath(paths), {
        usedPath: usedWorkspacePath(paths),
        formerPath: formerStatePath(paths),
      })
    storedValues(paths) // Throws for settings that cannot be read.
    readAliases(paths) // Throws for an invalid file.
    const created = await saveFiles({ paths, files, profiles: readProfiles(paths), target, now })
    rememberBackup(paths, target)
    return created
  })
}

export interface SaveOptions {
  paths: Paths
  files: BackupFiles
  profiles: Profiles
  target: string
  now: Date
}

/** Saves these files like `createBackup`, under the lock of the caller. */
export async function saveFiles(options: SaveOptions): Promise<CreatedBackup> {
  const { paths, files, profiles, target, now } = options
  return withWorkDirectory(backupDirectory(paths), async (directory) => {
    await copyFiles(options, directory)
    const omittedCredentials = await removeWorkspaceCredentials(join(directory, workspaceName))
    const copies = findExtractedFiles(directory)
    const names = [...files.paths.keys()].filter((name) => copies.paths.has(name))
    for (const name of names.filter(isDatabase))
      await checkIntegrity(join(directory, name), `The copy of ${files.paths.get(name)}`)
    const contents = await readContents(copies, profiles)
    const manifest: Manifest = {
      format: 'tt-backup',
      version: versionFor(names),
      created_at: now.toISOString(),
      tt_version: version,
      records: totalsOf(contents),
    }
    await writeVerified(target, { directory, names, manifest })
    return { contents, omittedCredentials }
  })
}

/**
 * Runs `work` with a new directory for its owner only, and removes it. The files of a process that was killed are removed
 * first: the caller holds the lock.
 *
 * @param isNeeded whether the directory stays after an error
 */
export async function withWorkDirectory<Result>(
  directory: string,
  work: (directory: string) => Promise<Result>,
  isNeeded: () => boolean = () => false,
): Promise<Result> {
  removeWorkDirectory(directory)
  makeDirectoryPrivate(directory)
  try {
    return await work(directory)
  } finally {
    if (!isNeeded()) tryRemoveWorkDirectory(directory)
  }
}

async function copyFiles({ files }: SaveOptions, directory: string): Promise<void> {
  const copy = async (name: string) => {
    const source = files.paths.get(name)
    if (source === undefined) return
    const target = join(directory, name)
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    await copyDatabase(source, target)
  }
  for (const name of [settingsName, aliasesName, profilesName, invoiceNumbersName]) {
    const path = files.paths.get(name)
    const file = path === undefined ? undefined : readConfigFile(path, { limitBytes: maxTextBytes })
    if (file) writeFileSync(join(directory, name), file.text, { mode: 0o600, flush: true })
  }
  for (const name of [workspaceName, ...files.stateKeys.map(stateName)]) await copy(name)
}

async function removeWorkspaceCredentials(path: string): Promise<number> {
  if (!existsSync(path)) return 0
  const { removeCredentials } = await import('../service/storage/credentials.js')
  const database = await openSqlite(path)
  try {
    return await removeCredentials(database)
  } finally {
    database.close()
  }
}

/** Writes the archive beside `target`, reads it again, and puts it in the place of `target`. */
async function writeVerified(target: string, options: Parameters<typeof writeArchive>[1]): Promise<void> {
  const temporary = `${target}.${randomSuffix()}.tmp`
  try {
    recordUnfinished(options.directory, temporary)
    const written = await writeArchive(temporary, options)
    const { sums } = await readArchive(temporary)
    if ([...written].some(([name, sum]) => sums.get(name) !== sum))
      throw new Error('its content differs from what was written')
    renameSync(temporary, target)
    syncDirectory(dirname(target))
  } catch (cause) {
    rmSync(temporary, { force: true })
    throw new TtError('failure', `${target} could not be written: ${errorMessage(cause)}.`, {
      hint: 'Check the permissions of the directory and the space on the disk. An existing file is unchanged.',
      cause,
    })
  }
}
