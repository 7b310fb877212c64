import { jsonResponse, type ProxiedRequest, type ProxiedResponse } from './proxy.js'
import { SeededRandom } from './seeded-random.js'

/**
 * The faults that can hit a request, with their relative frequencies. `before` and `after`: before or after the service has
 * executed it. Delays are rare because each lasts a full client timeout.
 */
export const defaultWeights = {
  pass: 60,
  'cut before': 4,
  'cut after': 4,
  'late response': 0.4,
  'late request': 0.4,
  'late after cut': 5,
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
  '404 JSON': 1.5,
  '405 JSON': 0.5,
  'rejected look-up': 5,
  'edited elsewhere': 2,
}

export type FaultName = `${keyof typeof defaultWeights}`

export type FaultWeights = Readonly<Record<FaultName, number>>

export const faultNames = Object.keys(defaultWeights) as FaultName[]

/** Faults that random numbers may leave out of a short run. The edit elsewhere requires a user who can do it. */
export const rareFaults = ['late response', 'edited elsewhere', 'late request', 'late after cut'] as const

/** Faults after which a command may fail: their responses look like those of the service. */
export const rejectingFaults: ReadonlySet<FaultName> = new Set(['404 JSON', '405 JSON', 'rejected look-up'])

/** Sends the request to the service, whose clock then shows this time in epoch milliseconds, or that of the user. */
type Forward = (atMs?: number) => Promise<ProxiedResponse>

export interface FaultPlan {
  fault(request: ProxiedRequest, forward: Forward): Promise<ProxiedResponse | undefined>
  /** Applies no fault; only executes the delayed requests that are due. */
  pass(request: ProxiedRequest, forward: Forward): Promise<ProxiedResponse>
  /** Number of requests by method and fault, such as `POST cut after`. */
  counts: Map<string, number>
  /** Number of delayed requests that the service executed after newer ones of the same record. */
  overtaken(): number
  /** Returns the faults of a user since the last call. */
  takeFaults(token: string): ReadonlySet<FaultName>
  /** Sends the delayed requests of a user that are due to the service. */
  deliverDueRequests(token: string): Promise<void>
  /** Sends the delayed requests, whose clients have timed out, to the service; with `isLimited` not those without a time limit. */
  deliverLateRequests(isLimited?: boolean): Promise<void>
}

/** A user whose requests meet faults. */
export interface FaultyUser {
  /** Returns the clock of the user in epoch milliseconds. */
  now(): number
  /** Whether the service honours Idempotency-Key: a delayed create is then harmless, however late it arrives. */
  hasKeys: boolean
  /** Changes the notes of a created entry in another client. Without it, no entry is edited elsewhere. */
  edit?(created: ProxiedResponse): Promise<void>
  /** Whether the current command makes several changes: a rejection of one would leave the others. */
  hasSeveralSteps?(): boolean
}

/**
 * Every other delayed request is executed at most this long after the client sent it, in milliseconds: the client waits
 * 60 s, and may have sent it a few seconds before it arrived.
 */
const latestCommitMs = 55_000

/** How long a create without a response counts as one with an unknown outcome, in milliseconds. */
const unknownMs = 600_000

/** The entry whose creation meets the rare fault of the user. */
const entryWithRareFault = 5

export interface FaultPlanOptions {
  weights?: Partial<FaultWeights> | undefined
  /** The tokens of the users, in an order that is the same in every run. Each meets one of `rareFaults`, in turn. */
  tokens?: readonly string[]
  /** The users by token. */
  users?: ReadonlyMap<string, FaultyUser>
  /** Receives the fault of each request. */
  onFault?(request: ProxiedRequest, fault: FaultName): void
}

/**
 * Creates a plan that picks one fault per request from a seed. The faults of one user do not depend on the timing of
 * the requests of others.
 */
