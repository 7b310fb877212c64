import { readFileSync } from 'node:fs'
import { checkAliases } from '../config/aliases.js'
import { parseJson } from '../config/config-file.js'
import type { Paths } from '../config/paths.js'
import { checkProfiles, type Profiles } from '../config/profiles.js'
import { readSettings } from '../config/settings/settings-file.js'
import { isObject } from '../lib/is-object.js'
import { checkNumberFile } from '../report/invoice/taken-numbers.js'
import { type Manifest, readArchive } from './archive/archive.js'
import { ArchiveError, toReadableArchiveError } from './archive/archive-error.js'
import {
  aliasesName,
  type BackupFiles,
  findExtractedFiles,
  invoiceNumbersName,
  isDatabase,
  profilesName,
  settingsName,
} from './backup-files.js'
import { type Contents, readContents, totalsOf } from './contents.js'
import { checkIntegrity } from './database-copy.js'
import { removeComputations } from './foreign-schema.js'
import { migrateCopies } from './restore-target.js'
import { hasKnownVersion } from './schema-versions.js'

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
