import { expect, test } from 'vitest'
import { integrityOf } from '../support/integrity.js'
import { Condemned, type Rows } from '../support/killed-commands.js'
import { tt } from '../support/process.js'
import { proxyTo } from '../support/proxy.js'
import { Dice, theSeed } from '../support/seeded-random.js'
import { furnish, linksOf, openTeam, rowsAt, rowsIn } from '../support/team.js'
import { type Desk, newDesk } from '../support/test-cli.js'

const killsEach = Number(process.env.TT_KILLS ?? 240)
const desks = 2

/** Whatever is shown to somebody. */
function shownAt(desk: Desk): Rows {
  return async () => {
    desk.at(new Date().toISOString())
    return { entry: await desk.json('log', '--since', '-30d'), expense: [] }
  }
}

/** Kills until it is enough; what may have happened is compared with what is there before it gets confusing. */
async function killMany(person: Condemned, rows: Rows, options: { remote: boolean }) {
  while (person.kills < killsEach / desks && person.wrong.length === 0) {
    await person.live(options)
    if (person.ledger.doubts > 4) await person.compare('shown', rows)
  }
}

test(`what was typed is there once or not at all when tt is killed ${killsEach} times, with a service`, async () => {
  const seed = theSeed('killed, with a service')
  const team = await openTeam(desks)
  const proxy = await proxyTo(team.served.url)
  const people = await Promise.all(
    team.tokens.map(async (token, index) => {
      const desk = newDesk(new Date().toISOString())
      Object.assign(desk.env, { TT_BASE_URL: proxy.url, TT_TOKEN: token })
      for (const words of [['links'], ['log', '--since', '-30d'], ['status']]) await desk.json(...words)
      return { token, desk, person: new Condemned(desk, new Dice(`${seed} ${index}`), team.links.design) }
    }),
  )
  proxy.fate = (request, forward) => {
    const whose = people.find(({ token }) => request.headers.authorization === `Bearer ${token}`)
    return whose ? whose.person.fate(request, forward) : forward()
  }
  await Promise.all(
    people.map(async ({ person, desk }) => {
      await killMany(person, shownAt(desk), { remote: true })
    }),
  )
  for (const { person, desk, token } of people) {
    person.recover()
    const env = Object.fromEntries(Object.entries(desk.env).map(([name, value]) => [name, value ?? '']))
    const { status, stderr } = await tt(desk.home, ['sync'], env)
    expect({ seed, status, stderr: status === 0 ? '' : stderr }).toEqual({ seed, status: 0, stderr: '' })
    await person.compare('at the service', () => rowsAt(team.served.url, token))
    const { databases, findings } = await integrityOf(desk.home)
    expect({ seed, wrong: person.wrong, databases, findings }).toEqual({
      seed,
      wrong: [],
      databases: 1,
      findings: [],
    })
    expect(person.kills).toBeGreaterThanOrEqual(killsEach / desks)
    const ambushes = Math.min(person.ambushes.before, person.ambushes.after)
    expect(ambushes, seed).toBeGreaterThanOrEqual(Math.floor(killsEach / 80))
  }
  expect(await integrityOf(team.home)).toMatchObject({ findings: [] })
})

test(`what was typed is there once or not at all when tt is killed ${killsEach} times, in the local workspace`, async () => {
  const seed = theSeed('killed, in the local workspace')
  await Promise.all(
    Array.from({ length: desks }, async (_, index) => {
      const desk = newDesk(new Date().toISOString())
      await furnish(desk)
      const { design } = await linksOf(desk)
      const person = new Condemned(desk, new Dice(`${seed} ${index}`), design)
      await killMany(person, shownAt(desk), { remote: false })
      const { status, stderr } = await tt(desk.home, ['sync'])
      expect({ seed, status, stderr: status === 0 ? '' : stderr }).toEqual({ seed, status: 0, stderr: '' })
      await person.compare('in the workspace', () => rowsIn(desk))
      const { databases, findings } = await integrityOf(desk.home)
      expect({ seed, wrong: person.wrong, databases, findings }).toEqual({
        seed,
        wrong: [],
        databases: 2,
        findings: [],
      })
      expect(person.kills).toBeGreaterThanOrEqual(killsEach / desks)
    }),
  )
})
