import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../src/service/http/listener.js'
import type { RequestEnd, RequestObserver } from '../../src/service/http/request-context.js'
import { insertInto } from '../../src/service/storage/sql.js'
import { createServiceFixture, temporarySqlite } from '../unit/service/fixtures.js'

async function startService() {
  const database = await temporarySqlite()
  const at = await createServiceFixture(database.storage)
  const ends: RequestEnd[] = []
  const observer: RequestObserver = { begin: () => ({ id: '1' }), end: (_, end) => void ends.push(end) }
  const { url, close } = await listen(at.app, { host: '127.0.0.1', port: 0, observer })
  onTestFinished(async () => {
    await close()
    await database.close()
  })
  return { at, storage: database.storage, url, port: Number(new URL(url).port), ends }
}

/** Connects and sends a text. */
function send(port: number, text: string): Socket {
  const socket = connect(port, '127.0.0.1', () => socket.write(text))
  onTestFinished(() => void socket.destroy())
  return socket.on('error', () => {})
}

/** Resolves to the seconds until the service has closed the connection. */
function secondsUntilClosed(socket: Socket): Promise<number> {
  const startMs = performance.now()
  socket.resume()
  return new Promise((resolve) => {
    socket.on('close', () => resolve((performance.now() - startMs) / 1000))
  })
}

it('closes connections without complete headers after ten seconds', async () => {
  const { port } = await startService()
  const texts = ['', 'GET /api/v1/companies HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ']
  for (const seconds of await Promise.all(texts.map((text) => secondsUntilClosed(send(port, text))))) {
    expect(seconds).toBeGreaterThan(9)
    expect(seconds).toBeLessThan(14)
  }
})

it('closes connections whose client reads nothing for 15 to 30 seconds, and frees the turns of the user', async () => {
  const { at, storage, url, port, ends } = await startService()
  const entry = { user_id: at.users[0], task_link_id: at.link, created_at: 0, updated_at: 0 }
  // Records of 30 kB each: more than the buffers of the connections.
  for (let first = 0; first < 600; first += 50) {
    const rows = Array.from({ length: 50 }, (_, n) => ({
      ...entry,
      time_start: first + n,
      notes: 'x'.repeat(30_000),
    }))
    await storage.queries.all(insertInto('time_entries', ...rows))
  }
  // Each request has a connection of its own: one that was unused for 5 s may just be closed.
  const headers = { Authorization: `Bearer ${at.users[0]}`, Connection: 'close' }
  const list = `Host: 127.0.0.1\r\nAuthorization: ${headers.Authorization}\r\n\r\n`
  const lists = [
    ...Array.from({ length: 4 }, () => `GET /api/v1/timesheets HTTP/1.1\r\n${list}`),
    // Requests with such a header take the path of fetch.
    ...Array.from(
      { length: 4 },
      () => `GET /api/v1/timesheets HTTP/1.1\r\nTransfer-Encoding: chunked\r\n${list}0\r\n\r\n`,
    ),
  ]
  for (const text of lists) send(port, text)
  await sleep(5000)
  expect((await fetch(`${url}/api/v1/timesheets`, { headers })).status).toBe(429)
  expect((await fetch(`${url}/api/v1/timesheets?per_page=1`, { headers })).status).toBe(200)
  const aborted = () => ends.filter(({ isAborted }) => isAborted)
  await expect.poll(() => aborted().length, { timeout: 60_000 }).toBe(lists.length)
  for (const { durationMs } of aborted()) {
    expect(durationMs).toBeGreaterThan(14_000)
    expect(durationMs).toBeLessThan(60_000)
  }
  const whole = await fetch(`${url}/api/v1/timesheets`, { headers })
  expect(await whole.json()).toHaveLength(600)

  // Clients that disconnect at once free their turns too.
  for (let n = 0; n < 30; n++) {
    const socket = send(port, lists[n % lists.length] ?? '')
    setTimeout(() => socket.destroy(), n)
  }
  await sleep(3000)
  const later = await Promise.all(
    Array.from({ length: 8 }, () => fetch(`${url}/api/v1/timesheets`, { headers })),
  )
  expect(later.map(({ status }) => status)).toEqual(Array(8).fill(200))
  for (const response of later) await response.body?.cancel()
})
