import { expect, test } from 'vitest'
import { UnreachableError } from '../../../../src/api-client/api-errors.js'
import { CircuitBreaker, type CircuitRecord } from '../../../../src/api-client/http/circuit-breaker.js'
import type { Http, HttpOptions } from '../../../../src/api-client/http/http.js'
import { type Handler, rejectionOf, startServer } from '../test-server.js'

const noon = Date.parse('2024-05-08T12:00:00Z')
const page = '<!doctype html><html><head><title>Sign in</title></head></html>'

/** Returns the memory of several commands, whose time is `nowMs`. */
function createMemory(record?: Partial<CircuitRecord>) {
  const defaults = { failedAt: noon, failures: 1, retryAt: noon, pausedUntil: 0, reason: 'It is gone.' }
  let stored: CircuitRecord | undefined = record && { ...defaults, ...record }
  const shared = {
    nowMs: noon,
    /** All writes to the memory, in order. */
    written: [] as (CircuitRecord | undefined)[],
    read: () => stored,
    write(next: CircuitRecord | undefined) {
      stored = next
      shared.written.push(next)
    },
    /** Creates the circuit breaker of one command. */
    command: (random = 1) =>
      new CircuitBreaker({ memory: shared, clock: () => new Date(shared.nowMs), random: () => random }),
  }
  return shared
}

/** Starts a service, and returns it with the circuit breaker of a command that calls it through `http`. */
async function setUp(handler: Handler, record?: Partial<CircuitRecord>, options?: Partial<HttpOptions>) {
  const shared = createMemory(record)
  const service = await startServer(handler)
  const breaker = shared.command()
  return { shared, service, breaker, http: breaker.guard(service.http(options)) }
}

const get = (http: Http, options = {}) => http.request('GET', '/timesheets', options)
const failedGet = (http: Http, options = {}) => rejectionOf(get(http, options))
const post = (http: Http) => http.request('POST', '/timesheets', { body: {} })

/** Responds with the statuses in order; 0 stands for no response. */
function inTurn(...statuses: number[]): Handler {
  return (response) => {
    const status = statuses.shift() ?? 0
    if (status > 0) response.writeHead(status).end(status < 300 ? '[]' : '')
  }
}

/** Responds with the status, to every request. */
const respond =
  (status: number, body = '', headers = {}): Handler =>
  (response) =>
    void response.writeHead(status, headers).end(body)

const drop: Handler = (response) => void response.socket?.destroy()

const silent: Handler = () => {}

test('the circuit breaker stores no failure while the service responds', async () => {
  const { shared, breaker, http } = await setUp(respond(200, '[]'))
  await get(http)
  expect((await post(http)).status).toBe(200)
  expect(shared.written).toEqual([])
  expect([breaker.failure, breaker.mayRetry(), breaker.retryAfterMs()]).toEqual([undefined, true, 0])
})

test('a failure blocks all further requests of the command, and they count as not sent', async () => {
  const { shared, service, breaker, http } = await setUp(silent, undefined, { timeoutMs: 100 })
  const first = await failedGet(http)
  expect(first).toMatchObject({ isUnsent: false, message: expect.stringContaining('timed out after 100 ms') })
  expect(breaker.failure).toBe(first)
  const second = await rejectionOf(post(breaker.guard(service.http())))
  expect(second).toBeInstanceOf(UnreachableError)
  expect(second).toMatchObject({ isUnsent: true, message: first.message, hint: first.hint })
  expect(service.requests).toHaveLength(1)
  expect(shared.written).toEqual([
    { failedAt: noon, failures: 1, retryAt: noon + 500, pausedUntil: 0, reason: first.message },
  ])
})

test.each<[string, Handler]>([
  ['a web page', respond(200, page)],
  ['a redirect elsewhere', respond(302, '', { location: 'https://elsewhere.example/' })],
])('a response with %s blocks all further requests of the command', async (_, handler) => {
  const { shared, service, http } = await setUp(handler)
  const first = await failedGet(http)
  expect(await failedGet(http)).toMatchObject({ code: first.code, message: first.message })
  expect(service.requests).toHaveLength(1)
  expect(shared.written).toMatchObject([{ failures: 1, reason: first.message }])
})

test.each([200, 401, 422])('status %i resets the failure count', async (status) => {
  const { shared, breaker, http } = await setUp(respond(status, '[]'), { failures: 3, retryAt: noon + 9000 })
  await get(http).catch(() => {})
  await get(http).catch(() => {})
  expect(shared.written).toEqual([undefined])
  expect(breaker.mayRetry()).toBe(true)
})

