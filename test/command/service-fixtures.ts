import { scopes } from '../../src/api/types.js'
import * as administration from '../../src/service/admin/administration.js'
import type { ServiceRow } from '../support/model.js'
import { type Fate, type Passing, passOn, proxyTo, type ServiceProxy } from '../support/proxy.js'
import { rowsAt } from '../support/team.js'
import { type Desk, newDesk, type Outcome } from '../support/test-cli.js'
import { email, newService } from './signed-in.js'

export type Row = Record<string, unknown>

/** A desk that uses a service through a proxy, by a token of the environment, and knows its tasks and entries. */
export interface Office {
  desk: Desk
  proxy: ServiceProxy
  /** What the service itself has, in the order in which it was made. */
  entries(): Promise<ServiceRow[]>
  expenses(): Promise<ServiceRow[]>
  /** The requests since the last time that change something, each as method, path and body. */
  sent(): { method: string; path: string; body: unknown }[]
  /** Forgets what it has sent so far. */
  forget(): void
  /** As another client of the same account: one request to the service itself. */
  elsewhere(method: string, path: string, body?: unknown): Promise<Row>
}

/** @param options `known: false` has the desk know nothing yet; `ticking` is that of the desk. */
export async function openOffice({ known = true, ticking = false } = {}): Promise<Office> {
  const service = await newService()
  const { storage } = service
  await administration.addLink(storage, { project: 'Website', task: 'Review' })
  await administration.addExpenseType(storage, 'Travel')
  const desk = newDesk('2024-05-08T12:00:00Z', { ticking })
  const proxy = await proxyTo(service.origin)
  const token = await administration.issueToken(storage, email, {
    scopes,
    name: 'test',
    clock: () => new Date(),
  })
  desk.env.TT_BASE_URL = proxy.url
  desk.env.TT_TOKEN = token
  const rows = async (kind: 'entry' | 'expense') =>
    [...(await rowsAt(service.url, token))[kind]].sort((a, b) => Number(a.id) - Number(b.id))
  const office: Office = {
    desk,
    proxy,
    entries: () => rows('entry'),
    expenses: () => rows('expense'),
    forget: () => void proxy.seen.splice(0),
    sent: () => proxy.seen.splice(0).filter(isChange).map(asSent),
    async elsewhere(method, path, body) {
      const answer = await fetch(`${service.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${answer.status} to ${method} ${path}: ${text}`)
      return text === '' ? {} : (JSON.parse(text) as Row)
    },
  }
  if (known)
    for (const words of [['links'], ['expenses', 'types'], ['projects'], ['log'], ['expenses'], ['status']])
      await desk.tt(...words)
  office.forget()
  return office
}

const isChange = ({ method }: Passing) => method !== 'GET'

function asSent({ method, path, body }: Passing) {
  return {
    method,
    path: path.replace('/api/v1', ''),
    body: body === '' ? undefined : (JSON.parse(body) as unknown),
  }
}

export const cut: Fate = () => undefined

/** The service does it, and its answer is lost. */
export const lost: Fate = async ({ method }, forward) => {
  const answer = await forward()
  return method === 'GET' ? answer : undefined
}

/** The answer to requests that change something; the others are passed on. */
export function answering(status: number, body: unknown = '', headers: Record<string, string> = {}): Fate {
  return ({ method }, forward) => (method === 'GET' ? forward() : answer(status, body, headers))
}

/** The answer to every request. */
export function answeringAll(status: number, body: unknown = '', headers: Record<string, string> = {}): Fate {
  return () => answer(status, body, headers)
}

export function answer(status: number, body: unknown, headers: Record<string, string>) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: text }
}

export { passOn }

/** How often the words are there. */
export function times({ stderr }: Outcome, words: string): number {
  return stderr.split(words).length - 1
}
