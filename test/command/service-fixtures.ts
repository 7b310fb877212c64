import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'vitest'
import { scopes } from '../../src/api-client/types.js'
import { clientStatePath, pathsFor } from '../../src/config/paths.js'
import { selectProfile } from '../../src/config/profile.js'
import * as administration from '../../src/service/admin/administration.js'
import type { Storage } from '../../src/service/storage/storage.js'
import { readFiles, writeFiles } from '../support/home-files.js'
import { type ProxiedRequest, type ProxiedResponse, startProxy } from '../support/proxy.js'
import { readServiceList } from '../support/team.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import { type PreparedDatabase, preparedSqlite } from '../unit/service/fixtures.js'
import {
  createServiceRecords,
  email,
  loginWithPassword,
  type Service,
  startService,
} from './login-fixtures.js'

export type Row = Record<string, unknown>

/** A `tt` that uses a service through a proxy, with a token from the environment. */
export type ServiceSetup = Awaited<ReturnType<typeof connect>>

/** Creates the records of the service, and returns the application and the token of `cli`. */
async function createRecords(storage: Storage) {
  const { client } = await createServiceRecords(storage)
  await administration.addLink(storage, { project: 'Website', task: 'Review' })
  await administration.addExpenseType(storage, 'Travel')
  return { client, token: await issueToken(storage) }
}

/** The first service of a worker takes longer; the others have a copy of its database. */
const openDatabase = preparedSqlite(createRecords)

/** Issues a token with all scopes. */
export const issueToken = (storage: Storage) =>
  administration.issueToken(storage, email, { scopes, name: 'test', clock: () => new Date() })

/** The client state after the commands of `fillCache`, once per worker. */
let filledState: Promise<Buffer | undefined> | undefined

/** Fills the cache with commands, or with a copy of what they have stored, as they take most of the time of a test. */
async function fillCache(cli: TestCli) {
  filledState ??= createFilledState()
  writeState(cli, await filledState)
}

async function createFilledState(): Promise<Buffer | undefined> {
  const { cli } = await setUpService({ hasCache: false })
  for (const argv of [['tasks'], ['expenses', 'types'], ['projects'], ['log'], ['expenses'], ['status']])
    expect(await cli.run(...argv)).toMatchObject({ status: 0 })
  return readState(cli)
}

/** Reads the file of the client state, which no command may be using; undefined without one. */
export function readState({ env }: TestCli): Buffer | undefined {
  const path = statePath(env)
  return existsSync(path) ? readFileSync(path) : undefined
}

/** Writes the file of the client state. It does not depend on the address of the service. */
export function writeState({ env }: TestCli, content: Buffer | undefined) {
  if (content === undefined) return
  const path = statePath(env)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, content, { mode: 0o600 })
}

const statePath = (env: TestCli['env']) => clientStatePath(pathsFor(env), selectProfile(env).stateKey)

/**
 * @param options.hasCache whether the reference data, entries and expenses are already cached
 * @param options.ticking whether the clock advances while a command runs
 */
export async function setUpService({ hasCache = true, ticking = false } = {}): Promise<ServiceSetup> {
  const setup = await connect(await startService(openDatabase), ticking)
  if (hasCache) await fillCache(setup.cli)
  return setup
}

/**
 * Returns a function that sets up copies of the service and the client state after `prepare`, which runs once per worker.
 * The clock is that of `setUpService`.
 */
export function preparedService(
  prepare: (setup: ServiceSetup) => Promise<unknown>,
): () => Promise<ServiceSetup> {
  return prepared(async (setup) => {
    await fillCache(setup.cli)
    await prepare(setup)
    const state = readState(setup.cli)
    return (copy) => writeState(copy.cli, state)
  })
}

/** Returns a function like that of `preparedService` for a `tt` that has signed in by password as "acme", also in `prepare`. */
export function preparedSignIn(
  prepare: (setup: ServiceSetup) => Promise<unknown>,
): () => Promise<ServiceSetup> {
  const withoutToken = ({ cli: { env } }: ServiceSetup) =>
    Object.assign(env, { TT_BASE_URL: undefined, TT_TOKEN: undefined })
  return prepared(async (setup) => {
    withoutToken(setup)
    const { cli, proxy } = setup
    expect(await loginWithPassword(cli, proxy.url, '--profile', 'acme')).toMatchObject({ status: 0 })
    await prepare(setup)
    const files = readFiles(cli.home)
    return (copy) => {
      withoutToken(copy)
      writeFiles(copy.cli.home, withAddress(files, proxy.url, copy.proxy.url))
    }
  })
}

