import type { Fault, ProxiedRequest, ProxiedResponse } from './proxy.js'
import { SeededRandom } from './seeded-random.js'

/** Faults that can hit a request. `before` and `after`: before or after the service has executed it. */
export const faultNames = [
  'pass',
  'cut before',
  'cut after',
  'late response',
  'late request',
  'very late request',
  '429',
  '500 before',
  '500 after',
  'page before',
  'page after',
  'torn',
  'truncated',
  'empty before',
  'empty after',
  'unparsable before',
  'unparsable after',
  'null after',
  '404 page',
  'edited elsewhere',
] as const

export type FaultName = (typeof faultNames)[number]

export type FaultWeights = Readonly<Record<FaultName, number>>

/** Faults that random numbers may leave out of a short run. The edit elsewhere requires a user without keys. */
export const rareFaults = ['late response', 'edited elsewhere', 'late request', 'very late request'] as const

/** Relative frequency of each fault. Delays are rare because each lasts a full client timeout. */
export const defaultWeights: FaultWeights = {
  pass: 60,
  'cut before': 4,
  'cut after': 4,
  'late response': 0.4,
  'late request': 0.4,
  'very late request': 0.4,
  429: 4,
  '500 before': 3,
  '500 after': 4,
  'page before': 3,
  'page after': 3,
  torn: 3,
  truncated: 3,
  'empty before': 3,
  'empty after': 3,
  'unparsable before': 2,
  'unparsable after': 2,
  'null after': 2,
  '404 page': 2,
  'edited elsewhere': 2,
}

export interface FaultPlan {
  fault: Fault
  /** Number of requests by method and fault, such as `POST cut after`. */
  counts: Map<string, number>
  /** Sends the delayed requests, whose clients have timed out, to the service: all of them, or those of one user. */
  deliverLateRequests(token?: string): Promise<void>
}

/** A user for whom the service ignores Idempotency-Key: a delayed create is then harmless only for a limited time. */
export interface UserWithoutKeys {
  /** Returns the clock of the user in epoch milliseconds. */
  now(): number
  /** Changes the notes of a created entry in another client. Without it, no entry is edited elsewhere. */
  edit?(created: ProxiedResponse): Promise<void>
}

/** A create without an honoured key commits at most this long after the client sent it (the client waits 60 s). */
const latestCommitMs = 50_000

/** The entry whose creation meets the rare fault of the user. */
const entryWithRareFault = 5

export interface FaultPlanOptions {
  weights?: Partial<FaultWeights> | undefined
  /** The tokens of the users, in an order that is the same in every run. Each meets one of `rareFaults`, in turn. */
  tokens?: readonly string[]
  /** The users without honoured keys, by token. */
  withoutKeys?: ReadonlyMap<string, UserWithoutKeys>
}

/**
 * Creates a plan that picks one fault per request from a seed. The faults of one user do not depend on the timing of
 * the requests of others.
 */
export function createFaultPlan(
  seed: string,
  { weights = defaultWeights, tokens = [], withoutKeys = new Map() }: FaultPlanOptions = {},
): FaultPlan {
  const counts = new Map<string, number>()
  const users = new Map<string, UserState>()
  const userOf = (token: string) => {
    const existing = users.get(token)
    if (existing) return existing
    const number = tokens.indexOf(token)
    const user: UserState = {
      random: new SeededRandom(`${seed} faults ${number}`),
      ready: Promise.resolve(),
      late: [],
      withoutKeys: withoutKeys.get(token),
      rareFault: rareFaults[number % rareFaults.length],
      createdEntries: 0,
    }
    users.set(token, user)
    return user
  }
  return {
    counts,
    async deliverLateRequests(token) {
      const lanes = token === undefined ? [...users.values()] : [userOf(token)]
      for (const { late } of lanes) for (const { send } of late.splice(0)) await send()
    },
    async fault(request, forward) {
      const user = userOf((request.headers.authorization ?? '').replace('Bearer ', ''))
      await user.ready
      await sendDueRequests(user)
      const fault = adjustFault(pickFault(user, request, weights), request, user)
      const name = `${request.method} ${fault}`
      counts.set(name, (counts.get(name) ?? 0) + 1)
      return applyFault(fault, request, forward, user)
    },
  }
}

/** State of the requests of one user. */
interface UserState {
  random: SeededRandom
  /** Resolves when the next request may go to the service. */
  ready: Promise<unknown>
  /** Delayed requests whose clients have timed out: each is sent after `others` more requests, or at `untilMs`. */
  late: { others: number; untilMs: number; send: () => Promise<unknown> }[]
  withoutKeys: UserWithoutKeys | undefined
  rareFault: FaultName | undefined
  /** The number of requests that create an entry, with repeated ones. */
  createdEntries: number
}

