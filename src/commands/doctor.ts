import { TimeoutError, withTimeout } from '../api-client/http/network-errors.js'
import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { hintText } from '../cli/next-step-text.js'
import type { Profile } from '../config/profile.js'
import { storedValues } from '../config/settings/settings-file.js'
import { errorMessage, TtError } from '../lib/errors.js'
import type { commands } from '../program/declarations/maintenance.js'
import { configurationCheck, diskChecks, settingsCheck, versionCheck } from './checks/machine.js'
import { keychainCheck, serviceChecks } from './checks/service.js'
import { databaseCheck, otherOutboxChecks, outboxCheck } from './checks/storage.js'
import { unmatchedPatterns } from './shared/unmatched-patterns.js'
import { type Check, type CheckName, checkView } from './views/check.js'

export const allowsUnreadableSettings = true
export const view = checkView

/** Timeout for each check, which may wait for a keychain, a lock or a service. */
const timeLimitMs = 30_000

/**
 * Checks everything that `tt` depends on, or saves what can be read of damaged databases. Throws TtError `failure` after
 * the output when a check fails.
 */
export async function run(ctx: Context, { options }: Input<typeof commands.doctor>): Promise<Check[]> {
  if (options.salvage !== undefined) {
    const { salvageDatabases } = await import('./checks/salvage.js')
    return salvageDatabases(ctx, options.salvage)
  }
  const checks = [
    ...(await runCheck('versions', versionCheck)),
    ...(await runCheck('configuration', () => configurationCheck(ctx))),
    ...(await runCheck('settings', () => settingsCheck(ctx))),
    ...(await runCheck('disk', () => diskChecks(ctx))),
    ...(await profileChecks(ctx)),
  ]
  const failed = checks.filter((check) => check.state === 'error').map(({ check }) => check)
  if (failed.length > 0) {
    const parts = [...new Set(failed)].join(', ')
    ctx.afterOutput.fail(
      new TtError('failure', `These checks failed: ${parts}.`, {
        hint: 'Follow the hint of each check.',
      }),
    )
  }
  return checks
}

async function profileChecks(ctx: Context): Promise<Check[]> {
  const profile = selectedProfile(ctx)
  if (!profile) return runCheck('other outbox', () => otherOutboxChecks(ctx))
  const databases = await runCheck(profile.hasDelivery ? 'state' : 'workspace', () =>
    databaseCheck(ctx, profile),
  )
  const areSound = databases.every(({ state }) => state === 'ok')
  return [
    ...databases,
    ...(areSound ? await runCheck('settings', () => ratesCheck(ctx, profile)) : []),
    ...(await runCheck('outbox', () => outboxCheck(ctx, profile, areSound))),
    ...(await runCheck('other outbox', () => otherOutboxChecks(ctx, profile.stateKey))),
    ...(await runCheck('keychain', () => keychainCheck(ctx, profile))),
    ...(await runCheck('service', () => serviceChecks(ctx, profile, areSound))),
  ]
}

/** Returns the current profile; undefined on errors, which the configuration check reports. */
function selectedProfile(ctx: Context): Profile | undefined {
  try {
    return ctx.config.profile
  } catch {
    return undefined
  }
}

/** Runs a check with a timeout and turns its errors into results, so that the other checks still run. */
async function runCheck(check: CheckName, work: () => Promise<Check | Check[]>): Promise<Check[]> {
  try {
    return [await withTimeout(timeLimitMs, work)].flat()
  } catch (error) {
    return [{ check, state: 'error', ...describeFailure(error) }]
  }
}

function describeFailure(error: unknown): Pick<Check, 'message' | 'hint'> {
  if (error instanceof TtError) return { message: error.message, hint: hintText(error) ?? null }
  if (error instanceof TimeoutError)
    return { message: `Timeout after ${timeLimitMs / 1000} s.`, hint: 'Run `tt doctor --debug` for details.' }
  const reason = errorMessage(error)
  return { message: `Internal error: ${reason}`, hint: 'This is a bug in tt.' }
}

/** Reports the settings such as rates that match no client, project or task of the profile; no check if all do. */
async function ratesCheck(ctx: Context, profile: Profile): Promise<Check[]> {
  const settings = Object.keys(storedValues(ctx.config.paths) ?? {})
  const unmatched = await unmatchedPatterns(ctx, profile, settings)
  if (unmatched.length === 0) return []
  const hint = 'Run `tt config set` with the right name, and `tt config unset` with the wrong one.'
  return [{ check: 'settings', state: 'warning', message: unmatched.join(' '), hint }]
}
