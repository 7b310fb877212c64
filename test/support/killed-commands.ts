import { expect } from 'vitest'
import { isJson } from '../../src/api-client/http/status-errors.js'
import { checkIntegrity } from './integrity.js'
import { type ExpectedRecord, type Model, PossibleModels, type ServiceRow } from './model.js'
import { createRecord, findRunning, startTimer, stopTimer } from './model-changes.js'
import { bin, cleanEnvironment, type ProcessResult, startProcess, tt } from './process.js'
import { type Fault, startProxy } from './proxy.js'
import { chooseSeed, SeededRandom } from './seeded-random.js'
import { type DiskFault, runWithDiskFault } from './strace.js'
import { createSampleRecords, readLocalRows, readServiceRows, readTaskLinks, startTeam } from './team.js'
import { createTestCli, type TestCli } from './test-cli.js'

const commandWeights = { start: 30, stop: 20, add: 35, sync: 15 }
type CommandName = keyof typeof commandWeights
const minuteMs = 60_000

/** Reads all records of a user. */
export type ReadRows = () => Promise<{ entry: ServiceRow[]; expense: ServiceRow[] }>

/** Kills a process at one of its next requests, before or after the service executes it. */
interface ScheduledKill {
  where: 'before' | 'after'
  /** Whether only requests that change records count. */
  isWrite: boolean
  /** The number of requests that pass first. */
  requests: number
  kill(): Promise<unknown>
}

/** Runs commands in separate processes and kills most of them or makes their disk fail. Collects wrong results in `errors`. */
export class InterruptedUser {
  readonly models = new PossibleModels()
  readonly errors: string[] = []
  killCount = 0
  /** The number of commands in which a system call failed. */
  diskFaultCount = 0
  /** The number of kills at a request, before or after the service executed it. */
  readonly killsAtRequest = { before: 0, after: 0 }
  readonly #cli: TestCli
  readonly #random: SeededRandom
  readonly #link: number
  readonly #durationsMs: Record<CommandName, number> = { start: 300, stop: 300, add: 300, sync: 300 }
  #scheduledKill: ScheduledKill | undefined
  #isDown = false
  #atMs: number
  #marks = 0

  constructor(cli: TestCli, random: SeededRandom, link: number) {
    this.#cli = cli
    this.#random = random
    this.#link = link
    this.#atMs = Math.floor(Date.now() / minuteMs) * minuteMs - 20 * 24 * 60 * minuteMs
  }

  /** Runs a command and kills it at a random time or at one of its requests. */
  async runAndKill({ hasService }: { hasService: boolean }): Promise<void> {
    const random = this.#random
    if (hasService) this.#isDown = random.chance(this.#isDown ? 0.6 : 0.1)
    const name = random.weighted(commandWeights)
    const { argv, change } = this.#command(name)
    const startMs = performance.now()
    const { child, exit } = startProcess(process.execPath, [bin, ...argv, '--json'], {
      env: cleanEnvironment(this.#cli.env as Record<string, string>),
    })
    const killAt = random.weighted({ time: 75, request: hasService ? 25 : 0, none: 15 })
    let timer: NodeJS.Timeout | undefined
    if (killAt === 'time')
      timer = setTimeout(() => child.kill('SIGKILL'), random.next() * 1.1 * this.#durationsMs[name])
    if (killAt === 'request') {
      const kill = () => {
        child.kill('SIGKILL')
        return exit
      }
      const where = random.pick(['before', 'after'] as const)
      this.#scheduledKill = { where, isWrite: random.chance(0.7), requests: random.between(0, 1), kill }
    }
    const outcome = await exit
    clearTimeout(timer)
    this.#scheduledKill = undefined
    if (outcome.status !== null) this.#durationsMs[name] = performance.now() - startMs
    this.#record(argv, change, outcome)
  }

  /** Runs a command in which one write, or every write from one on, fails; checks the outcome that it reports. */
  async runWithDiskFault({ hasService }: { hasService: boolean }): Promise<void> {
    const random = this.#random
    if (hasService) this.#isDown = random.chance(this.#isDown ? 0.6 : 0.1)
    const { argv, change } = this.#command(random.weighted(commandWeights))
    const fault: DiskFault = {
      calls: random.pick(['pwrite64', 'pwrite64', 'fsync,fdatasync', 'ftruncate']),
      error: random.pick(['EIO', 'ENOSPC']),
      nth: random.between(1, 30),
      isLasting: random.chance(0.3),
    }
    const { TT_HOME: home = '', ...env } = this.#cli.env as Record<string, string>
    const outcome = await runWithDiskFault(home, [...argv, '--json'], fault, env)
    if (outcome.isHit) this.diskFaultCount++
    try {
      this.#recordDiskFault(argv, change, outcome)
    } catch (error) {
      const { status, stdout, stderr } = outcome
      const what = `tt ${argv.join(' ')} exited ${status} with ${JSON.stringify(fault)}: ${stdout}${stderr}`
      throw new Error(what, { cause: error })
    }
  }

  /** Applies the planned fault to its requests: the service is down, or the process is killed. */
  readonly fault: Fault = async ({ method }, forward) => {
    const scheduled = this.#scheduledKill
    if (scheduled && (method !== 'GET' || !scheduled.isWrite) && scheduled.requests-- === 0) {
      this.#scheduledKill = undefined
      if (scheduled.where === 'after' && !this.#isDown) await forward()
      await scheduled.kill()
      this.killsAtRequest[scheduled.where]++
      return undefined
    }
    return this.#isDown ? undefined : forward()
  }

  /** Compares the records with all possible states. */
  async compare(what: string, rows: ReadRows): Promise<void> {
    this.errors.push(...this.models.compare(await rows()).map((line) => `${what}: ${line}`))
  }

  restoreService() {
    this.#isDown = false
  }

  #record(argv: string[], change: (model: Model) => Model | undefined, outcome: ProcessResult) {
    const { status, signal, stdout, stderr } = outcome
    const what = `tt ${argv.join(' ')}`
    if (signal === 'SIGKILL') {
      this.killCount++
      // Complete output proves that the command succeeded. `tt sync` changes no records.
      if (isJson(stdout)) this.models.apply(change)
      else if (argv[0] !== 'sync') this.models.applyUncertain(change)
    } else if (status === 0) this.models.apply(change)
    else if (status === 1 && argv[0] === 'sync') return
    else if (status === 3 && argv[0] === 'stop')
      this.models.apply((model) => (findRunning(model) ? undefined : model))
    else if (status !== 6 || argv[0] !== 'sync') this.errors.push(`${what} exited ${status}: ${stderr}`)
  }

  #recordDiskFault(argv: string[], change: (model: Model) => Model | undefined, outcome: ProcessResult) {
    const { status, stderr } = outcome
    if (status !== 1 || argv[0] === 'sync') this.#record(argv, change, outcome)
    else if (stderr.includes('unknown')) this.models.applyUncertain(change)
    else if (!stderr.includes('Nothing was saved'))
      this.errors.push(`tt ${argv.join(' ')} exited 1 without reporting what is saved: ${stderr}`)
  }

  #command(name: CommandName): { argv: string[]; change(model: Model): Model | undefined } {
    this.#atMs += minuteMs
    const at = this.#atMs
    const iso = (ms: number) => new Date(ms).toISOString()
    switch (name) {
      case 'start': {
        const record = this.#entry({ time_start: at, time_end: null })
        return {
          argv: ['start', 'design', '--at', iso(at), '-n', String(record.fields.notes)],
          change: (model) => startTimer(model, record),
        }
      }
      case 'stop':
        return { argv: ['stop', '--at', iso(at)], change: (model) => stopTimer(model, { time_end: at }) }
      case 'add': {
        const record = this.#entry({ time_start: at - 30 * minuteMs, time_end: at })
        const times = ['--from', iso(at - 30 * minuteMs), '--to', iso(at)]
        return {
          argv: ['add', 'design', ...times, '-n', String(record.fields.notes)],
          change: (model) => createRecord(model, record),
        }
      }
      case 'sync':
        return { argv: ['sync'], change: (model) => model }
    }
  }

