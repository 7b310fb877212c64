import { AsyncLocalStorage } from 'node:async_hooks'
import { onTestFinished } from 'vitest'
import { createFaultPlan, type FaultWeights, type UserWithoutKeys } from './fault-plan.js'
import { type ServiceVariant, startForeignService } from './foreign-service.js'
import {
  type ExpectedRecord,
  findDifferences,
  type Model,
  markOf,
  PossibleModels,
  type ServiceRow,
} from './model.js'
import { findRunning } from './model-changes.js'
import { noFault, type ProxiedResponse, type ServiceProxy, sendRequest, startProxy } from './proxy.js'
import { type RandomCommand, RandomUser } from './random-user.js'
import { SeededRandom } from './seeded-random.js'
import { readRows, readServiceRows, startTeam, type Team } from './team.js'
import { type CommandResult, createTestCli } from './test-cli.js'

/** The random numbers of the current user, also for the retry jitter of `tt`. */
const currentRandom = new AsyncLocalStorage<SeededRandom | undefined>()

/** The services of the users, in turn: ours, and others that ignore Idempotency-Key or page lists without a Link header. */
const serviceVariants = (pageSize: number): (ServiceVariant | undefined)[] => [
  undefined,
  { ignores: ['keys'] },
  {
    pages: {
      size: pageSize,
      headers: (total) => ({ 'x-total-count': String(total), 'x-per-page': String(pageSize) }),
    },
  },
  { ignores: ['keys'], pages: { size: pageSize } },
]

export interface RandomFaultsOptions {
  seed: string
  /** Total number of changes of all users. */
  changeCount: number
  /** Number of users, who run commands at the same time. */
  userCount: number
  weights?: Partial<FaultWeights>
  /** Receives the number of changes so far, every 500 changes. */
  progress?(count: number): void
}

export interface RandomFaultsResult {
  /** Differences between the model and the service, and errors output of commands. */
  differences: string[]
  /** Number of requests by method and fault. */
  faults: Map<string, number>
  /** Number of changes that were pending after their command. */
  pendingCount: number
}

/** Runs random changes of several users while requests fail, then delivers everything and compares it with the model. */
export async function runRandomFaults({
  seed,
  changeCount,
  userCount,
  weights,
  progress,
}: RandomFaultsOptions): Promise<RandomFaultsResult> {
  const team = await startTeam(userCount)
  const withoutKeys = new Map<string, UserWithoutKeys>()
  // At most eight pages: each request may take a whole client timeout.
  const variants = serviceVariants(Math.max(20, Math.ceil(changeCount / userCount / 8)))
  const plan = createFaultPlan(seed, { weights, tokens: team.tokens, withoutKeys })
  const users = await Promise.all(
    team.tokens.map(async (token, index) => {
      const variant = variants[index % variants.length]
      const origin = variant
        ? (await startForeignService(new URL(team.serveProcess.url).origin, variant)).origin
        : undefined
      const proxy = await startProxy(origin ?? team.serveProcess.url)
      const user = await createUser(
        `${seed} user ${index}`,
        token,
        team,
        proxy,
        plan.fault,
        variant === undefined,
      )
      if (variant?.ignores?.includes('keys')) withoutKeys.set(token, user)
      return { ...user, proxy, token }
    }),
  )
  for (const { proxy } of users) proxy.fault = plan.fault
  const { random } = Math
  Math.random = () => currentRandom.getStore()?.next() ?? random()
  onTestFinished(() => {
    Math.random = random
  })
  let count = 0
  const share = Math.ceil(changeCount / userCount)
  const generators = users.map((_, index) => new SeededRandom(`${seed} jitter ${index}`))
  let hasFailed = false
  const forEachUser = async (work: (user: User) => Promise<void>) => {
    const running = users.map((user, index) => currentRandom.run(generators[index], () => work(user)))
    for (const promise of running) {
      promise.catch(() => {
        hasFailed = true
      })
    }
    // Waits for all users: a command that outlives the test would leave files behind.
    const [first] = (await Promise.allSettled(running)).filter((result) => result.status === 'rejected')
    if (first) throw first.reason
  }
  await forEachUser(async (user) => {
    for (let own = 1; own <= share && !hasFailed; own++) {
      await user.change()
      if (own % 20 === 0) await user.checkOutput()
      if (++count % 500 === 0) progress?.(count)
      user.proxy.requests.length = 0
    }
  })
  // The first syncs still meet faults.
  await forEachUser((user) => user.sync(3, [0, 6]))
  // Delayed requests arrive after the last sync, except creates whose keys the service ignores: those are limited.
  for (const token of withoutKeys.keys()) await plan.deliverLateRequests(token)
  for (const { proxy } of users) proxy.fault = noFault
  await forEachUser((user) => user.sync(1, [0]))
  await plan.deliverLateRequests()
  await forEachUser((user) => user.compare())
  return {
    differences: users.flatMap(({ errors }) => errors),
    faults: plan.counts,
    pendingCount: users.reduce((sum, user) => sum + user.pendingCount(), 0),
  }
}

