import { expect, test } from 'vitest'
import { createApi } from '../../../../src/api/endpoints.js'
import { UnreachableError } from '../../../../src/api/errors.js'
import {
  CircuitBreaker,
  type CircuitMemory,
  type CircuitRecord,
} from '../../../../src/api/http/circuit-breaker.js'
import type { Http } from '../../../../src/api/http/http.js'
import { type Handler, rejectionOf, serveResponse, startServer } from '../test-server.js'

const noon = Date.parse('2024-05-08T12:00:00Z')
const page = '<!doctype html><html><head><title>Sign in</title></head></html>'

interface World {
  nowMs: number
  /** Everything that was written, in order. */
  written: (CircuitRecord | undefined)[]
  memory: CircuitMemory
  /** What one command has. */
  command(random?: number): CircuitBreaker
}

function world(record?: Partial<CircuitRecord>): World {
  const unknown = { failedAt: noon, failures: 1, retryAt: noon, pausedUntil: 0, reason: 'It is gone.' }
  let kept: CircuitRecord | undefined = record && { ...unknown, ...record }
  const at: World = {
    nowMs: noon,
    written: [],
    memory: {
      read: () => kept,
      write(next) {
        kept = next
        at.written.push(next)
      },
    },
    command: (random = 1) =>
      new CircuitBreaker({ memory: at.memory, clock: () => new Date(at.nowMs), random: () => random }),
  }
  return at
}

const get = (http: Http, options = {}) => http.request('GET', '/timesheets', options)
const post = (http: Http) => http.request('POST', '/timesheets', { body: {} })

/** Answers the statuses one after the other, the last one again and again; 0 is never answered. */
function inTurn(...statuses: number[]): Handler {
  let next = 0
  return (response) => {
    const status = statuses[Math.min(next++, statuses.length - 1)] ?? 0
    if (status > 0) response.writeHead(status).end(status < 300 ? '[]' : '')
  }
}

const never = () => startServer(inTurn(0))

test('nothing is written and nothing hurried as long as the service answers', async () => {
  const at = world()
  const service = await serveResponse(200, '[]')
  const reach = at.command()
  await get(reach.guard(service.http()))
  expect((await post(reach.guard(service.http()))).status).toBe(200)
  expect(at.written).toEqual([])
  expect([reach.failure, reach.mayRetry(), reach.retryAfterMs()]).toEqual([undefined, true, 0])
})

test('after a failure the command asks nothing more, and what it would have asked counts as not sent', async () => {
  const at = world()
  const service = await never()
  const reach = at.command()
  const http = reach.guard(service.http({ timeoutMs: 100 }))
  const first = await rejectionOf(get(http))
  expect(first).toMatchObject({ isUnsent: false, message: expect.stringContaining('timed out after 100 ms') })
  expect(reach.failure).toBe(first)
  const second = await rejectionOf(post(reach.guard(service.http())))
  expect(second).toBeInstanceOf(UnreachableError)
  expect(second).toMatchObject({ isUnsent: true, message: first.message, hint: first.hint })
  expect(service.requests).toHaveLength(1)
  expect(at.written).toEqual([
    { failedAt: noon, failures: 1, retryAt: noon + 500, pausedUntil: 0, reason: first.message },
  ])
})

test.each<[string, Handler]>([
  ['a web page', (response) => void response.end(page)],
  ['JSON that is cut off', (response) => void response.end('[{"id":')],
  [
    'a redirect elsewhere',
    (response) => void response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
  ],
  ['a connection that it drops', (response) => void response.socket?.destroy()],
])('a service that answers with %s is asked nothing more', async (_, handler) => {
  const at = world()
  const service = await startServer(handler)
  const http = at.command().guard(service.http())
  const first = await rejectionOf(get(http))
  expect(await rejectionOf(get(http))).toMatchObject({ code: first.code, message: first.message })
  expect(service.requests).toHaveLength(1)
  expect(at.written).toMatchObject([{ failures: 1, reason: first.message }])
})

test('an answer that merely misses something is an answer', async () => {
  const at = world({ failures: 3 })
  const service = await serveResponse(200, '{"id":7}')
  const api = createApi(at.command().guard(service.http()))
  expect(await rejectionOf(api.getTimeEntry(7))).toMatchObject({ code: 'rejected' })
  expect(await rejectionOf(api.getTimeEntry(7))).toMatchObject({ code: 'rejected' })
  expect(service.requests).toHaveLength(2)
  expect(at.written).toEqual([undefined])
})

test.each([200, 401, 403, 404, 422])('status %i shows that the service is there again', async (status) => {
  const at = world({ failures: 3, retryAt: noon + 9000 })
  const service = await serveResponse(status, status === 200 ? '[]' : '')
  const reach = at.command()
  const http = reach.guard(service.http())
  await get(http).catch(() => {})
  await get(http).catch(() => {})
  expect(at.written).toEqual([undefined])
  expect(reach.mayRetry()).toBe(true)
})

