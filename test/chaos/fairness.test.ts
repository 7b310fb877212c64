import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as administration from '../../src/service/admin/administration.js'
import { startProcess, startServeProcess, temporaryDirectory, tt } from '../support/process.js'
import {
  addUser,
  createLocation,
  fill,
  openCompany,
  percentile,
  places,
  printFigure,
  rounds,
  timeRequests,
} from './fixtures.js'

const maxRatio = 5

test.each(places)('a user waits little while another one reads 200,000 entries from %s', async (place) => {
  const { location, reader, other } = await createEntries(place, { reader: 200_000, other: 200 })
  const { url } = await startServeProcess(
    temporaryDirectory(),
    ...['--database', location, '--list-limit', '1000000', '--quiet'],
  )

  const request = async () => {
    const response = await fetch(`${url}/timesheets?per_page=20`, { headers: other.headers })
    expect([response.status, ((await response.json()) as unknown[]).length]).toEqual([200, 20])
  }
  await timeRequests(request, (count) => count >= 500)
  const ratios: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const alone = await timeRequests(request, (count) => count >= 1000)
    let isReading = true
    const reading = fetch(`${url}/timesheets`, { headers: reader.headers })
      .then((response) => response.text())
      .finally(() => {
        isReading = false
      })
    const beside = await timeRequests(request, (count) => !isReading && count > 0)
    expect(JSON.parse(await reading)).toHaveLength(200_000)
    const [before, during] = [percentile(alone, 0.99), percentile(beside, 0.99)]
    ratios.push(during / before)
    printFigure(
      `${place}, round ${round}: p99 ${before.toFixed(1)} ms alone, ${during.toFixed(1)} ms beside the reader (${beside.length} requests, longest ${Math.max(...beside).toFixed(1)} ms): ${(during / before).toFixed(2)} times`,
    )
  }
  // Other programs on the machine disturb single rounds.
  expect(Math.min(...ratios)).toBeLessThanOrEqual(maxRatio)
})

const maxWaitMs = 1500

test.each(places)('a user waits little while another one requests 400 long lists of %s', async (place) => {
  const { location, reader, other } = await createEntries(place, { reader: 100_000 })
  const { url } = await startServeProcess(temporaryDirectory(), '--database', location, '--quiet')

  // Another process, so that reading the lists does not delay the other user's requests on the side of the client.
  const { authorization } = reader.headers
  const { exit: reading } = startProcess(process.execPath, [
    ...[join(import.meta.dirname, 'list-load.mjs'), `${url}/timesheets`, authorization, '400'],
  ])
  let isReading = true
  const ended = reading.finally(() => {
    isReading = false
  })
  const waits = await timeRequests(
    async () => {
      const response = await fetch(`${url}/timesheets?per_page=20`, { headers: other.headers })
      expect([response.status, await response.json()]).toEqual([200, []])
    },
    () => !isReading,
  )
  const statuses = JSON.parse((await ended).stdout) as Record<string, number>
  printFigure(
    `${place}: ${waits.length} requests beside 400 long lists: p99 ${percentile(waits, 0.99).toFixed(0)} ms, longest ${Math.max(...waits).toFixed(0)} ms; lists ${JSON.stringify(statuses)}`,
  )
  expect(Math.max(...waits)).toBeLessThan(maxWaitMs)
  expect(Object.keys(statuses).sort()).toEqual(['200', '429'])
  expect(statuses[200]).toBeGreaterThanOrEqual(8)
})

test.each(places)('eight commands of a user at once are never too many requests for %s', async (place) => {
  const { location, reader } = await createEntries(place, { reader: 20_000 })
  const { url, exit, child } = await startServeProcess(
    temporaryDirectory(),
    ...['--database', location, '--log-format', 'json'],
  )
  const env = { TT_BASE_URL: url, TT_TOKEN: reader.headers.authorization.replace('Bearer ', '') }
  const since = ['--since', '2020-01-01']
  const commands = [['log', ...since, '--json'], ['report', ...since], ['tasks'], ['export', '--json']]
  const results = await Promise.all(
    [...commands, ...commands].map((argv) => tt(temporaryDirectory(), argv, env)),
  )
  expect(results.map(({ status, stderr }) => [status, stderr])).toEqual(Array(8).fill([0, '']))
  child.kill()
  const { stderr } = await exit
  const counts: Record<string, number> = {}
  for (const [, status] of stderr.matchAll(/"status":(\d+)/g))
    counts[status ?? ''] = (counts[status ?? ''] ?? 0) + 1
  printFigure(`${place}: responses to eight commands ${JSON.stringify(counts)}`)
  expect(Object.keys(counts)).toEqual(['200'])
})

/** Creates a database with two users, who have these numbers of entries of half a minute, one a minute from 2020-09 on. */
async function createEntries(place: string, counts: { reader: number; other?: number }) {
  const location = await createLocation(place)
  const storage = await openCompany(location)
  const reader = await addUser(storage, 'reader@example.com')
  const other = await addUser(storage, 'other@example.com')
  const link = await administration.addLink(storage, { project: 'Website', task: 'Design' })
  const times = { time_start: '1600000000000 + n * 60000', time_end: '1600000000000 + n * 60000 + 30000' }
  const entry = { task_link_id: String(link.id), created_at: '0', updated_at: '0', notes: "'note ' || n" }
  await fill(storage, 'time_entries', counts.reader, { ...entry, ...times, user_id: String(reader.id) })
  if (counts.other)
    await fill(storage, 'time_entries', counts.other, { ...entry, ...times, user_id: String(other.id) })
  await storage.close()
  return { location, reader, other }
}
