import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { Api } from '../../../../src/api-client/api.js'
import { UnreachableError } from '../../../../src/api-client/api-errors.js'
import { createApi } from '../../../../src/api-client/endpoints.js'
import { CircuitBreaker, type CircuitRecord } from '../../../../src/api-client/http/circuit-breaker.js'
import { type Handler, rejectionOf, serveResponse, startServer, type TestServer } from '../test-server.js'

const entry = (id: number, notes = 'Größe 🚀') => ({ id, time_start: '2024-05-01T09:00:00Z', notes })
const json = { 'content-type': 'application/json' }

/** Adds the IDs of the entries to the list, and returns it. */
async function idsOf(api: Api, ids: unknown[] = []): Promise<unknown[]> {
  for await (const batch of api.streamTimeEntries()) ids.push(...batch.map(({ id }) => id))
  return ids
}

const many = Array.from({ length: 6000 }, (_, index) => entry(index))
const text = JSON.stringify(many)

test('a list in batches equals the whole list, wherever the network splits it', async () => {
  const bytes = Buffer.from(JSON.stringify([entry(1), entry(2)]))
  const service = await startServer(async (response) => {
    response.writeHead(200, json)
    for (const byte of bytes) response.write(Buffer.of(byte))
    response.end()
  })
  const found = []
  for await (const batch of service.api().streamTimeEntries()) found.push(...batch)
  expect(found).toEqual(await service.api().listTimeEntries())
  expect(found[1]).toMatchObject({ id: 2, notes: 'Größe 🚀' })
})

test('reading in batches follows pages and redirects', async () => {
  const service = await startServer((response, { url }) => {
    if (!url.includes('?')) response.writeHead(307, { location: '/api/v1/timesheets?page=1' }).end('moved')
    else if (url.endsWith('1'))
      response.writeHead(200, { ...json, link: '<?page=2>; rel=next' }).end('[{"id":1,"time_start":0}]')
    else response.writeHead(200, json).end('{"data":[{"id":2,"time_start":0}]}')
  })
  expect(await idsOf(service.api())).toEqual([1, 2])
  expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(
    Array(3).fill('Bearer secret-token'),
  )
})

const cutOff = text.slice(0, text.length - 40)
const page = '<!doctype html><html><head><title>Sign in</title></head></html>'

test.each<[string, number, string, string]>([
  ['a failing service', 503, '', 'is temporarily unavailable (503)'],
  ['a web page', 200, page, 'a web page titled "Sign in" instead of JSON'],
  ['an object instead of a list', 200, '{"id":1}', 'expected a list of time entries, received an object'],
  ['an empty body', 200, '', 'expected a list of time entries, received nothing'],
  ['a truncated list', 200, cutOff, 'JSON that is cut off or damaged'],
  ['an invalid entry', 200, '[{"id":1,"time_start":"never"}]', 'time_start'],
])('%s gives the same error in batches as for the whole list', async (_, status, body, words) => {
  const service = await serveResponse(status, body, json)
  const failure = await rejectionOf(idsOf(service.api()))
  const whole = await rejectionOf(service.api().listTimeEntries())
  expect(failure.message).toContain(words)
  expect({ ...failure, message: failure.message }).toMatchObject({ ...whole, message: whole.message })
})

/** Loses the connection after half of the text. */
const loseHalf: Handler = (response) => {
  response.writeHead(200, { ...json, 'content-length': text.length + 1000 })
  response.write(text.slice(0, text.length / 2), () => response.socket?.destroy())
}

test('a lost connection fails after the batches that were complete', async () => {
  const service = await startServer(loseHalf)
  const ids: unknown[] = []
  const failure = await rejectionOf(idsOf(service.api(), ids))
  expect(failure).toBeInstanceOf(UnreachableError)
  expect(failure.message).toContain('connection lost')
  expect(ids.length).toBeLessThan(many.length)
})

test('the timeout limits each pause and not the whole response', { tags: 'slow' }, async () => {
  // Together longer than the limit; each so much shorter that a busy machine does not exceed it.
  const pieces = 8
  const pieceLength = Math.ceil(text.length / pieces)
  const slow = (lastPauseMs: number): Handler =>
    async function respond(response) {
      response.writeHead(200, json)
      for (let piece = 0; piece < pieces; piece++) {
        await pause(piece === pieces - 1 ? lastPauseMs : 200)
        response.write(text.slice(piece * pieceLength, (piece + 1) * pieceLength))
      }
      response.end()
    }
  const [arriving, stalled] = await Promise.all([startServer(slow(200)), startServer(slow(4000))])
  const idsAt = ({ api }: TestServer) => idsOf(api({ timeoutMs: 1000 }))
  const [ids, failure] = await Promise.all([idsAt(arriving), rejectionOf(idsAt(stalled))])
  expect(ids).toHaveLength(many.length)
  expect(failure.message).toContain('timed out after 1 s')
})

test('a reader that stops early cancels the rest of the response', async () => {
  let isClosed = false
  const service = await startServer((response) => {
    response.writeHead(200, json)
    response.once('close', () => {
      isClosed = true
    })
    response.write(text.slice(0, -1))
  })
  for await (const batch of service.api().streamTimeEntries()) {
    expect(batch.length).toBeGreaterThan(0)
    break
  }
  await vi.waitFor(() => expect(isClosed).toBe(true), 60_000)
})

test('reading in batches does not run ahead of the consumer', { tags: 'slow' }, async () => {
  const line = `${JSON.stringify(entry(1, 'x'.repeat(200)))},`.repeat(100)
  let sentBytes = 0
  const service = await startServer((response) => {
    response.writeHead(200, json).write('[')
    const send = () => {
      while (sentBytes < 24_000_000) {
        sentBytes += line.length
        if (!response.write(line)) return void response.once('drain', send)
      }
      response.end(`${JSON.stringify(entry(2))}]`)
    }
    send()
  })
  let bytesBefore = 0
  let batches = 0
  for await (const batch of service.api().streamTimeEntries()) {
    expect(batch.length).toBeLessThan(4000)
    if (++batches > 3) continue
    // Bytes in the socket buffers may still arrive; then the transfer stops.
    do {
      bytesBefore = sentBytes
      await pause(100)
    } while (sentBytes > bytesBefore)
    expect(sentBytes).toBeLessThan(12_000_000)
  }
  expect(sentBytes).toBeGreaterThanOrEqual(24_000_000)
})

test('the trace shows a list in batches after its end', async () => {
  const lines: string[] = []
  const service = await serveResponse(200, text, json)
  await idsOf(service.api({ trace: (line) => lines.push(line.replace(/\d+ ms$/, 'ms')) }))
  expect(lines).toEqual(['GET /api/v1/timesheets 200 ms'])
})

test('a failure within a list blocks all further requests of the command', async () => {
  let stored: CircuitRecord | undefined
  const write = (record: CircuitRecord | undefined) => {
    stored = record
  }
  const memory = { read: () => stored, write }
  const breaker = new CircuitBreaker({ memory, clock: () => new Date() })
  const service = await startServer(loseHalf)
  const api = createApi(breaker.guard(service.http()))
  await rejectionOf(idsOf(api))
  expect(stored?.failures).toBe(1)
  expect(await rejectionOf(idsOf(api))).toMatchObject({ isUnsent: true })
  expect(service.requests).toHaveLength(1)
})
