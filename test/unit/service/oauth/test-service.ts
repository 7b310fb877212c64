import { createHash } from 'node:crypto'
import { beforeEach } from 'vitest'
import { scopes } from '../../../../src/api-client/types.js'
import { authenticateByToken } from '../../../../src/service/accounts/authentication.js'
import { hashPassword, type PasswordCost } from '../../../../src/service/accounts/passwords.js'
import * as administration from '../../../../src/service/admin/administration.js'
import { readAuditLog } from '../../../../src/service/admin/audit-log.js'
import { createApp } from '../../../../src/service/http/app.js'
import type { Connection } from '../../../../src/service/http/listener.js'
import { addApplication } from '../../../../src/service/oauth/applications.js'
import {
  type AuthorizationServerOptions,
  withAuthorizationServer,
} from '../../../../src/service/oauth/authorization-server.js'
import { sql } from '../../../../src/service/storage/sql.js'
import type { Storage } from '../../../../src/service/storage/storage.js'
import { describedApp } from '../../../support/described-responses.js'
import { clearDatabase, type Database, now as start } from '../fixtures.js'
import { Browser, redirectParameters } from './browser.js'

export const origin = 'http://127.0.0.1:8320'
export const password = 'correct horse battery'
export const verifier = 'a-verifier-of-forty-three-characters-or-more.~_'
export const challenge = createHash('sha256').update(verifier).digest('base64url')
export const redirectUri = 'http://127.0.0.1:50123/callback'

interface Tokens {
  status: number
  headers: Headers
  access_token: string
  refresh_token: string
  scope: string
}

type Changes = Record<string, string | null>

export type OAuthTestService = Awaited<ReturnType<typeof createOAuthTestService>>

/** Makes checks of passwords fast. */
export const passwordCost: PasswordCost = { ln: 4, r: 1, p: 1 }

const loopback: Connection = { remoteAddress: '127.0.0.1', localAddress: '127.0.0.1' }

/**
 * Creates a service with the user Ada, one application and a controllable clock; with `known`, another node of the service
 * that has this client.
 */
export async function createOAuthTestService(
  storage: Storage,
  options: Partial<AuthorizationServerOptions> = {},
  known?: Awaited<ReturnType<typeof createAccount>>,
) {
  let time = start
  const now = () => time
  if (!known) await clearDatabase(storage)
  const client = known ?? (await createAccount(storage, now))
  const [lastRecord] = await readAuditLog(storage, { limit: 1 })
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const app = createApp({ storage, clock: now, onError, ...authenticateByToken(storage, now) })
  const service = describedApp(
    withAuthorizationServer(app, {
      ...{ storage, clock: now, onError, publicUrl: undefined, host: '127.0.0.1', trustedProxies: undefined },
      ...{ passwordCost, ...options },
    }),
  )
  const base = options.publicUrl ?? origin
  const send = (request: Request, connection = loopback) => service.fetch(request, connection)
  const changed = (fields: Record<string, string>, changes: Changes) =>
    Object.entries({ ...fields, ...changes }).filter((pair): pair is [string, string] => pair[1] !== null)
  const browser = (connection?: Connection) => new Browser((request) => send(request, connection))
  /** Returns the URL of the authorization endpoint; null removes a parameter. */
  const authorization = (changes: Changes = {}) => {
    const fields = {
      ...{ client_id: client.client_id, redirect_uri: redirectUri, response_type: 'code' },
      ...{ scope: scopes.join(' '), state: 'a state' },
      ...{ code_challenge: challenge, code_challenge_method: 'S256' },
    }
    return `${base}/oauth/authorize?${new URLSearchParams(changed(fields, changes))}`
  }
  /** Posts a form with the credentials of the application; null removes a parameter. */
  const post = async (path: string, fields: Changes, headers: Record<string, string> = {}) => {
    const { client_id, client_secret } = client
    const body = new URLSearchParams(changed({ client_id, client_secret }, fields))
    const response = await send(new Request(`${base}${path}`, { method: 'POST', body, headers }))
    const tokens = (await response.json()) as Tokens
    return { ...tokens, status: response.status, headers: response.headers }
  }
  return {
    ...{ storage, client, errors, send, now, browser, authorization, post },
    advanceClock(ms: number) {
      time = new Date(time.getTime() + ms)
    },
    /** Returns the audit records of this service: those before it cannot be deleted. */
    async auditRecords() {
      const records = await readAuditLog(storage, { limit: 1000 })
      return records.filter(({ id }) => id > (lastRecord?.id ?? 0))
    },
    /** Signs Ada in, gives consent and returns the code. */
    async authorizationCode(changes?: Changes) {
      const tab = browser()
      const consent = await tab.signIn(authorization(changes), 'ada@example.com', password)
      return redirectParameters(await tab.press(consent, 'allow')).code ?? ''
    },
    exchangeCode(code: string, changes: Changes = {}) {
      const fields = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
      return post('/oauth/token', { ...fields, code_verifier: verifier, ...changes })
    },
    refresh(token: string, changes: Changes = {}) {
      return post('/oauth/token', { grant_type: 'refresh_token', refresh_token: token, ...changes })
    },
    /** Requests a legacy key for Ada, with these differences. */
    requestKey(changes: Record<string, string> = {}, connection = loopback) {
      const fields = { email: 'ada@example.com', password, application: 'Script', ...changes }
      const body = new URLSearchParams(fields)
      return send(new Request(`${base}/api/v1/authenticate`, { method: 'POST', body }), connection)
    },
    /** Returns the status of an API response to a request with this token. */
    async apiStatus(token: string, method = 'GET') {
      const path = method === 'GET' ? 'companies' : 'expenses/1'
      const headers = { Authorization: `Bearer ${token}` }
      return (await send(new Request(`${base}/api/v1/${path}`, { method, headers }))).status
    },
  }
}

/** Creates a test service in the database before each test of a file or block. */
export function useOAuthTestService(database: Database): OAuthTestService {
  const service = {} as OAuthTestService
  beforeEach(async () => void Object.assign(service, await createOAuthTestService(database.storage)))
  return service
}

/** Creates a company, the user Ada and one application in an empty database; returns the application. */
export async function createAccount(storage: Storage, clock: () => Date) {
  await administration.ensureCompany(storage, { name: 'Acme', currency: 'EUR', time_zone: 'UTC' })
  await administration.addUser(storage, { email: 'ada@example.com', name: 'Ada L.', clock })
  const hash = await hashPassword(password, passwordCost)
  await storage.queries.all(sql`update users set password = ${hash}`)
  const redirectUris = ['http://127.0.0.1/callback', 'https://app.example.com/back?kept=1']
  const { client_id, client_secret = '' } = await addApplication(storage, {
    ...{ name: 'Desktop', redirectUris, clock },
  })
  return { client_id, client_secret }
}
