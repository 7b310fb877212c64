import { sqliteVersion } from '../../cache/inspect-state.js'
import { dayOf } from '../../calendar/day.js'
import type { Context } from '../../cli/context.js'
import { checkDirectories, type DirectoryCheck } from '../../config/directory-checks.js'
import { ignoredVariables } from '../../config/paths.js'
import type { Profile } from '../../config/profile.js'
import { readProfiles } from '../../config/profiles.js'
import { settingsPath, storedValues } from '../../config/settings/settings-file.js'
import { version } from '../../lib/version.js'
import type { Check } from '../views/check.js'

/** What runs here. */
export async function versionCheck(): Promise<Check> {
  const { versions: of, platform, arch } = process
  const message = `tt ${version}, Node ${of.node}, ${await sqliteVersion()}, ${platform} ${arch}.`
  return { check: 'versions', state: 'ok', message, hint: null }
}

/** Whose time it is, and who says so. Throws what `profileInForce` throws. */
export async function configurationCheck(ctx: Context): Promise<Check> {
  const { profile } = ctx
  readProfiles(ctx.paths) // Read even where the environment goes before it: the next command may need it.
  const message = `The profile "${profile.name}" is in force, ${profileSource(ctx, profile)}.${homeText(ctx)}`
  const ignoredNames = ignoredVariables(ctx.host.env)
  if (ignoredNames.length > 0) {
    return {
      check: 'configuration',
      state: 'warning',
      message: `${message} Ignored, because it is not an absolute path: ${ignoredNames.join(', ')}.`,
      hint: 'Set it to an absolute path, or unset it.',
    }
  }
  const { path, task, notes, problem, ignored = [] } = ctx.directory ?? {}
  if (path === undefined) return { check: 'configuration', state: 'ok', message, hint: null }
  if (problem !== undefined) {
    return {
      check: 'configuration',
      state: 'warning',
      message: `${message} ${path} is ignored: it ${problem}.`,
      hint: `Correct ${path} or move it away.`,
    }
  }
  const given = [task && 'a task', notes && 'notes'].filter(Boolean).join(' and ')
  return {
    check: 'configuration',
    state: ignored.length > 0 ? 'warning' : 'ok',
    message: `${message} ${path} gives ${given || 'no task'} here.`,
    hint: ignored.length > 0 ? `Take out of ${path} what is not used: ${ignored.join(', ')}.` : null,
  }
}

/** The directory that a relative `TT_HOME` means; empty for an absolute one. */
function homeText({ host, paths }: Context): string {
  const { TT_HOME } = host.env
  return TT_HOME && TT_HOME !== paths.config ? ` TT_HOME, ${TT_HOME}, is ${paths.config}.` : ''
}

/** What is set, and the holidays of the file that it names. Throws what `settings` and `work` throw. */
export async function settingsCheck(ctx: Context): Promise<Check> {
  const count = Object.keys(storedValues(ctx.paths) ?? {}).length
  const work = await ctx.workCalendar()
  work.isWorkingDay(dayOf(ctx.now))
  const what = ['Nothing is', 'One setting is'][count] ?? `${count} settings are`
  const message = `${what} set in ${settingsPath(ctx.paths)}.`
  return { check: 'settings', state: 'ok', message, hint: null }
}

/** The order is that of `profileInForce`. */
function profileSource({ options, host, directory }: Context, profile: Profile): string {
  if (options.profile !== undefined) return 'named by --profile'
  if (profile.kind === 'service') return 'that of TT_BASE_URL and TT_TOKEN'
  if (host.env.TT_PROFILE) return 'named by TT_PROFILE'
  if (directory?.profile !== undefined) return `named by ${directory.path}`
  return profile.kind === 'local' ? 'because no other is chosen' : 'signed in to or chosen last'
}

const minFreeBytes = 50 * 1024 * 1024

/** Whether what `tt` keeps can be kept. */
export async function diskChecks(ctx: Context): Promise<Check[]> {
  return checkDirectories(ctx.paths).map(directoryCheck)
}

function directoryCheck({ path, error: flaw, freeBytes }: DirectoryCheck): Check {
  if (flaw !== undefined) {
    return {
      check: 'disk',
      state: 'error',
      message: `Nothing can be written to ${path} (${flaw}).`,
      hint: 'Check its permissions and the space on the disk, or set TT_HOME to another directory.',
    }
  }
  const free = freeBytes === undefined ? '' : `, ${Math.floor(freeBytes / 1024 / 1024)} MB free`
  const isLow = freeBytes !== undefined && freeBytes < minFreeBytes
  return {
    check: 'disk',
    state: isLow ? 'warning' : 'ok',
    message: `${path} can be written${free}.`,
    hint: isLow ? 'Make room on that disk: what cannot be written cannot be kept.' : null,
  }
}
