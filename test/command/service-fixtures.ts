import { scopes } from '../../src/api-client/types.js'
import * as administration from '../../src/service/admin/administration.js'
import type { ServiceRow } from '../support/model.js'
import { type ProxiedRequest, type ProxiedResponse, type ServiceProxy, startProxy } from '../support/proxy.js'
import { readServiceRows } from '../support/team.js'
import { type CommandResult, createTestCli, type TestCli } from '../support/test-cli.js'
import { email, startService } from './login-fixtures.js'

export type Row = Record<string, unknown>

/** A `tt` that uses a service through a proxy, with a token from the environment. */
export interface ServiceSetup {
  cli: TestCli
  proxy: ServiceProxy
  /** Reads the entries from the service, in order of creation. */
  entries(): Promise<ServiceRow[]>
  expenses(): Promise<ServiceRow[]>
  /** Returns the changes sent since the last call, and clears all requests. */
  takeChanges(): { method: string; path: string; body: unknown }[]
  /** Clears the recorded requests. */
  clearRequests(): void
  /** Sends a request directly to the service, as another client of the same account. */
  sendAsOtherClient(method: string, path: string, body?: unknown): Promise<Row>
}

/**
 * @param options.hasCache whether the reference data, entries and expenses are already cached
 * @param options.ticking whether the clock advances while a command runs
 */
export async function setUpService({ hasCache = true, ticking = false } = {}): Promise<ServiceSetup> {
  const service = await startService()
  const { storage } = service
  await administration.addLink(storage, { project: 'Website', task: 'Review' })
  await administration.addExpenseType(storage, 'Travel')
  const cli = createTestCli('2024-05-08T12:00:00Z', { ticking })
  const proxy = await startProxy(service.origin)
  const token = await administration.issueToken(storage, email, {
    scopes,
    name: 'test',
    clock: () => new Date(),
  })
  cli.env.TT_BASE_URL = proxy.url
  cli.env.TT_TOKEN = token
  const rows = async (kind: 'entry' | 'expense') =>
    [...(await readServiceRows(service.url, token))[kind]].sort((a, b) => Number(a.id) - Number(b.id))
  const setup: ServiceSetup = {
    cli,
    proxy,
    entries: () => rows('entry'),
    expenses: () => rows('expense'),
    clearRequests: () => void proxy.requests.splice(0),
    takeChanges: () => proxy.requests.splice(0).filter(isChange).map(describeChange),
    async sendAsOtherClient(method, path, body) {
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
  if (hasCache)
    for (const argv of [['links'], ['expenses', 'types'], ['projects'], ['log'], ['expenses'], ['status']])
      await cli.run(...argv)
  setup.clearRequests()
  return setup
}

const isChange = ({ method }: ProxiedRequest) => method !== 'GET'

function describeChange({ method, path, body }: ProxiedRequest) {
  return {
    method,
    path: path.replace('/api/v1', ''),
    body: body === '' ? undefined : (JSON.parse(body) as unknown),
  }
}

/** Counts the occurrences of a text in stderr. */
export function countInStderr({ stderr }: CommandResult, argv: string): number {
  return stderr.split(argv).length - 1
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
