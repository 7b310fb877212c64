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
import { readServiceRows, startTeam, type Team } from './team.js'
import { type CommandResult, createTestCli } from './test-cli.js'

/** Whose turn it is: at each desk, chance comes from the seed, that of the jitter of `tt` as well. */
const currentRandom = new AsyncLocalStorage<SeededRandom | undefined>()

/**
 * The services that the users work with, by turns: ours, and others that ignore Idempotency-Key or split their lists
 * into pages without a Link header.
 */
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
  /** How many changes are typed in all. */
  changeCount: number
  /** At how many desks, side by side: each is another user. */
  userCount: number
  weights?: Partial<FaultWeights>
  /** Told now and then how many changes have been typed. */
  progress?(typed: number): void
}

export interface RandomFaultsResult {
  /** What the service has otherwise than it was typed, and what was said or shown on the way that was not so. */
  differences: string[]
  /** How often requests have met with each fault. */
  faults: Map<string, number>
  /** How many changes could not be delivered at once. */
  pendingCount: number
}

/** Has people type changes while requests meet with faults, then lets all be delivered and compares. */
export async function runRandomFaults({
  seed,
  changeCount,
  userCount,
  weights,
  progress,
}: RandomFaultsOptions): Promise<RandomFaultsResult> {
  const team = await startTeam(userCount)
  const withoutKeys = new Map<string, UserWithoutKeys>()
  // Eight pages at most: each request may meet with a fault that takes as long as the client waits.
  const variants = serviceVariants(Math.max(20, Math.ceil(changeCount / userCount / 8)))
  const sky = createFaultPlan(seed, weights, withoutKeys)
  const people = await Promise.all(
    team.tokens.map(async (token, index) => {
      const variant = variants[index % variants.length]
      const origin = variant
        ? (await startForeignService(new URL(team.serveProcess.url).origin, variant)).origin
        : undefined
      const proxy = await startProxy(origin ?? team.serveProcess.url)
      const person = await createUser(
        `${seed} desk ${index}`,
        token,
        team,
        proxy,
        sky.fault,
        variant === undefined,
      )
      if (variant?.ignores?.includes('keys')) withoutKeys.set(token, person)
      return { ...person, proxy, token }
    }),
  )
  for (const { proxy } of people) proxy.fault = sky.fault
  const { random } = Math
  Math.random = () => currentRandom.getStore()?.next() ?? random()
  onTestFinished(() => {
    Math.random = random
  })
  let typed = 0
  const share = Math.ceil(changeCount / userCount)
  const chances = people.map((_, index) => new SeededRandom(`${seed} luck ${index}`))
  let failed = false
  const each = async (work: (person: User) => Promise<void>) => {
    const working = people.map((person, index) => currentRandom.run(chances[index], () => work(person)))
    for (const one of working) {
      one.catch(() => {
        failed = true
      })
    }
    // Whoever is still typing when the test is over would leave something behind.
    const [first] = (await Promise.allSettled(working)).filter((result) => result.status === 'rejected')
    if (first) throw first.reason
  }
  await each(async (person) => {
    for (let count = 1; count <= share && !failed; count++) {
      await person.change()
      if (count % 20 === 0) await person.look()
      if (++typed % 500 === 0) progress?.(typed)
      person.proxy.requests.length = 0
    }
  })
  // The first attempts to deliver still meet with faults.
  await each((person) => person.sync(3, [0, 6]))
  // Late requests arrive at the very end, except creates whose keys the service ignores: those have a limit.
  for (const token of withoutKeys.keys()) await sky.deliverLateRequests(token)
  for (const { proxy } of people) proxy.fault = noFault
  await each((person) => person.sync(1, [0]))
  await sky.deliverLateRequests()
  await each((person) => person.compare())
  return {
    differences: people.flatMap(({ wrong }) => wrong),
    faults: sky.counts,
    pendingCount: people.reduce((sum, person) => sum + person.kept(), 0),
  }
}

type User = Awaited<ReturnType<typeof createUser>> & { proxy: ServiceProxy; token: string }