export function createFaultPlan(
  seed: string,
  { weights = defaultWeights, tokens = [], users: faultyUsers = new Map(), onFault }: FaultPlanOptions = {},
): FaultPlan {
  const counts = new Map<string, number>()
  const users = new Map<string, UserState>()
  const userOf = (token: string) => {
    const existing = users.get(token)
    // A user may be added after the first request.
    if (existing) return Object.assign(existing, { user: faultyUsers.get(token) })
    const number = tokens.indexOf(token)
    const user: UserState = {
      random: new SeededRandom(`${seed} faults ${number}`),
      late: [],
      overtaken: 0,
      user: faultyUsers.get(token),
      faults: new Set(),
      unknownCreates: new Map(),
      rareFault: rareFaults[number % rareFaults.length],
      createdEntries: 0,
      rejectedPath: undefined,
    }
    users.set(token, user)
    return user
  }
  const senderOf = (request: ProxiedRequest) =>
    userOf((request.headers.authorization ?? '').replace('Bearer ', ''))
  return {
    counts,
    overtaken: () => [...users.values()].reduce((sum, { overtaken }) => sum + overtaken, 0),
    takeFaults(token) {
      const user = userOf(token)
      const { faults } = user
      user.faults = new Set()
      return faults
    },
    deliverDueRequests: (token) => sendDueRequests(userOf(token)),
    async deliverLateRequests(isLimited = false) {
      for (const user of users.values())
        await sendLateRequests(user, ({ untilMs }) => !isLimited || Number.isFinite(untilMs))
    },
    async pass(request, forward) {
      const user = senderOf(request)
      await sendDueRequests(user)
      noteNewer(user, request)
      return forward()
    },
    async fault(request, forward) {
      const user = senderOf(request)
      for (const delayed of user.late) delayed.others--
      await sendDueRequests(user)
      noteNewer(user, request)
      const fault = adjustFault(pickFault(user, request, weights), request, user)
      if (request.method === 'GET' && rejectingFaults.has(fault)) user.rejectedPath = request.path
      else if (request.path === user.rejectedPath) user.rejectedPath = undefined
      const name = `${request.method} ${fault}`
      counts.set(name, (counts.get(name) ?? 0) + 1)
      user.faults.add(fault)
      onFault?.(request, fault)
      noteOutcome(user, request, fault)
      return applyFault(fault, request, forward, user)
    },
  }
}

/** State of the requests of one user. */
interface UserState {
  random: SeededRandom
  /** Delayed requests: each is sent after `others` more requests, or at `untilMs`. */
  late: DelayedRequest[]
  /** The number of delayed requests that were sent after newer ones of the same record. */
  overtaken: number
  user: FaultyUser | undefined
  faults: Set<FaultName>
  /** The times of creates without a response, by key. */
  unknownCreates: Map<string, number>
  rareFault: FaultName | undefined
  /** The path of the latest GET that was rejected, until a later one of that path was not. */
  rejectedPath: string | undefined
  /** The number of requests that create an entry, with repeated ones. */
  createdEntries: number
}

interface DelayedRequest {
  others: number
  untilMs: number
  request: ProxiedRequest
  forward: Forward
  /** Whether a newer change of the same record was sent. */
  hasNewer: boolean
}

function pickFault(user: UserState, request: ProxiedRequest, weights: Partial<FaultWeights>): FaultName {
  const fault = user.random.weighted(weights)
  if (request.method !== 'POST' || !request.path.endsWith('/timesheets')) return fault
  return ++user.createdEntries === entryWithRareFault ? (user.rareFault ?? fault) : fault
}

function nowOf({ user }: UserState): number {
  return user?.now() ?? 0
}

async function sendDueRequests(user: UserState): Promise<void> {
  const nowMs = nowOf(user)
  await sendLateRequests(user, ({ others, untilMs }) => others <= 0 || nowMs >= untilMs)
}

async function sendLateRequests(user: UserState, isDue: (delayed: DelayedRequest) => boolean): Promise<void> {
  const due = user.late.filter(isDue)
  user.late = user.late.filter((delayed) => !due.includes(delayed))
  for (const { forward, untilMs, hasNewer } of due) {
    if (hasNewer) user.overtaken++
    await forward(Math.min(untilMs, nowOf(user)))
  }
}

/** Records that a change of a record is newer than the delayed ones. */
function noteNewer({ late }: UserState, { method, path }: ProxiedRequest) {
  if (method === 'GET') return
  for (const delayed of late)
    if (delayed.request.path === path && delayed.request.method !== 'POST') delayed.hasNewer = true
}

/** Records whether the outcome of a create is unknown to its client after this fault. */
function noteOutcome(user: UserState, { method, headers }: ProxiedRequest, fault: FaultName) {
  const key = String(headers['idempotency-key'])
  if (method !== 'POST') return
  if (fault === 'pass' || fault === '429' || rejectingFaults.has(fault)) user.unknownCreates.delete(key)
  else user.unknownCreates.set(key, nowOf(user))
}

