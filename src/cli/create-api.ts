import type { Api } from '../api-client/api.js'
import { createApi } from '../api-client/endpoints.js'
import type { CircuitBreaker } from '../api-client/http/circuit-breaker.js'
import { createHttp } from '../api-client/http/client.js'
import type { Http, ProgressCounter } from '../api-client/http/http.js'
import { supportsIdempotencyKeys } from '../api-client/http/idempotency-key.js'
import type { Account } from '../auth/account.js'
import { type ClientState, expenseDateMemory } from '../cache/client-state.js'
import { readProfiles } from '../config/profiles.js'
import type { LocalWorkspace } from '../service/local-workspace.js'
import type { UserContext } from './user-context.js'

export interface ServiceConnection {
  circuitBreaker: CircuitBreaker
  connection: Account['connection']
  state: ClientState
  /** Called after each response with whether the service supports the Idempotency-Key of creates. */
  onResponse(supportsKeys: boolean): void
}

type ApiContext = UserContext & { readonly canQueue: boolean }

/** Creates the API of a service, whose requests show progress and are limited by the circuit breaker. */
export async function createServiceApi(
  ctx: ApiContext,
  { circuitBreaker, connection, state, onResponse }: ServiceConnection,
): Promise<Api> {
  const label = () => `Waiting for ${new URL(connection.baseUrl).host} …`
  const countItems: ProgressCounter = (batches) =>
    ctx.countItems(batches, (count) => `${label()} ${count} records`)
  const { openPagingMemory } = await import('../cache/paging-memory.js')
  const http = createHttp({
    ...ctx.requests(),
    ...connection,
    withProgress: () => ctx.withProgress(label),
    onResponse: (headers) => onResponse(supportsIdempotencyKeys(headers)),
    countItems,
  })
  return createApi(circuitBreaker.guard(await withQueueing(ctx, http)), {
    pagingMemory: openPagingMemory(state, ctx.now),
    expenseDateMemory: expenseDateMemory(state, ctx.host.now),
    warn: (text) => ctx.warn(text),
  })
}

/** Creates the API of the local workspace, which runs in this process. */
export function createLocalApi(ctx: ApiContext, { fetch }: LocalWorkspace): Api {
  const countItems: ProgressCounter = (batches) =>
    ctx.countItems(batches, (count) => `Reading … ${count} records`)
  const connection = { baseUrl: 'http://localhost/api/v1', token: () => 'local', fetch }
  return createApi(createHttp({ ...ctx.requests(), ...connection, countItems }), { hasExactFilters: true })
}

/** Returns an Http that reports an expired sign-in like an unreachable service, for a command that can queue its changes. */
async function withQueueing({ profile, canQueue, paths }: ApiContext, http: Http): Promise<Http> {
  if (profile.kind !== 'stored' || !canQueue) return http
  const { withExpiredSignIn } = await import('../auth/detect-expired-sign-in.js')
  const isCurrent = () => readProfiles(paths).current === profile.name
  return withExpiredSignIn(http, () => (isCurrent() ? undefined : profile.name))
}
