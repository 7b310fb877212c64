import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Id } from '../../src/api-client/types.js'
import * as administration from '../../src/service/admin/administration.js'
import { findFreePort } from '../support/ports.js'
import { startServe, temporaryDirectory } from '../support/process.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { addUser, createLocation, openCompany, places, printFigure, readMetric } from './fixtures.js'

/** The requests to each database. */
const total = Number(process.env.TT_REQUESTS ?? 100_000)
const clients = 8
/**
 * Upper bound for the growth after the second fifth. Compiled code still grows then, by some 10 %; a leak of 40 bytes per
 * request would exceed it.
 */
const maxGrowth = total < 50_000 ? 1.5 : 1.2

interface Sent {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
  /** When the client disconnects, in milliseconds. */
  abortMs?: number
}

test.each(places)(`the memory of a server of %s is flat over ${total} requests`, async (place) => {
  const random = new SeededRandom(chooseSeed(`memory, ${place}`))
  const location = await createLocation(place)
  const storage = await openCompany(location)
  const users = await Promise.all(['ada', 'ben'].map((name) => addUser(storage, `${name}@example.com`)))
  const link = await administration.addLink(storage, { project: 'Website', task: 'Design' })
  await storage.close()
  const directory = temporaryDirectory()
  const metricsPort = String(await findFreePort())
  const { url, child } = await startServe(
    ['--database', location, '--log-level', 'error', '--metrics-port', metricsPort],
    {
      TT_HOME: directory,
      NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${directory}`,
    },
  )
  const statuses: Record<string, number> = {}
  let count = 0

  async function send({ path, headers, abortMs, ...init }: Sent): Promise<string> {
    count++
    try {
      const response = await fetch(new URL(path, url), {
        ...{ ...init, headers: { ...random.pick(users).headers, ...headers } },
        ...(abortMs === undefined ? {} : { signal: AbortSignal.timeout(abortMs) }),
      })
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      expect(response.status).toBeLessThan(500)
      return await response.text()
    } catch (error) {
      if (abortMs === undefined) throw error
      statuses.disconnected = (statuses.disconnected ?? 0) + 1
      return ''
    }
  }

  async function run(until: number) {
    while (count < until) await mixedRequest(random, link.id, send)
  }

  /** A heap snapshot collects all garbage first, so that what is measured after it is in use. */
  async function measureMemory() {
    const snapshots = () => readdirSync(directory).filter((file) => file.endsWith('.heapsnapshot')).length
    const before = snapshots()
    child.kill('SIGUSR2')
    await expect.poll(snapshots, { timeout: 60_000 }).toBe(before + 1)
    const heapBytes = await readMetric(metricsPort, 'nodejs_heap_size_used_bytes')
    return { heapMb: heapBytes / 2 ** 20, residentMb: residentMb(child.pid) }
  }

  const samples: Awaited<ReturnType<typeof measureMemory>>[] = []
  for (let part = 1; part <= 5; part++) {
    await Promise.all(Array.from({ length: clients }, () => run((total * part) / 5)))
    const sample = await measureMemory()
    samples.push(sample)
    printFigure(
      `${place}: ${count} requests: ${sample.residentMb.toFixed(1)} MB resident, ${sample.heapMb.toFixed(1)} MB heap`,
    )
  }
  printFigure(`${place}: responses ${JSON.stringify(statuses)}`)
  const [, second, ...later] = samples
  if (!second) throw new Error('Nothing was measured.')
  expect(Math.max(...later.map(({ heapMb }) => heapMb)) / second.heapMb).toBeLessThan(maxGrowth)
  expect(Math.max(...later.map(({ residentMb }) => residentMb)) / second.residentMb).toBeLessThan(maxGrowth)
})

/** Sends a random request, or several for one entry. Each kind has values that a server could wrongly retain. */
function mixedRequest(random: SeededRandom, link: Id, send: (sent: Sent) => Promise<string>) {
  const text = () => random.next().toString(36).slice(2)
  const timesheets = '/api/v1/timesheets'
  const json = { 'content-type': 'application/json' }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const references = ['projects', 'task_links', 'assignments', 'companies', 'clients']
  const conditions = ['notes_cont', 'notes_gteq', 'external_id_eq', 'external_id_cont', 'external_id_gteq']

  const kinds = {
    list: () => send({ path: `${timesheets}?per_page=${random.between(1, 100)}` }),
    async filter() {
      const chosen = ['notes_eq', ...conditions.slice(random.between(0, conditions.length))]
      const filters = chosen.map((condition) => `q[${condition}]=${text()}`)
      expect(await send({ path: `${timesheets}?${filters.join('&')}` })).toBe('[]')
    },
    reference: () => send({ path: `/api/v1/${random.pick(references)}` }),
    async entry() {
      const created = await send({
        ...{ method: 'POST', path: timesheets, headers: { ...json, 'idempotency-key': text() } },
        body: JSON.stringify({ task_link_id: link, time_start: '2024-05-01T09:00:00Z', notes: text() }),
      })
      const path = `${timesheets}/${(JSON.parse(created) as { id: Id }).id}`
      await send({ method: 'PATCH', path, headers: json, body: '{"time_end":"2024-05-01T10:00:00Z"}' })
      return send({ method: 'DELETE', path })
    },
    unknownPath: () => send({ path: `/${text()}/${text()}`, method: random.pick(['GET', 'PUT']) }),
    unknownToken: () => send({ path: timesheets, headers: { authorization: `Bearer ${text()}` } }),
    authorize: () => send({ path: `/oauth/authorize?client_id=${text()}&state=${text()}` }),
    refresh() {
      const body = `grant_type=refresh_token&refresh_token=${text()}&client_id=${text()}&client_secret=x`
      return send({ method: 'POST', path: '/oauth/token', headers: form, body })
    },
    signIn() {
      const body = `email=${text()}@example.com&password=${text()}`
      return send({ method: 'POST', path: '/api/v1/authenticate', headers: form, body })
    },
    operation: () => send({ path: random.pick(['/healthz', '/readyz', '/']) }),
    headers: () =>
      send({ path: '/api/v1/companies', headers: { 'x-request-id': text(), [`x-${text()}`]: text() } }),
    disconnect: () =>
      send({ path: `${timesheets}?per_page=${random.between(1, 100)}`, abortMs: random.between(0, 3) }),
  }
  // An attempt to sign in costs as much as hundreds of other requests.
  const weights = { list: 30, filter: 10, reference: 10, entry: 4, unknownPath: 8, unknownToken: 8 }
  const others = { authorize: 4, refresh: 4, signIn: 0.1, operation: 4, headers: 6, disconnect: 4 }
  return kinds[random.weighted({ ...weights, ...others })]()
}

/** Returns the resident memory of a process (proc(5)). */
function residentMb(pid: number | undefined): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}
