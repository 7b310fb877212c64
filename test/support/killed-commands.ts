import { spawn } from 'node:child_process'
import { type Book, type Expected, Ledger, type ServiceRow } from './model.js'
import { created, runningIn, started, stopped } from './model-changes.js'
import { bin, cleanEnvironment, type Finished, finished } from './process.js'
import type { Fate } from './proxy.js'
import type { Dice } from './seeded-random.js'
import { type DiskFault, ttWithFault } from './strace.js'
import type { Desk } from './test-cli.js'

const habits = { start: 30, stop: 20, add: 35, sync: 15 }
type Habit = keyof typeof habits
const minuteMs = 60_000

/** Whatever is there of somebody, wherever it is kept. */
export type Rows = () => Promise<{ entry: ServiceRow[]; expense: ServiceRow[] }>

/** Where a process is killed: at one of its next requests, before the service has it or when it was done. */
interface Ambush {
  where: 'before' | 'after'
  /** At a request that changes something. */
  writing: boolean
  /** How many of them pass first. */
  requests: number
  strike(): Promise<unknown>
}

/** Somebody whose commands are processes, of which most are killed. What is said of them is in `wrong`. */
export class Condemned {
  readonly ledger = new Ledger()
  readonly wrong: string[] = []
  kills = 0
  /** Commands of which a system call failed. */
  diskFaults = 0
  /** Kills at a request, by where they were. */
  readonly ambushes = { before: 0, after: 0 }
  readonly #desk: Desk
  readonly #dice: Dice
  readonly #link: number
  readonly #took: Record<Habit, number> = { start: 300, stop: 300, add: 300, sync: 300 }
  #ambush: Ambush | undefined
  #isDown = false
  #atMs: number
  #marks = 0

  constructor(desk: Desk, dice: Dice, link: number) {
    this.#desk = desk
    this.#dice = dice
    this.#link = link
    this.#atMs = Math.floor(Date.now() / minuteMs) * minuteMs - 20 * 24 * 60 * minuteMs
  }

