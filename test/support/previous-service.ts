import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { scopes } from '../../src/api-client/types.js'
import { Browser, redirectParameters } from '../unit/service/oauth/browser.js'

/**
 * The access and the responses of a service of schema version 4.
 *
 * `service-version-4/` has two databases that commit ff3deda has written, SQLite as a file and PostgreSQL as the output of
 * `pg_dump --inserts --no-owner --no-privileges` with one statement a line, without comments, settings and the default
 * options of sequences. A program called the service of that commit in process with a fixed clock, once with each: it added
 * users, applications, projects and assignments with the functions of `tt admin`, signed users in with forms, obtained,
 * refreshed and revoked tokens, created, edited and deleted records, and deactivated Cleo last, and Ünal for a moment. The
 * JSON of each database has the secrets that it got, and `records.json` the responses of that version after the last
 * change, which were equal.
 */
export interface PreviousService {
  /** When the last change was made (RFC 3339). */
  time: string
  users: Record<string, { id: number; email: string; password?: string; isActive: boolean }>
  applications: { client_id: string; client_secret: string; name: string }[]
  tokens: { user: string; kind: string; token: string; isReadOnly?: boolean }[]
  grants: {
    user: string
    application: string
    accessToken: string
    refreshToken: string
    scope: string
    isRevoked?: boolean
  }[]
  sessions: { user: string; cookie: string }[]
  /** An authorization code that was not used yet. */
  code: { application: string; code: string; verifier: string; redirectUri: string }
  /** The texts of the lists, by user and path. */
  responses: Record<string, Record<string, string>>
  /** Creates with an Idempotency-Key or an external ID, with the response to their repetition, by default 200. */
  creates: { user: string; path: string; body: object; key?: string; status?: number; text: string }[]
}

const directory = join(import.meta.dirname, 'service-version-4')

export const previousSqliteFile = join(directory, 'sqlite.db')
export const readPreviousDump = () => readFileSync(join(directory, 'postgres.sql'), 'utf8')

export const readPreviousService = (name: 'sqlite' | 'postgres') =>
  ({ ...readJson(`${name}.json`), ...readJson('records.json') }) as PreviousService

const readJson = (file: string): object => JSON.parse(readFileSync(join(directory, file), 'utf8'))

/** The statements that let codes, tokens and sessions expire `ms` later, for a service with another clock. */
export const delayExpiry = (ms: number) =>
  ['tokens', 'refresh_tokens', 'authorization_codes', 'sessions']
    .map((table) => `update ${table} set expires_at = expires_at + ${ms};`)
    .join('\n')

/** Sends a request to the service of today; `path` begins after the origin. */
export type Send = (path: string, init?: RequestInit) => Promise<Response>

/** Checks that each token and session of the database still has its access, and those of inactive users have none. */
export async function expectAccess(previous: PreviousService, send: Send): Promise<void> {
  const { users, tokens, grants, sessions, creates } = previous
  for (const { user, token, isReadOnly } of tokens) {
    const isActive = users[user]?.isActive
    expect(await statusOf(send, token), `token of ${user}`).toBe(isActive ? 200 : 401)
    if (!isReadOnly) continue
    const written = await postJson(send, '/timesheets', token, creates[0]?.body ?? {}, 'new-key')
    expect(written.status).toBe(403)
  }
  for (const { user, accessToken, isRevoked } of grants)
    expect(await statusOf(send, accessToken), `access token of ${user}`).toBe(
      users[user]?.isActive && !isRevoked ? 200 : 401,
    )
  for (const { user, cookie } of sessions) {
    const page = await send(authorizationPath(previous), { headers: { Cookie: cookie } })
    expect(page.status).toBe(200)
    expect((await page.text()).includes('value="allow"'), `session of ${user}`).toBe(users[user]?.isActive)
  }
}

/** Checks that lists are the same in the fields that they had, and that repeated creates return their records. */
export async function expectRecords(previous: PreviousService, send: Send): Promise<void> {
  for (const user of Object.keys(previous.users))
    if (previous.users[user]?.isActive) await expectLists(previous, send, user, adminTokenOf(previous, user))
  for (const { user, path, body, key, status = 200, text } of previous.creates) {
    const repeated = await postJson(send, path, adminTokenOf(previous, user), body, key)
    expect(repeated.status, `${user} ${path} ${key}`).toBe(status)
    if (status === 200) expectOldFields(await repeated.text(), text, `${user} ${path} ${key}`)
  }
}

