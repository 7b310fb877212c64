import { TimeUp } from '../api/errors.js'
import { withinTime } from '../api/timeout.js'
import type { Context } from '../cli/context.js'
import type { Profile } from '../config/profile.js'
import { TtError } from '../lib/errors.js'
import { configuration, disk, settings, versions } from './checks/machine.js'
import { keychain, service } from './checks/service.js'
import { otherOutboxes, outbox, state, workspace } from './checks/storage.js'
import { type Check, type CheckName, checkView } from './views/check.js'

export const usesDefaultSettings = true
export const view = checkView

/** A keychain, a lock or a service may take long, and some of them together; no check takes longer than this. */
const patienceMs = 30_000

/** Looks at everything that `tt` depends on. Ends with TtError `failure` when something of it is in trouble. */
export async function run(ctx: Context): Promise<Check[]> {
  const checks = [
    ...(await found('versions', versions)),
    ...(await found('configuration', () => configuration(ctx))),
    ...(await found('settings', () => settings(ctx))),
    ...(await found('disk', () => disk(ctx))),
    ...(await ofProfile(ctx)),
  ]
  const troubled = checks.filter((check) => check.state === 'trouble').map(({ check }) => check)
  if (troubled.length > 0) {
    const parts = [...new Set(troubled)].join(', ')
    ctx.afterwards(
      new TtError('failure', `There is trouble with: ${parts}.`, {
        hint: 'Each check says what to do about it.',
      }),
    )
  }
  return checks
}

async function ofProfile(ctx: Context): Promise<Check[]> {
  const profile = knownProfile(ctx)
  if (!profile) return found('other outbox', () => otherOutboxes(ctx))
  return [
    ...(await found('state', () => state(ctx, profile))),
    ...(await found('workspace', () => workspace(ctx, profile))),
    ...(await found('outbox', () => outbox(ctx, profile))),
    ...(await found('other outbox', () => otherOutboxes(ctx, profile.stateKey))),
    ...(await found('keychain', () => keychain(ctx, profile))),
    ...(await found('service', () => service(ctx, profile))),
  ]
}

/** The profile in force. Why there is none, the check of the configuration tells. */
function knownProfile(ctx: Context): Profile | undefined {
  try {
    return ctx.profile
  } catch {
    return undefined
  }
}

/** What a check finds; what it throws, and that it takes too long, is a finding too, so that the others still run. */
async function found(check: CheckName, look: () => Promise<Check | Check[]>): Promise<Check[]> {
  try {
    return [await withinTime(patienceMs, look)].flat()
  } catch (error) {
    return [{ check, state: 'trouble', ...wordsFor(error) }]
  }
}

function wordsFor(error: unknown): Pick<Check, 'told' | 'advice'> {
  if (error instanceof TtError) return { told: error.message, advice: error.hint ?? null }
  if (error instanceof TimeUp)
    return { told: `Given up after ${patienceMs / 1000} s.`, advice: 'Repeat `tt doctor` with --debug.' }
  const reason = error instanceof Error ? error.message : String(error)
  return { told: `Something went wrong inside tt: ${reason}`, advice: 'This is a defect.' }
}