test('a request that is never made says nothing about the service', async () => {
  const at = world({ failures: 3 })
  const service = await serveResponse(200, '[]')
  const http = at.command().guard(service.http({ token: () => '' }))
  expect(await rejectionOf(get(http))).toMatchObject({ code: 'unauthenticated' })
  expect(at.written).toEqual([])
})

test.each<[string, number[], number]>([
  ['one after the other, are enough', [500, 503, 200], 2],
  ['with an answer between them, are not', [500, 200, 500, 404, 502, 200], 6],
])('answers that the service cannot for now, %s', async (_, statuses, asked) => {
  const at = world()
  const service = await startServer(inTurn(...statuses))
  const http = at.command().guard(service.http())
  for (const _ of statuses) await get(http).catch(() => {})
  expect(service.requests).toHaveLength(asked)
})

test('an answer that the service cannot for now, and that took long to come, is enough', async () => {
  const at = world()
  const service = await startServer((response) => {
    at.nowMs += 1500
    response.writeHead(504).end()
  })
  const http = at.command().guard(service.http())
  await rejectionOf(get(http))
  expect(await rejectionOf(get(http))).toMatchObject({ status: 504 })
  expect(service.requests).toHaveLength(1)
})

test('requests at once that fail count as one failure', async () => {
  const at = world()
  const service = await never()
  const http = at.command().guard(service.http({ timeoutMs: 100 }))
  await Promise.all([1, 2, 3].map(() => rejectionOf(get(http))))
  expect(at.written).toMatchObject([{ failures: 1 }])
})

test('within a minute of the first failure a whole command takes little time', async () => {
  const at = world({ failedAt: noon - 59_999 })
  const service = await never()
  const http = at.command().guard(service.http())
  const begun = performance.now()
  const failures = await Promise.all([rejectionOf(get(http)), rejectionOf(get(http))])
  await rejectionOf(post(http))
  expect(performance.now() - begun).toBeLessThan(3000)
  expect(failures.map(({ message }) => message)).toEqual(
    Array(2).fill(expect.stringContaining('timed out after 1.5 s')),
  )
  expect(service.requests).toHaveLength(2)
  expect(at.written).toMatchObject([{ failedAt: noon - 59_999, failures: 2 }])
})

test('within that minute nobody waits for a token to be renewed', async () => {
  const service = await serveResponse(200, '[]')
  const asItIs: boolean[] = []
  const token = (given?: boolean) => {
    asItIs.push(given === true)
    return 'tt_token'
  }
  await get(world().command().guard(service.http({ token })))
  await get(world({}).command().guard(service.http({ token })))
  expect(asItIs).toEqual([false, true])
})

test('what a failure took within that minute is no longer there for the next request', async () => {
  const at = world({})
  const service = await startServer((response) => {
    if (service.requests.length > 1) return
    at.nowMs += 1400
    response.writeHead(500).end()
  })
  const http = at.command().guard(service.http())
  await rejectionOf(get(http))
  expect((await rejectionOf(get(http))).message).toContain('timed out after 100 ms')
})

test('once the service has answered, it has its usual time again', async () => {
  const at = world({})
  const service = await startServer(inTurn(200, 0))
  const http = at.command().guard(service.http({ timeoutMs: 120 }))
  await get(http)
  expect((await rejectionOf(get(http))).message).toContain('timed out after 120 ms')
})

test('a request that has less time of its own keeps to it', async () => {
  const at = world({})
  const service = await never()
  const http = at.command().guard(service.http())
  expect((await rejectionOf(get(http, { timeoutMs: 80 }))).message).toContain('timed out after 80 ms')
})

test.each([
  ['a minute later', noon - 60_000],
  ['after the clock was set back', noon + 1],
])('%s the service gets a full try, with which another minute begins', async (_, failedAt) => {
  const at = world({ failedAt, failures: 4 })
  const service = await never()
  const http = at.command().guard(service.http({ timeoutMs: 130 }))
  expect((await rejectionOf(get(http))).message).toContain('timed out after 130 ms')
  expect(at.written).toMatchObject([{ failedAt: noon, failures: 5 }])
})

test.each([
  [1, 1, 500],
  [1, 0, 250],
  [2, 1, 1000],
  [4, 0.5, 3000],
  [5, 1, 8000],
  [6, 1, 15_000],
  [6, 0, 7500],
  [2000, 1, 15_000],
])('after failure %i, with the chance %d, the next try is due in %i ms', async (failures, random, waitMs) => {
  const at = world(failures > 1 ? { failures: failures - 1 } : undefined)
  const service = await startServer((response) => void response.socket?.destroy())
  await rejectionOf(get(at.command(random).guard(service.http())))
  expect(at.written).toMatchObject([{ failures, retryAt: noon + waitMs }])
  at.nowMs += waitMs - 1
  expect(at.command().mayRetry()).toBe(false)
  at.nowMs += 1
  expect(at.command().mayRetry()).toBe(true)
})

