import { scopes } from '../../src/api/types.js'
import * as administration from '../../src/service/admin/administration.js'
import type { ServiceRow } from '../support/model.js'
import { type ProxiedRequest, type ServiceProxy, startProxy } from '../support/proxy.js'
import { readServiceRows } from '../support/team.js'
import { type CommandResult, createTestCli, type TestCli } from '../support/test-cli.js'
import { email, startService } from './login-fixtures.js'

export type Row = Record<string, unknown>

/** A desk that uses a service through a proxy, by a token of the environment, and knows its tasks and entries. */
export interface ServiceSetup {
  cli: TestCli
  proxy: ServiceProxy
  /** What the service itself has, in the order in which it was made. */
  entries(): Promise<ServiceRow[]>
  expenses(): Promise<ServiceRow[]>
  /** The requests since the last time that change something, each as method, path and body. */
  takeChanges(): { method: string; path: string; body: unknown }[]
  /** Forgets what it has sent so far. */
  clearRequests(): void
  /** As another client of the same account: one request to the service itself. */
  sendAsOtherClient(method: string, path: string, body?: unknown): Promise<Row>
}

/** @param options `known: false` has the desk know nothing yet; `ticking` is that of the desk. */
export async function setUpService({ known = true, ticking = false } = {}): Promise<ServiceSetup> {
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
    takeChanges: () => proxy.requests.splice(0).filter(isChange).map(asSent),
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
  if (known)
    for (const words of [['links'], ['expenses', 'types'], ['projects'], ['log'], ['expenses'], ['status']])
      await cli.run(...words)
  setup.clearRequests()
  return setup
}

const isChange = ({ method }: ProxiedRequest) => method !== 'GET'

function asSent({ method, path, body }: ProxiedRequest) {
  return {
    method,
    path: path.replace('/api/v1', ''),
    body: body === '' ? undefined : (JSON.parse(body) as unknown),
  }
}

/** How often the words are there. */
export function countInStderr({ stderr }: CommandResult, words: string): number {
  return stderr.split(words).length - 1
}
