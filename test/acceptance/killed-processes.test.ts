import { expect, test } from 'vitest'
import { checkIntegrity } from '../support/integrity.js'
import { InterruptedUser, type ReadRows } from '../support/killed-commands.js'
import { tt } from '../support/process.js'
import { startProxy } from '../support/proxy.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import {
  createSampleRecords,
  readLocalRows,
  readServiceRows,
  readTaskLinks,
  startTeam,
} from '../support/team.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

const killsEach = Number(process.env.TT_KILLS ?? 240)
const userCount = 2
/** Ten minutes for the usual number; a kill takes two seconds on a busy machine. */
const timeout = Math.max(600_000, killsEach * 3000)

/** Reads the entries that `tt log` prints. */
function readOutput(cli: TestCli): ReadRows {
  return async () => {
    cli.setTime(new Date().toISOString())
    return { entry: await cli.json('log', '--since', '-30d'), expense: [] }
  }
}

const noFlaws = { wrong: [], databases: 1, findings: [] }

/** The fewest kills before and after the service executed a request, of each user. */
const killsAtRequest = Math.max(1, Math.floor(killsEach / 80))

/** Runs and kills commands; compares the records before there are too many possible states. */
async function killMany(user: InterruptedUser, rows: ReadRows, options: { hasService: boolean }) {
  const isFinished = () =>
    user.killCount >= killsEach / userCount &&
    (!options.hasService || Math.min(...Object.values(user.killsAtRequest)) >= killsAtRequest)
  while (!isFinished() && user.errors.length === 0) {
    await user.runAndKill(options)
    if (user.models.count > 4) await user.compare('shown', rows)
  }
}

test(`a change exists once or not at all after ${killsEach} kills of tt, with a service`, {
  timeout,
}, async () => {
  const seed = chooseSeed('killed, with a service')
  const team = await startTeam(userCount)
  const proxy = await startProxy(team.serveProcess.url)
  const users = await Promise.all(
    team.tokens.map(async (token, index) => {
      const cli = createTestCli(new Date().toISOString())
      Object.assign(cli.env, { TT_BASE_URL: proxy.url, TT_TOKEN: token })
      for (const words of [['tasks'], ['log', '--since', '-30d'], ['status']]) await cli.json(...words)
      return {
        token,
        cli,
        user: new InterruptedUser(cli, new SeededRandom(`${seed} ${index}`), team.links.design),
      }
    }),
  )
  proxy.fault = (request, forward) => {
    const whose = users.find(({ token }) => request.headers.authorization === `Bearer ${token}`)
    return whose ? whose.user.fault(request, forward) : forward()
  }
  await Promise.all(users.map(({ user, cli }) => killMany(user, readOutput(cli), { hasService: true })))
  for (const { user, cli, token } of users) {
    user.restoreService()
    const env = Object.fromEntries(Object.entries(cli.env).map(([name, value]) => [name, value ?? '']))
    const { status, stderr } = await tt(cli.home, ['sync'], env)
    expect({ seed, status, stderr: status === 0 ? '' : stderr }).toEqual({ seed, status: 0, stderr: '' })
    await user.compare('at the service', () => readServiceRows(team.serveProcess.url, token))
    expect({ seed, wrong: user.errors, ...(await checkIntegrity(cli.home)) }).toEqual({ seed, ...noFlaws })
  }
  expect(await checkIntegrity(team.home)).toMatchObject({ findings: [] })
})

test(`a change exists once or not at all after ${killsEach} kills of tt, in the local workspace`, {
  timeout,
}, async () => {
  const seed = chooseSeed('killed, in the local workspace')
  await Promise.all(
    Array.from({ length: userCount }, async (_, index) => {
      const cli = createTestCli(new Date().toISOString())
      await createSampleRecords(cli)
      const { design } = await readTaskLinks(cli)
      const user = new InterruptedUser(cli, new SeededRandom(`${seed} ${index}`), design)
      await killMany(user, readOutput(cli), { hasService: false })
      const { status, stderr } = await tt(cli.home, ['sync'])
      expect({ seed, status, stderr: status === 0 ? '' : stderr }).toEqual({ seed, status: 0, stderr: '' })
      await user.compare('in the workspace', () => readLocalRows(cli))
      expect({ seed, wrong: user.errors, ...(await checkIntegrity(cli.home)) }).toEqual({ seed, ...noFlaws })
    }),
  )
})