  /** Runs a command, which is killed at a random moment: in the midst of work, or while a request is answered. */
  async live({ remote }: { remote: boolean }): Promise<void> {
    const dice = this.#dice
    if (remote) this.#isDown = dice.chance(this.#isDown ? 0.6 : 0.1)
    const habit = dice.weighted(habits)
    const { argv, change } = this.#command(habit)
    const begun = performance.now()
    const child = spawn(process.execPath, [bin, ...argv, '--json'], {
      env: cleanEnvironment(this.#desk.env as Record<string, string>),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = finished(child)
    const fate = dice.weighted({ moment: 75, request: remote ? 25 : 0, none: 15 })
    let timer: NodeJS.Timeout | undefined
    if (fate === 'moment')
      timer = setTimeout(() => child.kill('SIGKILL'), dice.throw() * 1.1 * this.#took[habit])
    if (fate === 'request') {
      const strike = () => {
        child.kill('SIGKILL')
        return ended
      }
      const where = dice.pick(['before', 'after'] as const)
      this.#ambush = { where, writing: dice.chance(0.7), requests: dice.between(0, 1), strike }
    }
    const outcome = await ended
    clearTimeout(timer)
    this.#ambush = undefined
    if (outcome.status !== null) this.#took[habit] = performance.now() - begun
    this.#record(argv, change, outcome)
  }

  /** Runs a command while one of its writes fails, or all from one on; what it says about that is put to the test. */
  async liveWithDiskFault({ remote }: { remote: boolean }): Promise<void> {
    const dice = this.#dice
    if (remote) this.#isDown = dice.chance(this.#isDown ? 0.6 : 0.1)
    const { argv, change } = this.#command(dice.weighted(habits))
    const fault: DiskFault = {
      calls: dice.pick(['pwrite64', 'pwrite64', 'fsync,fdatasync', 'ftruncate']),
      error: dice.pick(['EIO', 'ENOSPC']),
      nth: dice.between(1, 30),
      isLasting: dice.chance(0.3),
    }
    const { TT_HOME: home = '', ...env } = this.#desk.env as Record<string, string>
    const outcome = await ttWithFault(home, [...argv, '--json'], fault, env)
    if (outcome.isHit) this.diskFaults++
    try {
      this.#recordDiskFault(argv, change, outcome)
    } catch (error) {
      const { status, stdout, stderr } = outcome
      const what = `tt ${argv.join(' ')} exited ${status} with ${JSON.stringify(fault)}: ${stdout}${stderr}`
      throw new Error(what, { cause: error })
    }
  }

  /** What becomes of its requests: the service is down, a process is killed in mid-request, or nothing happens. */
  readonly fate: Fate = async ({ method }, forward) => {
    const ambush = this.#ambush
    if (ambush && (method !== 'GET' || !ambush.writing) && ambush.requests-- === 0) {
      this.#ambush = undefined
      if (ambush.where === 'after' && !this.#isDown) await forward()
      await ambush.strike()
      this.ambushes[ambush.where]++
      return undefined
    }
    return this.#isDown ? undefined : forward()
  }

  /** Compares what is there with all that may be. */
  async compare(what: string, rows: Rows): Promise<void> {
    this.wrong.push(...this.ledger.compare(await rows()).map((line) => `${what}: ${line}`))
  }

  recover() {
    this.#isDown = false
  }

  #record(argv: string[], change: (book: Book) => Book | undefined, outcome: Finished) {
    const { status, signal, stdout, stderr } = outcome
    const what = `tt ${argv.join(' ')}`
    if (signal === 'SIGKILL') {
      this.kills++
      // What it claims is so. What `tt sync` does shows nowhere.
      if (isWhole(stdout)) this.ledger.done(change)
      else if (argv[0] !== 'sync') this.ledger.maybeDone(change)
    } else if (status === 0) this.ledger.done(change)
    else if (status === 1 && argv[0] === 'sync') return
    else if (status === 3 && argv[0] === 'stop')
      this.ledger.done((book) => (runningIn(book) ? undefined : book))
    else if (status !== 6 || argv[0] !== 'sync') this.wrong.push(`${what} exited ${status}: ${stderr}`)
  }

  #recordDiskFault(argv: string[], change: (book: Book) => Book | undefined, outcome: Finished) {
    const { status, stderr } = outcome
    if (status !== 1 || argv[0] === 'sync') this.#record(argv, change, outcome)
    else if (stderr.includes('unknown')) this.ledger.maybeDone(change)
    else if (!stderr.includes('Nothing was saved'))
      this.wrong.push(`tt ${argv.join(' ')} exited 1 and does not say what is saved: ${stderr}`)
  }

  #command(habit: Habit): { argv: string[]; change(book: Book): Book | undefined } {
    this.#atMs += minuteMs
    const at = this.#atMs
    const iso = (ms: number) => new Date(ms).toISOString()
    switch (habit) {
      case 'start': {
        const record = this.#entry({ time_start: at, time_end: null })
        return {
          argv: ['start', 'design', '--at', iso(at), '-n', String(record.fields.notes)],
          change: (book) => started(book, record),
        }
      }
      case 'stop':
        return { argv: ['stop', '--at', iso(at)], change: (book) => stopped(book, { time_end: at }) }
      case 'add': {
        const record = this.#entry({ time_start: at - 30 * minuteMs, time_end: at })
        const times = ['--from', iso(at - 30 * minuteMs), '--to', iso(at)]
        return {
          argv: ['add', 'design', ...times, '-n', String(record.fields.notes)],
          change: (book) => created(book, record),
        }
      }
      case 'sync':
        return { argv: ['sync'], change: (book) => book }
    }
  }

  #entry(times: { time_start: number; time_end: number | null }): Expected {
    const mark = ++this.#marks
    return { kind: 'entry', mark, fields: { ...times, notes: `#${mark} phone`, task_link_id: this.#link } }
  }
}

function isWhole(json: string): boolean {
  try {
    return JSON.parse(json) !== null
  } catch {
    return false
  }
}
