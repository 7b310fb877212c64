import { createServer } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  createFaultPlan,
  type FaultName,
  type FaultPlan,
  type FaultWeights,
  type FaultyUser,
  faultNames,
  rareFaults,
} from '../../support/fault-plan.js'
import { listenOnFreePort } from '../../support/ports.js'
import { startProxy } from '../../support/proxy.js'

/** Starts a service that counts requests, behind a proxy that applies this fault to each. */
async function serviceBehind(fault: FaultName) {
  let executed = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      executed++
      response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ id: executed }))
    })
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const proxy = await startProxy(`http://127.0.0.1:${await listenOnFreePort(server)}`)
  const plan = createFaultPlan('1', { weights: { [fault]: 1 } })
  proxy.fault = plan.fault
  const ask = async (timeoutMs = 30_000) => {
    const response = await fetch(`${proxy.url}/timesheets`, {
      method: 'POST',
      body: '{}',
      signal: AbortSignal.timeout(timeoutMs),
    })
    return {
      status: response.status,
      text: await response.text(),
      retryAfter: response.headers.get('retry-after'),
    }
  }
  return { ask, executed: () => executed, deliverLateRequests: plan.deliverLateRequests }
}

const fullBody = '{"id":1}'
const responses: Partial<Record<FaultName, object>> = {
  pass: { status: 201, text: fullBody },
  429: { status: 429, retryAfter: expect.stringMatching(/^1$|GMT$/) },
  '500 before': { status: 500 },
  '500 after': { status: 500 },
  'page before': { status: 200, text: expect.stringContaining('<!doctype html>') },
  'page after': { status: 200, text: expect.stringContaining('<!doctype html>') },
  truncated: { status: 201, text: '{"id' },
  'empty before': { status: 200, text: '' },
  'empty after': { status: 200, text: '' },
  'unparsable before': { status: 200, text: expect.stringContaining('"notes": ') },
  'unparsable after': { status: 200, text: expect.stringContaining('"notes": ') },
  'null after': { status: 200, text: 'null' },
  '404 page': { status: 404, text: expect.stringContaining('<!doctype html>') },
  '404 JSON': { status: 404, text: expect.stringContaining('no Route matched') },
  '405 JSON': { status: 405, text: expect.stringContaining('Method Not Allowed') },
  // Nothing is looked up here.
  'rejected look-up': { status: 201, text: fullBody },
}

test.for(faultNames)(
  'the fault "%s" drops the request or executes it once, as named',
  { tags: 'slow' },
  async (fault) => {
    const { ask, executed, deliverLateRequests } = await serviceBehind(fault)
    const expected = responses[fault]
    if (expected) expect(await ask()).toMatchObject(expected)
    else await expect(ask(fault.includes('late ') ? 300 : undefined)).rejects.toThrow()
    const isDropped = ['429', '404 page', '404 JSON', '405 JSON'].includes(fault) || fault.endsWith('before')
    await vi.waitFor(async () => {
      await deliverLateRequests()
      expect(executed()).toBe(isDropped ? 0 : 1)
    }, 60_000)
  },
)

test.for(['late request', 'late after cut'] as const)(
  'the fault "%s" executes changes after newer ones of the same record, within a minute',
  async (fault) => {
    const { plan, send, executed, at } = setUpUser({ [fault]: 1 })
    await send(plan.fault, 'PATCH', '/api/v1/timesheets/1', 'first')
    expect(executed).toEqual([])
    await send(plan.pass, 'PATCH', '/api/v1/timesheets/1', 'second')
    expect(executed).toEqual(['second'])
    at(55_000)
    await send(plan.pass, 'GET', '/api/v1/timesheets/1', 'read')
    expect(executed).toEqual(['second', 'first', 'read'])
    expect(plan.overtaken()).toBe(1)
  },
)

test('delayed requests are executed after some more requests, or when a test delivers them', async () => {
  const { plan, send, executed } = setUpUser({ 'late after cut': 1 })
  await send(plan.fault, 'DELETE', '/api/v1/timesheets/1', 'late')
  for (let count = 0; count < 8; count++) await send(plan.fault, 'GET', '/api/v1/timesheets', 'read')
  expect(executed).toContain('late')
  await send(plan.fault, 'DELETE', '/api/v1/timesheets/2', 'last')
  await plan.deliverLateRequests(true)
  expect(executed.at(-1)).toBe('last')
})

