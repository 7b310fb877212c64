import { AsyncLocalStorage } from 'node:async_hooks'
import { onTestFinished } from 'vitest'
import { randomFaults, type Weather, type WithoutKeys } from './faults.js'
import { foreignService, type Make } from './foreign-service.js'
import { type Book, differences, type Expected, Ledger, markOf, type ServiceRow } from './model.js'
import { runningIn } from './model-changes.js'
import { type Answered, forwarded, passOn, proxyTo, type ServiceProxy } from './proxy.js'
import { type Typed, Typist } from './random-user.js'
import { Dice } from './seeded-random.js'
import { openTeam, rowsAt, type Team } from './team.js'
import { newDesk, type Outcome } from './test-cli.js'

/** Whose turn it is: at each desk, chance comes from the seed, that of the jitter of `tt` as well. */
const luck = new AsyncLocalStorage<Dice | undefined>()

/**
 * The services that the users work with, by turns: ours, and others that ignore Idempotency-Key or split their lists
 * into pages without a Link header.
 */
const makesFor = (pageSize: number): (Make | undefined)[] => [
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

export interface StormOptions {
  seed: string
  /** How many changes are typed in all. */
  mutations: number
  /** At how many desks, side by side: each is another user. */
  desks: number
  weather?: Partial<Weather>
  /** Told now and then how many changes have been typed. */
  progress?(typed: number): void
}

export interface Aftermath {
  /** What the service has otherwise than it was typed, and what was said or shown on the way that was not so. */
  differences: string[]
  /** How often requests have met with each fault. */
  faults: Map<string, number>
  /** How many changes could not be delivered at once. */
  kept: number
}

/** Has people type changes while requests meet with faults, then lets all be delivered and compares. */
export async function weatherTheStorm({
  seed,
  mutations,
  desks,
  weather,
  progress,
}: StormOptions): Promise<Aftermath> {
  const team = await openTeam(desks)
  const withoutKeys = new Map<string, WithoutKeys>()
  // Eight pages at most: each request may meet with a fault that takes as long as the client waits.
  const makes = makesFor(Math.max(20, Math.ceil(mutations / desks / 8)))
  const sky = randomFaults(seed, weather, withoutKeys)
  const people = await Promise.all(
    team.tokens.map(async (token, index) => {
      const make = makes[index % makes.length]
      const origin = make ? (await foreignService(new URL(team.served.url).origin, make)).origin : undefined
      const proxy = await proxyTo(origin ?? team.served.url)
      const person = await sitDown(`${seed} desk ${index}`, token, team, proxy, sky.fate, make === undefined)
      if (make?.ignores?.includes('keys')) withoutKeys.set(token, person)
      return { ...person, proxy, token }
    }),
  )
  for (const { proxy } of people) proxy.fate = sky.fate
  const { random } = Math
  Math.random = () => luck.getStore()?.throw() ?? random()
  onTestFinished(() => {
    Math.random = random
  })
  let typed = 0
  const share = Math.ceil(mutations / desks)
  const chances = people.map((_, index) => new Dice(`${seed} luck ${index}`))
  let failed = false
  const each = async (work: (person: Person) => Promise<void>) => {
    const working = people.map((person, index) => luck.run(chances[index], () => work(person)))
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
      person.proxy.seen.length = 0
    }
  })
  // The first attempts to deliver still meet with faults.
  await each((person) => person.sync(3, [0, 6]))
  // Late requests arrive at the very end, except creates whose keys the service ignores: those have a limit.
  for (const token of withoutKeys.keys()) await sky.arrive(token)
  for (const { proxy } of people) proxy.fate = passOn
  await each((person) => person.sync(1, [0]))
  await sky.arrive()
  await each((person) => person.compare())
  return {
    differences: people.flatMap(({ wrong }) => wrong),
    faults: sky.counts,
    kept: people.reduce((sum, person) => sum + person.kept(), 0),
  }
}

type Person = Awaited<ReturnType<typeof sitDown>> & { proxy: ServiceProxy; token: string }

