import { TimeoutError } from '../api/errors.js'
import { withTimeout } from '../api/timeout.js'
import type { Context } from '../cli/context.js'
import { hintText } from '../cli/next-step.js'
import type { Profile } from '../config/profile.js'
import { errorMessage, TtError } from '../lib/errors.js'
import { configurationCheck, diskChecks, settingsCheck, versionCheck } from './checks/machine.js'
import { keychainCheck, serviceChecks } from './checks/service.js'
import { otherOutboxChecks, outboxCheck, stateCheck, workspaceCheck } from './checks/storage.js'
import { type Check, type CheckName, checkView } from './views/check.js'

export const usesDefaultSettings = true
export const view = checkView

/** A keychain, a lock or a service may take long, and some of them together; no check takes longer than this. */
const timeLimitMs = 30_000

/** Looks at everything that `tt` depends on. Ends with TtError `failure` when something of it is in trouble. */
export async function run(ctx: Context): Promise<Check[]> {
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
    ctx.failAfterOutput(
      new TtError('failure', `There is trouble with: ${parts}.`, {
        hint: 'Each check says what to do about it.',
      }),
    )
  }
  return checks
}

async function profileChecks(ctx: Context): Promise<Check[]> {
  const profile = selectedProfile(ctx)
  if (!profile) return runCheck('other outbox', () => otherOutboxChecks(ctx))
  return [
    ...(await runCheck('state', () => stateCheck(ctx, profile))),
    ...(await runCheck('workspace', () => workspaceCheck(ctx, profile))),
    ...(await runCheck('outbox', () => outboxCheck(ctx, profile))),
    ...(await runCheck('other outbox', () => otherOutboxChecks(ctx, profile.stateKey))),
    ...(await runCheck('keychain', () => keychainCheck(ctx, profile))),
    ...(await runCheck('service', () => serviceChecks(ctx, profile))),
  ]
}

/** The profile in force. Why there is none, the check of the configuration tells. */
function selectedProfile(ctx: Context): Profile | undefined {
  try {
    return ctx.profile
  } catch {
    return undefined
  }
}

/** What a check finds; what it throws, and that it takes too long, is a finding too, so that the others still run. */
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
    return { message: `Given up after ${timeLimitMs / 1000} s.`, hint: 'Repeat `tt doctor` with --debug.' }
  const reason = errorMessage(error)
  return { message: `Something went wrong inside tt: ${reason}`, hint: 'This is a defect.' }
}
