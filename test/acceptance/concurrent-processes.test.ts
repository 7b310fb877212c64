import { expect, test } from 'vitest'
import { checkIntegrity } from '../support/integrity.js'
import type { ServiceRow } from '../support/model.js'
import { tt } from '../support/process.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { createSampleRecords, readLocalRows, readServiceRows, startTeam } from '../support/team.js'
import { createTestCli } from '../support/test-cli.js'
import { ConcurrentUser } from './concurrent-processes.js'

const processCount = 16
const seconds = Number(process.env.TT_CONCURRENT_SECONDS ?? 30)

/** Runs commands in all processes on the same profile, and compares the records afterwards. */
async function runConcurrently(
  seed: string,
  home: string,
  env: Record<string, string>,
  rows: () => Promise<ServiceRow[]>,
) {
  const users = Array.from(
    { length: processCount },
    (_, number) => new ConcurrentUser(number, new SeededRandom(`${seed} ${number}`), home, env),
  )
  const deadlineMs = performance.now() + seconds * 1000
  await Promise.all(users.map((user) => user.runUntil(deadlineMs)))
  const synced = await tt(home, ['sync'], env)
  const all = await rows()
  const { findings } = await checkIntegrity(home)
  const commands = users.reduce((sum, user) => sum + user.commandCount, 0)
  process.stdout.write(`${commands} commands, ${all.length} entries\n`)
  expect({ seed, errors: users.flatMap(({ errors }) => errors) }).toEqual({ seed, errors: [] })
  expect({ seed, status: synced.status, findings }).toEqual({ seed, status: 0, findings: [] })
  expect({ seed, differences: users.flatMap((user) => user.findDifferences(all)) }).toEqual({
    seed,
    differences: [],
  })
  expect(all).toHaveLength(users.reduce((sum, { createdCount }) => sum + createdCount, 0))
  expect(all.filter((row) => row.time_end === null).length, seed).toBeLessThanOrEqual(1)
}

test(`${processCount} concurrent processes lose and duplicate no entry in ${seconds} s, in the local workspace`, async () => {
  const cli = createTestCli()
  await createSampleRecords(cli)
  await runConcurrently(
    chooseSeed('concurrent, in the local workspace'),
    cli.home,
    {},
    async () => (await readLocalRows(cli)).entry,
  )
})

test(`${processCount} concurrent processes lose and duplicate no entry in ${seconds} s, with a service`, async () => {
  const { serveProcess, tokens } = await startTeam(1)
  const [token = ''] = tokens
  const cli = createTestCli(new Date().toISOString())
  const env = { TT_BASE_URL: serveProcess.url, TT_TOKEN: token }
  Object.assign(cli.env, env)
  for (const words of ['tasks', 'log', 'status']) await cli.json(words)
  const rows = async () => (await readServiceRows(serveProcess.url, token)).entry
  await runConcurrently(chooseSeed('concurrent, with a service'), cli.home, env, rows)
})
