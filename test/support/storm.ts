import { runningIn } from './changes.js'
import { newDesk } from './desk.js'
import { Dice } from './dice.js'
import { type Faults, randomFaults, type Weather } from './faults.js'
import { differences, Ledger } from './ledger.js'
import { proxyTo, type ServiceProxy } from './proxy.js'
import { openTeam, rowsAt, type Team } from './team.js'
import { Typist } from './typist.js'

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
  let typed = 0
  const share = Math.ceil(mutations / desks)
  await Promise.all(
    people.map(async (person) => {
      for (let count = 1; count <= share; count++) {
        await person.change()
        if (count % 20 === 0) await person.look()
        if (++typed % 500 === 0) progress?.(typed)
        proxy.seen.length = 0
      }
    }),
  )
  for (const person of people) await person.deliver(sky)
  return {
    differences: people.flatMap(({ wrong }) => wrong),
    faults: sky.counts,
    kept: people.reduce((sum, person) => sum + person.kept(), 0),
  }
}

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
      const { typed, outcome } = await typist.type()
      if (typed.mark === undefined) return
      const { pending, id, local_id: localId } = outcome.json() as Record<string, unknown>
      const said = outcome.stderr.includes('Kept on this machine')
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
      const entry = await desk.json<Record<string, unknown>[]>('log', '--since', '2024-04-01')
      const expense = await desk.json<Record<string, unknown>[]>('expenses')
      blame('shown', differences(typist.ledger.book.records, { entry, expense }))
      const shown = await desk.json<Record<string, unknown> | null>('status')
      const running = runningIn(typist.ledger.book)
      const [is, should] = [shown?.notes ?? null, running?.fields.notes ?? null]
      if (is !== should) blame('shown', [`what runs is ${is} and should be ${should}`])
    },
    /** The first attempts still meet with faults. What comes late comes at the very end. */
    async deliver(sky: Faults) {
      for (let attempt = 0; attempt < 3; attempt++) {
        typist.wait(600)
        const { status, stderr } = await desk.tt('sync')
        if (status !== 0 && status !== 6) blame('tt sync', [`exit ${status}: ${stderr}`])
      }
      proxy.fate = async (_, forward) => forward()
      typist.wait(600)
      const { status, stderr } = await desk.tt('sync')
      if (status !== 0) blame('the last tt sync', [`exit ${status}: ${stderr}`])
      await sky.arrive()
      blame('at the service', typist.ledger.compare(await rowsAt(served.url, token)))
      proxy.fate = sky.fate
      await this.look()
    },
  }
}