test.each([403, 404])('a page of a proxy with status %i does not count as a failure', async (status) => {
  const { shared, service, http } = await setUp(respond(status, page), { failures: 3, retryAt: noon + 9000 })
  for (let request = 0; request < 2; request++) expect(await failedGet(http)).toMatchObject({ status })
  expect(service.requests).toHaveLength(2)
  expect(shared.written).toEqual([undefined])
})

test('a request that is not sent does not change the failure count', async () => {
  const { shared, http } = await setUp(respond(200, '[]'), { failures: 3 }, { token: () => '' })
  expect(await failedGet(http)).toMatchObject({ code: 'unauthenticated' })
  expect(shared.written).toEqual([])
})

test.each<[string, number[], number]>([
  ['two consecutive responses block', [500, 503], 2],
  ['responses with a success between them do not block', [500, 200, 500, 404, 502, 200], 6],
])('of temporary errors, %s further requests', async (_, statuses, requests) => {
  const { service, http } = await setUp(inTurn(...statuses))
  for (let request = 0; request < 6; request++) await get(http).catch(() => {})
  expect(service.requests).toHaveLength(requests)
})

test('one slow temporary error blocks further requests', async () => {
  const { shared, service, http } = await setUp((response) => {
    shared.nowMs += 1500
    response.writeHead(504).end()
  })
  await failedGet(http)
  expect(await failedGet(http)).toMatchObject({ status: 504 })
  expect(service.requests).toHaveLength(1)
})

test('failures of concurrent requests count as one failure', async () => {
  const { shared, http } = await setUp(silent, undefined, { timeoutMs: 100 })
  await Promise.all([1, 2, 3].map(() => failedGet(http)))
  expect(shared.written).toMatchObject([{ failures: 1 }])
})

test('all requests of a command share 1.5 s within a minute of the first failure', {
  tags: 'slow',
}, async () => {
  const { shared, service, http } = await setUp(silent, { failedAt: noon - 59_999 })
  const failures = await Promise.all([failedGet(http), failedGet(http)])
  await rejectionOf(post(http))
  expect(failures.map(({ message }) => message)).toEqual(
    Array(2).fill(expect.stringContaining('timed out after 1.5 s')),
  )
  expect(service.requests).toHaveLength(2)
  expect(shared.written).toMatchObject([{ failedAt: noon - 59_999, failures: 2 }])
})

test('requests within a minute of a failure do not wait for a token refresh', async () => {
  const unrefreshed: boolean[] = []
  const token = (withoutRefresh?: boolean) => {
    unrefreshed.push(withoutRefresh === true)
    return 'tt_token'
  }
  for (const record of [undefined, {}]) await get((await setUp(respond(200, '[]'), record, { token })).http)
  expect(unrefreshed).toEqual([false, true])
})

test('a failed request within that minute shortens the timeout of the next one', async () => {
  const { shared, service, http } = await setUp((response) => {
    if (service.requests.length > 1) return
    shared.nowMs += 1400
    response.writeHead(500).end()
  }, {})
  await failedGet(http)
  expect((await failedGet(http)).message).toContain('timed out after 100 ms')
})

test('a request with a shorter timeout of its own uses that timeout', async () => {
  const { http } = await setUp(silent, {})
  expect((await failedGet(http, { timeoutMs: 80 })).message).toContain('timed out after 80 ms')
})

test.each([
  ['a minute later', noon - 60_000],
  ['after the clock was set back', noon + 1],
])('%s a request has the full timeout, and its failure starts another minute', async (_, failedAt) => {
  const { shared, http } = await setUp(silent, { failedAt, failures: 4 }, { timeoutMs: 130 })
  expect((await failedGet(http)).message).toContain('timed out after 130 ms')
  expect(shared.written).toMatchObject([{ failedAt: noon, failures: 5 }])
})

test.each([
  [1, 1, 500],
  [4, 0.5, 3000],
  [6, 0, 7500],
  [2000, 1, 15_000],
])(
  'after failure %i, with the random number %d, the next retry is due in %i ms',
  async (failures, random, waitMs) => {
    const { shared, service } = await setUp(drop, failures > 1 ? { failures: failures - 1 } : undefined)
    await failedGet(shared.command(random).guard(service.http()))
    expect(shared.written).toMatchObject([{ failures, retryAt: noon + waitMs }])
    shared.nowMs += waitMs - 1
    expect(shared.command().mayRetry()).toBe(false)
    shared.nowMs += 1
    expect(shared.command().mayRetry()).toBe(true)
  },
)

test('no retry is due later in a command whose request failed', async () => {
  const { shared, breaker, http } = await setUp(respond(200, page))
  await failedGet(http)
  shared.nowMs += 20_000
  expect(breaker.mayRetry()).toBe(false)
})