type User = Awaited<ReturnType<typeof createUser>> & { proxy: ServiceProxy; token: string }

/** Creates a user with a separate home, who has used the service before the faults start. */
async function createUser(
  seed: string,
  token: string,
  { serveProcess, links }: Team,
  proxy: ServiceProxy,
  faults: ServiceProxy['fault'],
  // Without keys, later creates overtake one whose outcome is unknown, because that is not retried for a while.
  isOrdered: boolean,
) {
  const cli = createTestCli(undefined, { ticking: true })
  Object.assign(cli.env, { TT_BASE_URL: proxy.url, TT_TOKEN: token })
  const random = new SeededRandom(`${seed} conflicts`)
  const user = new RandomUser(
    cli,
    new PossibleModels(isOrdered),
    new SeededRandom(seed),
    links,
    '2024-05-06T08:00:00Z',
  )
  /** Notes that another client has set on entries whose creation got no response, by mark. */
  const editedElsewhere = new Map<number, string>()
  for (const argv of [
    ['log', '--since', '2024-04-01'],
    ['expenses'],
    ['expenses', 'types'],
    ['links'],
    ['status'],
  ])
    await cli.json(...argv)
  const errors: string[] = []
  const addErrors = (what: string, lines: readonly string[]) =>
    errors.push(...lines.map((line) => `${seed}, ${what}: ${line}`))
  let pendingCount = 0

  /** Changes the notes of a newly created entry, as another client of the same user. */
  const edit = async (created: ProxiedResponse) => {
    const row = recordIn(created.body)
    const mark = markOf(row)
    if (mark === undefined || row.id === undefined) return
    const notes = `${row.notes} (edited elsewhere)`
    const { status } = await sendRequest(new URL(serveProcess.url), {
      method: 'PATCH',
      path: `/api/v1/timesheets/${row.id}`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ notes }),
    })
    if (status === 200) editedElsewhere.set(mark, notes)
  }

  /** Expects a conflict with the edit elsewhere and resolves it in favour of one side. */
  const resolve = async (mark: number, theirs: string, mayTakeTheirs: boolean) => {
    const what = `the conflict of #${mark}`
    proxy.fault = noFault
    user.wait(600)
    const { status } = await cli.run('sync')
    const rejected = await cli.json<{ id: number; state: string; message: string; notes: string | null }[]>(
      'sync',
      'list',
    )
    // An undo may have restored earlier notes of the entry, with another mark.
    const conflict = rejected.find(({ state, message }) => state === 'conflict' && message.includes(theirs))
    const ownMark = conflict && markOf(conflict)
    if (status !== 7 || !conflict || ownMark === undefined)
      return addErrors(what, [`exit ${status}, and \`tt sync list\` has ${JSON.stringify(rejected)}`])
    const takesTheirs = mayTakeTheirs && random.chance(0.5)
    const decision = takesTheirs ? ['discard', String(conflict.id), '--yes'] : ['retry', String(conflict.id)]
    const outcome = await cli.run('sync', ...decision)
    // One command can deliver two edited entries; `tt sync retry` then reports the other conflict.
    const hasOthers = rejected.some((change) => change !== conflict && change.state === 'conflict')
    if (outcome.status !== (hasOthers && !takesTheirs ? 7 : 0))
      addErrors(what, [`tt sync ${decision[0]}: exit ${outcome.status}: ${outcome.stderr}`])
    if (takesTheirs) user.models.apply((model) => withNotes(model, ownMark, theirs))
    proxy.fault = faults
  }

  /** Compares the output of a command that creates a record with the records of the service. */
  const checkCreate = async (command: RandomCommand, outcome: CommandResult) => {
    const { pending, id, local_id: localId } = outcome.json() as Record<string, unknown>
    const isReported = outcome.stderr.includes('Saved locally')
    const what = `tt ${command.argv.join(' ')}`
    if (pending === true) {
      pendingCount++
      if (!isReported) addErrors(what, ['it is pending without a message'])
      if (!/^~\d+$/.test(String(localId))) addErrors(what, [`its local ID is ${localId}`])
      return
    }
    if (pending !== false) addErrors(what, [`pending is ${pending}`])
    const kind = command.argv[0] === 'expenses' ? 'expense' : 'entry'
    const rows = await readRows(serveProcess.url, token, kind === 'entry' ? 'timesheets' : 'expenses')
    if (!rows.some((row) => String(row.id) === String(id)))
      addErrors(what, [`it is reported as delivered, but the service has no ${kind} ${id}`])
  }

  return {
    errors,
    pendingCount: () => pendingCount,
    now: cli.nowMs,
    edit,
    async change() {
      const { command, outcome } = await user.runCommand().catch((error: Error) => {
        throw new Error(`${seed}: ${error.message}`)
      })
      // TT_TRACE='SEED user 3' prints the commands and messages of one user.
      if (process.env.TT_TRACE === seed) {
        const message = outcome.stderr && `: ${outcome.stderr.trim()}`
        process.stdout.write(`${user.now} tt ${command.argv.join(' ')}${message}\n`)
      }
      const edited = [...editedElsewhere]
      editedElsewhere.clear()
      if (command.mark !== undefined) await checkCreate(command, outcome)
      for (const [mark, notes] of edited) await resolve(mark, notes, mark === command.mark)
    },
    /** Compares the output of read commands, which includes pending changes, with the model. */
    async checkOutput() {
      const read = async <Value>(...argv: string[]) => {
        const { status, stderr, json } = await cli.run(...argv, '--json')
        // The first request for a second page met a fault, and the command reports it.
        if (status === 0 && stderr.includes('is incomplete')) return undefined
        if (status === 0) return json() as Value
        addErrors(`tt ${argv.join(' ')}`, [`exit ${status}: ${stderr}`])
      }
      const { model } = user.models
      const entry = await read<ServiceRow[]>('log', '--since', '2024-04-01')
      const expense = await read<ServiceRow[]>('expenses')
      if (entry && expense) addErrors('shown', findDifferences(model.records, { entry, expense }, isOrdered))
      const running = await read<ServiceRow | null>('status')
      const [actual, expected] = [running?.notes ?? null, findRunning(model)?.fields.notes ?? null]
      if (running !== undefined && actual !== expected)
        addErrors('shown', [`the running timer is ${actual} and should be ${expected}`])
    },
    async sync(times: number, expected: number[]) {
      for (let time = 1; time <= times; time++) {
        user.wait(600)
        const { status, stderr } = await cli.run('sync')
        const edited = [...editedElsewhere]
        editedElsewhere.clear()
        if (!expected.includes(status) && !(edited.length > 0 && status === 7))
          addErrors('tt sync', [`exit ${status}: ${stderr}`])
        for (const [mark, notes] of edited) await resolve(mark, notes, false)
      }
    },
    async compare() {
      addErrors('at the service', user.models.compare(await readServiceRows(serveProcess.url, token)))
      await this.checkOutput()
    },
  }
}

/** Returns the record of a response: an object, or a list of one. */
function recordIn(body: string): ServiceRow {
  const value: unknown = JSON.parse(body)
  return (Array.isArray(value) ? value[0] : value) as ServiceRow
}

/** Returns the model with new notes of one entry, also in its history: undo does not restore the previous ones. */
function withNotes(model: Model, mark: number, notes: string): Model {
  const withNewNotes = (records: readonly ExpectedRecord[]) =>
    records.map((record) =>
      record.kind === 'entry' && record.mark === mark
        ? { ...record, fields: { ...record.fields, notes } }
        : record,
    )
  return { records: withNewNotes(model.records), history: model.history.map(withNewNotes) }
}
