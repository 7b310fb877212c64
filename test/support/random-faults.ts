import { AsyncLocalStorage } from 'node:async_hooks'
import { isDeepStrictEqual } from 'node:util'
import { onTestFinished } from 'vitest'
import {
  createFaultPlan,
  type FaultName,
  type FaultPlan,
  type FaultWeights,
  type FaultyUser,
  rejectingFaults,
} from './fault-plan.js'
import { type ServiceVariant, startForeignService } from './foreign-service.js'
import {
  type ExpectedRecord,
  findDifferences,
  type Model,
  markOf,
  PossibleModels,
  type ServiceRow,
  sharedMark,
  sharedName,
} from './model.js'
import { findRunning } from './model-changes.js'
import {
  type Fault,
  type ProxiedRequest,
  type ProxiedResponse,
  type ServiceProxy,
  sendRequest,
  startProxy,
} from './proxy.js'
import { type RandomCommand, RandomUser } from './random-user.js'
import { SeededRandom } from './seeded-random.js'
import { type ListedChange, SentCreates } from './sent-creates.js'
import { ServiceClock } from './service-clock.js'
import { readServiceList, readServiceRows, startTeam, type Team } from './team.js'
import { type CommandResult, createTestCli } from './test-cli.js'

/** The random numbers of the current user, also for the retry jitter of `tt`. */
const currentRandom = new AsyncLocalStorage<SeededRandom | undefined>()

/**
 * The services of the users, in turn. Ours has keys, conditions and creation times. The others have no conditions, and
 * those without `hasKeys` ignore Idempotency-Key.
 */
const serviceVariants = (pageSize: number): (ServiceVariant | undefined)[] => {
  const headers = (total: number) => ({ 'x-total-count': String(total), 'x-per-page': String(pageSize) })
  return [
    undefined,
    { ignores: ['keys'] },
    { ignores: ['keys'], omits: ['created_at'] },
    { ignores: ['keys'], pages: { size: pageSize } },
    undefined,
    { ignores: ['keys'] },
    { ignores: ['keys'], omits: ['created_at'] },
    { pages: { size: pageSize, headers } },
  ]
}

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
  /** What else happened, and how often. */
  events: Record<keyof typeof noEvents, number>
}

const noEvents = {
  /** Delayed requests that the service executed after newer ones of the same record. */
  overtakenRequests: 0,
  /** Updates that were sent again although their response had arrived. */
  resentUpdates: 0,
  equalRecordsElsewhere: 0,
  suspends: 0,
  failedCommands: 0,
  adopted: 0,
  retriedAmbiguous: 0,
  retriedRejected: 0,
  conflicts: 0,
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
  // At most eight pages: each request may take a whole client timeout.
  const variants = serviceVariants(Math.max(20, Math.ceil(changeCount / userCount / 8)))
  const faultyUsers = new Map<string, FaultyUser>()
  const faultNames = new WeakMap<ProxiedRequest, FaultName>()
  const plan = createFaultPlan(seed, {
    weights,
    tokens: team.tokens,
    users: faultyUsers,
    onFault: (request, fault) => void faultNames.set(request, fault),
  })
  const users = await Promise.all(
    team.tokens.map(async (token, index) => {
      const variant = variants[index % variants.length]
      const origin = variant
        ? (await startForeignService(new URL(team.serveProcess.url).origin, variant)).origin
        : undefined
      const proxy = await startProxy(origin ?? team.serveProcess.url)
      const user = await createUser(`${seed} user ${index}`, token, team, proxy, plan, faultNames, variant)
      faultyUsers.set(token, user)
      return { ...user, proxy }
    }),
  )
  for (const user of users) user.startFaults()
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
    for (let own = 1; own <= share && !hasFailed && user.errors.length === 0; own++) {
      await user.change()
      if (own % 20 === 0) await user.checkOutput()
      if (++count % 500 === 0) progress?.(count)
      user.proxy.requests.length = 0
    }
  })
  // The first syncs still meet faults.
  await forEachUser((user) => user.sync(3, [0, 6, 7]))
  // Delayed creates with keys arrive after everything else.
  await plan.deliverLateRequests(true)
  await forEachUser((user) => user.settle())
  await plan.deliverLateRequests()
  await forEachUser((user) => user.compare())
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
  const names = Object.keys(noEvents) as (keyof typeof noEvents)[]
  const events = names.map((name) => [name, sum(users.map((user) => user.events[name]))])
  return {
    differences: users.flatMap(({ errors }) => errors),
    faults: plan.counts,
    pendingCount: sum(users.map((user) => user.pendingCount())),
    events: { ...Object.fromEntries(events), overtakenRequests: plan.overtaken() },
  }
}

