import { expect, test } from 'vitest'
import { Neighbour } from '../support/concurrent-processes.js'
import { integrityOf } from '../support/integrity.js'
import type { ServiceRow } from '../support/model.js'
import { tt } from '../support/process.js'
import { Dice, theSeed } from '../support/seeded-random.js'
import { furnish, openTeam, rowsAt, rowsIn } from '../support/team.js'
import { newDesk } from '../support/test-cli.js'

const crowd = 16
const seconds = Number(process.env.TT_CROWD_SECONDS ?? 30)

/** Has sixteen type at once on one profile, and answers all that is not as it should be. */
async function typeTogether(
  seed: string,
  home: string,
  env: Record<string, string>,
  rows: () => Promise<ServiceRow[]>,
) {
  const people = Array.from(
    { length: crowd },
    (_, number) => new Neighbour(number, new Dice(`${seed} ${number}`), home, env),
  )
  const deadlineMs = performance.now() + seconds * 1000
  await Promise.all(people.map((person) => person.typeUntil(deadlineMs)))
  const synced = await tt(home, ['sync'], env)
  const all = await rows()
  const { findings } = await integrityOf(home)
  const commands = people.reduce((sum, person) => sum + person.commands, 0)
  process.stdout.write(`${commands} commands, ${all.length} entries\n`)
  expect({ seed, wrong: people.flatMap(({ wrong }) => wrong) }).toEqual({ seed, wrong: [] })
  expect({ seed, status: synced.status, findings }).toEqual({ seed, status: 0, findings: [] })
  expect({ seed, differences: people.flatMap((person) => person.differencesTo(all)) }).toEqual({
    seed,
    differences: [],
  })
  expect(all).toHaveLength(people.reduce((sum, { created }) => sum + created, 0))
  expect(all.filter((row) => row.time_end === null).length, seed).toBeLessThanOrEqual(1)
  expect(commands).toBeGreaterThan(crowd)
}

test(`${crowd} processes at once lose and double nothing in ${seconds} s, in the local workspace`, async () => {
  const desk = newDesk()
  await furnish(desk)
  await typeTogether(
    theSeed('crowd, in the local workspace'),
    desk.home,
    {},
    async () => (await rowsIn(desk)).entry,
  )
})

test(`${crowd} processes at once lose and double nothing in ${seconds} s, with a service`, async () => {
  const { served, tokens } = await openTeam(1)
  const [token = ''] = tokens
  const desk = newDesk(new Date().toISOString())
  const env = { TT_BASE_URL: served.url, TT_TOKEN: token }
  Object.assign(desk.env, env)
  for (const words of ['links', 'log', 'status']) await desk.json(words)
  const rows = async () => (await rowsAt(served.url, token)).entry
  await typeTogether(theSeed('crowd, with a service'), desk.home, env, rows)
})
