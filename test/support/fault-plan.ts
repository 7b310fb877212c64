import type { Fault, ProxiedRequest, ProxiedResponse } from './proxy.js'
import { SeededRandom } from './seeded-random.js'

/** What can become of a request; `before` and `after` say whether the service did not do it, or did. */
export const faultNames = [
  'pass',
  'cut before',
  'cut after',
  'late answer',
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

/** How likely each is. Delays are rare: each costs the client its whole time limit. */
const defaultWeights: FaultWeights = {
  pass: 60,
  'cut before': 4,
  'cut after': 4,
  'late answer': 0.4,
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
  /** How often each kind of request has met with each, such as `POST cut after`. */
  counts: Map<string, number>
  /** Lets the service see the late requests, whose clients have given up: all of them, or only those of one user. */
  deliverLateRequests(token?: string): Promise<void>
}

/** A user for whom the service ignores Idempotency-Key: a create that arrives late is then harmless only for a while. */
export interface UserWithoutKeys {
  /** The clock of the user, in epoch milliseconds. */
  now(): number
  /** Changes the notes of the entry in another client; without it no entry is edited elsewhere. */
  edit?(created: ProxiedResponse): Promise<void>
}

/** A create without an honoured key commits at most this long after the client sent it (the client waits 60 s). */
const latestCommitMs = 50_000

/**
 * Gives each request one fault, by a seed and by whose request of that seed it is: what becomes of the requests of one
 * user does not depend on when those of another come.
 */
export function createFaultPlan(
  seed: string,
  weights: Partial<FaultWeights> = defaultWeights,
  withoutKeys: ReadonlyMap<string, UserWithoutKeys> = new Map(),
): FaultPlan {
  const counts = new Map<string, number>()
  const users = new Map<string, UserState>()
  const laneOf = (token: string) => {
    const known = users.get(token)
    if (known) return known
    const random = new SeededRandom(`${seed} faults ${users.size}`)
    const lane: UserState = {
      dice: random,
      ready: Promise.resolve(),
      late: [],
      withoutKeys: withoutKeys.get(token),
    }
    users.set(token, lane)
    return lane
  }
  return {
    counts,
    async deliverLateRequests(token) {
      const lanes = token === undefined ? [...users.values()] : [laneOf(token)]
      for (const { late } of lanes) for (const { send } of late.splice(0)) await send()
    },
    async fault(request, forward) {
      const lane = laneOf((request.headers.authorization ?? '').replace('Bearer ', ''))
      await lane.ready
      await sendDueRequests(lane)
      const fault = adjustFault(lane.dice.weighted(weights), request, lane)
      const name = `${request.method} ${fault}`
      counts.set(name, (counts.get(name) ?? 0) + 1)
      return applyFault(fault, request, forward, lane)
    },
  }
}

/** What happens to the requests of one user. */
interface UserState {
  dice: SeededRandom
  /** Over when the next request may go to the service. */
  ready: Promise<unknown>
  /** Requests that nobody waits for any more, each until so many others have come. */
  late: { others: number; untilMs: number; send: () => Promise<unknown> }[]
  withoutKeys: UserWithoutKeys | undefined
}

async function sendDueRequests(lane: UserState): Promise<void> {
  const nowMs = lane.withoutKeys?.now() ?? 0
  for (const waiting of lane.late) waiting.others--
  const isDue = ({ others, untilMs }: UserState['late'][number]) => others <= 0 || nowMs >= untilMs
  const due = lane.late.filter(isDue)
  lane.late = lane.late.filter((waiting) => !isDue(waiting))
  for (const { send } of due) await send()
}

/**
 * The fault, or one like it that is fair to that method. A deletion that is answered with nothing at all is done, as far
 * as anybody can tell. Of a create alone the client can see to it that it is harmless however late it comes.
 */
function adjustFault(
  fault: FaultName,
  { method, path }: ProxiedRequest,
  { withoutKeys }: UserState,
): FaultName {
  if (fault === 'edited elsewhere')
    return method === 'POST' && path.endsWith('/timesheets') && withoutKeys?.edit ? fault : 'cut after'
  if (fault.endsWith('late request') && method === 'GET') return 'late answer'
  if (fault === 'very late request' && method !== 'POST') return 'late request'
  if (method !== 'DELETE') return fault
  if (fault === 'empty before') return 'cut before'
  return fault === 'truncated' || fault === 'torn' ? 'cut after' : fault
}

/** Does to a request what the fault says. */
async function applyFault(
  fault: FaultName,
  request: ProxiedRequest,
  forward: () => Promise<ProxiedResponse>,
  lane: UserState,
): Promise<ProxiedResponse | undefined> {
  switch (fault) {
    case 'pass':
      return forward()
    case 'cut before':
      return undefined
    case 'cut after':
      await forward()
      return undefined
    case 'late answer': {
      const response = await forward()
      await request.closed
      return response
    }
    case 'late request':
      // What is typed next must not overtake it: a late request cannot be told from one that was typed anew.
      lane.ready = request.closed.then(forward).catch(() => undefined)
      return void (await lane.ready)
    case 'very late request': {
      const untilMs = (lane.withoutKeys?.now() ?? Number.POSITIVE_INFINITY) + latestCommitMs
      await request.closed
      lane.late.push({ others: lane.dice.between(1, 12), untilMs, send: forward })
      return undefined
    }
    case '429':
      return { status: 429, headers: { 'retry-after': retryAfter(lane.dice) }, body: '' }
    case '500 before':
      return failure
    case '500 after':
      await forward()
      return failure
    case 'page before':
      return page
    case 'page after':
      await forward()
      return page
    case 'torn':
      return { ...truncateBody(await forward()), isCutOff: true }
    case 'truncated': {
      const { status, body } = truncateBody(await forward())
      return { status, headers: { 'content-type': 'application/json' }, body }
    }
    case 'empty before':
      return empty
    case 'empty after':
      await forward()
      return empty
    case 'unparsable before':
      return unparsable
    case 'unparsable after':
      await forward()
      return unparsable
    case 'null after':
      await forward()
      return { ...unparsable, body: 'null' }
    case '404 page':
      return { ...page, status: 404 }
    case 'edited elsewhere': {
      const created = await forward()
      if (created.status === 201 || created.status === 200) await lane.withoutKeys?.edit?.(created)
      return undefined
    }
  }
}

const failure: ProxiedResponse = {
  status: 500,
  headers: { 'content-type': 'application/json' },
  body: '{"error":"internal"}',
}
const page: ProxiedResponse = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html><title>Sign in to the hotel</title>',
}
const unparsable: ProxiedResponse = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: '{"id": 1, "notes": ',
}
const empty: ProxiedResponse = { status: 200, headers: {}, body: '' }

/** The headers go on promising the whole length. */
function truncateBody(response: ProxiedResponse): ProxiedResponse {
  const { 'content-length': length, ...headers } = response.headers
  const whole = length ?? String(Buffer.byteLength(response.body))
  const body = response.body.slice(0, Math.floor(response.body.length / 2))
  return { ...response, headers: { ...headers, 'content-length': whole }, body }
}

function retryAfter(random: SeededRandom): string {
  return random.chance(0.7) ? '1' : new Date(Date.now() + 2000).toUTCString()
}