function pickFault(user: UserState, request: ProxiedRequest, weights: Partial<FaultWeights>): FaultName {
  const fault = user.random.weighted(weights)
  if (request.method !== 'POST' || !request.path.endsWith('/timesheets')) return fault
  return ++user.createdEntries === entryWithRareFault ? (user.rareFault ?? fault) : fault
}

async function sendDueRequests(user: UserState): Promise<void> {
  const nowMs = user.withoutKeys?.now() ?? 0
  for (const delayed of user.late) delayed.others--
  const isDue = ({ others, untilMs }: UserState['late'][number]) => others <= 0 || nowMs >= untilMs
  const due = user.late.filter(isDue)
  user.late = user.late.filter((delayed) => !isDue(delayed))
  for (const { send } of due) await send()
}

/**
 * Replaces a fault that is unfair to the method by a similar one. An empty response to a deletion counts as success.
 * Only a create can be made harmless however late it arrives.
 */
function adjustFault(
  fault: FaultName,
  { method, path }: ProxiedRequest,
  { withoutKeys }: UserState,
): FaultName {
  if (fault === 'edited elsewhere')
    return method === 'POST' && path.endsWith('/timesheets') && withoutKeys?.edit ? fault : 'cut after'
  if (fault.endsWith('late request') && method === 'GET') return 'late response'
  if (fault === 'very late request' && method !== 'POST') return 'late request'
  if (method !== 'DELETE') return fault
  if (fault === 'empty before') return 'cut before'
  return fault === 'truncated' || fault === 'torn' ? 'cut after' : fault
}

/** Applies a fault to a request and returns the response; undefined closes the connection. */
async function applyFault(
  fault: FaultName,
  request: ProxiedRequest,
  forward: () => Promise<ProxiedResponse>,
  user: UserState,
): Promise<ProxiedResponse | undefined> {
  switch (fault) {
    case 'pass':
      return forward()
    case 'cut before':
      return undefined
    case 'cut after':
      await forward()
      return undefined
    case 'late response': {
      const response = await forward()
      await request.closed
      return response
    }
    case 'late request':
      // The next request must not overtake it: the service cannot distinguish a late request from a new one.
      user.ready = request.closed.then(forward).catch(() => undefined)
      return void (await user.ready)
    case 'very late request': {
      const untilMs = (user.withoutKeys?.now() ?? Number.POSITIVE_INFINITY) + latestCommitMs
      await request.closed
      user.late.push({ others: user.random.between(1, 12), untilMs, send: forward })
      return undefined
    }
    case '429':
      return { status: 429, headers: { 'retry-after': retryAfter(user.random) }, body: '' }
    case '500 before':
      return serverError
    case '500 after':
      await forward()
      return serverError
    case 'page before':
      return htmlPage
    case 'page after':
      await forward()
      return htmlPage
    case 'torn':
      return { ...truncateBody(await forward()), isCutOff: true }
    case 'truncated': {
      const { status, body } = truncateBody(await forward())
      return { status, headers: { 'content-type': 'application/json' }, body }
    }
    case 'empty before':
      return emptyBody
    case 'empty after':
      await forward()
      return emptyBody
    case 'unparsable before':
      return unparsable
    case 'unparsable after':
      await forward()
      return unparsable
    case 'null after':
      await forward()
      return { ...unparsable, body: 'null' }
    case '404 page':
      return { ...htmlPage, status: 404 }
    case 'edited elsewhere': {
      const created = await forward()
      if (created.status === 201 || created.status === 200) await user.withoutKeys?.edit?.(created)
      return undefined
    }
  }
}

const serverError: ProxiedResponse = {
  status: 500,
  headers: { 'content-type': 'application/json' },
  body: '{"error":"internal"}',
}
const htmlPage: ProxiedResponse = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html><title>Hotel Wi-Fi sign-in</title>',
}
const unparsable: ProxiedResponse = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: '{"id": 1, "notes": ',
}
const emptyBody: ProxiedResponse = { status: 200, headers: {}, body: '' }

/** Cuts the body in half; Content-Length keeps the full length. */
function truncateBody(response: ProxiedResponse): ProxiedResponse {
  const { 'content-length': length, ...headers } = response.headers
  const fullLength = length ?? String(Buffer.byteLength(response.body))
  const body = response.body.slice(0, Math.floor(response.body.length / 2))
  return { ...response, headers: { ...headers, 'content-length': fullLength }, body }
}

function retryAfter(random: SeededRandom): string {
  return random.chance(0.7) ? '1' : new Date(Date.now() + 2000).toUTCString()
}
