import { type Account, openAccount } from '../../api-client/auth/account.js'
import { createApi } from '../../api-client/endpoints.js'
import { createHttp } from '../../api-client/http/client.js'
import type { HttpOptions } from '../../api-client/http/http.js'
import type { Fetch } from '../../api-client/http/transport.js'
import type { Company } from '../../api-client/types.js'
import type { Context } from '../../cli/context.js'
import { hintText, nextStepText } from '../../cli/next-step-text.js'
import { type Profile, statePathOf } from '../../config/profile.js'
import { TtError } from '../../lib/errors.js'
import { monotonicMs } from '../../lib/monotonic-clock.js'
import { isCurrentState } from '../../outbox/cache/inspect-state.js'
import { learnCapabilities, timeoutMs } from '../shared/account/learn-capabilities.js'
import { type Check, passed } from '../views/check.js'

/** Opens the account of the profile without prompting to unlock the keychain. */
async function accountOf(ctx: Context, profile: Profile): Promise<Account | undefined> {
  if (!profile.signIn) return undefined
  const { host, config } = ctx
  return openAccount(profile.signIn, {
    ...ctx.requestOptions(),
    paths: config.paths,
    clock: host.now,
    isAttended: false,
    timeoutMs,
  })
}

/** Reports where the secrets of the profile are and whether they are readable, but never the secrets. */
export async function keychainCheck(ctx: Context, profile: Profile): Promise<Check> {
  const account = await accountOf(ctx, profile)
  if (!account) {
    const reason = profile.hasDelivery ? 'the token is in TT_TOKEN' : 'the local workspace has no secrets'
    return passed('keychain', `Not needed: ${reason}.`)
  }
  const { location: where } = account.store
  const credentials = await account.credentials()
  if (credentials && (credentials.method === 'key' || credentials.access_token !== '')) {
    return passed('keychain', `The secrets of "${profile.name}" are in ${where} and readable.`)
  }
  return {
    check: 'keychain',
    state: 'error',
    message: credentials
      ? `The sign-in of "${profile.name}" has expired.`
      : `${where} contains no secrets of "${profile.name}" for its addresses.`,
    hint: nextStepText({ action: 'sign_in', profile: profile.name }),
  }
}

/**
 * Reports whether the service is reachable and accepts the token, and the difference of the clocks.
 *
 * @param hasState whether the client state is sound; it then stores what the service accepts
 */
export async function serviceChecks(ctx: Context, profile: Profile, hasState: boolean): Promise<Check[]> {
  const { hasDelivery, baseUrl = '' } = profile
  if (!hasDelivery) return localChecks
  const account = await accountOf(ctx, profile)
  const { token, signInError } = await tokenOf(profile, account)
  const connection = {
    ...(account?.connection ?? { baseUrl }),
    // Even a 401 response shows that the service is reachable.
    token: () => token ?? 'none',
    ...(token === undefined ? { refreshToken: async () => undefined } : {}),
  }
  const { company, failure, response, clockOffsetMs } = await probeService(
    { ...ctx.requestOptions(), ...connection, timeoutMs },
    ctx.host.now,
  )
  const responseText = response ? ` (${response.status} after ${response.tookMs} ms)` : ''
  const clock = clockCheck(clockOffsetMs, response !== undefined)
  if (company && response) {
    // A check creates and migrates nothing.
    const path = statePathOf(ctx.config.paths, profile.stateKey)
    if (hasState && (await isCurrentState(path))) await learnCapabilities(ctx, connection)
    return [passed('service', `${company.name} responds at ${baseUrl}${responseText}.`), clock]
  }
  if (signInError && response) {
    const message = `${baseUrl} responds${responseText}, but not with your sign-in: ${signInError.message}`
    return [{ check: 'service', state: 'error', message, hint: hintText(signInError) ?? null }, clock]
  }
  const unreachable = failure?.code === 'unreachable'
  const hint = unreachable
    ? `${(failure && hintText(failure)) ?? 'Check the network.'} Until then changes are saved locally; run \`tt sync\` to send them.`
    : ((failure && hintText(failure)) ?? null)
  const state = unreachable ? 'warning' : 'error'
  return [
    { check: 'service', state, message: failure?.message ?? 'The service sends no response.', hint },
    clock,
  ]
}

