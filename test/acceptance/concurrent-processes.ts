import { type ExpectedRecord, findDifferences, markOf, type ServiceRow } from '../support/model.js'
import { type ProcessResult, tt } from '../support/process.js'
import type { SeededRandom } from '../support/seeded-random.js'

const commandWeights = { start: 20, stop: 12, add: 30, edit: 15, log: 10, status: 13 }
/** More than one user creates in a test. */
const marksEach = 100_000
const minuteMs = 60_000

/** One of several users who run commands on the same profile at the same time, each in a separate process. */
export class ConcurrentUser {
  /** Unexpected results of its commands. */
  readonly errors: string[] = []
  commandCount = 0
  readonly #number: number
  readonly #random: SeededRandom
  readonly #home: string
  readonly #env: Record<string, string>
  readonly #records: ExpectedRecord[] = []
  readonly #names = new Map<number, string>()
  #marks = 0

  constructor(number: number, random: SeededRandom, home: string, env: Record<string, string>) {
    this.#number = number
    this.#random = random
    this.#home = home
    this.#env = env
  }

  /** Runs commands until the deadline, which is a time of `performance.now()`, and at least three. */
  async runUntil(deadlineMs: number): Promise<void> {
    while (performance.now() < deadlineMs || this.commandCount < 3) await this.#runRandomCommand()
  }

  /** Compares the records of this user with those of all users. */
  findDifferences(rows: readonly ServiceRow[]): string[] {
    const ownRows = rows.filter((row) => Math.floor((markOf(row) ?? 0) / marksEach) === this.#number)
    return findDifferences(this.#records, { entry: ownRows, expense: [] })
  }

  get createdCount(): number {
    return this.#records.length
  }

  async #runRandomCommand(): Promise<void> {
    const name = this.#random.weighted(commandWeights)
    switch (name) {
      case 'start': {
        const record = this.#record({})
        return this.#run(['start', 'design', '-n', String(record.fields.notes)], record)
      }
      case 'add': {
        const from = Math.floor(Date.now() / minuteMs) * minuteMs - this.#random.between(60, 5000) * minuteMs
        const record = this.#record({ time_start: from, time_end: from + 5 * minuteMs })
        const times = ['--from', new Date(from).toISOString(), '--for', '5m']
        return this.#run(['add', 'design', ...times, '-n', String(record.fields.notes)], record)
      }
      case 'edit':
        return this.#edit()
      case 'log':
        return this.#run(['log'])
      default:
        return this.#run([name])
    }
  }

  async #edit(): Promise<void> {
    if (this.#records.length === 0) return
    const record = this.#random.pick(this.#records)
    const notes = `#${record.mark} again ${this.#random.between(1, 9999)}`
    const { status } = await this.#outcome(['edit', this.#names.get(record.mark) ?? '', '--notes', notes])
    if (status === 0) record.fields = { ...record.fields, notes }
  }

  async #run(argv: string[], record?: ExpectedRecord): Promise<void> {
    const { status, stdout } = await this.#outcome(argv)
    if (status !== 0 || !record) return
    const { id, local_id: localId } = JSON.parse(stdout) as Record<string, unknown>
    this.#records.push(record)
    this.#names.set(record.mark, String(localId ?? id))
  }

  async #outcome(argv: string[]): Promise<ProcessResult> {
    const outcome = await tt(this.#home, [...argv, '--json'], this.#env)
    const { status, signal, stdout } = outcome
    // Printed after a second without the lock.
    const stderr = outcome.stderr.replace(/^Waiting: .*\n/m, '')
    this.commandCount++
    const isExpected = status === 0 || (status === 3 && argv[0] === 'stop')
    if (!isExpected || /locked/i.test(stdout + stderr))
      this.errors.push(`tt ${argv.join(' ')} exited ${status ?? signal}: ${stderr}`)
    return outcome
  }

  #record(fields: ExpectedRecord['fields']): ExpectedRecord {
    const mark = this.#number * marksEach + ++this.#marks
    return { kind: 'entry', mark, fields: { ...fields, notes: `#${mark} phone` } }
  }
}