test('nothing is due in a command that has found the service dead, whatever the time', async () => {
  const at = world()
  const service = await serveResponse(200, page)
  const reach = at.command()
  await rejectionOf(get(reach.guard(service.http())))
  at.nowMs += 20_000
  expect(reach.mayRetry()).toBe(false)
})

test('a clock that was set back keeps nobody waiting', () => {
  const at = world({ retryAt: noon + 15_001, pausedUntil: noon + 3_600_001 })
  expect([at.command().mayRetry(), at.command().retryAfterMs(), at.command().failure]).toEqual([
    true,
    0,
    undefined,
  ])
})

test.each([
  [429, '30', 30_000, '14:01'],
  [503, '1860', 1_860_000, '14:31'],
  [503, '7200', 3_600_000, '15:00'],
])('after %i with Retry-After: %s nobody asks for %i ms', async (status, header, pauseMs, wall) => {
  const at = world()
  const service = await serveResponse(status, '', { 'retry-after': header })
  const reach = at.command()
  const first = await rejectionOf(get(reach.guard(service.http())))
  expect(at.written).toMatchObject([{ pausedUntil: noon + pauseMs, reason: first.message }])
  at.nowMs += pauseMs - 1
  for (const command of [reach, at.command()]) {
    command.reset()
    expect([command.mayRetry(), command.retryAfterMs()]).toEqual([false, 1])
    for (const ask of [get, post]) {
      expect(await rejectionOf(ask(command.guard(service.http())))).toMatchObject({
        code: 'unreachable',
        message: `${first.message} It requested a pause until ${wall}.`,
        isUnsent: true,
        retryAfterMs: 1,
      })
    }
  }
  expect(service.requests).toHaveLength(1)
  at.nowMs += 1
  const later = at.command()
  expect([later.failure, later.retryAfterMs()]).toEqual([undefined, 0])
  await rejectionOf(get(later.guard(service.http())))
  expect(service.requests).toHaveLength(2)
})

test('an answer that was on its way does not end the pause', async () => {
  const at = world()
  let answerLate = () => {}
  const service = await startServer((response, { method }) => {
    if (method === 'GET') answerLate = () => void response.end('[]')
    else response.writeHead(429, { 'retry-after': '30' }).end()
  })
  const reach = at.command()
  const http = reach.guard(service.http())
  const slow = get(http)
  await expect.poll(() => service.requests.length).toBe(1)
  await rejectionOf(post(http))
  answerLate()
  await slow
  expect(reach.retryAfterMs()).toBe(30_000)
})

test('neither does a failure that was on its way, when another command was asked for the pause', async () => {
  const at = world({})
  const service = await startServer((response) => {
    const pausedUntil = noon + 30_000
    at.memory.write({
      failedAt: noon,
      failures: 2,
      retryAt: noon,
      pausedUntil: pausedUntil,
      reason: 'It is busy.',
    })
    response.socket?.destroy()
  })
  const reach = at.command()
  await rejectionOf(get(reach.guard(service.http())))
  expect(at.written).toHaveLength(2)
  expect(reach.retryAfterMs()).toBe(30_000)
})

test('Retry-After of no time is no pause', async () => {
  const at = world()
  const service = await startServer((response) => {
    if (service.requests.length === 1) response.writeHead(503, { 'retry-after': '0' }).end()
    else response.end('[]')
  })
  const http = at.command().guard(service.http())
  await rejectionOf(get(http))
  expect((await get(http)).status).toBe(200)
  expect(at.written).toMatchObject([{ pausedUntil: 0 }, undefined])
})

test('a command that asks again may, whatever the backoff, until it fails again', async () => {
  const at = world()
  const service = await startServer(inTurn(500, 500, 500, 500, 200))
  const reach = at.command()
  const http = reach.guard(service.http())
  await rejectionOf(get(http))
  await rejectionOf(get(http))
  expect(reach.mayRetry()).toBe(false)
  reach.reset()
  expect([reach.failure, reach.mayRetry()]).toEqual([undefined, true])
  await rejectionOf(get(http))
  expect(reach.mayRetry()).toBe(false)
  await rejectionOf(get(http))
  reach.reset()
  expect((await get(http)).status).toBe(200)
  expect(at.written).toMatchObject([
    { failures: 1 },
    { failures: 2 },
    { failures: 3 },
    { failures: 4 },
    undefined,
  ])
})
