import { probeService } from '../../api/probe.js'
import { type Account, openAccount } from '../../auth/account.js'
import type { Context } from '../../cli/context.js'
import { hintText } from '../../cli/next-step.js'
import type { Profile } from '../../config/profile.js'
import { TtError } from '../../lib/errors.js'
import type { Check } from '../views/check.js'

/** How long one request may take here, in milliseconds. */
const timeoutMs = 5_000

/** The account of the profile, asked of a keychain that nobody is given the time to unlock. */
async function accountOf(ctx: Context, profile: Profile): Promise<Account | undefined> {
  if (profile.kind !== 'stored') return undefined
  const { paths, host } = ctx
  return openAccount(profile, {
    ...ctx.requests(),
    paths,
    clock: host.now,
    isAttended: false,
    timeoutMs,
  })
}

/** Where the secrets of the profile are, and whether they can be read. Never what they are. */
export async function keychainCheck(ctx: Context, profile: Profile): Promise<Check> {
  const account = await accountOf(ctx, profile)
  if (!account) {
    const message =
      profile.kind === 'local'
        ? 'Not needed: the local workspace has no secrets.'
        : 'Not needed: the token is in TT_TOKEN.'
    return { check: 'keychain', state: 'ok', message, hint: null }
  }
  const { location: where } = account.store
  const credentials = await account.credentials()
  if (credentials && (credentials.method === 'key' || credentials.access_token !== '')) {
    const message = `The secrets of "${profile.name}" are in ${where} and can be read.`
    return { check: 'keychain', state: 'ok', message, hint: null }
  }
  return {
    check: 'keychain',
    state: 'error',
    message: credentials
      ? `The sign-in of "${profile.name}" has ended.`
      : `${where} holds no secrets of "${profile.name}" for its addresses.`,
    hint: `Sign in again: tt login --profile ${profile.name}`,
  }
}

/** Whether the service can be reached and takes the token, and how far its clock is from this one. */
export async function serviceChecks(ctx: Context, profile: Profile): Promise<Check[]> {
  if (profile.kind === 'local') return localChecks
  const account = await accountOf(ctx, profile)
  const { token, signInError: untold } = await tokenOf(profile, account)
  const { company, failure, response, clockOffsetMs } = await probeService(
    {
      ...ctx.requests(),
      ...(account?.connection ?? { baseUrl: profile.baseUrl }),
      // Without a token of its own the request is refused, and that is an answer too.
      token: () => token ?? 'none',
      ...(token === undefined ? { refreshToken: async () => undefined } : {}),
      timeoutMs,
    },
    ctx.host.now,
  )
  const took = response ? ` (${response.status} after ${response.tookMs} ms)` : ''
  const clock = clockCheck(clockOffsetMs, response !== undefined)
  if (company && response) {
    const message = `${company.name} answers at ${profile.baseUrl}${took}.`
    return [{ check: 'service', state: 'ok', message, hint: null }, clock]
  }
  if (untold && response) {
    const message = `${profile.baseUrl} answers${took}, but could not be asked as you: ${untold.message}`
    return [{ check: 'service', state: 'error', message, hint: hintText(untold) ?? null }, clock]
  }
  const unreachable = failure?.code === 'unreachable'
  const hint = unreachable
    ? `${(failure && hintText(failure)) ?? 'Check the network.'} Until then changes are kept here, and \`tt sync\` delivers them.`
    : ((failure && hintText(failure)) ?? null)
  const state = unreachable ? 'warning' : 'error'
  return [{ check: 'service', state, message: failure?.message ?? 'The service is silent.', hint }, clock]
}

const localChecks: Check[] = [
  {
    check: 'service',
    state: 'ok',
    message: 'Not needed: the local workspace is in this process.',
    hint: null,
  },
  {
    check: 'clock',
    state: 'ok',
    message: 'Nothing to compare with: this machine tells the time.',
    hint: null,
  },
]

/** A token to ask with, or why there is none (`untold`). */
async function tokenOf(
  profile: Profile,
  account: Account | undefined,
): Promise<{ token?: string; signInError?: TtError }> {
  if (profile.kind === 'service') return { token: profile.token }
  try {
    return account ? { token: await account.connection.token() } : {}
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    return { signInError: error }
  }
}

const [warningSkewMs, errorSkewMs] = [5_000, 60_000]

function clockCheck(clockOffsetMs: number | undefined, hasResponse: boolean): Check {
  if (clockOffsetMs === undefined && hasResponse) {
    const message = 'Not compared: the service sends no valid Date header.'
    return { check: 'clock', state: 'ok', message, hint: null }
  }
  if (clockOffsetMs === undefined) {
    return {
      check: 'clock',
      state: 'warning',
      message: 'Not compared: the service has not told its time.',
      hint: 'Repeat `tt doctor` when the service answers.',
    }
  }
  const skewMs = Math.abs(clockOffsetMs)
  // The service tells whole seconds.
  if (skewMs <= 1_000)
    return { check: 'clock', state: 'ok', message: 'As the service’s, to the second.', hint: null }
  const apart = `${Math.round(skewMs / 1000)} s ${clockOffsetMs > 0 ? 'ahead of' : 'behind'}`
  const state = skewMs > errorSkewMs ? 'error' : skewMs > warningSkewMs ? 'warning' : 'ok'
  return {
    check: 'clock',
    state,
    message: `The clock of this machine is ${apart} the service’s.`,
    hint:
      state === 'ok'
        ? null
        : 'Have the clock of this machine set automatically: what is tracked here is wrong by as much. If it is right, tell whoever runs the service.',
  }
}
