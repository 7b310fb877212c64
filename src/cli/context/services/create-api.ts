import type { Api } from '../../../api-client/api.js'
import { UnreachableError } from '../../../api-client/api-errors.js'
import type { Account } from '../../../api-client/auth/account.js'
import { createApi } from '../../../api-client/endpoints.js'
import type { CircuitBreaker } from '../../../api-client/http/circuit-breaker.js'
import { createHttp } from '../../../api-client/http/client.js'
import type { Http, ProgressCounter } from '../../../api-client/http/http.js'
import { supportsConditions, supportsIdempotencyKeys } from '../../../api-client/http/request.js'
import { readProfiles } from '../../../config/profiles.js'
import { openCapabilities } from '../../../outbox/cache/known-capabilities.js'
import type { Context } from '../../context.js'

/** Creates the API of the profile: that of its service, or that of the local workspace. */
export async function createProfileApi(ctx: Context): Promise<Api> {
  const circuitBreaker = await ctx.circuitBreaker()
  return circuitBreaker ? createServiceApi(ctx, circuitBreaker) : createLocalApi(ctx)
}

/** Creates the API of a service, whose requests show progress and are limited by the circuit breaker. */
async function createServiceApi(ctx: Context, circuitBreaker: CircuitBreaker): Promise<Api> {
  const { terminal } = ctx
  const connection = await connectionOf(ctx)
  const label = () => `Waiting for ${new URL(connection.baseUrl).host} …`
  const countItems: ProgressCounter = (batches) =>
    terminal.countItems(batches, (count) => `${label()} ${count} records`)
  const capabilities = openCapabilities(await ctx.state(), ctx.host.now)
  const http = createHttp({
    ...ctx.requestOptions(),
    ...connection,
    withProgress: () => terminal.withProgress(label),
    onResponse: (headers) => {
      // The page of a proxy says nothing about the service.
      if (headers.get('content-type')?.includes('json') === false) return
      const time = Date.parse(headers.get('date') ?? '')
      Object.assign(ctx.serviceFacts, {
        ...{
          supportsKeys: supportsIdempotencyKeys(headers),
          supportsConditions: supportsConditions(headers),
        },
        ...(Number.isNaN(time) ? {} : { clockOffsetMs: time - ctx.host.now().getTime() }),
      })
    },
    countItems,
  })
  const guarded = ctx.options.cached ? offlineHttp : circuitBreaker.guard(await withQueueing(ctx, http))
  return createApi(guarded, {
    capabilities,
    warn: (text) => terminal.warn(text),
  })
}

/** Sends no requests, for a command that uses local data. */
const offlineHttp: Http = {
  request: () => Promise.reject(offlineError()),
  list: () => Promise.reject(offlineError()),
}

function offlineError(): UnreachableError {
  return new UnreachableError('The service was not requested.', { isUnsent: true })
}

async function connectionOf(ctx: Context): Promise<Account['connection']> {
  const account = await ctx.account()
  if (account) return account.connection
  const { baseUrl, token } = ctx.config.profile
  if (baseUrl === undefined || token === undefined) throw new Error('The profile has no service.')
  return { baseUrl, token: () => token }
}

/** Creates the API of the local workspace, which runs in this process. */
async function createLocalApi(ctx: Context): Promise<Api> {
  const { fetch } = await ctx.workspace()
  ctx.serviceFacts.supportsKeys = true // It applies a create with the same key once.
  const countItems: ProgressCounter = (batches) =>
    ctx.terminal.countItems(batches, (count) => `Reading … ${count} records`)
  const connection = { baseUrl: 'http://localhost/api/v1', token: () => 'local', fetch }
  return createApi(createHttp({ ...ctx.requestOptions(), ...connection, countItems }), {
    hasExactFilters: true,
  })
}

/** Returns an Http that reports an expired sign-in like an unreachable service, for a command that can queue its changes. */
async function withQueueing({ config, canQueue }: Context, http: Http): Promise<Http> {
  const { profile, paths } = config
  if (!profile.signIn || !canQueue) return http
  const { withExpiredSignIn } = await import('../../../api-client/auth/session.js')
  const isCurrent = () => readProfiles(paths).current === profile.name
  return withExpiredSignIn(http, () => (isCurrent() ? undefined : profile.name))
}
