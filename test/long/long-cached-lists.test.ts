import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Cache } from '../../src/outbox/cache/cache.js'
import { openClientState } from '../../src/outbox/cache/client-state.js'
import { bin, cleanEnvironment, peakHook, run, temporaryDirectory } from '../support/process.js'

const entries = 80_000
const start = Date.parse('2014-01-01T00:00:00Z')
const intervalMs = 1_200_000

/** Makes the result independent of when a busy machine collects garbage: more data than this ends the program. */
const heapLimit = '--max-old-space-size=40'

/** Returns a function that runs `tt` with a service that cannot be reached, and returns its peak memory in kilobytes, too. */
function createOfflineTt(home: string) {
  const peak = join(home, 'peak')
  const service = { TT_BASE_URL: 'http://127.0.0.1:1/api/v1', TT_TOKEN: 'token' }
  const env = cleanEnvironment({ TT_HOME: home, ...service, BENCH_PEAK: peak })
  return async (...argv: string[]) => {
    const result = await run(process.execPath, [heapLimit, '--require', peakHook, bin, ...argv], { env })
    return { ...result, peakKilobytes: Number(readFileSync(peak, 'utf8')) }
  }
}

async function fillCache(home: string) {
  const [directory = ''] = readdirSync(join(home, 'profiles'))
  const path = join(home, 'profiles', directory, 'state.db')
  const state = await openClientState(path)
  const list = new Cache(state.database).beginStreamedList('entry', {}, new Date())
  for (let from = 0; from < entries; from += 2000) {
    const records = Array.from({ length: 2000 }, (_, index) => {
      const time = start + (from + index) * intervalMs
      const [time_start, time_end] = [time, time + intervalMs / 2].map((ms) => new Date(ms).toISOString())
      return { id: from + index + 1, task_link_id: 1, time_start, time_end, notes: `note ${from + index}` }
    })
    list.store(records)
  }
  state.close()
}

test('the formats for programs write cached entries without the whole list in memory', {
  timeout: 300_000,
}, async () => {
  const home = temporaryDirectory()
  const tt = createOfflineTt(home)
  // A pending entry comes in the order of the starts, too.
  const time = new Date(start + 10 * intervalMs + 1000).toISOString()
  expect(await tt('add', '1', '--from', time, '--for', '1m', '-n', 'typed offline')).toMatchObject({
    status: 0,
  })
  await fillCache(home)
  for (const argv of [
    ['log', '--ndjson', '--since', '2013-01-01'],
    ['export', '--format', 'csv'],
  ]) {
    const { status, stdout, peakKilobytes } = await tt(...argv)
    expect(status).toBe(0)
    const lines = stdout
      .trimEnd()
      .split('\n')
      .slice(argv[0] === 'export' ? 1 : 0)
    expect(lines).toHaveLength(entries + 1)
    expect(lines[11]).toContain('typed offline')
    expect(peakKilobytes).toBeLessThan(180_000)
  }
})