/** A user with a home of their own, who has worked with the service before the storm. */
async function sitDown(
  seed: string,
  token: string,
  { served, links }: Team,
  proxy: ServiceProxy,
  faults: ServiceProxy['fate'],
  // A create with an unknown outcome is not sent again for a while, and later ones overtake it.
  isOrdered: boolean,
) {
  const desk = newDesk(undefined, { ticking: true })
  Object.assign(desk.env, { TT_BASE_URL: proxy.url, TT_TOKEN: token })
  const dice = new Dice(`${seed} conflicts`)
  const typist = new Typist(desk, new Ledger(isOrdered), new Dice(seed), links, '2024-05-06T08:00:00Z')
  /** The notes that another client has given to entries whose creation got no response; by mark. */
  const editedElsewhere = new Map<number, string>()
  for (const words of [
    ['log', '--since', '2024-04-01'],
    ['expenses'],
    ['expenses', 'types'],
    ['links'],
    ['status'],
  ])
    await desk.json(...words)
  const wrong: string[] = []
  const blame = (what: string, found: readonly string[]) =>
    wrong.push(...found.map((line) => `${seed}, ${what}: ${line}`))
  let kept = 0

  /** Changes the notes of an entry that was just created, as another client of the same user. */
  const edit = async (created: Answered) => {
    const row = recordIn(created.body)
    const mark = markOf(row)
    if (mark === undefined || row.id === undefined) return
    const notes = `${row.notes} (edited elsewhere)`
    const { status } = await forwarded(new URL(served.url), {
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
    proxy.fate = passOn
    typist.wait(600)
    const { status } = await desk.tt('sync')
    const aside = await desk.json<{ id: number; state: string; message: string; notes: string | null }[]>(
      'sync',
      'list',
    )
    const [conflict] = aside.filter((change) => markOf(change) === mark && change.state === 'conflict')
    if (status !== 7 || !conflict?.message.includes(theirs))
      return blame(what, [`exit ${status}, and \`tt sync list\` has ${JSON.stringify(aside)}`])
    const takesTheirs = mayTakeTheirs && dice.chance(0.5)
    const decision = takesTheirs ? ['discard', String(conflict.id), '--yes'] : ['retry', String(conflict.id)]
    const decided = await desk.tt('sync', ...decision)
    if (decided.status !== 0)
      blame(what, [`tt sync ${decision[0]}: exit ${decided.status}: ${decided.stderr}`])
    if (takesTheirs) typist.ledger.done((book) => withNotes(book, mark, theirs))
    proxy.fate = faults
  }

  /** Compares what a command said of the record that it creates with what the service has. */
  const judge = async (typed: Typed, outcome: Outcome) => {
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
    const rows = await rowsAt(served.url, token)
    const kind = typed.argv[0] === 'expenses' ? 'expense' : 'entry'
    if (!rows[kind].some((row) => String(row.id) === String(id)))
      blame(what, [`it is said to be delivered, and the service has no ${kind} ${id}`])
  }

  return {
    wrong,
    kept: () => kept,
    now: desk.nowMs,
    edit,
    async change() {
      const { typed, outcome } = await typist.type().catch((error: Error) => {
        throw new Error(`${seed}: ${error.message}`)
      })
      // What is typed there, and what is said about it: TT_TRACE='SEED desk 3'.
      if (process.env.TT_TRACE === seed) {
        const said = outcome.stderr && `: ${outcome.stderr.trim()}`
        process.stdout.write(`${typist.now} tt ${typed.argv.join(' ')}${said}\n`)
      }
      const edited = [...editedElsewhere]
      editedElsewhere.clear()
      if (typed.mark !== undefined) await judge(typed, outcome)
      for (const [mark, notes] of edited) await resolve(mark, notes, mark === typed.mark)
    },
    /** What is shown is what was typed, delivered or not. */
    async look() {
      const shown = async <Value>(...words: string[]) => {
        const { status, stderr, json } = await desk.tt(...words, '--json')
        // The first request for a second page has met with a fault, and the command says so.
        if (status === 0 && stderr.includes('is incomplete')) return undefined
        if (status === 0) return json() as Value
        blame(`tt ${words.join(' ')}`, [`exit ${status}: ${stderr}`])
      }
      const { book } = typist.ledger
      const entry = await shown<ServiceRow[]>('log', '--since', '2024-04-01')
      const expense = await shown<ServiceRow[]>('expenses')
      if (entry && expense) blame('shown', differences(book.records, { entry, expense }, isOrdered))
      const running = await shown<ServiceRow | null>('status')
      const [is, should] = [running?.notes ?? null, runningIn(book)?.fields.notes ?? null]
      if (running !== undefined && is !== should)
        blame('shown', [`what runs is ${is} and should be ${should}`])
    },
    async sync(times: number, expected: number[]) {
      for (let time = 1; time <= times; time++) {
        typist.wait(600)
        const { status, stderr } = await desk.tt('sync')
        const edited = [...editedElsewhere]
        editedElsewhere.clear()
        if (!expected.includes(status) && !(edited.length > 0 && status === 7))
          blame('tt sync', [`exit ${status}: ${stderr}`])
        for (const [mark, notes] of edited) await resolve(mark, notes, false)
      }
    },
    async compare() {
      blame('at the service', typist.ledger.compare(await rowsAt(served.url, token)))
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
function withNotes(book: Book, mark: number, notes: string): Book {
  const renamed = (records: readonly Expected[]) =>
    records.map((record) =>
      record.kind === 'entry' && record.mark === mark
        ? { ...record, fields: { ...record.fields, notes } }
        : record,
    )
  return { records: renamed(book.records), history: book.history.map(renamed) }
}