test('creates with keys have no time limit', async () => {
  const { plan, send, executed, at } = setUpUser({ 'late after cut': 1 }, { hasKeys: true })
  await send(plan.fault, 'POST', '/api/v1/timesheets', 'create')
  at(3_600_000)
  await plan.deliverLateRequests(true)
  expect(executed).toEqual([])
  await plan.deliverLateRequests()
  expect(executed).toEqual(['create'])
})

test('look-ups are rejected only after a create without a response', async () => {
  const { plan, send } = setUpUser({ 'rejected look-up': 1 })
  expect(await send(plan.fault, 'GET', '/api/v1/timesheets', 'read')).toMatchObject({ status: 201 })
  const lost = setUpUser({ 'cut after': 1, 'rejected look-up': 1 })
  const statuses: unknown[] = []
  for (let count = 0; count < 20; count++) {
    await lost.send(lost.plan.fault, 'POST', '/api/v1/timesheets', 'create')
    statuses.push((await lost.send(lost.plan.fault, 'GET', '/api/v1/timesheets', 'read'))?.status)
  }
  expect(statuses).toContainEqual(expect.toBeOneOf([400, 403, 404, 409, 422]))
})

/** Returns a request of the user with this token. */
const requestOf = (token: string, method: string, path: string) => ({
  ...{ method, path, body: '', remotePort: 0, closed: Promise.resolve() },
  headers: { authorization: `Bearer ${token}`, 'idempotency-key': 'one' },
})

/** Creates a plan with one user, whose requests are only recorded. */
function setUpUser(weights: Partial<FaultWeights>, { hasKeys = false, edit }: Partial<FaultyUser> = {}) {
  const executed: string[] = []
  let nowMs = 0
  const users = new Map([['ada', { now: () => nowMs, hasKeys, ...(edit && { edit }) }]])
  const plan = createFaultPlan('1', { weights, users })
  const send = (apply: FaultPlan['fault'], method: string, path: string, name: string) =>
    apply(requestOf('ada', method, path), async () => {
      executed.push(name)
      return { status: 201, headers: {}, body: name }
    })
  return { plan, send, executed, at: (ms: number) => (nowMs = ms) }
}

test('entries are edited elsewhere when their creation gets no response', async () => {
  const edited: string[] = []
  const edit = async ({ body }: { body: string }) => void edited.push(body)
  const { plan, send } = setUpUser({ 'edited elsewhere': 1 }, { edit })
  expect(await send(plan.fault, 'POST', '/api/v1/timesheets', 'one')).toBeUndefined()
  expect(await send(plan.fault, 'PATCH', '/api/v1/timesheets', 'two')).toBeUndefined()
  expect(edited).toEqual(['one'])
})

test('each user meets one rare fault, and a seed yields the same ones whichever user sends the first request', async () => {
  const tokens = ['ada', 'bob', 'cy', 'dee']
  const users = new Map([['bob', { now: () => 0, hasKeys: false, edit: async () => {} }]])
  const runPlan = async (order: readonly string[], seed = '1') => {
    const plan = createFaultPlan(seed, { weights: { pass: 1, 'cut before': 1 }, tokens, users })
    const outcomes = new Map(order.map((token) => [token, [] as boolean[]]))
    for (let count = 0; count < 30; count++) {
      for (const token of order) {
        const request = requestOf(token, 'POST', '/api/v1/timesheets')
        const response = await plan.fault(request, async () => ({ status: 201, headers: {}, body: '{}' }))
        outcomes.get(token)?.push(response !== undefined)
      }
    }
    return { outcomes: tokens.map((token) => outcomes.get(token)), counts: plan.counts }
  }
  const { outcomes, counts } = await runPlan(tokens)
  expect(rareFaults.map((fault) => counts.get(`POST ${fault}`))).toEqual([1, 1, 1, 1])
  expect((await runPlan(tokens.toReversed())).outcomes).toEqual(outcomes)
  expect((await runPlan(tokens, '2')).outcomes).not.toEqual(outcomes)
})
