import { differences, type Expected, markOf, type ServiceRow } from './model.js'
import { type Finished, tt } from './process.js'
import type { Dice } from './seeded-random.js'

const habits = { start: 20, stop: 12, add: 30, edit: 15, log: 10, status: 13 }
/** More than any of them types in a test. */
const marksEach = 100_000
const minuteMs = 60_000

/** One of many who type at the same time on the same profile, each command a process. */
export class Neighbour {
  /** What went wrong on the way. */
  readonly wrong: string[] = []
  commands = 0
  readonly #number: number
  readonly #dice: Dice
  readonly #home: string
  readonly #env: Record<string, string>
  readonly #records: Expected[] = []
  readonly #names = new Map<number, string>()
  #marks = 0

  constructor(number: number, dice: Dice, home: string, env: Record<string, string>) {
    this.#number = number
    this.#dice = dice
    this.#home = home
    this.#env = env
  }

  /** Types until then. */
  async typeUntil(deadlineMs: number): Promise<void> {
    while (performance.now() < deadlineMs) await this.#type()
  }

  /** What differs between what this one typed and the rows of all. */
  differencesTo(rows: readonly ServiceRow[]): string[] {
    const own = rows.filter((row) => Math.floor((markOf(row) ?? 0) / marksEach) === this.#number)
    return differences(this.#records, { entry: own, expense: [] })
  }

  get created(): number {
    return this.#records.length
  }

  async #type(): Promise<void> {
    const habit = this.#dice.weighted(habits)
    switch (habit) {
      case 'start': {
        const record = this.#record({})
        return this.#run(['start', 'design', '-n', String(record.fields.notes)], record)
      }
      case 'add': {
        const from = Math.floor(Date.now() / minuteMs) * minuteMs - this.#dice.between(60, 5000) * minuteMs
        const record = this.#record({ time_start: from, time_end: from + 5 * minuteMs })
        const times = ['--from', new Date(from).toISOString(), '--for', '5m']
        return this.#run(['add', 'design', ...times, '-n', String(record.fields.notes)], record)
      }
      case 'edit':
        return this.#edit()
      case 'log':
        return this.#run(['log'])
      default:
        return this.#run([habit])
    }
  }

  async #edit(): Promise<void> {
    if (this.#records.length === 0) return
    const record = this.#dice.pick(this.#records)
    const notes = `#${record.mark} again ${this.#dice.between(1, 9999)}`
    const { status } = await this.#outcome(['edit', this.#names.get(record.mark) ?? '', '--notes', notes])
    if (status === 0) record.fields = { ...record.fields, notes }
  }

  async #run(argv: string[], record?: Expected): Promise<void> {
    const { status, stdout } = await this.#outcome(argv)
    if (status !== 0 || !record) return
    const { id, local_id: localId } = JSON.parse(stdout) as Record<string, unknown>
    this.#records.push(record)
    this.#names.set(record.mark, String(localId ?? id))
  }

  async #outcome(argv: string[]): Promise<Finished> {
    const outcome = await tt(this.#home, [...argv, '--json'], this.#env)
    const { status, signal, stdout, stderr } = outcome
    this.commands++
    const asExpected = status === 0 || (status === 3 && argv[0] === 'stop')
    if (!asExpected || /locked/i.test(stdout + stderr))
      this.wrong.push(`tt ${argv.join(' ')} exited ${status ?? signal}: ${stderr}`)
    return outcome
  }

  #record(fields: Expected['fields']): Expected {
    const mark = this.#number * marksEach + ++this.#marks
    return { kind: 'entry', mark, fields: { ...fields, notes: `#${mark} phone` } }
  }
}
