import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startForeignService } from '../support/foreign-service.js'
import { bin, cleanEnvironment, temporaryDirectory, tt, waitForExit } from '../support/process.js'
import {
  type Fault,
  jsonResponse,
  noFault,
  type ProxiedRequest,
  sendRequest,
  startProxy,
} from '../support/proxy.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { loginWithPassword, startTestService } from '../support/sign-in.js'
import {
  backgroundProcesses,
  endBackgroundProcesses,
  isScriptMissing,
  startInTerminal,
  stateKeysOf,
} from './background-processes.js'

const changeCount = Number(process.env.TT_BACKGROUND_CHANGES ?? 500)
const minuteMs = 60_000

type Row = Record<string, unknown>

/** An entry of a command that has printed it as saved, or that was killed. */
interface Expected {
  mark: string
  isCertain: boolean
}

/** A machine: a home with commands that run in terminals and scripts, and are killed. */
class Machine {
  readonly home = temporaryDirectory()
  readonly expected = new Map<string, Expected>()
  readonly errors: string[] = []
  readonly requests = new FirstRequests()
  readonly counts = { terminal: 0, script: 0, killedCommands: 0, killedDeliveries: 0, closedTerminals: 0 }
  readonly #name: string
  readonly #task: string
  readonly #random: SeededRandom
  #marks = 0

  constructor(name: string, task: string, random: SeededRandom) {
    this.#name = name
    this.#task = task
    this.#random = random
    endBackgroundProcesses(this.home)
  }

