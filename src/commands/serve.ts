import { setTimeout as delay } from 'node:timers/promises'
import type { Context } from '../cli/context.js'
import type { Input, Options } from '../cli/input.js'
import { TtError } from '../lib/errors.js'
import { setWaitListener } from '../lib/lock.js'
import { dayMs } from '../lib/time-units.js'
import { version } from '../lib/version.js'
import type { commands } from '../program/declarations/service.js'
import type { ListeningJson } from '../records/shapes/accounts.js'
import type { TrustedProxies } from '../service/http/client-address.js'
import type { Listener } from '../service/http/listener.js'
import type { IdentityProvider } from '../service/oauth/identity-provider/identity-provider.js'
import type { Log } from '../service/operation/log.js'
import type { Metrics } from '../service/operation/metrics.js'
import type { OperationOptions } from '../service/operation/operation-endpoints.js'
import { escapeLines } from '../ui/text.js'
import type { View } from '../ui/view.js'

type ServeOptions = Options<typeof commands.serve>

export type Listening = ListeningJson

export const view: View<Listening> = {
  columns: [{ key: 'url', title: 'URL' }],
  json: ({ url }) => ({ url }),
  line: ({ url }) => `Serving at ${url}. Ctrl-C stops it.`,
  empty: '',
}

/** Serves until it is interrupted; yields the address. */
export async function* run(
  ctx: Context,
  { options }: Input<typeof commands.serve>,
): AsyncGenerator<Listening> {
  const log = await openLog(ctx, options)
  const { publicUrl } = options
  const trustedProxies = trustedProxiesOf(options)
  const identityProvider = await identityProviderOf(options)
  const storage = await ctx.storage(options.database, {
    poolSize: options.poolSize,
    connectMs: options.connectionTimeout,
    keepAliveMs: options.keepalive,
    preparesStatements: options.preparedStatements ?? false,
  })
  Object.assign(storage.limits, {
    statementMs: options.statementTimeout,
    idleInTransactionMs: options.idleTransactionTimeout,
    lockMs: options.lockTimeout,
  })
  const { startCleanUp } = await import('../service/operation/clean-up.js')
  const { createMetrics } = await import('../service/operation/metrics.js')
  const { checkReadiness } = await import('../service/operation/operation-endpoints.js')
  // The log has the requests that waited too long.
  setWaitListener(undefined)
  let isStopping = false
  const metrics = createMetrics({
    ...{ version, poolState: storage.poolState, disk: storage.disk },
    readiness: () => checkReadiness(storage, isStopping),
  })
  const operation = { storage, isStopping: () => isStopping }
  const untilStopped = ctx.host.untilStopped()
  const listeners = await startListeners(ctx, {
    ...{ options, publicUrl, trustedProxies, identityProvider, log, metrics, operation },
  })
  warnOfExposure(log, options, publicUrl)
  const cleanUp = startCleanUp({
    ...{ storage, clock: ctx.host.now, onDone: metrics.countCleanUp },
    changesMs: options.auditDays * dayMs,
    onError(error) {
      metrics.countFailedCleanUp()
      log.error({ error }, 'The clean-up of expired records failed.')
    },
  })
  yield { url: `${listeners.service.url}/api/v1` }
  await untilStopped
  isStopping = true
  if (options.drain > 0) {
    log.info({ drain_seconds: options.drain / 1000 }, 'Stopping: new requests are still accepted.')
    await delay(options.drain)
  }
  await cleanUp.stop()
  await listeners.service.close()
  await listeners.metrics?.close()
  log.info({}, 'Stopped.')
}

interface ListenerParts {
  options: ServeOptions
  publicUrl: string | undefined
  trustedProxies: TrustedProxies | undefined
  identityProvider: IdentityProvider | undefined
  log: Log
  metrics: Metrics
  operation: OperationOptions
}

/** Starts the listener of the service, and one for the metrics if they have a port. */
async function startListeners(
  ctx: Context,
  { options, publicUrl, trustedProxies, identityProvider, log, metrics, operation }: ListenerParts,
): Promise<{ service: Listener; metrics: Listener | undefined }> {
  const { createApp } = await import('../service/http/app.js')
  const { authenticateByToken } = await import('../service/accounts/authentication.js')
  const { listen } = await import('../service/http/listener.js')
  const { withAuthorizationServer } = await import('../service/oauth/authorization-server.js')
  const { createObserver } = await import('../service/operation/observer.js')
  const { metricsApp, withOperationEndpoints } = await import('../service/operation/operation-endpoints.js')
  const { storage } = operation
  const clock = ctx.host.now
  const common = {
    ...{ storage, clock, publicUrl },
    onError: (error: unknown, trace?: { id: string }) =>
      log.error({ ...(trace ? { request_id: trace.id } : {}), error }, 'A request failed.'),
  }
  const app = createApp({
    ...{ ...common, maxListRecords: options.listLimit },
    ...authenticateByToken(storage, clock),
  })
  const { host, port, metricsHost, metricsPort } = options
  const service = withAuthorizationServer(app, {
    ...common,
    host,
    trustedProxies,
    identityProvider,
    onSignIn: metrics.countSignIn,
  })
  const served = withOperationEndpoints(service, operation)
  const metricsListener =
    metricsPort === undefined
      ? undefined
      : await listen(metricsApp(metrics, operation), { host: metricsHost, port: metricsPort })
  const observer = createObserver(log, metrics)
  try {
    return {
      service: await listen(served, { host, port, observer }),
      metrics: metricsListener,
    }
  } catch (error) {
    await metricsListener?.close()
    throw error
  }
}

async function openLog(ctx: Context, { logLevel: level, logFormat: format }: ServeOptions): Promise<Log> {
  const { createLog } = await import('../service/operation/log.js')
  const write = (text: string) => void ctx.host.stderr.write(escapeLines(text.trimEnd()))
  return createLog(write, { format, level: ctx.options.quiet ? 'error' : level, clock: ctx.host.now })
}

/** Returns the trusted proxies. Throws TtError `usage` for an https address, which needs a proxy, without a decision. */
function trustedProxiesOf({ trustProxy, publicUrl }: ServeOptions): TrustedProxies | undefined {
  if (trustProxy !== undefined) return typeof trustProxy === 'object' ? trustProxy : undefined
  if (!publicUrl?.startsWith('https:')) return undefined
  throw new TtError('usage', 'An https public URL requires --trust-proxy or --no-trust-proxy.', {
    hint: 'Add --trust-proxy 1 if one proxy in front sets X-Forwarded-For: sign-in attempts are limited by that address. Otherwise add --no-trust-proxy.',
  })
}

/** Returns the provider where users can sign in; undefined without one. */
async function identityProviderOf({
  oidcIssuer: issuer,
  oidcClientId: clientId,
  oidcClientSecret: clientSecret,
  oidcName,
}: ServeOptions): Promise<IdentityProvider | undefined> {
  if (issuer === undefined || clientId === undefined) return undefined
  const { createIdentityProvider } = await import('../service/oauth/identity-provider/identity-provider.js')
  return createIdentityProvider({ issuer, clientId, clientSecret, name: oidcName ?? issuer.hostname })
}

function warnOfExposure(log: Log, { host, trustProxy }: ServeOptions, publicUrl: string | undefined) {
  if (publicUrl?.startsWith('https:')) {
    if (trustProxy !== false) return
    log.warn(
      {},
      'Sign-in attempts are limited by the address of the proxy. If it sets X-Forwarded-For, add --trust-proxy.',
    )
  } else if (!isLoopback(host)) {
    log.warn({}, 'Other machines can reach this address without encryption: put a TLS proxy in front.')
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}
