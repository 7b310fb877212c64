import type { Context } from '../context.js'
import { TtError } from '../errors.js'
import type { View } from '../ui/view.js'

export interface ServeOptions {
  host: string
  port: string
  database?: string
}

export interface Listening {
  /** The base URL for TT_BASE_URL. */
  url: string
}

export const view: View<Listening> = {
  columns: [{ key: 'url', title: 'URL' }],
  json: ({ url }) => ({ url }),
  line: ({ url }) => `Serving at ${url}. Ctrl-C stops it.`,
  empty: '',
}

/** Serves until it is told to stop; what it yields is where. */
export async function* run(ctx: Context, options: ServeOptions): AsyncGenerator<Listening> {
  const port = portOf(options.port)
  const { createApp } = await import('../service/app.js')
  const { authenticateByToken } = await import('../service/tokens.js')
  const { listen } = await import('../service/listener.js')
  const storage = await ctx.storage(options.database)
  const app = createApp({
    storage,
    authenticate: authenticateByToken(storage, ctx.world.now),
    clock: ctx.world.now,
    onError: (error) => ctx.warn(`A request failed: ${error instanceof Error ? error.message : error}`),
  })
  const stopped = ctx.world.untilStopped()
  const server = await listen(app, { host: options.host, port })
  if (!isLoopback(options.host)) {
    ctx.warn('Other machines can reach this address and nothing encrypts it: put a TLS proxy in front.')
  }
  yield { url: `${server.url}/api/v1` }
  await stopped
  await server.close()
  ctx.say('Stopped.')
}

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text)
  throw new TtError('usage', `"${text}" is not a port.`, {
    hint: 'A port is a number from 0 (any free one) to 65535.',
  })
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}