  #entry(times: { time_start: number; time_end: number | null }): ExpectedRecord {
    const mark = ++this.#marks
    return { kind: 'entry', mark, fields: { ...times, notes: `#${mark} phone`, task_link_id: this.#link } }
  }
}

export const userCount = 2

/** Runs commands of a user; `shown` reads the entries that `tt log` prints. */
type Work = (user: InterruptedUser, shown: ReadRows, options: { hasService: boolean }) => Promise<void>

/** Runs the commands of users of a service at the same time, then compares what the service has with the possible records. */
export async function runWithService(title: string, work: Work): Promise<void> {
  const seed = chooseSeed(`${title}, with a service`)
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
  await Promise.all(users.map(({ user, cli }) => work(user, readOutput(cli), { hasService: true })))
  for (const { user, cli, token } of users) {
    user.restoreService()
    await checkResult(seed, user, cli, () => readServiceRows(team.serveProcess.url, token))
  }
  expect(await checkIntegrity(team.home)).toMatchObject({ findings: [] })
}

/** Does the same in local workspaces. */
export async function runInWorkspaces(title: string, work: Work): Promise<void> {
  const seed = chooseSeed(`${title}, in the local workspace`)
  await Promise.all(
    Array.from({ length: userCount }, async (_, index) => {
      const cli = createTestCli(new Date().toISOString())
      await createSampleRecords(cli)
      const { design } = await readTaskLinks(cli)
      const user = new InterruptedUser(cli, new SeededRandom(`${seed} ${index}`), design)
      await work(user, readOutput(cli), { hasService: false })
      await checkResult(seed, user, cli, () => readLocalRows(cli))
    }),
  )
}

function readOutput(cli: TestCli): ReadRows {
  return async () => {
    cli.setTime(new Date().toISOString())
    return { entry: await cli.json('log', '--since', '-30d'), expense: [] }
  }
}

/** Delivers what is pending, and checks the records and the database. */
async function checkResult(seed: string, user: InterruptedUser, cli: TestCli, rows: ReadRows) {
  const { TT_HOME: home = '', ...env } = cli.env as Record<string, string>
  const { status, stderr } = await tt(home, ['sync'], env)
  expect({ seed, status, stderr: status === 0 ? '' : stderr }).toEqual({ seed, status: 0, stderr: '' })
  await user.compare('stored', rows)
  const { databases, findings } = await checkIntegrity(cli.home)
  const expected = { seed, wrong: [], databases: 1, findings: [] }
  expect({ seed, wrong: user.errors, databases, findings }).toEqual(expected)
}

/** Starts a command and kills it after this time. Returns whether it was killed. */
export async function killAfter(home: string, argv: string[], delayMs: number): Promise<boolean> {
  const env = cleanEnvironment({ TT_HOME: home, TZ: 'UTC' })
  const { child, exit } = startProcess(process.execPath, [bin, ...argv], { env })
  const timer = setTimeout(() => child.kill('SIGKILL'), delayMs)
  const { signal } = await exit
  clearTimeout(timer)
  return signal === 'SIGKILL'
}
