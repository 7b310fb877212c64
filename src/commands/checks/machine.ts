import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isForeignPromptFile } from '../../cli/context/prompt-file.js'
import type { Context } from '../../cli/context.js'
import { ignoredVariables, type Paths, promptFilePath, promptRecordPath } from '../../config/paths.js'
import type { Profile } from '../../config/profile.js'
import { readProfiles } from '../../config/profiles.js'
import { settingsPath, storedValues } from '../../config/settings/settings-file.js'
import { dayOf } from '../../lib/calendar/day.js'
import { sizeText } from '../../lib/text/words.js'
import { version } from '../../lib/version.js'
import { sqliteVersion } from '../../outbox/cache/inspect-state.js'
import { type Check, passed } from '../views/check.js'

/** Reports the versions of tt, Node, SQLite and the platform. */
export async function versionCheck(): Promise<Check> {
  const { versions: of, platform, arch } = process
  return passed('versions', `tt ${version}, Node ${of.node}, ${await sqliteVersion()}, ${platform} ${arch}.`)
}

/** Reports the current profile and its source. Throws the errors of `selectProfile`. */
export async function configurationCheck(ctx: Context): Promise<Check> {
  const { profile } = ctx.config
  readProfiles(ctx.config.paths) // Validated even where the environment takes precedence: the next command may need it.
  const message = `The current profile is "${profile.name}", ${profileSource(ctx, profile)}.${homeText(ctx)}`
  const ignoredNames = ignoredVariables(ctx.host.env)
  if (ignoredNames.length > 0) {
    return {
      check: 'configuration',
      state: 'warning',
      message: `${message} Ignored, because it is not an absolute path: ${ignoredNames.join(', ')}.`,
      hint: 'Set it to an absolute path, or unset it.',
    }
  }
  const { path, task, notes, problem, ignored = [] } = ctx.config.directory ?? {}
  if (path === undefined) return passed('configuration', message)
  if (problem !== undefined) {
    return {
      check: 'configuration',
      state: 'warning',
      message: `${message} ${path} is ignored because it ${problem}.`,
      hint: `Correct ${path} or move it away.`,
    }
  }
  const defaultsText = [task && 'a task', notes && 'notes'].filter(Boolean).join(' and ')
  return {
    check: 'configuration',
    state: ignored.length > 0 ? 'warning' : 'ok',
    message: `${message} ${path} sets ${defaultsText || 'no task'} here.`,
    hint: ignored.length > 0 ? `Remove unknown keys from ${path}: ${ignored.join(', ')}.` : null,
  }
}

/** Returns the resolved path of a relative `TT_HOME`; empty for an absolute one. */
function homeText({ host, config: { paths } }: Context): string {
  const { TT_HOME } = host.env
  return TT_HOME && TT_HOME !== paths.config ? ` TT_HOME, ${TT_HOME}, is ${paths.config}.` : ''
}

/** Validates the settings and the holidays file. Throws the errors of `settings` and `work`. */
export async function settingsCheck(ctx: Context): Promise<Check> {
  const count = Object.keys(storedValues(ctx.config.paths) ?? {}).length
  const work = await ctx.config.workCalendar()
  work.isWorkingDay(dayOf(ctx.now))
  const countText = ['Nothing is', 'One setting is'][count] ?? `${count} settings are`
  const message = `${countText} set in ${settingsPath(ctx.config.paths)}.`
  const file = promptFilePath(
    ctx.config.paths,
    ctx.host.env,
    await ctx.config.uncheckedSetting('prompt_file'),
  )
  if (file !== undefined && isForeignPromptFile({ file, record: promptRecordPath(ctx.config.paths) })) {
    return {
      check: 'settings',
      state: 'warning',
      message: `${message} The prompt file ${file} is not updated: tt did not write what is there.`,
      hint: 'Move it away, or choose another path for the setting prompt_file.',
    }
  }
  return passed('settings', message)
}

/** Returns the source of the current profile, in the order of `selectProfile`. */
function profileSource({ options, host, config }: Context, profile: Profile): string {
  const { directory } = config
  if (options.profile !== undefined) return 'set by --profile'
  if (!profile.isNamed) return 'set by TT_BASE_URL and TT_TOKEN'
  if (host.env.TT_PROFILE) return 'set by TT_PROFILE'
  if (directory?.profile !== undefined) return `set by ${directory.path}`
  return profile.signIn ? 'the last one signed in to or chosen' : 'the default'
}

const minFreeBytes = 50 * 1024 * 1024

/** Checks that the directories of `tt` are writable and have free space. */
export async function diskChecks(ctx: Context): Promise<Check[]> {
  return checkDirectories(ctx.config.paths).map(directoryCheck)
}

function directoryCheck({ path, error: flaw, freeBytes }: DirectoryCheck): Check {
  if (flaw !== undefined) {
    return {
      check: 'disk',
      state: 'error',
      message: `Cannot write to ${path} (${flaw}).`,
      hint: 'Check its permissions and the space on the disk, or set TT_HOME to another directory.',
    }
  }
  const free = freeBytes === undefined ? '' : `, ${sizeText(freeBytes)} free`
  const isLow = freeBytes !== undefined && freeBytes < minFreeBytes
  return {
    check: 'disk',
    state: isLow ? 'warning' : 'ok',
    message: `${path} is writable${free}.`,
    hint: isLow ? 'Free some space on that disk: tt cannot save changes without it.' : null,
  }
}

/** The state of a directory of `tt`. */
interface DirectoryCheck {
  path: string
  /** The error code of a failed write; undefined for a writable directory. */
  error: string | undefined
  /** Free space for this user in bytes; undefined when unknown. */
  freeBytes: number | undefined
}

/**
 * Writes and removes a test file in each directory of `tt`. For a missing directory, tests the nearest existing parent.
 */
function checkDirectories({ config, data, state }: Paths): DirectoryCheck[] {
  return [...new Set([config, data, state])].map((path) => {
    const place = nearestExisting(path)
    return { path, error: probeDirectory(place), freeBytes: freeBytesIn(place) }
  })
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path))
}

function probeDirectory(directory: string): string | undefined {
  const probe = join(directory, `.tt-probe-${randomBytes(6).toString('hex')}`)
  try {
    writeFileSync(probe, 'probe', { flag: 'wx', mode: 0o600 })
    return undefined
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  } finally {
    removeProbe(probe)
  }
}

function removeProbe(path: string) {
  try {
    rmSync(path, { force: true })
  } catch {
    // After a failed write there is nothing to remove.
  }
}

function freeBytesIn(directory: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize
  } catch {
    return undefined // Some network file systems do not report it.
  }
}
