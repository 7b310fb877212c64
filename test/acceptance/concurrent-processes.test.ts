import { expect, test } from 'vitest'
import { ConcurrentUser } from '../support/concurrent-processes.js'
import { checkIntegrity } from '../support/integrity.js'
import type { ServiceRow } from '../support/model.js'
import { tt } from '../support/process.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { createSampleRecords, readLocalRows, readServiceRows, startTeam } from '../support/team.js'
import { createTestCli } from '../support/test-cli.js'

const crowd = 16
const seconds = Number(process.env.TT_CONCURRENT_SECONDS ?? 30)

/** Has sixteen type at once on one profile, and answers all that is not as it should be. */
async function typeTogether(
  seed: string,
  home: string,
  env: Record<string, string>,
  rows: () => Promise<ServiceRow[]>,
) {
  const people = Array.from(
    { length: crowd },
    (_, number) => new ConcurrentUser(number, new SeededRandom(`${seed} ${number}`), home, env),
  )
  const deadlineMs = performance.now() + seconds * 1000
  await Promise.all(people.map((person) => person.runUntil(deadlineMs)))
  const synced = await tt(home, ['sync'], env)
  const all = await rows()
  const { findings } = await checkIntegrity(home)
  const commands = people.reduce((sum, person) => sum + person.commandCount, 0)
  process.stdout.write(`${commands} commands, ${all.length} entries\n`)
  expect({ seed, wrong: people.flatMap(({ errors }) => errors) }).toEqual({ seed, wrong: [] })
  expect({ seed, status: synced.status, findings }).toEqual({ seed, status: 0, findings: [] })
  expect({ seed, differences: people.flatMap((person) => person.findDifferences(all)) }).toEqual({
    seed,
    differences: [],
  })
  expect(all).toHaveLength(people.reduce((sum, { createdCount }) => sum + createdCount, 0))
  expect(all.filter((row) => row.time_end === null).length, seed).toBeLessThanOrEqual(1)
  expect(commands).toBeGreaterThan(crowd)
}

test(`${crowd} processes at once lose and double nothing in ${seconds} s, in the local workspace`, async () => {
  const cli = createTestCli()
  await createSampleRecords(cli)
  await typeTogether(
    chooseSeed('crowd, in the local workspace'),
    cli.home,
    {},
    async () => (await readLocalRows(cli)).entry,
  )
})

test(`${crowd} processes at once lose and double nothing in ${seconds} s, with a service`, async () => {
  const { serveProcess, tokens } = await startTeam(1)
  const [token = ''] = tokens
  const cli = createTestCli(new Date().toISOString())
  const env = { TT_BASE_URL: serveProcess.url, TT_TOKEN: token }
  Object.assign(cli.env, env)
  for (const words of ['links', 'log', 'status']) await cli.json(words)
  const rows = async () => (await readServiceRows(serveProcess.url, token)).entry
  await typeTogether(chooseSeed('crowd, with a service'), cli.home, env, rows)
})