/** Returns files whose JSON names another address. */
export function withAddress(files: ReadonlyMap<string, Buffer>, from: string, to: string) {
  const replaced = [...files].map(([name, content]): [string, Buffer] =>
    name.endsWith('.json') ? [name, Buffer.from(content.toString().replaceAll(from, to))] : [name, content],
  )
  return new Map(replaced)
}

/** Prepares a service once per worker; `prepare` returns what copies the state of its `tt` to that of another copy. */
function prepared(
  prepare: (setup: ServiceSetup) => Promise<(copy: ServiceSetup) => void>,
): () => Promise<ServiceSetup> {
  const openPrepared = preparedSqlite(async (storage) => {
    const records = await createRecords(storage)
    const service = await startService(withoutClosing(storage, records))
    const copyTo = await prepare(await connect(service))
    await service.close()
    return { ...records, copyTo }
  })
  return async () => {
    const service = await startService(openPrepared)
    const setup = await connect(service)
    service.copyTo(setup)
    return setup
  }
}

/** Returns a function for `startService` that opens this storage and leaves it to the caller to close. */
export const withoutClosing =
  <Result>(storage: Storage, prepared: Result) =>
  async (): Promise<PreparedDatabase<Result>> => ({ storage, prepared, close: async () => {} })

async function connect(service: Service & { token: string }, ticking = false) {
  const { token } = service
  const cli = createTestCli('2024-05-08T12:00:00Z', { ticking })
  const proxy = await startProxy(service.origin)
  cli.env.TT_BASE_URL = proxy.url
  cli.env.TT_TOKEN = token
  const rows = async (path: 'timesheets' | 'expenses') =>
    (await readServiceList(service.url, token, path)).sort((a, b) => Number(a.id) - Number(b.id))
  return {
    cli,
    proxy,
    /** The database of the service. */
    storage: service.storage,
    /** Reads the entries from the service, in order of creation. */
    entries: () => rows('timesheets'),
    expenses: () => rows('expenses'),
    /** Closes a period of the service. */
    closeUntil: (day: string) => administration.updateCompany(service.storage, { closedUntil: day }),
    /** Clears the recorded requests. */
    clearRequests: () => void proxy.requests.splice(0),
    /** Returns the changes sent since the last call, and clears all requests. */
    takeChanges: () => proxy.requests.splice(0).filter(isChange).map(describeChange),
    /** Sends a request directly to the service, as another client of the same account. */
    async sendAsOtherClient(method: string, path: string, body?: unknown): Promise<Row> {
      const response = await fetch(`${service.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${response.status} to ${method} ${path}: ${text}`)
      return text === '' ? {} : (JSON.parse(text) as Row)
    },
  }
}

const isChange = ({ method }: ProxiedRequest) => method !== 'GET'

function describeChange({ method, path, body }: ProxiedRequest) {
  return {
    method,
    path: path.replace('/api/v1', ''),
    body: body === '' ? undefined : (JSON.parse(body) as unknown),
  }
}

/** Forwards a request as if the service ignored Idempotency-Key. */
export async function forwardWithoutKey(
  request: ProxiedRequest,
  forward: () => Promise<ProxiedResponse>,
): Promise<ProxiedResponse> {
  delete request.headers['idempotency-key']
  const { headers, ...response } = await forward()
  const { 'idempotency-key-supported': _, ...rest } = headers
  return { ...response, headers: rest }
}

/**
 * Forwards a request as if the service had neither keys nor conditions: it ignores If-Match, and its entity tags are weak.
 *
 * @param omitted fields that its records do not have
 */
export async function forwardToForeign(
  request: ProxiedRequest,
  forward: () => Promise<ProxiedResponse>,
  omitted: readonly string[] = [],
): Promise<ProxiedResponse> {
  delete request.headers['if-match']
  const { headers, body, ...response } = await forwardWithoutKey(request, forward)
  const { 'if-match-supported': _, 'content-length': __, ...rest } = headers
  return {
    ...response,
    headers: { ...rest, etag: 'W/"1"' },
    body: omitFields(body, ['etag', ...omitted]),
  }
}

function omitFields(body: string, names: readonly string[]): string {
  if (!body.startsWith('{') && !body.startsWith('[')) return body
  return JSON.stringify(JSON.parse(body, (key, value) => (names.includes(key) ? undefined : value)))
}
