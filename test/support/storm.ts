import { AsyncLocalStorage } from 'node:async_hooks'
import { onTestFinished } from 'vitest'
import { runningIn } from './changes.js'
import { newDesk } from './desk.js'
import { Dice } from './dice.js'
import { randomFaults, type Weather } from './faults.js'
import { differences, Ledger, type ServiceRow } from './ledger.js'
import { passOn, proxyTo, type ServiceProxy } from './proxy.js'
import { openTeam, rowsAt, type Team } from './team.js'
import { Typist } from './typist.js'

/** Whose turn it is: at each desk, chance comes from the seed, that of the jitter of `tt` as well. */
const luck = new AsyncLocalStorage<Dice | undefined>()

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
  const proxy = await proxyTo(team.served.url)
  const sky = randomFaults(seed, weather)
  const people = await Promise.all(
    team.tokens.map((token, index) => sitDown(`${seed} desk ${index}`, token, team, proxy)),
  )
  proxy.fate = sky.fate
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
      proxy.seen.length = 0
    }
  })
  // The first attempts to deliver still meet with faults. What is late comes at the very end.
  await each((person) => person.sync(3, [0, 6]))
  proxy.fate = passOn
  await each((person) => person.sync(1, [0]))
  await sky.arrive()
  await each((person) => person.compare())
  return {
    differences: people.flatMap(({ wrong }) => wrong),
    faults: sky.counts,
    kept: people.reduce((sum, person) => sum + person.kept(), 0),
  }
}

type Person = Awaited<ReturnType<typeof sitDown>>

/** Somebody at a desk of their own, who has worked with the service before the storm. */
async function sitDown(seed: string, token: string, { served, links }: Team, proxy: ServiceProxy) {
  const desk = newDesk(undefined, { ticking: true })
  Object.assign(desk.env, { TT_BASE_URL: proxy.url, TT_TOKEN: token })
  const typist = new Typist(desk, new Ledger(), new Dice(seed), links, '2024-05-06T08:00:00Z')
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

  return {
    wrong,
    kept: () => kept,
    async change() {
      const { typed, outcome } = await typist.type().catch((error: Error) => {
        throw new Error(`${seed}: ${error.message}`)
      })
      // What is typed there, and what is said about it: TT_TRACE='SEED desk 3'.
      if (process.env.TT_TRACE === seed) {
        const said = outcome.stderr && `: ${outcome.stderr.trim()}`
        process.stdout.write(`${typist.now} tt ${typed.argv.join(' ')}${said}\n`)
      }
      if (typed.mark === undefined) return
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
    },
    /** What is shown is what was typed, delivered or not. */
    async look() {
      const shown = async <Value>(...words: string[]) => {
        const { status, stderr, json } = await desk.tt(...words, '--json')
        if (status === 0) return json() as Value
        blame(`tt ${words.join(' ')}`, [`exit ${status}: ${stderr}`])
      }
      const { book } = typist.ledger
      const entry = await shown<ServiceRow[]>('log', '--since', '2024-04-01')
      const expense = await shown<ServiceRow[]>('expenses')
      if (entry && expense) blame('shown', differences(book.records, { entry, expense }))
      const running = await shown<ServiceRow | null>('status')
      const [is, should] = [running?.notes ?? null, runningIn(book)?.fields.notes ?? null]
      if (running !== undefined && is !== should)
        blame('shown', [`what runs is ${is} and should be ${should}`])
    },
    async sync(times: number, expected: number[]) {
      for (let time = 1; time <= times; time++) {
        typist.wait(600)
        const { status, stderr } = await desk.tt('sync')
        if (!expected.includes(status)) blame('tt sync', [`exit ${status}: ${stderr}`])
      }
    },
    async compare() {
      blame('at the service', typist.ledger.compare(await rowsAt(served.url, token)))
      await this.look()
    },
  }
}
