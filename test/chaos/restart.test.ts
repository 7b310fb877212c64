import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startPostgresServer } from '../support/postgres.js'
import { temporaryDirectory, ttJson } from '../support/process.js'
import { percentile, printFigure, rounds } from './fixtures.js'
import { createPooledDatabase, missingPrograms, skipReason, startNodes } from './shipped-files.js'

const maxOutageMs = 2000

interface Observed {
  atMs: number
  status: number | string
  retryAfter: string | null
  /** Whether a server has responded, not the proxy. */
  isOfService: boolean
}

test.skipIf(missingPrograms.length > 0)(
  `the service responds again within ${maxOutageMs} ms of a restart of PostgreSQL, behind HAProxy and PgBouncer as in docs/hosting${skipReason}`,
  async () => {
    const server = await startPostgresServer()
    const database = await createPooledDatabase(server)
    const { token } = await ttJson<{ token: string }>(
      temporaryDirectory(),
      ...['admin', 'user', 'add', 'ada@example.com', '--database', database],
    )
    const { origin, send, nodes } = await startNodes(database, 3)
    const headers = { authorization: `Bearer ${token}` }
    const observed: Observed[] = []
    let isRunning = true

    async function request() {
      const { status, headers: received } = await send(`${origin}/api/v1/timesheets?per_page=1`, {
        headers,
      }).then(
        async (response) => {
          await response.arrayBuffer()
          return response
        },
        (error: Error) => ({ status: error.message, headers: new Headers() }),
      )
      observed.push({
        ...{ atMs: performance.now(), status, retryAfter: received.get('retry-after') },
        isOfService: received.has('idempotency-key-supported'),
      })
    }
    const requests: Promise<void>[] = []
    const sending = (async () => {
      for (; isRunning; await sleep(50)) requests.push(request())
    })()

    const outages: number[] = []
    for (let round = 1; round <= rounds; round++) {
      // Long enough for health checks to notice that the database is away, and that it is back.
      await sleep(6000)
      const stoppedMs = performance.now()
      await server.kill()
      await sleep(5000)
      await server.start()
      const startedMs = performance.now()
      const firstSuccess = () => observed.find(({ atMs, status }) => atMs > startedMs && status === 200)
      await expect.poll(firstSuccess, { interval: 10, timeout: 30_000 }).toBeDefined()
      outages.push((firstSuccess()?.atMs ?? Number.POSITIVE_INFINITY) - startedMs)
      const counts: Record<string, number> = {}
      for (const { atMs, status } of observed)
        if (atMs > stoppedMs) counts[status] = (counts[status] ?? 0) + 1
      printFigure(
        `round ${round}: first 200 after ${outages.at(-1)?.toFixed(0)} ms; responses ${JSON.stringify(counts)}`,
      )
    }
    isRunning = false
    await sending
    await Promise.all(requests)

    expect(percentile(outages, 0.5)).toBeLessThan(maxOutageMs)
    // Every other response is that of the service, with the time after which to repeat the request.
    const failed = observed.filter(({ status }) => status !== 200)
    const unexpected = failed.filter(
      ({ status, retryAfter, isOfService }) => status !== 503 || retryAfter === null || !isOfService,
    )
    expect(unexpected).toEqual([])
    expect(failed.length).toBeGreaterThan(0)

    for (const { child } of nodes) child.kill()
    await Promise.all(nodes.map(({ exit }) => exit))
    const response = await send(`${origin}/api/v1/companies`, { headers })
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
    expect(await response.json()).toMatchObject({ error: 'unavailable', errors: {} })
  },
)
