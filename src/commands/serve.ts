import type { Context } from '../cli/context.js'
import { errorMessage, TtError } from '../lib/errors.js'
import type { View } from '../ui/view.js'
import type { CommandInput } from './shared/command.js'

export interface ServeOptions {
  host: string
  port: string
  database?: string
  publicUrl?: string
  trustProxy?: boolean
}

export interface Listening {
  /** The value for TT_BASE_URL. */
  url: string
}

export const view: View<Listening> = {
  columns: [{ key: 'url', title: 'URL' }],
  json: ({ url }) => ({ url }),
  line: ({ url }) => `Serving at ${url}. Ctrl-C stops it.`,
  empty: '',
}

/** Serves until it is interrupted; yields the address. */
export async function* run(ctx: Context, { options }: CommandInput<ServeOptions>): AsyncGenerator<Listening> {
  const port = parsePort(options.port)
  const { createApp } = await import('../service/http/app.js')
  const { authenticateByToken } = await import('../service/accounts/tokens.js')
  const { listen } = await import('../service/http/listener.js')
  const { withAuthorizationServer } = await import('../service/oauth/authorization-server.js')
  const publicUrl = await publicUrlOf(options)
  const storage = await ctx.storage(options.database)
  const common = {
    storage,
    clock: ctx.host.now,
    onError: (error: unknown) => ctx.terminal.warn(`A request failed: ${errorMessage(error)}`),
  }
  const app = createApp({ ...common, publicUrl, authenticate: authenticateByToken(storage, ctx.host.now) })
  const { host, trustProxy = false } = options
  const service = withAuthorizationServer(app, { ...common, publicUrl, host, trustProxy })
  const untilStopped = ctx.host.untilStopped()
  const server = await listen(service, { host, port })
  warnOfExposure(ctx, options, publicUrl)
  yield { url: `${server.url}/api/v1` }
  await untilStopped
  await server.close()
  ctx.terminal.message('Stopped.')
}

async function publicUrlOf({ publicUrl, trustProxy }: ServeOptions): Promise<string | undefined> {
  if (publicUrl !== undefined) {
    const { validatePublicUrl } = await import('../service/oauth/issuer.js')
    return validatePublicUrl(publicUrl)
  }
  if (!trustProxy) return undefined
  throw new TtError('usage', '--trust-proxy requires --public-url.', {
    hint: 'Add --public-url https://HOST.',
  })
}

function warnOfExposure(ctx: Context, { host, trustProxy }: ServeOptions, publicUrl: string | undefined) {
  if (publicUrl?.startsWith('https:')) {
    if (trustProxy) return
    ctx.terminal.warn(
      'Sign-in attempts are limited by the address of the proxy. If it sets X-Forwarded-For, add --trust-proxy.',
    )
  } else if (!isLoopback(host)) {
    ctx.terminal.warn('Other machines can reach this address without encryption: put a TLS proxy in front.')
  }
}

function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text)
  throw new TtError('usage', `"${text}" is not a port.`, {
    hint: 'A port is a number from 0 (any free one) to 65535.',
  })
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}