type User = Awaited<ReturnType<typeof createUser>> & { proxy: ServiceProxy }

/** The edit of an entry by another client of the same user. */
interface EditElsewhere {
  mark: number
  notes: string
}

const editedSuffix = ' (edited elsewhere)'

/** A command during which the machine is suspended, while another client edits an entry that the command has read. */
interface Suspend {
  /** Whether the machine is suspended after a response has arrived, otherwise while a later request is on its way. */
  isAfterRead: boolean
  /** The IDs and marks of the entries that must not be edited: those with pending changes, and those that the command has changed. */
  excluded: Set<unknown>
  /** The entries in the responses of the command so far, by ID. */
  read: Map<string, ServiceRow>
  /** Set before it ends, because the command sends several requests at the same time. */
  edit: Promise<EditElsewhere | undefined> | undefined
}

/** Creates a user with a separate home, who has used the service before the faults start. */
async function createUser(
  seed: string,
  token: string,
  { serveProcess, links }: Team,
  proxy: ServiceProxy,
  plan: FaultPlan,
  /** The faults of requests. */
  faultNames: WeakMap<ProxiedRequest, FaultName>,
  variant: ServiceVariant | undefined,
) {
  const cli = createTestCli(undefined, { ticking: true })
  Object.assign(cli.env, { TT_BASE_URL: proxy.url, TT_TOKEN: token })
  const random = new SeededRandom(`${seed} others`)
  const hasKeys = !variant?.ignores?.includes('keys')
  // Without conditions, later creates overtake one whose outcome is unknown, because that is not retried for a while.
  const isOrdered = variant === undefined
  const models = new PossibleModels(isOrdered)
  const user = new RandomUser(cli, models, new SeededRandom(seed), links, '2024-05-06T08:00:00Z')
  const clock = new ServiceClock(cli.nowMs, random.between(-120, 120) * 1000)
  const creates = new SentCreates()
  const events = { ...noEvents }
  const errors: string[] = []
  let pendingCount = 0
  const addErrors = (what: string, lines: readonly string[]) =>
    errors.push(...lines.map((line) => `${seed}, ${user.now}, ${what}: ${line}`))
  // TT_TRACE='SEED user 3,SEED user 4' prints the commands, messages and requests of these users.
  const isTraced = process.env.TT_TRACE?.split(',').includes(seed)
  const trace = (text: () => string) => {
    if (isTraced) process.stdout.write(`${seed}: ${text()}\n`)
  }

  /** Whether another client has changed something that the cache may lack. */
  let hasUnreadChanges = false

  /** Sends a request of another client of the same user directly to the service. */
  const sendElsewhere = async (method: string, path: string, body: unknown) => {
    await plan.deliverDueRequests(token)
    hasUnreadChanges = true
    const response = await clock.execute(() =>
      sendRequest(new URL(serveProcess.url), {
        ...{ method, path: `/api/v1${path}`, body: JSON.stringify(body) },
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      }),
    )
    trace(() => `    elsewhere: ${method} ${path} ${JSON.stringify(body)}: ${response.status}`)
    return response
  }

  const editElsewhere = async (row: ServiceRow): Promise<EditElsewhere | undefined> => {
    const mark = markOf(row)
    // Of two edits, the model would not know which one the command has read.
    const isEdited = String(row.notes).endsWith(editedSuffix)
    if (mark === undefined || row.id === undefined || isEdited) return undefined
    const notes = `${row.notes}${editedSuffix}`
    const { status } = await sendElsewhere('PATCH', `/timesheets/${row.id}`, { notes })
    return status === 200 ? { mark, notes } : undefined
  }

  /** Adds a record that is equal to one of this user, and remains. */
  const addElsewhere = async (record: ExpectedRecord) => {
    const { time_start: start, time_end: end, ...fields } = record.fields
    const times = start === undefined ? {} : { time_start: iso(start), time_end: iso(end) }
    const { status } = await (record.kind === 'entry'
      ? sendElsewhere('POST', '/timesheets', { ...fields, ...times })
      : sendElsewhere('POST', '/expenses', { expense: { ...fields, expense_type_id: travelId } }))
    if (status !== 201) throw new Error(`${seed}: the other client received ${status}.`)
    events.equalRecordsElsewhere++
    equalElsewhere.add(sharedName(record))
    const copy = user.copyOf(record)
    models.apply((model) => mapRecords(model, (records) => [...records, copy]))
  }

  /** The names of records that another client has added too. */
  const equalElsewhere = new Set<string>()
  /** The edits of entries whose creation got no response. */
  let edits: EditElsewhere[] = []
  /** All notes that another client has set. */
  const notesElsewhere = new Map<string, number>()
  let current: RandomCommand | undefined
  let suspend: Suspend | undefined
  /** The names of the records whose place in the order is unknown. */
  const unordered = new Set<string>()
  /** The creates that were pending after their command: a rejected look-up, or a missing collection, delays them. */
  const delayable = new Set<string>()
  let hasDelay = false
  const ordered = (model: Model) =>
    mapRecords(model, (records) =>
      records.map((record) => (unordered.has(sharedName(record)) ? { ...record, isRestored: true } : record)),
    )
  /** The last update of each record whose response the client received. */
  const answeredUpdates = new Map<string, string>()

  /** Whether no other record has the same mark in its notes. */
  const isUnique = (mark: number) => {
    const { model } = models
    const all = [...model.records, ...model.history.flat(), ...(current?.created ? [current.created] : [])]
    const equal = all.filter((record) => record.kind === 'entry' && sharedMark(record) === mark)
    return new Set(equal.map((record) => record.mark)).size === 1
  }

  /** Edits one of the entries that a command has read, as another client; returns whether it could. */
  const editRead = async (now: Suspend, rows: readonly ServiceRow[]) => {
    const editable = rows.filter((row) => {
      const mark = markOf(row)
      return (
        mark !== undefined && !now.excluded.has(String(row.id)) && !now.excluded.has(mark) && isUnique(mark)
      )
    })
    // The command may stop the running one.
    const row =
      editable.find((one) => one.time_end === null) ?? (editable.length > 0 && random.pick(editable))
    if (!row || now.edit) return false
    now.edit = editElsewhere(row)
    return (await now.edit) !== undefined
  }

  const suspendNow = () => {
    events.suspends++
    user.suspend(random.between(2, 20))
    trace(() => `    suspended until ${user.now}`)
  }

  /** Suspends the machine while a request is on its way, and another client edits an entry that was read before. */
  const suspendDuring = async (now: Suspend, path: string, response: ProxiedResponse | undefined) => {
    const onTheirWay = new Set([path.replace(/.*\//, ''), ...entriesIn(response).map(({ id }) => String(id))])
    const read = [...now.read].flatMap(([id, row]) => (onTheirWay.has(id) ? [] : [row]))
    if (await editRead(now, read)) suspendNow()
  }

  /** Suspends the machine after a response has arrived, and another client edits an entry in it. */
  const suspendAfter = async (now: Suspend, response: ProxiedResponse) => {
    // Delivery reads the uptime when the response arrives, and again before it relies on it.
    if (await editRead(now, entriesIn(response))) cli.onUptimeRead = suspendNow
  }

  const applyTo =
    (fault: FaultPlan['fault']): Fault =>
    async (request, forward) => {
      const { method, path } = request
      let forwarded: ProxiedResponse | undefined
      const sentAt = iso(cli.nowMs())
      const response = await fault(request, async (atMs) => {
        forwarded = await clock.execute(forward, atMs)
        trace(() => `    executed: ${method} ${path} ${request.body} of ${sentAt}: ${forwarded?.status}`)
        creates.add(request, forwarded)
        return forwarded
      })
      const faultName = faultNames.get(request)
      trace(() => `    ${sentAt} ${method} ${path}: ${faultName} ${response?.status ?? 'cut'}`)
      const isIntact = response !== undefined && response === forwarded
      if (faultName && rejectingFaults.has(faultName)) {
        hasDelay = true
        for (const name of delayable) unordered.add(name)
      }
      // Later creates may overtake one whose outcome is unknown.
      if (method === 'POST' && !isIntact) unordered.add(createdName(request))
      if (method === 'PATCH' && isIntact) {
        if (answeredUpdates.get(path) === request.body) events.resentUpdates++
        answeredUpdates.set(path, request.body)
      }
      if (suspend) {
        // Commands wait for the response of these requests.
        if (!suspend.isAfterRead && path.includes('/timesheets')) await suspendDuring(suspend, path, response)
        if (method === 'GET' && isIntact) {
          if (suspend.isAfterRead) await suspendAfter(suspend, response)
          for (const row of entriesIn(response)) suspend.read.set(String(row.id), row)
        }
        if (method !== 'GET') suspend.excluded.add(path.replace(/.*\//, ''))
      }
      return response && clock.date(response)
    }
  const withFaults = applyTo((request, forward) => plan.fault(request, forward))
  const withoutFaults = applyTo((request, forward) => plan.pass(request, forward))
  proxy.fault = withoutFaults

  /** Decides all changes that the user must decide, without faults. Returns whether there were any. */
  const decide = async (what: string, mayTakeTheirs?: number): Promise<boolean> => {
    const { fault } = proxy
    proxy.fault = withoutFaults
    let hasDecided = false
    for (let round = 1; errors.length === 0; round++) {
      const listed = await cli.json<ListedChange[]>('sync', 'list')
      const undecided = listed.filter(({ state }) => !['waiting', 'held'].includes(state))
      const [change] = undecided
      if (!change) break
      if (round > 20) {
        addErrors(what, [`it is not decided: ${JSON.stringify(change)}`])
        break
      }
      user.wait(600)
      await decideOne(what, change, mayTakeTheirs)
      hasDecided = true
    }
    proxy.fault = fault
    return hasDecided
  }

  const decideOne = async (what: string, change: ListedChange, mayTakeTheirs: number | undefined) => {
    const { id, state, message, record } = change
    const run = async (...decision: string[]) => {
      const { status, stderr } = await cli.run('sync', ...decision, '--json')
      trace(() => `${user.now} tt sync ${decision.join(' ')}: ${status} ${stderr.trim()}`)
      if (status !== 0 && status !== 7)
        addErrors(what, [`tt sync ${decision.join(' ')}: exit ${status}: ${stderr}`])
    }
    trace(() => `${user.now} ${JSON.stringify(change)}`)
    if (state === 'ambiguous') {
      const own = creates.claim(change)
      events[own === undefined ? 'retriedAmbiguous' : 'adopted']++
      unordered.add(changeName(change))
      return own === undefined ? run('retry', String(id)) : run('adopt', String(id), own)
    }
    if (state === 'conflict') {
      const theirs = [...notesElsewhere.keys()].find((notes) => message?.includes(notes))
      const mark = theirs === undefined ? undefined : notesElsewhere.get(theirs)
      if (theirs === undefined || mark === undefined)
        return void addErrors(what, [`${record} is in conflict without another client: ${message}`])
      events.conflicts++
      // Undo restores the notes that the command has read.
      models.apply((model) => ({ ...model, history: [] }))
      if (mark !== mayTakeTheirs || random.chance(0.5)) {
        // An undo sends the notes of the record before, which the model has replaced by those of the other client.
        const { notes } = change.fields
        if (typeof notes === 'string') models.apply((model) => withNotes(model, mark, notes))
        return run('retry', String(id))
      }
      models.apply((model) => withNotes(model, mark, theirs))
      return run('discard', String(id), '--yes')
    }
    if (!/no Route matched|Method Not Allowed|\b40[45]\b|\d times\./.test(String(message)))
      return void addErrors(what, [`${record} is ${state}, but the service never rejected it: ${message}`])
    events.retriedRejected++
    unordered.add(changeName(change))
    return run('retry', String(id))
  }

  /** Later creates may overtake one whose request was lost on a connection that the proxy had closed. */
  const findUnordered = async () => {
    for (const change of await cli.json<ListedChange[]>('sync', 'list'))
      if (change.op === 'create' && change.in_doubt) unordered.add(changeName(change))
  }

  /** Compares the output of a command that creates a record with the records of the service. */
  const checkCreate = async ({ argv }: RandomCommand, created: ExpectedRecord, outcome: CommandResult) => {
    const { pending, id, local_id: localId } = outcome.json() as Record<string, unknown>
    const isReported = outcome.stderr.includes('Saved locally')
    const what = `tt ${argv.join(' ')}`
    if (pending === true) {
      pendingCount++
      const name = sharedName(created)
      delayable.add(name)
      if (hasDelay) unordered.add(name)
      if (!isReported) addErrors(what, ['it is pending without a message'])
      if (!/^~\d+$/.test(String(localId))) addErrors(what, [`its local ID is ${localId}`])
      return
    }
    if (pending !== false) addErrors(what, [`pending is ${pending}`])
    const { kind } = created
    const rows = await readServiceList(serveProcess.url, token, kind === 'entry' ? 'timesheets' : 'expenses')
    if (!rows.some((row) => String(row.id) === String(id)))
      addErrors(what, [`it is reported as delivered, but the service has no ${kind} ${id}`])
  }

  /** Reads the records as `tt` shows them; undefined if a fault prevents that. */
  const readShown = async () => {
    plan.takeFaults(token)
    const read = async <Value>(...argv: string[]) => {
      const { status, stderr, json } = await cli.run(...argv, '--json')
      // The first request for a second page met a fault, and the command reports it.
      if (status === 0 && stderr.includes('is incomplete')) return undefined
      if (status === 0) return { value: json() as Value }
      if (!hasRejectingFault(plan, token)) addErrors(`tt ${argv.join(' ')}`, [`exit ${status}: ${stderr}`])
    }
    const entry = await read<ServiceRow[]>('log', '--since', '2024-04-01')
    const expense = await read<ServiceRow[]>('expenses')
    const running = await read<ServiceRow | null>('status')
    return { rows: entry && expense && { entry: entry.value, expense: expense.value }, running }
  }

  /** Finds out whether a command that failed after a fault has changed something: either everything or nothing. */
  const applyFailed = async (command: RandomCommand, outcome: CommandResult, isAllowed: boolean) => {
    const what = `tt ${command.argv.join(' ')}`
    if (!isAllowed) return void addErrors(what, [`exit ${outcome.status}: ${outcome.stderr}`])
    events.failedCommands++
    models.applyUncertain(command.change)
    proxy.fault = withoutFaults
    user.wait(600)
    // Earlier changes may be in conflict with another client.
    await cli.run('sync')
    await decide(what)
    if (errors.length > 0) return
    const { rows } = await readShown()
    proxy.fault = withFaults
    models.apply(ordered)
    addErrors(what, rows ? models.compare(rows) : ['its effect cannot be read'])
  }

  const list = await cli.json<{ id: number; name: string }[]>('expenses', 'types')
  const travelId = list.find(({ name }) => name === 'Travel')?.id
  for (const argv of [['log', '--since', '2024-04-01'], ['expenses'], ['tasks'], ['status']])
    await cli.json(...argv)

  return {
    errors,
    events,
    hasKeys,
    now: cli.nowMs,
    hasSeveralSteps: () => current?.argv[0] === 'undo' && /^\d/.test(current.argv[1] ?? ''),
    pendingCount: () => pendingCount,
    /** Edits a newly created entry elsewhere. */
    async edit(created: ProxiedResponse) {
      const [row = {}] = entriesIn(created)
      const mark = markOf(row)
      if (hasKeys || mark === undefined || !isUnique(mark)) return
      const edit = await editElsewhere(row)
      if (!edit) return
      edits.push(edit)
      notesElsewhere.set(edit.notes, edit.mark)
    },
    startFaults() {
      proxy.fault = withFaults
    },
    async change() {
      const command = user.nextCommand()
      hasDelay = false
      // A timer waits for a postponed change of the entry that it ends.
      const { created } = command
      if (created?.fields.time_end === null) unordered.add(sharedName(created))
      current = command
      const isFinished = created !== undefined && created.fields.time_end !== null
      // Without creation times, an equal entry is taken for one of the user, who does not track the same time twice.
      const isFair = created?.kind === 'expense' || variant?.omits === undefined
      const isChosen = isFinished && isFair && random.chance(created.kind === 'expense' ? 0.3 : 0.1)
      const isFirst = random.chance(0.5)
      // It would be taken for the earlier one if that is still looked up.
      const isNew = !models.model.records.some(({ fields }) => isDeepStrictEqual(fields, created?.fields))
      if (isChosen && isFirst && (isNew || variant === undefined)) {
        await addElsewhere(created)
        // Clearly before it: five seconds of tolerance, and a header Date in whole seconds.
        user.wait(random.between(8, 30))
      }
      if (random.chance(0.2)) {
        const listed = await cli.json<ListedChange[]>('sync', 'list')
        const excluded = new Set<unknown>(listed.flatMap((change) => [change.record, markOf({ ...change })]))
        if (created) excluded.add(sharedMark(created))
        suspend = {
          ...{ isAfterRead: random.chance(0.5), edit: undefined },
          ...{ excluded, read: new Map() },
        }
      }
      plan.takeFaults(token)
      const outcome = await cli.run(...command.argv, '--json')
      const edit = await suspend?.edit
      suspend = undefined
      cli.onUptimeRead = undefined
      const mayFail = hasRejectingFault(plan, token)
      trace(() => `${user.now} tt ${command.argv.join(' ')}: ${outcome.status} ${outcome.stderr.trim()}`)
      if (isOrdered && outcome.stderr !== '') await findUnordered()
      if (edit) {
        notesElsewhere.set(edit.notes, edit.mark)
        // With --yes, an undo overwrites an edit that it mentions.
        if (!outcome.stderr.includes('was changed elsewhere since'))
          models.apply((model) => withNotes(model, edit.mark, edit.notes))
      }
      if (outcome.status === 0) {
        models.apply(command.change)
        // Notes that are those that the command has read are no change.
        if (edit && command.argv.some((word) => edit.notes === `${word}${editedSuffix}`))
          models.apply((model) => withNotes(model, edit.mark, edit.notes))
        if (created) user.rememberName(created.mark, outcome)
        if (created) await checkCreate(command, created, outcome)
      } else await applyFailed(command, outcome, mayFail)
      const editedNow = edits
      edits = []
      const isEdited = edit !== undefined || editedNow.length > 0
      if (isEdited) {
        // The conflict is decided before the next command relies on the entry.
        proxy.fault = withoutFaults
        user.wait(600)
        await cli.run('sync')
        // Typing the notes that the cache has is no change, even if another client has changed them.
        await cli.run('status')
        proxy.fault = withFaults
      }
      const mustDecide = isEdited || /`tt sync (list|retry|adopt)/.test(outcome.stderr)
      if (mustDecide && errors.length === 0)
        await decide(`tt ${command.argv.join(' ')}`, editedNow.length > 0 ? created?.mark : undefined)
      if (isChosen && !isFirst && errors.length === 0) {
        // Without announced keys, an equal record of another client that is created soon afterwards is taken for a lost
        // one: docs/internals/delivery.md.
        user.wait(variant === undefined ? random.between(1, 30) : random.between(700, 900))
        await addElsewhere(created)
      }
    },
    /** Compares the output of read commands, which includes pending changes, with the model. */
    async checkOutput(isFinal = false) {
      if (errors.length > 0) return
      // After a failure the cache lacks the records of other clients.
      if (hasUnreadChanges) {
        proxy.fault = withoutFaults
        user.wait(600)
      }
      const { rows, running } = await readShown()
      // These commands deliver too, and may find a conflict with another client.
      const hasDecided = await decide('shown')
      if (!isFinal) proxy.fault = withFaults
      if (hasDecided) return
      hasUnreadChanges = false
      const { model } = models
      // Which of several equal records a pending change is cannot be decided yet.
      const isDecided = (line: string) =>
        isFinal || ![...equalElsewhere].some((name) => line.startsWith(`${name} `))
      const differences = rows
        ? findDifferences(ordered(model).records, rows, isOrdered).filter(isDecided)
        : []
      if (differences.length > 0) trace(() => `    shown: ${JSON.stringify(rows)}`)
      addErrors('shown', differences)
      const [actual, expected] = [running?.value?.notes ?? null, findRunning(model)?.fields.notes ?? null]
      if (running !== undefined && actual !== expected)
        addErrors('shown', [`the running timer is ${actual} and should be ${expected}`])
    },
    async sync(times: number, expected: number[]) {
      for (let time = 1; time <= times && errors.length === 0; time++) {
        user.wait(600)
        const { status, stderr } = await cli.run('sync')
        trace(() => `${user.now} tt sync: ${status} ${stderr.trim()}`)
        edits = []
        if (!expected.includes(status) && !hasRejectingFault(plan, token))
          addErrors('tt sync', [`exit ${status}: ${stderr}`])
        await decide('tt sync')
      }
    },
    /** Delivers everything without faults. */
    async settle() {
      proxy.fault = withoutFaults
      await this.sync(3, [0, 7])
      const listed = errors.length === 0 ? await cli.json<ListedChange[]>('sync', 'list') : []
      addErrors(
        'at the end',
        listed.map((change) => `it is still pending: ${JSON.stringify(change)}`),
      )
    },
    async compare() {
      if (errors.length > 0) return
      models.apply(ordered)
      addErrors('at the service', models.compare(await readServiceRows(serveProcess.url, token)))
      await this.checkOutput(true)
    },
  }
}

/** Returns one line with the counts of a run. */
export function describeResult(
  changeCount: number,
  { faults, pendingCount, events }: RandomFaultsResult,
): string {
  const byFault = new Map<string, number>()
  for (const [name, count] of faults) {
    const fault = name.replace(/^[A-Z]+ /, '')
    byFault.set(fault, (byFault.get(fault) ?? 0) + count)
  }
  const list = (counts: Iterable<[string, number]>) =>
    [...counts].map(([name, count]) => `${name} ${count}`).join(', ')
  return (
    `${changeCount} changes, ${pendingCount} pending after their command. ` +
    `Events: ${list(Object.entries(events))}. Requests: ${list([...byFault].sort())}.\n`
  )
}

/** Whether a request of a user since the last call met a fault after which its command may fail. */
function hasRejectingFault(plan: FaultPlan, token: string): boolean {
  return [...plan.takeFaults(token)].some((fault) => rejectingFaults.has(fault))
}

/** Returns the entries of a response: an object, or a list. */
function entriesIn(response: ProxiedResponse | undefined): ServiceRow[] {
  if (response?.status !== 200 && response?.status !== 201) return []
  const value: unknown = JSON.parse(response.body || '[]')
  const rows = (Array.isArray(value) ? value : [value]) as ServiceRow[]
  return rows.filter(
    (row) => row !== null && typeof row === 'object' && 'task_link_id' in row && 'notes' in row,
  )
}

/** Returns the model after a change of all its states: undo does not undo what another client does. */
function mapRecords(
  model: Model,
  change: (records: readonly ExpectedRecord[]) => readonly ExpectedRecord[],
): Model {
  return { records: change(model.records), history: model.history.map(change) }
}

/** Returns the model with new notes of one entry. */
function withNotes(model: Model, mark: number, notes: string): Model {
  return mapRecords(model, (records) =>
    records.map((record) =>
      record.kind === 'entry' && sharedMark(record) === mark
        ? { ...record, fields: { ...record.fields, notes } }
        : record,
    ),
  )
}

/** Returns the name of the record that a request creates. */
function createdName({ path, body }: ProxiedRequest): string {
  const { expense, ...entry } = JSON.parse(body) as Record<string, unknown>
  const [kind, fields] = path.endsWith('/expenses') ? ['expense', expense as ServiceRow] : ['entry', entry]
  return `${kind} #${markOf(fields as ServiceRow)}`
}

const changeName = ({ kind, notes }: ListedChange) => `${kind} #${markOf({ notes })}`

const iso = (ms: unknown) => new Date(Number(ms)).toISOString()
