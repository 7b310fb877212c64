import { expect, test } from 'vitest'
import { insertInto, sql } from '../../src/service/storage/sql.js'
import type { Storage } from '../../src/service/storage/storage.js'
import { findFreePort } from '../support/postgres.js'
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
  timeRequests,
} from './fixtures.js'

const seed = Number(chooseSeed('clean-up'))

test.each(places)('no request waits for the clean-up of %s', async (place) => {
  const location = await createLocation(place)
  const storage = await openCompany(location)
  const { headers } = await addUser(storage, 'other@example.com')
  await addTokens(storage, 200_000)
  await storage.close()
  const metricsPort = String(await findFreePort())
  const options = ['--database', location, '--quiet', '--metrics-port', metricsPort]
  const { url } = await startServeProcess(temporaryDirectory(), ...options)
  const metric = async (name: string) => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    )
  }
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

/** Adds refresh tokens with access tokens, ten to a grant; the first half is expired, with half of the grants. */
async function addTokens(storage: Storage, count: number) {
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
  const hash = (offset: number) =>
    `substr(cast(${10 ** 12} + n as text), 2) || ((n + ${offset + seed}) * 2654435761 % 4294967296) || '${'-'.repeat(54)}'`
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