/** A user with a home of their own, who has worked with the service before the storm. */
async function createUser(
  seed: string,
  token: string,
  { serveProcess, links }: Team,
  proxy: ServiceProxy,
  faults: ServiceProxy['fault'],
  // A create with an unknown outcome is not sent again for a while, and later ones overtake it.
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
  /** The notes that another client has given to entries whose creation got no response; by mark. */
  const editedElsewhere = new Map<number, string>()
  for (const words of [
    ['log', '--since', '2024-04-01'],
    ['expenses'],
    ['expenses', 'types'],
    ['links'],
    ['status'],
  ])
    await cli.json(...words)
  const wrong: string[] = []
  const blame = (what: string, found: readonly string[]) =>
    wrong.push(...found.map((line) => `${seed}, ${what}: ${line}`))
  let kept = 0

  /** Changes the notes of an entry that was just created, as another client of the same user. */
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

  /** Resolves the conflict that an edit elsewhere must have become, in favour of one side. */
  const resolve = async (mark: number, theirs: string, mayTakeTheirs: boolean) => {
    const what = `the conflict of #${mark}`
    proxy.fault = noFault
    user.wait(600)
    const { status } = await cli.run('sync')
    const aside = await cli.json<{ id: number; state: string; message: string; notes: string | null }[]>(
      'sync',
      'list',
    )
    const [conflict] = aside.filter((change) => markOf(change) === mark && change.state === 'conflict')
    if (status !== 7 || !conflict?.message.includes(theirs))
      return blame(what, [`exit ${status}, and \`tt sync list\` has ${JSON.stringify(aside)}`])
    const takesTheirs = mayTakeTheirs && random.chance(0.5)
    const decision = takesTheirs ? ['discard', String(conflict.id), '--yes'] : ['retry', String(conflict.id)]
    const decided = await cli.run('sync', ...decision)
    if (decided.status !== 0)
      blame(what, [`tt sync ${decision[0]}: exit ${decided.status}: ${decided.stderr}`])
    if (takesTheirs) user.models.apply((model) => withNotes(model, mark, theirs))
    proxy.fault = faults
  }

  /** Compares what a command said of the record that it creates with what the service has. */
  const judge = async (typed: RandomCommand, outcome: CommandResult) => {
    const { pending, id, local_id: localId } = outcome.json() as Record<string, unknown>
    const said = outcome.stderr.includes('Saved locally')
    const what = `tt ${typed.argv.join(' ')}`
    if (pending === true) {
      kept++
      if (!said) blame(what, ['it is pending, and nobody is told'])
      if (!/^~\d+$/.test(String(localId))) blame(what, [`its local id is ${localId}`])
      return
    }
    if (pending !== false) blame(what, [`pending is ${pending}`])
    const rows = await readServiceRows(serveProcess.url, token)
    const kind = typed.argv[0] === 'expenses' ? 'expense' : 'entry'
    if (!rows[kind].some((row) => String(row.id) === String(id)))
      blame(what, [`it is said to be delivered, and the service has no ${kind} ${id}`])
  }

  return {
    wrong,
    kept: () => kept,
    now: cli.nowMs,
    edit,
    async change() {
      const { typed, outcome } = await user.runCommand().catch((error: Error) => {
        throw new Error(`${seed}: ${error.message}`)
      })
      // What is typed there, and what is said about it: TT_TRACE='SEED desk 3'.
      if (process.env.TT_TRACE === seed) {
        const said = outcome.stderr && `: ${outcome.stderr.trim()}`
        process.stdout.write(`${user.now} tt ${typed.argv.join(' ')}${said}\n`)
      }
      const edited = [...editedElsewhere]
      editedElsewhere.clear()
      if (typed.mark !== undefined) await judge(typed, outcome)
      for (const [mark, notes] of edited) await resolve(mark, notes, mark === typed.mark)
    },
    /** What is shown is what was typed, delivered or not. */
    async look() {
      const shown = async <Value>(...words: string[]) => {
        const { status, stderr, json } = await cli.run(...words, '--json')
        // The first request for a second page has met with a fault, and the command says so.
        if (status === 0 && stderr.includes('is incomplete')) return undefined
        if (status === 0) return json() as Value
        blame(`tt ${words.join(' ')}`, [`exit ${status}: ${stderr}`])
      }
      const { model } = user.models
      const entry = await shown<ServiceRow[]>('log', '--since', '2024-04-01')
      const expense = await shown<ServiceRow[]>('expenses')
      if (entry && expense) blame('shown', findDifferences(model.records, { entry, expense }, isOrdered))
      const running = await shown<ServiceRow | null>('status')
      const [is, should] = [running?.notes ?? null, findRunning(model)?.fields.notes ?? null]
      if (running !== undefined && is !== should)
        blame('shown', [`what runs is ${is} and should be ${should}`])
    },
    async sync(times: number, expected: number[]) {
      for (let time = 1; time <= times; time++) {
        user.wait(600)
        const { status, stderr } = await cli.run('sync')
        const edited = [...editedElsewhere]
        editedElsewhere.clear()
        if (!expected.includes(status) && !(edited.length > 0 && status === 7))
          blame('tt sync', [`exit ${status}: ${stderr}`])
        for (const [mark, notes] of edited) await resolve(mark, notes, false)
      }
    },
    async compare() {
      blame('at the service', user.models.compare(await readServiceRows(serveProcess.url, token)))
      await this.look()
    },
  }
}

/** The record in a response: an object, or a list of one. */
function recordIn(body: string): ServiceRow {
  const value: unknown = JSON.parse(body)
  return (Array.isArray(value) ? value[0] : value) as ServiceRow
}

/** The book with other notes of one entry, in its history as well: undo does not bring the former ones back. */
function withNotes(model: Model, mark: number, notes: string): Model {
  const renamed = (records: readonly ExpectedRecord[]) =>
    records.map((record) =>
      record.kind === 'entry' && record.mark === mark
        ? { ...record, fields: { ...record.fields, notes } }
        : record,
    )
  return { records: renamed(model.records), history: model.history.map(renamed) }
}