function hasUnknownCreate(user: UserState): boolean {
  const nowMs = nowOf(user)
  return [...user.unknownCreates.values()].some((atMs) => nowMs - atMs < unknownMs)
}

/**
 * Replaces a fault that is unfair to the method, or has no effect on it, by a similar one. An empty response to a deletion
 * counts as success.
 */
function adjustFault(fault: FaultName, { method, path, body }: ProxiedRequest, user: UserState): FaultName {
  if (fault === 'edited elsewhere')
    return method === 'POST' && path.endsWith('/timesheets') && user.user?.edit ? fault : 'cut after'
  if (fault === 'rejected look-up') {
    const isList = method === 'GET' && /\/(timesheets|expenses|find_by_external_id)$/.test(path)
    return isList && hasUnknownCreate(user) ? fault : 'pass'
  }
  if (rejectingFaults.has(fault) && user.user?.hasSeveralSteps?.()) return 'cut before'
  // Two rejections in a row are taken for those of the service.
  if (method === 'GET' && rejectingFaults.has(fault) && path === user.rejectedPath) return 'cut before'
  // A timer whose end is rejected runs on, and the next command ends it then.
  if (method === 'PATCH' && body.includes('time_end') && rejectingFaults.has(fault)) return 'cut before'
  if (method === 'GET' && fault === 'late request') return 'late response'
  if (method === 'GET' && fault === 'late after cut') return 'cut after'
  if (method !== 'DELETE') return fault
  if (fault === 'empty before') return 'cut before'
  return fault === 'truncated' || fault === 'torn' ? 'cut after' : fault
}

/** Executes a request after some more of the same user, or when its time limit is reached. */
function delay(user: UserState, request: ProxiedRequest, forward: Forward) {
  const { random } = user
  const [others, seconds] = [random.between(1, 8), random.between(1, latestCommitMs / 1000)]
  const isUnlimited = user.user === undefined || (request.method === 'POST' && user.user.hasKeys)
  const untilMs = isUnlimited ? Number.POSITIVE_INFINITY : nowOf(user) + seconds * 1000
  return () => user.late.push({ others, untilMs, request, forward, hasNewer: false })
}

/** Applies a fault to a request and returns the response; undefined closes the connection. */
async function applyFault(
  fault: FaultName,
  request: ProxiedRequest,
  forward: Forward,
  user: UserState,
): Promise<ProxiedResponse | undefined> {
  switch (fault) {
    case 'pass':
      return forward()
    case 'late response': {
      const response = await forward()
      await request.closed
      return response
    }
    case 'late request': {
      const queue = delay(user, request, forward)
      await request.closed
      queue()
      return undefined
    }
    case 'late after cut':
      delay(user, request, forward)()
      return undefined
    case '429':
      return { status: 429, headers: { 'retry-after': retryAfter(user.random) }, body: '' }
    case 'torn':
      return { ...truncateBody(await forward()), isCutOff: true }
    case 'truncated': {
      const { status, body } = truncateBody(await forward())
      return jsonResponse(status, body)
    }
    case 'rejected look-up':
      return jsonResponse(user.random.pick([400, 403, 404, 409, 422]), { error: 'invalid_filter' })
    case 'edited elsewhere': {
      const created = await forward()
      if (created.status === 201 || created.status === 200) await user.user?.edit?.(created)
      return undefined
    }
    default:
      if (fault.endsWith(' after')) await forward()
      return replies[fault.replace(/ (before|after)$/, '')]
  }
}

const htmlPage: ProxiedResponse = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html><title>Hotel Wi-Fi sign-in</title>',
}
/** What the client receives instead, by the fault without `before` or `after`: nothing where the connection is cut. */
const replies: Record<string, ProxiedResponse> = {
  500: jsonResponse(500, { error: 'internal' }),
  page: htmlPage,
  empty: { status: 200, headers: {}, body: '' },
  unparsable: jsonResponse(200, '{"id": 1, "notes": '),
  null: jsonResponse(200, null),
  '404 page': { ...htmlPage, status: 404 },
  '404 JSON': jsonResponse(404, { message: 'no Route matched with those values' }),
  '405 JSON': jsonResponse(405, { message: 'Method Not Allowed' }),
}

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
