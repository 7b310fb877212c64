import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type CredentialStore,
  type Credentials,
  openFileCredentials,
} from '../../../../src/api-client/auth/credentials/credentials.js'
import { openSession } from '../../../../src/api-client/auth/session.js'
import { createHttp } from '../../../../src/api-client/http/client.js'
import type { RequestOptions } from '../../../../src/api-client/http/http.js'
import { pathsFor } from '../../../../src/config/paths.js'
import { temporaryDirectory } from '../../../support/process.js'
import { type ReceivedRequest, startServer } from '../test-server.js'

type OAuthCredentials = Extract<Credentials, { method: 'oauth' }>

/** A response: status and JSON or text; undefined drops the connection. */
export type Reply = { status?: number; json?: unknown; text?: string } | undefined

/** Starts a service without metadata whose responses the test defines; its API checks only the token. */
async function startFakeService() {
  const { origin } = await startServer(async (response, request) => {
    const reply = await respond(request)
    if (!reply) return void response.destroy()
    const { status = 200, json, text = JSON.stringify(json) } = reply
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  })
  const service = {
    origin,
    tokenRequests: [] as URLSearchParams[],
    apiRequests: [] as ReceivedRequest[],
    /** The access tokens that the API accepts. */
    validTokens: new Set<string>(),
    /** Returns the response to the nth token request, from 1. */
    onToken(_form: URLSearchParams, number: number): Reply | Promise<Reply> {
      service.validTokens.add(`access-${number}`)
      const refresh_token = `refresh-${number}`
      return { json: { access_token: `access-${number}`, refresh_token, expires_in: 7200 } }
    },
    revocations: [] as URLSearchParams[],
    onRevoke: (): Reply => ({ status: 404, text: '' }),
  }
  async function respond(request: ReceivedRequest): Promise<Reply> {
    if (request.url === '/oauth/token') {
      const form = new URLSearchParams(request.body)
      return service.onToken(form, service.tokenRequests.push(form))
    }
    if (request.url === '/oauth/revoke') {
      service.revocations.push(new URLSearchParams(request.body))
      return service.onRevoke()
    }
    if (!request.url.startsWith('/api/v1/')) return { status: 404, text: '' }
    service.apiRequests.push(request)
    const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
    return service.validTokens.has(token) ? { json: { id: 1 } } : { status: 401, text: '' }
  }
  return service
}

export const now = new Date('2024-05-08T12:00:00Z')
export const secondsFromNow = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString()

/** Credentials of a sign-in two hours ago, which expire in one second. */
export const testCredentials: OAuthCredentials = {
  method: 'oauth',
  access_token: 'access-0',
  refresh_token: 'refresh-0',
  expires_at: secondsFromNow(1),
  scope: 'service:read service:write',
  client_secret: 'client-secret',
}

interface ProcessOptions {
  store?: CredentialStore
  clock?: () => Date
}

/** Starts a service that accepts these tokens, and stores credentials for its profile "acme" in a temporary directory. */
export async function setUpSession(
  credentials: Partial<OAuthCredentials> | Extract<Credentials, { method: 'key' }> = {},
  ...validTokens: string[]
) {
  const service = await startFakeService()
  for (const token of validTokens) service.validTokens.add(token)
  const home = temporaryDirectory()
  const own = openFileCredentials('acme', pathsFor({ TT_HOME: home }))
  await own.write(credentials.method === 'key' ? credentials : { ...testCredentials, ...credentials })
  /** Returns the HTTP client that another process of the same profile would use. */
  function openHttp({ store = own, clock = () => now }: ProcessOptions = {}) {
    const { origin: authUrl } = service
    const createClient = (clientSecret: string | null) => {
      return { authUrl, clientId: 'client-id', clientSecret, userAgent: 'tt/test' }
    }
    const lockPath = join(home, 'acme.lock')
    const session = openSession({ profile: 'acme', store, lockPath, clock, createClient })
    return createHttp({ baseUrl: `${authUrl}/api/v1`, userAgent: 'tt/test', ...session })
  }
  return {
    service,
    home,
    store: own,
    stored: () => JSON.parse(readFileSync(own.location, 'utf8')) as Credentials,
    openHttp,
    /** Sends a request as another process of the same profile would, and returns its status. */
    get: async (options?: ProcessOptions & RequestOptions) =>
      (await openHttp(options).request('GET', '/companies', options)).status,
  }
}
