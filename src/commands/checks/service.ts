import { probe } from '../../api/probe.js'
import { type Account, openAccount } from '../../auth/account.js'
import type { Context } from '../../cli/context.js'
import type { Profile } from '../../config/profile.js'
import { TtError } from '../../lib/errors.js'
import type { Check } from '../views/check.js'

/** How long one request may take here, in milliseconds. */
const timeoutMs = 5_000

/** The account of the profile, asked of a keychain that nobody is given the time to unlock. */
async function accountOf(ctx: Context, profile: Profile): Promise<Account | undefined> {
  if (profile.kind !== 'stored') return undefined
  const { paths, world } = ctx
  return openAccount(profile, {
    ...ctx.requests(),
    paths,
    clock: world.now,
    attended: false,
    timeoutMs,
  })
}

/** Where the secrets of the profile are, and whether they can be read. Never what they are. */
export async function keychain(ctx: Context, profile: Profile): Promise<Check> {
  const account = await accountOf(ctx, profile)
  if (!account) {
    const told =
      profile.kind === 'local'
        ? 'Not needed: the local workspace has no secrets.'
        : 'Not needed: the token is in TT_TOKEN.'
    return { check: 'keychain', state: 'ok', told, advice: null }
  }
  const { where } = account.store
  const credentials = await account.credentials()
  if (credentials && (credentials.method === 'key' || credentials.access_token !== '')) {
    const told = `The secrets of "${profile.name}" are in ${where} and can be read.`
    return { check: 'keychain', state: 'ok', told, advice: null }
  }
  return {
    check: 'keychain',
    state: 'trouble',
    told: credentials
      ? `The sign-in of "${profile.name}" has ended.`
      : `${where} holds no secrets of "${profile.name}" for its addresses.`,
    advice: `Sign in again: tt login --profile ${profile.name}`,
  }
}

/** Whether the service can be reached and takes the token, and how far its clock is from this one. */
export async function service(ctx: Context, profile: Profile): Promise<Check[]> {
  if (profile.kind === 'local') return local
  const account = await accountOf(ctx, profile)
  const { token, untold } = await tokenOf(profile, account)
  const { company, failure, answer, aheadMs } = await probe(
    {
      ...ctx.requests(),
      ...(account?.connection ?? { baseUrl: profile.baseUrl }),
      // Without a token of its own the request is refused, and that is an answer too.
      token: () => token ?? 'none',
      ...(token === undefined ? { renewed: async () => undefined } : {}),
      timeoutMs,
    },
    ctx.world.now,
  )
  const took = answer ? ` (${answer.status} after ${answer.tookMs} ms)` : ''
  const clock = readClock(aheadMs, answer !== undefined)
  if (company && answer) {
    const told = `${company.name} answers at ${profile.baseUrl}${took}.`
    return [{ check: 'service', state: 'ok', told, advice: null }, clock]
  }
  if (untold && answer) {
    const told = `${profile.baseUrl} answers${took}, but could not be asked as you: ${untold.message}`
    return [{ check: 'service', state: 'trouble', told, advice: untold.hint ?? null }, clock]
  }
  const unreachable = failure?.code === 'unreachable'
  const advice = unreachable
    ? `${failure?.hint ?? 'Check the network.'} Until then changes are kept here, and \`tt sync\` delivers them.`
    : (failure?.hint ?? null)
  const state = unreachable ? 'warning' : 'trouble'
  return [{ check: 'service', state, told: failure?.message ?? 'The service is silent.', advice }, clock]
}

const local: Check[] = [
  {
    check: 'service',
    state: 'ok',
    told: 'Not needed: the local workspace is in this process.',
    advice: null,
  },
  {
    check: 'clock',
    state: 'ok',
    told: 'Nothing to compare with: this machine tells the time.',
    advice: null,
  },
]

/** A token to ask with, or why there is none (`untold`). */
async function tokenOf(
  profile: Profile,
  account: Account | undefined,
): Promise<{ token?: string; untold?: TtError }> {
  if (profile.kind === 'service') return { token: profile.token }
  try {
    return account ? { token: await account.connection.token() } : {}
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    return { untold: error }
  }
}

const [noticeableMs, unbearableMs] = [5_000, 60_000]

function readClock(aheadMs: number | undefined, hasResponse: boolean): Check {
  if (aheadMs === undefined && hasResponse) {
    const told = 'Not compared: the service sends no valid Date header.'
    return { check: 'clock', state: 'ok', told, advice: null }
  }
  if (aheadMs === undefined) {
    return {
      check: 'clock',
      state: 'warning',
      told: 'Not compared: the service has not told its time.',
      advice: 'Repeat `tt doctor` when the service answers.',
    }
  }
  const skewMs = Math.abs(aheadMs)
  // The service tells whole seconds.
  if (skewMs <= 1_000)
    return { check: 'clock', state: 'ok', told: 'As the service’s, to the second.', advice: null }
  const apart = `${Math.round(skewMs / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`
  const state = skewMs > unbearableMs ? 'trouble' : skewMs > noticeableMs ? 'warning' : 'ok'
  return {
    check: 'clock',
    state,
    told: `The clock of this machine is ${apart} the service’s.`,
    advice:
      state === 'ok'
        ? null
        : 'Have the clock of this machine set automatically: what is tracked here is wrong by as much. If it is right, tell whoever runs the service.',
  }
}