/** Checks that refresh tokens, the unused code and passwords grant new tokens, unless they were revoked. */
export async function expectNewTokens(previous: PreviousService, send: Send): Promise<void> {
  for (const { user, application, refreshToken, scope, isRevoked } of previous.grants) {
    const response = await requestToken(previous, send, application, {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    })
    const isAllowed = previous.users[user]?.isActive && !isRevoked
    expect(response, `refresh token of ${user}`).toMatchObject(
      isAllowed ? { scope } : { error: 'invalid_grant' },
    )
    if (isAllowed) expect(await statusOf(send, response.access_token ?? '')).toBe(200)
  }
  const { application, code, verifier, redirectUri } = previous.code
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri }
  const issued = await requestToken(previous, send, application, form)
  expect(await statusOf(send, issued.access_token ?? '')).toBe(200)
  for (const [name, { isActive, password }] of Object.entries(previous.users)) {
    if (password === undefined) continue
    const issuedKey = await requestKey(previous, send, name)
    expect(issuedKey.status, `password of ${name}`).toBe(isActive ? 200 : 401)
    if (isActive) await expectConsentPage(previous, send, name)
  }
}

/** Checks that a reactivated user has all records, and access only by signing in again. */
export async function expectReactivated(previous: PreviousService, send: Send, name: string): Promise<void> {
  for (const { token } of previous.tokens.filter(({ user }) => user === name))
    expect(await statusOf(send, token)).toBe(401)
  const { api_key: key = '' } = (await (await requestKey(previous, send, name)).json()) as {
    api_key?: string
  }
  await expectLists(previous, send, name, key)
}

async function expectLists({ responses }: PreviousService, send: Send, user: string, token: string) {
  for (const [path, text] of Object.entries(responses[user] ?? {})) {
    const response = await send(`/api/v1${path}`, { headers: bearer(token) })
    expect(response.status).toBe(200)
    expectOldFields(await response.text(), text, `${user} ${path}`)
  }
}

function requestKey({ users }: PreviousService, send: Send, name: string): Promise<Response> {
  const { email = '', password = '' } = users[name] ?? {}
  const body = new URLSearchParams({ email, password, application: 'New script' })
  return send('/api/v1/authenticate', { method: 'POST', body })
}

async function expectConsentPage(previous: PreviousService, send: Send, name: string): Promise<void> {
  const { email = '', password = '' } = previous.users[name] ?? {}
  const origin = 'http://service.example'
  const browser = new Browser(async (request) => {
    const { pathname, search } = new URL(request.url)
    const body = request.method === 'POST' ? new URLSearchParams(await request.text()) : null
    const headers = Object.fromEntries(request.headers)
    return send(`${pathname}${search}`, { method: request.method, headers, body, redirect: 'manual' })
  })
  const consent = await browser.signIn(`${origin}${authorizationPath(previous)}`, email, password)
  expect(redirectParameters(await browser.press(consent, 'allow'))).toHaveProperty('code')
}

async function requestToken(
  { applications }: PreviousService,
  send: Send,
  name: string,
  fields: Record<string, string>,
): Promise<{ access_token?: string; scope?: string; error?: string }> {
  const { client_id = '', client_secret = '' } =
    applications.find((application) => application.name === name) ?? {}
  const body = new URLSearchParams({ client_id, client_secret, ...fields })
  return (await send('/oauth/token', { method: 'POST', body })).json() as Promise<{ access_token?: string }>
}

function authorizationPath({ applications, code }: PreviousService): string {
  const parameters = new URLSearchParams({
    client_id: applications[0]?.client_id ?? '',
    redirect_uri: code.redirectUri,
    response_type: 'code',
    scope: scopes.join(' '),
    state: 'a state',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  return `/oauth/authorize?${parameters}`
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

const statusOf = async (send: Send, token: string) =>
  (await send('/api/v1/companies', { headers: bearer(token) })).status

function postJson(send: Send, path: string, token: string, body: object, key?: string): Promise<Response> {
  const headers = { ...bearer(token), ...(key === undefined ? {} : { 'Idempotency-Key': key }) }
  return send(`/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

function adminTokenOf({ tokens }: PreviousService, name: string): string {
  return tokens.find(({ user, kind }) => user === name && kind === 'admin')?.token ?? ''
}

/** Checks that a response has the fields of the old one, in its order. It may have more. */
function expectOldFields(text: string, old: string, name: string): void {
  const model: unknown = JSON.parse(old)
  expect(JSON.stringify(selectFields(JSON.parse(text), model)), name).toBe(JSON.stringify(model))
}

function selectFields(value: unknown, model: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item) => selectFields(item, Array.isArray(model) ? model[0] : undefined))
  if (Object(value) !== value || Object(model) !== model) return value
  return Object.fromEntries(
    Object.entries(value as object).filter(([name]) => Object.hasOwn(model as object, name)),
  )
}
