import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { batchSizes, deleteExpired } from '../../src/service/operation/clean-up.js'
import { insertInto, sql } from '../../src/service/storage/sql.js'
import type { Storage } from '../../src/service/storage/storage.js'
import { cpuMsWithChildren, statOf } from '../bench/throughput/processor-time.js'
import { findFreePort } from '../support/ports.js'
import { startServeProcess, temporaryDirectory } from '../support/process.js'
import { chooseSeed } from '../support/seeded-random.js'
import {
  addUser,
  createLocation,
  fill,
  openCompany,
  percentile,
  places,
  printFigure,
  readMetric,
  rounds,
  timeRequests,
} from './fixtures.js'

const [small, large] = [50_000, 600_000]
const seed = Number(chooseSeed('clean-up'))

/** Hashes of earlier releases begin with no time, so that those of tokens that expire together are not adjacent. */
type HashForm = 'with time' | 'without time'
const cases = (['with time', 'without time'] as const).flatMap((form) =>
  places.map((place) => [place, form] as const),
)

test.each(cases)(
  'the clean-up of %s takes time in proportion to the expired tokens, hashes %s',
  async (place, form) => {
    await measure(place, small, seed, form) // Lets the runtime compile the code.
    const ratios: Record<'processorMs' | 'elapsedMs', number[]> = { processorMs: [], elapsedMs: [] }
    for (let round = 1; round <= rounds; round++) {
      const times: Record<number, Awaited<ReturnType<typeof measure>>> = {}
      for (const count of round % 2 ? [small, large] : [large, small]) {
        const measured = await measure(place, count, seed + round, form)
        times[count] = measured
        const { processorMs, elapsedMs, batches, longestMs } = measured
        printFigure(
          `${place}, hashes ${form}, round ${round}: ${count} refresh tokens: ${elapsedMs} ms, processor time ${processorMs} ms, ${batches} batches, longest ${longestMs} ms`,
        )
      }
      for (const key of ['processorMs', 'elapsedMs'] as const)
        ratios[key].push((times[large]?.[key] ?? 0) / (times[small]?.[key] ?? 1))
    }
    const text = (values: number[]) => values.map((ratio) => ratio.toFixed(1)).join(', ')
    printFigure(
      `${place}, hashes ${form}: ${text(ratios.elapsedMs)} times for 12 times as many; processor time ${text(ratios.processorMs)} times`,
    )
  },
)

test.each(places)('no request waits for the clean-up of %s', async (place) => {
  const location = await createLocation(place)
  const storage = await openCompany(location)
  const { headers } = await addUser(storage, 'other@example.com')
  await addTokens(storage, 200_000, seed)
  await storage.close()
  const metricsPort = String(await findFreePort())
  const options = ['--database', location, '--quiet', '--metrics-port', metricsPort]
  const { url } = await startServeProcess(temporaryDirectory(), ...options)
  const metric = (name: string) => readMetric(metricsPort, name)
  const request = async () => {
    const response = await fetch(`${url}/timesheets?per_page=20`, { headers })
    expect([response.status, await response.json()]).toEqual([200, []])
  }

  /** Reading this metric starts a new measurement. */
  const lag = () => metric('nodejs_eventloop_lag_max_seconds')
  await lag()
  expect(await metric('tt_clean_up_runs_total{outcome="success"}')).toBe(0)
  let isCleaning = true
  const cleaning = (async () => {
    const lags: number[] = []
    for (; isCleaning; isCleaning = (await metric('tt_clean_up_deleted_total')) === 0) {
      await new Promise((resolve) => setTimeout(resolve, 500))
      lags.push(await lag())
    }
    return Math.max(...lags)
  })()
  const during = await timeRequests(request, () => !isCleaning)
  const lagDuring = await cleaning
  const after = await timeRequests(request, (count) => count >= during.length)
  const lagAfter = await lag()
  const figure = (durations: number[], lagSeconds: number) =>
    `p99 ${percentile(durations, 0.99).toFixed(1)} ms, longest ${Math.max(...durations).toFixed(1)} ms, event-loop lag up to ${(lagSeconds * 1000).toFixed(0)} ms`
  printFigure(
    `${place}: ${during.length} requests during the clean-up: ${figure(during, lagDuring)}; after it: ${figure(after, lagAfter)}`,
  )
  expect(during.length).toBeGreaterThan(10)
  expect(await metric('tt_clean_up_deleted_total')).toBe(110_000)
})

/** Measures a clean-up over this number of refresh tokens, without the pauses for requests; times in milliseconds. */
async function measure(place: string, count: number, hashSeed: number, form: HashForm) {
  const storage = await openCompany(await createLocation(place))
  onTestFinished(() => storage.close())
  await addTokens(storage, count, hashSeed, form)
  const { dialect } = storage
  const begunMs = performance.now()
  const [own, server] = [process.cpuUsage(), dialect === 'postgres' ? await serverTimeMs(storage) : 0]
  let [batches, longestMs, startMs] = [0, 0, performance.now()]
  const pause = async () => {
    batches++
    longestMs = Math.max(longestMs, Math.round(performance.now() - startMs))
    await nextTurn()
    startMs = performance.now()
  }
  const deleted = await deleteExpired(storage, Date.now(), { sizes: batchSizes[dialect], pause })
  const elapsedMs = Math.round(performance.now() - begunMs)
  const { user, system } = process.cpuUsage(own)
  const ofServer = dialect === 'postgres' ? (await serverTimeMs(storage)) - server : 0
  // Half of the tokens, and the grants that have no others.
  expect(deleted).toBe(count / 2 + count / 20)
  return { processorMs: Math.round((user + system) / 1000 + ofServer), elapsedMs, batches, longestMs }
}

/** Adds refresh tokens with access tokens, ten to a grant; the first half is expired, with half of the grants. */
async function addTokens(storage: Storage, count: number, hashSeed: number, form: HashForm = 'with time') {
  const { queries } = storage
  const { id: user } = await addUser(storage, 'ada@example.com')
  const application = { client_id: 'x', secret_hash: 'x', name: 'x', redirect_uris: 'x', created_at: 0 }
  const [added] = await queries.all<{ id: number }>(
    sql`${insertInto('applications', application)} returning id`,
  )
  const user_id = String(user)
  const owner = { application_id: String(added?.id), user_id }
  await fill(storage, 'grants', count / 10, { ...owner, scopes: "''", created_at: '0' })
  const half = count / 2
  // Multiplying by an odd number permutes the numbers, so that hashes are unique and in no order.
  const time = form === 'with time' ? `substr(cast(${10 ** 12} + n as text), 2) || ` : ''
  const hash = (offset: number) =>
    `${time}((n + ${offset + hashSeed}) * 2654435761 % 4294967296) || '${'-'.repeat(54)}'`
  await fill(storage, 'refresh_tokens', count, {
    grant_id: `1 + n % ${count / 20} + case when n <= ${half} then 0 else ${count / 20} end`,
    hash: hash(0),
    created_at: '0',
    expires_at: `case when n <= ${half} then n else 1000000000000000 end`,
  })
  const token = { user_id, scopes: "''", name: "'OAuth'", created_at: '0' }
  await fill(storage, 'tokens', count, { ...token, hash: hash(count), refresh_token_id: 'n' })
  if (storage.dialect === 'postgres') await queries.all(sql`vacuum analyze`)
}

/** Returns the processor time that all processes of the PostgreSQL server have used, in milliseconds. Linux only. */
async function serverTimeMs({ queries }: Storage): Promise<number> {
  const [backend] = await queries.all<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  const [, server] = statOf(String(backend?.pid))
  return cpuMsWithChildren(Number(server))
}