  /** Runs a command, which may be killed; kills the process that sends its changes from time to time. */
  async change(): Promise<void> {
    const random = this.#random
    const kind = random.weighted({ add: 65, start: 20, stop: 15 })
    const mark = `#${this.#name}${++this.#marks}`
    this.requests.noteCommand(mark)
    const argv = this.#argvFor(kind, mark)
    const isTerminal = random.chance(0.7)
    const { child, exit } = isTerminal ? startInTerminal(this.home, argv) : this.#startScript(argv)
    this.counts[isTerminal ? 'terminal' : 'script']++
    const kill = random.weighted({ none: 85, kill: 10, close: isTerminal ? 5 : 0 })
    if (kill !== 'none')
      setTimeout(
        () => {
          this.requests.noteKill()
          killTree(child, kill)
        },
        random.between(0, 400),
      )
    // Such as a prompt that no one answers.
    const limit = setTimeout(() => killTree(child, 'kill'), 2 * minuteMs)
    const { stdout, stderr, status } = await exit
    clearTimeout(limit)
    const output = `${stdout}${stderr}`
    const isSaved = /^(Added|Changed|Started|Stopped)/m.test(output) || status === 0
    if (kill === 'kill') this.counts.killedCommands++
    if (kill === 'close') this.counts.closedTerminals++
    if (kill === 'none' && !isSaved && !/No timer is running|started at/.test(output))
      this.errors.push(`tt ${argv.join(' ')} exited ${status}: ${output}`)
    if (kind !== 'stop') this.expected.set(mark, { mark, isCertain: isSaved })
    const running = backgroundProcesses(this.home)
    if (running.length > 0 && random.chance(0.1)) {
      const [pid = 0] = running
      this.counts.killedDeliveries++
      this.requests.noteKill()
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended.
      }
    }
  }

  #argvFor(kind: 'add' | 'start' | 'stop', notes: string): string[] {
    if (kind === 'stop') return ['stop', '--yes']
    if (kind === 'start') return ['start', this.#task, '-n', notes, '--yes']
    const hour = this.#random.between(0, 22)
    const day = this.#random.between(1, 28)
    const from = `2024-05-${String(day).padStart(2, '0')} ${hour}:${this.#random.between(10, 50)}`
    return ['add', this.#task, '--from', from, '--for', '5m', '-n', notes, '--yes']
  }

  #startScript(argv: string[]) {
    const child = spawn(process.execPath, [bin, ...argv], {
      env: cleanEnvironment({ TT_HOME: this.home, HOME: this.home }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return { child, exit: waitForExit(child) }
  }
}

/** Kills a command; with `close`, the terminal in which it runs. */
function killTree(child: ChildProcess, kill: 'kill' | 'close') {
  if (child.pid === undefined || child.exitCode !== null) return
  if (kill === 'kill') {
    // The command is a child of `script`.
    spawn('pkill', ['-KILL', '-P', String(child.pid)], { stdio: 'ignore' })
    setTimeout(() => child.kill('SIGKILL'), 50)
  } else child.kill('SIGKILL')
}

/** The creates and the ends of entries that a machine has sent, each with the position of its first request. */
class FirstRequests {
  readonly #creates = new Map<string, { position: number; start: unknown; isTimer: boolean }>()
  readonly #ends = new Map<string, { position: number; record: string; end: unknown }>()
  /** The position at which each command was typed, by its mark. */
  readonly #typed = new Map<string, number>()
  /** The positions at which a process was killed. */
  readonly #kills: number[] = []
  /** The marks and the records of requests that the service did not execute, or whose responses were lost. */
  readonly #failed = new Set<string>()
  #position = 0

  noteCommand(mark: string) {
    this.#typed.set(mark, this.#position)
  }

  noteKill() {
    this.#kills.push(this.#position)
  }

  /** Notes a request when it arrives. Returns a function that notes that it has failed. */
  note({ method, path, body }: ProxiedRequest): () => void {
    const position = this.#position++
    const [, record] = /\/timesheets\/(\w+)$/.exec(path) ?? []
    if (record) {
      const { time_end: end } = method === 'PATCH' ? (JSON.parse(body) as Row) : {}
      const key = `${record} ${end}`
      if (this.#ends.has(key)) this.#failed.add(record)
      else if (end) this.#ends.set(key, { position, record, end })
      return () => this.#failed.add(record)
    }
    if (method !== 'POST' || !path.endsWith('/timesheets')) return () => {}
    const { notes, time_start: start } = JSON.parse(body) as Row
    const mark = markOf(notes)
    if (this.#creates.has(mark)) this.#failed.add(mark)
    else this.#creates.set(mark, { position, start, isTimer: !String(start).startsWith('2024') })
    return () => this.#failed.add(mark)
  }

  /**
   * Returns what was sent in another order than that of the commands. A change whose request has failed may be overtaken,
   * also if a killed process was about to send it; a change of a timer lets only other timers wait.
   *
   * @param rows the entries of the service
   */
  disorder(rows: readonly Row[]): string[] {
    const markOfRecord = new Map(rows.map(({ id, notes }) => [String(id), markOf(notes)]))
    const wasKilled = (from: number, to: number) => this.#kills.some((at) => from <= at && at <= to)
    const creates = [...this.#creates].map(([mark, create]) => ({ ...create, mark, number: numberOf(mark) }))
    const late = creates.flatMap(({ mark, number, position, isTimer }) => {
      const before = creates.find(
        (other) => other.isTimer === isTimer && other.number > number && other.position < position,
      )
      return before && !wasKilled(this.#typed.get(mark) ?? 0, position) ? `${mark} after ${before.mark}` : []
    })
    const ends = [...this.#ends.values()].flatMap(({ position, record, end }) => {
      const mark = markOfRecord.get(record) ?? ''
      const isOwn = this.#creates.has(mark)
      // Commands of the same second have the same time.
      const starts = creates.filter(
        ({ start, number }) => start === end && (!isOwn || number > numberOf(mark)),
      )
      const next = starts.sort((one, other) => other.position - one.position)[0]
      if (!next || position < next.position || this.#failed.has(record) || this.#failed.has(mark)) return []
      return wasKilled(this.#typed.get(next.mark) ?? 0, position)
        ? []
        : `the end of ${record} (${mark}) after ${next.mark}`
    })
    return [...late, ...ends]
  }

  /** The number of ends at the time of a start. */
  get size(): number {
    const starts = new Set([...this.#creates.values()].map(({ start }) => start))
    return [...this.#ends.values()].filter(({ end }) => starts.has(end)).length
  }
}

const numberOf = (mark: string) => Number(/\d+$/.exec(mark)?.[0])

function markOf(notes: unknown): string {
  return /^#\w+/.exec(String(notes))?.[0] ?? ''
}

const fault =
  (random: SeededRandom, requests: FirstRequests): Fault =>
  async (request, forward) => {
    const noteFailure = requests.note(request)
    const name = random.weighted({ pass: 80, before: 6, after: 6, 500: 4, slow: 4 })
    if (name === 'before' || name === 'after' || name === '500') noteFailure()
    let hasResponded = false
    request.closed.then(() => hasResponded || noteFailure())
    if (name === 'before') return undefined
    if (name === '500') return jsonResponse(500, { error: 'internal' })
    if (name === 'slow') await new Promise((resolve) => setTimeout(resolve, random.between(50, 800)))
    const response = await forward()
    hasResponded = true
    return name === 'after' ? undefined : response
  }

test.skipIf(isScriptMissing)(
  `two machines send ${changeCount} changes of terminals and scripts once, and no process remains`,
  async () => {
    const seed = chooseSeed('background')
    const service = await startTestService()
    await tt(service.home, ['admin', 'projects', 'add', 'Website'])
    // Without keys, an entry of another client with the same task and start is taken for one whose response was lost.
    const tasks = ['design', 'review']
    for (const task of tasks) await tt(service.home, ['admin', 'tasks', 'add', `Website/${task}`])
    // The second machine sends creates whose response was lost only after the settling time.
    const foreign = await startForeignService(new URL(service.url).origin, { ignores: ['keys'] })
    const machines = await Promise.all(
      [service.url, foreign.origin].map(async (origin, index) => {
        const machine = new Machine(`m${index}x`, tasks[index] ?? '', new SeededRandom(`${seed} ${index}`))
        return Object.assign(machine, { proxy: await startProxy(origin) })
      }),
    )
    for (const { home, proxy, requests } of machines) {
      // The other implementation has no sign-in.
      proxy.fault = (request) => sendRequest(new URL(service.url), request)
      const login = await loginWithPassword(home, { ...service, url: proxy.url })
      expect(login, login.stderr).toMatchObject({ status: 0 })
      proxy.fault = noFault
      for (const argv of [['tasks'], ['company'], ['log'], ['status']]) await tt(home, argv)
      proxy.fault = fault(new SeededRandom(`${seed} faults`), requests)
    }
    let [mostAtOnce, count, isDone] = [0, 0, false]
    const watching = (async () => {
      while (!isDone) {
        const owners = machines.map(({ home }) => locksIn(home))
        mostAtOnce = Math.max(mostAtOnce, ...owners.map((pids) => new Set(pids).size))
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    })()
    const run = async (machine: (typeof machines)[number]) => {
      for (let own = 0; own < changeCount / machines.length && machine.errors.length === 0; own++) {
        await machine.change()
        machine.proxy.requests.length = 0
        if (++count % 500 === 0) process.stdout.write(`${count} of ${changeCount} changes\n`)
      }
    }
    await Promise.all(machines.map(run))
    const endMs = Date.now() + 2 * minuteMs
    const remaining = () => machines.flatMap(({ home }) => backgroundProcesses(home))
    while (remaining().length > 0 && Date.now() < endMs)
      await new Promise((resolve) => setTimeout(resolve, 200))
    expect(remaining()).toEqual([])
    isDone = true
    await watching
    for (const { proxy } of machines) proxy.fault = noFault
    const errors = machines.flatMap(({ errors }) => errors)
    for (const { home } of machines) {
      const synced = await tt(home, ['sync', '--wait', '--json'])
      // The user decides about a timer that both machines have ended.
      const remaining = (JSON.parse(synced.stdout) as { state: string; fields: object }[]).filter(
        ({ state, fields }) => state !== 'conflict' || Object.keys(fields).join() !== 'time_end',
      )
      if (remaining.length > 0) errors.push(`tt sync: ${synced.stdout}${synced.stderr}`)
    }
    const [machine] = machines
    const api = await tt(machine?.home ?? '', ['api', 'GET', '/timesheets', '--json'])
    const rows = JSON.parse(api.stdout) as Row[]
    for (const { expected, requests } of machines)
      errors.push(...differences([...expected.values()], rows), ...requests.disorder(rows))
    const counts = machines.map(({ counts }) => JSON.stringify(counts)).join(', ')
    const compared = machines.reduce((sum, { requests }) => sum + requests.size, 0)
    process.stdout.write(
      `${changeCount} changes: ${counts}; at most ${mostAtOnce} process of a profile sends; ${compared} ends before starts\n`,
    )
    expect({ seed, errors, mostAtOnce: mostAtOnce <= 1 }).toEqual({ seed, errors: [], mostAtOnce: true })
  },
  Math.max(600_000, changeCount * 4000),
)

/** Returns the processes that hold the background lock of a home: in WAL mode, SQLite locks byte 120 of the shared memory. */
function locksIn(home: string): number[] {
  const inodes = new Set(
    stateKeysOf(home).map((key) => inodeOf(join(home, 'profiles', key, 'background.lock-shm'))),
  )
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .map((line) => /WRITE\s+(\d+)\s+\S+:(\d+)\s+120\s/.exec(line))
    .filter((match) => match && inodes.has(match[2] ?? ''))
    .map((match) => Number(match?.[1]))
}

function inodeOf(path: string): string {
  return String(statSync(path, { throwIfNoEntry: false })?.ino)
}

/** Returns the differences between the changes that commands have saved and the entries of the service. */
function differences(expected: readonly Expected[], rows: readonly Row[]): string[] {
  return expected.flatMap(({ mark, isCertain }) => {
    const found = rows.filter(({ notes }) => new RegExp(`^${mark}\\b`).test(String(notes)))
    if (found.length > 1) return `${mark} exists ${found.length} times`
    return found.length === 0 && isCertain ? `${mark} is missing` : []
  })
}
