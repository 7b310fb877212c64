import { expect, test } from 'vitest'
import { integrityOf } from '../support/integrity.js'
import { Condemned, type Rows } from '../support/killed-commands.js'
import { tt } from '../support/process.js'
import { proxyTo } from '../support/proxy.js'
import { Dice, theSeed } from '../support/seeded-random.js'
import { canInject } from '../support/strace.js'
import { furnish, linksOf, openTeam, rowsAt, rowsIn } from '../support/team.js'
import { type Desk, newDesk } from '../support/test-cli.js'

const mutations = Number(process.env.TT_DISK_MUTATIONS ?? 1000)
const desks = 2

function shownBy(desk: Desk): Rows {
  return async () => {
    desk.at(new Date().toISOString())
    return { entry: await desk.json('log', '--since', '-30d'), expense: [] }
  }
}

/** Runs the commands; compares before there are too many possible states. */
async function failMany(user: Condemned, rows: Rows, options: { remote: boolean }) {
  for (let count = 0; count < mutations / desks && user.wrong.length === 0; count++) {
    await user.liveWithDiskFault(options)
    if (user.ledger.doubts > 4) await user.compare('shown', rows)
  }
}

test.runIf(canInject)(
  `${mutations} changes on a failing disk are saved as each command says, with a service`,
  async () => {
    const seed = theSeed('disk, with a service')
    const team = await openTeam(desks)
    const users = await Promise.all(
      team.tokens.map(async (token, index) => {
        const proxy = await proxyTo(team.served.url)
        const desk = newDesk(new Date().toISOString())
        Object.assign(desk.env, { TT_BASE_URL: proxy.url, TT_TOKEN: token })
        for (const words of [['links'], ['log', '--since', '-30d'], ['status']]) await desk.json(...words)
        const user = new Condemned(desk, new Dice(`${seed} ${index}`), team.links.design)
        proxy.fate = user.fate
        return { token, desk, user }
      }),
    )
    await Promise.all(users.map(({ user, desk }) => failMany(user, shownBy(desk), { remote: true })))
    for (const { user, desk, token } of users) {
      user.recover()
      const { TT_HOME: home = '', ...env } = desk.env as Record<string, string>
      const { status, stderr } = await tt(home, ['sync'], env)
      expect({ seed, status, stderr: status === 0 ? '' : stderr }).toEqual({ seed, status: 0, stderr: '' })
      await user.compare('at the service', () => rowsAt(team.served.url, token))
      const { findings } = await integrityOf(desk.home)
      expect({ seed, wrong: user.wrong, findings }).toEqual({ seed, wrong: [], findings: [] })
      expect(user.diskFaults, seed).toBeGreaterThan(mutations / desks / 5)
    }
  },
)

test.runIf(canInject)(
  `${mutations} changes on a failing disk are saved as each command says, in the local workspace`,
  async () => {
    const seed = theSeed('disk, in the local workspace')
    await Promise.all(
      Array.from({ length: desks }, async (_, index) => {
        const desk = newDesk(new Date().toISOString())
        await furnish(desk)
        const { design } = await linksOf(desk)
        const user = new Condemned(desk, new Dice(`${seed} ${index}`), design)
        await failMany(user, shownBy(desk), { remote: false })
        const { status, stderr } = await tt(desk.home, ['sync'])
        expect({ seed, status, stderr: status === 0 ? '' : stderr }).toEqual({ seed, status: 0, stderr: '' })
        await user.compare('in the workspace', () => rowsIn(desk))
        const { findings } = await integrityOf(desk.home)
        expect({ seed, wrong: user.wrong, findings }).toEqual({ seed, wrong: [], findings: [] })
        expect(user.diskFaults, seed).toBeGreaterThan(mutations / desks / 5)
      }),
    )
  },
)
