import { expect, test } from 'vitest'
import { checkIntegrity } from '../support/integrity.js'
import { InterruptedUser, type ReadRows } from '../support/killed-commands.js'
import { tt } from '../support/process.js'
import { startProxy } from '../support/proxy.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { canInjectFaults } from '../support/strace.js'
import {
  createSampleRecords,
  readLocalRows,
  readServiceRows,
  readTaskLinks,
  startTeam,
} from '../support/team.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

const changeCount = Number(process.env.TT_DISK_CHANGES ?? 1000)
const userCount = 2

function readOutput(cli: TestCli): ReadRows {
  return async () => {
    cli.setTime(new Date().toISOString())
    return { entry: await cli.json('log', '--since', '-30d'), expense: [] }
  }
}

/** Runs commands; compares the records before there are too many possible states. */
async function runCommands(user: InterruptedUser, rows: ReadRows, options: { hasService: boolean }) {
  for (let count = 0; count < changeCount / userCount && user.errors.length === 0; count++) {
    await user.runWithDiskFault(options)
    if (user.models.count > 4) await user.compare('shown', rows)
  }
}

/** Delivers what is pending, and checks the records, the database, and that enough faults have occurred. */
async function checkResult(
  seed: string,
  { user, cli }: { user: InterruptedUser; cli: TestCli },
  ...compared: Parameters<InterruptedUser['compare']>
) {
  const { TT_HOME: home = '', ...env } = cli.env as Record<string, string>
  const { status, stderr } = await tt(home, ['sync'], env)
  expect({ seed, status, stderr: status === 0 ? '' : stderr }).toEqual({ seed, status: 0, stderr: '' })
  await user.compare(...compared)
  const { findings } = await checkIntegrity(cli.home)
  expect({ seed, wrong: user.errors, findings }).toEqual({ seed, wrong: [], findings: [] })
  expect(user.diskFaultCount, seed).toBeGreaterThan(changeCount / userCount / 5)
}

test.runIf(canInjectFaults)(
  `each of ${changeCount} commands reports correctly whether its change is saved on a failing disk, with a service`,
  async () => {
    const seed = chooseSeed('disk, with a service')
    const team = await startTeam(userCount)
    const users = await Promise.all(
      team.tokens.map(async (token, index) => {
        const proxy = await startProxy(team.serveProcess.url)
        const cli = createTestCli(new Date().toISOString())
        Object.assign(cli.env, { TT_BASE_URL: proxy.url, TT_TOKEN: token })
        for (const argv of [['tasks'], ['log', '--since', '-30d'], ['status']]) await cli.json(...argv)
        const user = new InterruptedUser(cli, new SeededRandom(`${seed} ${index}`), team.links.design)
        proxy.fault = user.fault
        return { token, cli, user }
      }),
    )
    await Promise.all(users.map(({ user, cli }) => runCommands(user, readOutput(cli), { hasService: true })))
    for (const { user, cli, token } of users) {
      user.restoreService()
      const rows = () => readServiceRows(team.serveProcess.url, token)
      await checkResult(seed, { user, cli }, 'at the service', rows)
    }
  },
)

test.runIf(canInjectFaults)(
  `each of ${changeCount} commands reports correctly whether its change is saved on a failing disk, in the local workspace`,
  async () => {
    const seed = chooseSeed('disk, in the local workspace')
    await Promise.all(
      Array.from({ length: userCount }, async (_, index) => {
        const cli = createTestCli(new Date().toISOString())
        await createSampleRecords(cli)
        const { design } = await readTaskLinks(cli)
        const user = new InterruptedUser(cli, new SeededRandom(`${seed} ${index}`), design)
        await runCommands(user, readOutput(cli), { hasService: false })
        await checkResult(seed, { user, cli }, 'in the workspace', () => readLocalRows(cli))
      }),
    )
  },
)
