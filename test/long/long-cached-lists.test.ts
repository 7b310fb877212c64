import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Cache } from '../../src/cache/cache.js'
import { openClientState } from '../../src/cache/client-state.js'
import { bin, cleanEnvironment, run, temporaryDirectory } from '../support/process.js'

const entries = 200_000
const start = Date.parse('2014-01-01T00:00:00Z')
const intervalMs = 1_200_000

/** Makes the result independent of when a busy machine collects garbage: more data than this ends the program. */
const heapLimit = '--max-old-space-size=100'

const printPeakMemory =
  "data:text/javascript,process.on('exit',()=>process.stderr.write('peak '+process.resourceUsage().maxRSS))"

/** Returns a function that runs `tt` with a service that cannot be reached, and prints its peak memory to stderr. */
function createOfflineTt(home: string) {
  const env = { TT_HOME: home, TT_BASE_URL: 'http://127.0.0.1:1/api/v1', TT_TOKEN: 'token' }
  return (...argv: string[]) =>
    run(process.execPath, [heapLimit, '--import', printPeakMemory, bin, ...argv], {
      env: cleanEnvironment(env),
    })
}

async function fillCache(home: string) {
  const [directory = ''] = readdirSync(join(home, 'profiles'))
  const path = join(home, 'profiles', directory, 'state.db')
  const state = await openClientState(path, { durability: 'normal' })
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
    const { status, stdout, stderr } = await tt(...argv)
    expect(status).toBe(0)
    const lines = stdout
      .trimEnd()
      .split('\n')
      .slice(argv[0] === 'export' ? 1 : 0)
    expect(lines).toHaveLength(entries + 1)
    expect(lines[11]).toContain('typed offline')
    const [, peakKilobytes] = /peak (\d+)/.exec(stderr) ?? []
    expect(Number(peakKilobytes)).toBeLessThan(400_000)
  }
})
