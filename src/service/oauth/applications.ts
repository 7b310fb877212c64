import { randomBytes } from 'node:crypto'
import { TtError } from '../../lib/errors.js'
import { isSameSecret } from '../../lib/is-same-secret.js'
import { generateSecret, hashSecret } from '../accounts/tokens.js'
import { unknownNameError, validateName } from '../admin/validate-name.js'
import { insertInto, sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'

/** An OAuth application as administrators see it. */
export interface Application {
  client_id: string
  name: string
  redirect_uris: string[]
  /** Whether it has no client secret: PKCE alone protects its codes (RFC 9700 section 2.1.1). */
  public: boolean
}

/** An OAuth application as the endpoints use it. */
export interface RegisteredApplication {
  id: number
  name: string
  redirectUris: string[]
  isPublic: boolean
}

/**
 * Registers an application. Only the hash of its secret is stored, so the secret cannot be shown again. A public one, such
 * as a program on the machines of its users, has none.
 *
 * Throws TtError `usage` for an invalid name or redirect URI.
 */
export async function addApplication(
  { queries }: Storage,
  {
    name,
    redirectUris,
    isPublic = false,
    clock,
  }: { name: string; redirectUris: readonly string[]; isPublic?: boolean; clock: () => Date },
): Promise<Application & { client_secret?: string }> {
  const application = {
    client_id: `app_${randomBytes(12).toString('hex')}`,
    name: validateName('application', name),
    redirect_uris: [...new Set(redirectUris.map(validateRedirectUri))],
  }
  const secret = isPublic ? undefined : generateSecret('tts')
  await queries.all(
    insertInto('applications', {
      ...application,
      redirect_uris: application.redirect_uris.join(' '),
      secret_hash: secret === undefined ? noSecret : hashSecret(secret),
      created_at: clock().getTime(),
    }),
  )
  return { ...application, public: isPublic, ...(secret === undefined ? {} : { client_secret: secret }) }
}

/** The stored hash of a public application; no secret has it. */
const noSecret = ''

/** Returns all applications, oldest first. */
export async function listApplications({ queries }: Storage): Promise<Application[]> {
  const rows = await queries.all<ApplicationRow>(sql`select * from applications order by id`)
  return rows.map(toApplication)
}

/** Returns the application with that client ID. Throws TtError `not_found`. */
export async function getApplication(storage: Storage, clientId: string): Promise<Application> {
  const row = await selectApplication(storage, clientId)
  if (!row) throw unknownNameError('application', clientId)
  return toApplication(row)
}

/** Deletes an application with all its codes and tokens. Throws TtError `not_found`. */
export async function removeApplication(storage: Storage, clientId: string): Promise<void> {
  const removed = await storage.queries.all(
    sql`delete from applications where client_id = ${clientId} returning id`,
  )
  if (removed.length === 0) throw unknownNameError('application', clientId)
}

/** Returns the application with that client ID, or undefined. */
export async function findApplication(
  storage: Storage,
  clientId: string,
): Promise<RegisteredApplication | undefined> {
  const row = await selectApplication(storage, clientId)
  return row && toRegistered(row)
}

/** Returns the application if the secret is correct. Takes as long for an unknown client ID, to not reveal which exist. */
export async function authenticateApplication(
  storage: Storage,
  clientId: string,
  secret: string,
): Promise<RegisteredApplication | undefined> {
  const row = await selectApplication(storage, clientId)
  const isCorrect = isSameSecret(hashSecret(secret), row?.secret_hash ?? hashSecret(''))
  return row && isCorrect ? toRegistered(row) : undefined
}

interface ApplicationRow {
  id: number
  client_id: string
  name: string
  /** Separated by spaces. */
  redirect_uris: string
  secret_hash: string
}

async function selectApplication(
  { queries }: Storage,
  clientId: string,
): Promise<ApplicationRow | undefined> {
  const [row] = await queries.all<ApplicationRow>(
    sql`select * from applications where client_id = ${clientId}`,
  )
  return row
}

const toApplication = (row: ApplicationRow): Application => ({
  client_id: row.client_id,
  name: row.name,
  redirect_uris: row.redirect_uris.split(' '),
  public: row.secret_hash === noSecret,
})

const toRegistered = (row: ApplicationRow): RegisteredApplication => ({
  id: row.id,
  name: row.name,
  redirectUris: row.redirect_uris.split(' '),
  isPublic: row.secret_hash === noSecret,
})

/** A loopback address. The application chooses its port when it starts to listen. */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::(\d{1,5}))?((?:[/?].*)?)$/

/**
 * Whether `uri` is one of the registered redirect URIs. They must be identical, except for the port of a loopback IP
 * address (RFC 8252 section 7.3, RFC 9700 section 4.1.3); `localhost` is not an IP address.
 */
export function isRegisteredRedirectUri(uri: string, registeredUris: readonly string[]): boolean {
  return registeredUris.some((registered) => registered === uri || isSameLoopback(registered, uri))
}

function isSameLoopback(registered: string, requested: string): boolean {
  const [, host, , rest] = loopback.exec(registered) ?? []
  const [, requestedHost, port, requestedRest] = loopback.exec(requested) ?? []
  return host !== undefined && host === requestedHost && rest === requestedRest && isPort(port)
}

const isPort = (port: string | undefined) => port === undefined || (Number(port) > 0 && Number(port) < 65536)

/**
 * Returns a redirect URI if it can be registered: https, http to a loopback address, or the scheme of an app such as
 * com.example.app (RFC 8252 section 7.1), without a fragment (RFC 6749 section 3.1.2). Throws TtError `usage`.
 */
export function validateRedirectUri(uri: string): string {
  const problem = findProblem(uri)
  if (problem === undefined) return uri
  throw new TtError('usage', `"${uri}" cannot be a redirect URI: ${problem}.`, {
    hint: 'Use a URL such as https://example.com/callback or http://127.0.0.1/callback.',
  })
}

function findProblem(uri: string): string | undefined {
  // The URI is stored and compared as text, so it must not be ambiguous.
  if (!/^[!-~]{1,2000}$/.test(uri) || /["'<>\\^`{|}]/.test(uri))
    return 'it contains characters that must be percent-encoded'
  if (!URL.canParse(uri)) return 'it is not an absolute URL'
  const { protocol, hostname, username, password } = new URL(uri)
  if (uri.includes('#')) return 'it has a fragment'
  if (username !== '' || password !== '') return 'it contains a user name or a password'
  if (protocol === 'https:') return undefined
  if (protocol === 'http:') {
    return ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
      ? undefined
      : 'http is only allowed for loopback addresses'
  }
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol)
    ? undefined
    : 'its scheme is not that of an app, such as com.example.app'
}

/** Returns the redirect URI with the parameters added to its query. */
export function buildRedirectUrl(uri: string, parameters: Record<string, string | undefined>): string {
  const defined = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(defined)}`
}

/**
 * Returns the `form-action` source that allows a form to redirect to `uri`: browsers apply that directive to redirects
 * too. Its grammar has no IPv6 addresses, so the result for those is the scheme (Content Security Policy section 2.3.1).
 */
export function formActionSource(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri)
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin
}