const localChecks: Check[] = [
  passed('service', 'Not needed: the local workspace is in this process.'),
  passed('clock', 'Not compared: the local workspace uses the clock of this machine.'),
]

/** Returns the token, or the reason why there is none (`signInError`). */
async function tokenOf(
  profile: Profile,
  account: Account | undefined,
): Promise<{ token?: string; signInError?: TtError }> {
  if (profile.token !== undefined) return { token: profile.token }
  try {
    return account ? { token: await account.connection.token() } : {}
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    return { signInError: error }
  }
}

const [warningSkewMs, errorSkewMs] = [5_000, 60_000]

function clockCheck(clockOffsetMs: number | undefined, hasResponse: boolean): Check {
  if (clockOffsetMs === undefined && hasResponse)
    return passed('clock', 'Not compared: the service sends no valid Date header.')
  if (clockOffsetMs === undefined) {
    return {
      check: 'clock',
      state: 'warning',
      message: 'Not compared: there is no response from the service.',
      hint: 'Run `tt doctor` again when the service responds.',
    }
  }
  const skewMs = Math.abs(clockOffsetMs)
  // The Date header has whole seconds.
  if (skewMs <= 1_000) return passed('clock', 'The same as the clock of the service, to the second.')
  const apart = `${Math.round(skewMs / 1000)} s ${clockOffsetMs > 0 ? 'ahead of' : 'behind'}`
  const state = skewMs > errorSkewMs ? 'error' : skewMs > warningSkewMs ? 'warning' : 'ok'
  return {
    check: 'clock',
    state,
    message: `The clock of this machine is ${apart} the service’s.`,
    hint:
      state === 'ok'
        ? null
        : 'Set the clock of this machine automatically: tracked times are wrong by this difference. If it is right, inform the operator of the service.',
  }
}

/** What one request shows about a service. */
interface ProbeResult {
  /** Undefined without a response. */
  response: { status: number; tookMs: number } | undefined
  /** How far the clock of this machine is ahead of that of the service, in milliseconds; undefined if unknown. */
  clockOffsetMs: number | undefined
  company: Company | undefined
  /** The error if `company` is undefined. */
  failure: TtError | undefined
}

/**
 * Requests the company once, over the network, and measures the response. Compares the clocks at the middle of the
 * request; adds half a second because `Date` (RFC 9110 section 6.6.1) is in whole seconds.
 *
 * Throws TtError `usage` for an invalid base URL.
 */
async function probeService(options: HttpOptions, now: () => Date): Promise<ProbeResult> {
  const measured: Pick<ProbeResult, 'response' | 'clockOffsetMs'> = {
    response: undefined,
    clockOffsetMs: undefined,
  }
  const measuringFetch: Fetch = async (url, init) => {
    const [sentAt, start] = [now().getTime(), monotonicMs()]
    const response = await fetch(url, init)
    const tookMs = monotonicMs() - start
    const serviceTime = Date.parse(response.headers.get('date') ?? '')
    measured.response = { status: response.status, tookMs: Math.round(tookMs) }
    measured.clockOffsetMs = Number.isNaN(serviceTime)
      ? undefined
      : Math.round(sentAt + tookMs / 2 - (serviceTime + 500))
    return response
  }
  new Headers() // Loads Node's fetch in advance, so that the measured time is only that of the service.
  const api = createApi(createHttp({ ...options, fetch: measuringFetch }))
  try {
    return { company: await api.getCompany(), failure: undefined, ...measured }
  } catch (failure) {
    if (!(failure instanceof TtError)) throw failure
    return { company: undefined, failure, ...measured }
  }
}