test('a clock that was set back does not delay retries', () => {
  const command = createMemory({ retryAt: noon + 15_001, pausedUntil: noon + 3_600_001 }).command()
  expect([command.mayRetry(), command.retryAfterMs(), command.failure]).toEqual([true, 0, undefined])
})

test.each([
  [429, '30', 30_000, '14:01'],
  [503, '7200', 3_600_000, '15:00'],
])(
  'after %i with Retry-After: %s commands send no request for %i ms',
  async (status, header, pauseMs, wall) => {
    const { shared, service, breaker, http } = await setUp(respond(status, '', { 'retry-after': header }))
    const first = await failedGet(http)
    expect(shared.written).toMatchObject([{ pausedUntil: noon + pauseMs, reason: first.message }])
    shared.nowMs += pauseMs - 1
    for (const command of [breaker, shared.command()]) {
      command.reset()
      expect([command.mayRetry(), command.retryAfterMs()]).toEqual([false, 1])
      for (const send of [get, post]) {
        expect(await rejectionOf(send(command.guard(service.http())))).toMatchObject({
          code: 'unreachable',
          message: `${first.message} It requested a pause until ${wall}.`,
          isUnsent: true,
          retryAfterMs: 1,
        })
      }
    }
    expect(service.requests).toHaveLength(1)
    shared.nowMs += 1
    const later = shared.command()
    expect([later.failure, later.retryAfterMs()]).toEqual([undefined, 0])
    await failedGet(later.guard(service.http()))
    expect(service.requests).toHaveLength(2)
  },
)

test('the response to an earlier request does not end the pause', async () => {
  let respondLate = () => {}
  const { service, breaker, http } = await setUp((response, { method }) => {
    if (method === 'GET') respondLate = () => void response.end('[]')
    else response.writeHead(429, { 'retry-after': '30' }).end()
  })
  const slow = get(http)
  await expect.poll(() => service.requests.length).toBe(1)
  await rejectionOf(post(http))
  respondLate()
  await slow
  expect(breaker.retryAfterMs()).toBe(30_000)
})

test('the failure of an earlier request does not end a pause that another command stored', async () => {
  const { shared, breaker, http } = await setUp((response, ...rest) => {
    const record = { failedAt: noon, failures: 2, retryAt: noon, reason: 'It is busy.' }
    shared.write({ ...record, pausedUntil: noon + 30_000 })
    drop(response, ...rest)
  }, {})
  await failedGet(http)
  expect(shared.written).toHaveLength(2)
  expect(breaker.retryAfterMs()).toBe(30_000)
})

test('Retry-After: 0 starts no pause', async () => {
  const { shared, service, http } = await setUp((response) => {
    if (service.requests.length === 1) response.writeHead(503, { 'retry-after': '0' }).end()
    else response.end('[]')
  })
  await failedGet(http)
  expect((await get(http)).status).toBe(200)
  expect(shared.written).toMatchObject([{ pausedUntil: 0 }, undefined])
})

test('a reset allows requests despite the backoff until the next failure', async () => {
  const { shared, breaker, http } = await setUp(inTurn(500, 500, 500, 500, 200))
  await failedGet(http)
  await failedGet(http)
  expect(breaker.mayRetry()).toBe(false)
  breaker.reset()
  expect([breaker.failure, breaker.mayRetry()]).toEqual([undefined, true])
  await failedGet(http)
  expect(breaker.mayRetry()).toBe(false)
  await failedGet(http)
  breaker.reset()
  expect((await get(http)).status).toBe(200)
  const counts = shared.written.map((record) => record?.failures)
  expect(counts).toEqual([1, 2, 3, 4, undefined])
})

test('500 and 501 in response to tentative requests neither open nor close the circuit', async () => {
  const { shared, http } = await setUp(inTurn(500, 501, 500, 200))
  for (const status of [500, 501, 500])
    expect(await failedGet(http, { isTentative: true })).toMatchObject({ status })
  expect(shared.written).toEqual([])
  expect((await get(http)).status).toBe(200)
})

test('outages in response to tentative requests open the circuit', async () => {
  for (const status of [502, 503, 504]) {
    const { breaker, http } = await setUp(respond(status))
    for (let attempt = 0; attempt < 2; attempt++) await failedGet(http, { isTentative: true })
    expect(breaker.failure).toMatchObject({ status })
  }
  const { breaker, http } = await setUp(inTurn(500, 500, 500))
  await failedGet(http)
  await failedGet(http, { isTentative: true })
  await failedGet(http)
  expect(breaker.failure).toMatchObject({ status: 500 })
})
