import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createFaultPlan, type FaultName, faultNames } from '../../support/fault-plan.js'
import { startProxy } from '../../support/proxy.js'

/** A service that only counts, behind a proxy that does the same to each request. */
async function behind(fault: FaultName) {
  let done = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      done++
      response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ id: done }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const proxy = await startProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const sky = createFaultPlan('1', { [fault]: 1 })
  proxy.fault = sky.fault
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
  return { ask, done: () => done, arrive: sky.deliverLateRequests }
}

const whole = '{"id":1}'
const answers: Partial<Record<FaultName, object>> = {
  pass: { status: 201, text: whole },
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
}

test.for(faultNames)('%s happens, and the service has done the request or not, as it says', async (fault) => {
  const { ask, done, arrive } = await behind(fault)
  const expected = answers[fault]
  if (expected) expect(await ask()).toMatchObject(expected)
  else await expect(ask(fault.includes('late ') ? 300 : undefined)).rejects.toThrow()
  const undone = ['429', '404 page'].includes(fault) || fault.endsWith('before')
  await vi.waitFor(async () => {
    await arrive()
    expect(done()).toBe(undone ? 0 : 1)
  }, 20_000)
})

test('a late request reaches the service only when the client has given up', async () => {
  const { ask, done } = await behind('late request')
  let over = false
  const asked = ask(500).catch(() => {
    over = true
    return done()
  })
  expect(await asked).toBe(0)
  expect(over).toBe(true)
  await vi.waitFor(() => expect(done()).toBe(1), 20_000)
})

test('a user whose keys are ignored has late creates committed in time, and entries edited elsewhere', async () => {
  const edited: string[] = []
  let nowMs = 0
  const user = { now: () => nowMs, edit: async ({ body }: { body: string }) => void edited.push(body) }
  const done: string[] = []
  const request = (method: string, name: string) => ({
    method,
    path: '/api/v1/timesheets',
    headers: { authorization: 'Bearer ada' },
    body: '',
    remotePort: 0,
    closed: Promise.resolve(),
    forward: async () => {
      done.push(name)
      return { status: 201, headers: {}, body: name }
    },
  })
  const suffer = async (fault: FaultName, method: string, name: string) => {
    const { forward, ...passing } = request(method, name)
    return createFaultPlan('1', { [fault]: 1 }, new Map([['ada', user]])).fault(passing, forward)
  }
  expect(await suffer('edited elsewhere', 'POST', 'one')).toBeUndefined()
  expect(edited).toEqual(['one'])
  expect(await suffer('edited elsewhere', 'PATCH', 'two')).toBeUndefined()
  expect(edited).toEqual(['one'])

  const sky = createFaultPlan('1', { 'very late request': 1 }, new Map([['ada', user]]))
  done.length = 0
  const { forward, ...late } = request('POST', 'late')
  await sky.fault(late, forward)
  expect(done).toEqual([])
  nowMs = 50_000
  const later = request('POST', 'later')
  await sky.fault(later, later.forward)
  expect(done).toEqual(['late'])
})

test('the same seed makes the same weather, and each fault of it comes', async () => {
  const forecast = async (seed: string) => {
    const sky = createFaultPlan(seed)
    const seen: string[] = []
    for (let count = 0; count < 1500; count++) {
      const request = {
        method: 'POST',
        path: '/',
        headers: {},
        body: '',
        remotePort: 0,
        closed: Promise.resolve(),
      }
      const response = await sky.fault(request, async () => ({ status: 201, headers: {}, body: '[]' }))
      seen.push(JSON.stringify([response?.status, response?.body]))
    }
    return { seen, kinds: [...sky.counts.keys()].sort() }
  }
  const one = await forecast('1')
  // Without another client, an edit elsewhere is a lost response.
  const possible = faultNames.filter((fault) => fault !== 'edited elsewhere')
  expect(one.kinds).toEqual(possible.map((fault) => `POST ${fault}`).sort())
  expect((await forecast('1')).kinds).toEqual(one.kinds)
  expect((await forecast('2')).seen).not.toEqual(one.seen)
})
