import { expect, test } from 'vitest'
import * as administration from '../../src/service/admin/administration.js'
import { startServeProcess, temporaryDirectory } from '../support/process.js'
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
  const location = await createLocation(place)
  const storage = await openCompany(location)
  const reader = await addUser(storage, 'reader@example.com')
  const other = await addUser(storage, 'other@example.com')
  const link = await administration.addLink(storage, { project: 'Website', task: 'Design' })
  const entry = { task_link_id: String(link.id), created_at: '0', updated_at: '0', notes: "'note ' || n" }
  const times = { time_start: 'n * 60000', time_end: 'n * 60000 + 30000' }
  await fill(storage.db, 'time_entries', 200_000, { ...entry, ...times, user_id: String(reader.id) })
  await fill(storage.db, 'time_entries', 200, { ...entry, ...times, user_id: String(other.id) })
  await storage.close()
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
