import { type ExpectedRecord, type Model, type PossibleModels, sharedMark, undoChanges } from './model.js'
import {
  createRecord,
  findRunning,
  isRunning,
  removeRecords,
  startTimer,
  stopTimer,
  updateRecord,
} from './model-changes.js'
import type { SeededRandom } from './seeded-random.js'
import type { Team } from './team.js'
import type { CommandResult, TestCli } from './test-cli.js'

/** A command that changes records, and its effect on the model. */
export interface RandomCommand {
  argv: string[]
  change(model: Model): Model | undefined
  /** The record that it creates. */
  created?: ExpectedRecord
}

const [secondMs, minuteMs] = [1000, 60_000]
const commandWeights = {
  start: 14,
  stop: 12,
  add: 30,
  edit: 15,
  rm: 7,
  continue: 4,
  cancel: 3,
  addExpense: 6,
  editExpense: 4,
  removeExpense: 2,
  undo: 3,
  repeat: 6,
  restart: 4,
  repeatExpense: 3,
}
type CommandName = keyof typeof commandWeights

/** The time between equal entries that follow each other: `tt` does not tell apart times within a minute. */
const neighbourMs = 45 * secondMs

/** Chooses random commands. */
export class RandomUser {
  readonly cli: TestCli
  readonly models: PossibleModels
  readonly #random: SeededRandom
  readonly #links: Team['links']
  /** ID of each record, by mark. */
  readonly #names = new Map<number, string>()
  #nowMs: number
  #marks = 0

  constructor(
    cli: TestCli,
    models: PossibleModels,
    random: SeededRandom,
    links: Team['links'],
    start: string,
  ) {
    this.cli = cli
    this.models = models
    this.#random = random
    this.#links = links
    this.#nowMs = Date.parse(start)
    this.wait(0)
  }

  get now(): string {
    return iso(this.#nowMs)
  }

  /** Advances the clock, to a time after the previous command. */
  wait(seconds: number) {
    this.#nowMs += seconds * secondMs
    // Commands that wait for the service take longer than expected.
    while (this.#nowMs < this.cli.nowMs()) this.#nowMs += minuteMs
    this.cli.setTime(new Date(this.#nowMs).toISOString())
  }

  /** Suspends the machine in the middle of a command. */
  suspend(minutes: number) {
    this.#nowMs += minutes * minuteMs
    this.cli.suspend(minutes * minuteMs)
  }

  /** Returns the next command, for which it advances the clock. */
  nextCommand(): RandomCommand {
    // Longer than the previous command can have taken.
    this.wait(this.#random.between(12, 40))
    return this.#next(this.models.model)
  }

  /** Records the ID of the record that a command has created. */
  rememberName(mark: number, outcome: CommandResult) {
    const { id, local_id: localId } = outcome.json() as { id?: unknown; local_id?: unknown }
    this.#names.set(mark, String(localId ?? id))
  }

  /** Returns a record as another client adds it, with a new mark. */
  copyOf(record: ExpectedRecord): ExpectedRecord {
    return { ...record, mark: this.#newMark() }
  }

  #next(model: Model): RandomCommand {
    const running = findRunning(model)
    const own = model.records.filter(({ mark }) => this.#names.has(mark))
    const finished = own.filter((record) => record.kind === 'entry' && !isRunning(record))
    const expenses = own.filter(({ kind }) => kind === 'expense')
    const isNew = running !== undefined && this.#nowMs - Number(running.fields.time_start) < minuteMs
    const name = this.#random.weighted(commandWeights)
    const possible: Record<CommandName, boolean> = {
      start: true,
      add: true,
      addExpense: true,
      stop: running !== undefined,
      cancel: running !== undefined,
      edit: finished.length > 0,
      rm: finished.length > 4,
      continue: finished.length > 0,
      editExpense: expenses.length > 0,
      removeExpense: expenses.length > 2,
      undo: model.history.length > 2,
      repeat: finished.length > 0,
      restart: isNew,
      repeatExpense: expenses.length > 0,
    }
    if (!possible[name]) return this.#next(model)
    switch (name) {
      case 'start':
        return this.#start(['start'], this.#random.pick(['design', 'review'] as const))
      case 'continue': {
        const previous = this.#recent(finished)
        return this.#start(['continue', this.#nameOf(previous)], this.#taskOf(previous))
      }
      case 'add':
        return this.#add()
      case 'stop':
        return this.#stop()
      case 'cancel':
        return { argv: ['cancel', '--yes'], change: (now) => removeRecords(now, isRunning) }
      case 'edit':
        return this.#edit(running && this.#random.chance(0.3) ? running : this.#recent(finished))
      case 'rm':
        return this.#remove(['rm'], finished)
      case 'addExpense':
        return this.#addExpense()
      case 'editExpense':
        return this.#editExpense(this.#recent(expenses))
      case 'removeExpense':
        return this.#remove(['expenses', 'rm'], expenses)
      case 'repeat':
        return this.#repeat(this.#random.pick(finished.slice(-3)))
      case 'restart':
        return this.#start(['start'], this.#taskOf(running), running?.fields.notes)
      case 'repeatExpense': {
        const { amount, spent_on: day, notes } = this.#random.pick(expenses.slice(-3)).fields
        return this.#addExpense(Number(amount).toFixed(2), String(day), String(notes))
      }
      case 'undo': {
        const steps = this.#random.pick([1, 1, 1, 2])
        return {
          argv: ['undo', ...(steps === 1 ? [] : [String(steps)]), '--yes'],
          change: (now) => undoChanges(now, steps),
        }
      }
    }
  }

  /** @param equalNotes the notes of the running timer, for one that is equal to it except for its start */
  #start(argv: string[], task: 'design' | 'review', equalNotes?: unknown): RandomCommand {
    const [mark, at] = [this.#newMark(), this.#nowMs]
    const notes = String(equalNotes ?? `#${mark} ${this.#random.pick(texts)}`)
    const fields = { time_start: at, time_end: null, notes, task_link_id: this.#links[task] }
    const created: ExpectedRecord = { kind: 'entry', mark, fields }
    return {
      argv: [...argv, ...(argv[0] === 'start' ? [task] : []), '-n', notes],
      change: (model) => startTimer(model, created),
      created,
    }
  }

  #stop(): RandomCommand {
    const [at, text] = [this.#nowMs, this.#random.chance(0.3) ? this.#random.pick(texts) : undefined]
    const running = findRunning(this.models.model)
    const notes = text && running && `#${sharedMark(running)} ${text}`
    return {
      argv: ['stop', ...(notes ? ['-n', notes] : [])],
      change: (model) => stopTimer(model, { time_end: at, ...(notes ? { notes } : {}) }),
    }
  }

  #add(): RandomCommand {
    const mark = this.#newMark()
    const notes = `#${mark} ${this.#random.pick(texts)}`
    const task = this.#random.pick(['design', 'review'] as const)
    const start = this.#nowMs - this.#random.between(60, 7200) * minuteMs
    const minutes = this.#random.between(1, 59)
    const fields = {
      time_start: start,
      time_end: start + minutes * minuteMs,
      notes,
      task_link_id: this.#links[task],
    }
    return {
      argv: ['add', task, '--from', iso(start), '--for', `${minutes}m`, '-n', notes],
      ...creation({ kind: 'entry', mark, fields }),
    }
  }

  /** Adds an entry with the content of another one, at the same time or shortly after it. */
  #repeat(record: ExpectedRecord): RandomCommand {
    const mark = this.#newMark()
    const shift = this.#random.chance(0.5) ? neighbourMs : 0
    const start = Number(record.fields.time_start) + shift
    const end = Number(record.fields.time_end) + shift
    const fields: ExpectedRecord['fields'] = { ...record.fields, time_start: start, time_end: end }
    const times = ['--from', iso(start), '--to', iso(end)]
    return {
      argv: ['add', this.#taskOf(record), ...times, '-n', String(fields.notes)],
      ...creation({ kind: 'entry', mark, fields }),
    }
  }

  #taskOf(record: ExpectedRecord | undefined): 'design' | 'review' {
    return record?.fields.task_link_id === this.#links.design ? 'design' : 'review'
  }

  #edit(record: ExpectedRecord): RandomCommand {
    const random = this.#random
    const [start, end] = [Number(record.fields.time_start), Number(record.fields.time_end)]
    const length = random.between(1, 90)
    // An edit without effect need not be an undo step.
    const minutes = end === start + length * minuteMs ? length + 1 : length
    const field = isRunning(record)
      ? random.pick(['notes', 'task'] as const)
      : random.pick(['notes', 'for', 'task', 'from'] as const)
    const task = record.fields.task_link_id === this.#links.design ? 'review' : 'design'
    const notes = `#${sharedMark(record)} ${random.pick(texts)} ${random.between(1, 999)}`
    const [option, value, fields] = {
      notes: ['--notes', notes, { notes }] as const,
      for: ['--for', `${minutes}m`, { time_end: start + minutes * minuteMs }] as const,
      task: ['--task', task, { task_link_id: this.#links[task] }] as const,
      from: ['--from', iso(start - minutes * minuteMs), { time_start: start - minutes * minuteMs }] as const,
    }[field]
    const name = isRunning(record) ? '@' : this.#nameOf(record)
    return { argv: ['edit', name, option, value], change: (model) => updateRecord(model, record, fields) }
  }

  #remove(argv: string[], records: ExpectedRecord[]): RandomCommand {
    const removed = new Set(
      [this.#recent(records), this.#recent(records)].slice(0, this.#random.between(1, 2)),
    )
    const marks = new Set([...removed].map(({ mark }) => mark))
    return {
      argv: [...argv, ...[...removed].map((record) => this.#nameOf(record)), '--yes'],
      change: (model) => removeRecords(model, ({ mark }) => marks.has(mark)),
    }
  }

  #addExpense(
    amount = this.#amount(),
    day = iso(this.#nowMs - this.#random.between(1, 5) * 24 * 60 * minuteMs).slice(0, 10),
    equalNotes?: string,
  ): RandomCommand {
    const mark = this.#newMark()
    const notes = equalNotes ?? `#${mark} ${this.#random.pick(texts)}`
    const fields = { amount: Number(amount), spent_on: day, notes }
    return {
      argv: ['expenses', 'add', amount, '--type', 'Travel', '--on', day, '-n', notes],
      ...creation({ kind: 'expense', mark, fields }),
    }
  }

  #editExpense(record: ExpectedRecord): RandomCommand {
    const amount = this.#amount()
    return {
      argv: ['expenses', 'edit', this.#nameOf(record), '--amount', amount],
      change: (model) => updateRecord(model, record, { amount: Number(amount) }),
    }
  }

  #amount(): string {
    return `${this.#random.between(1, 500)}.${this.#random.between(10, 99)}`
  }

  /** Picks a recent record, or sometimes an old one. */
  #recent(records: readonly ExpectedRecord[]): ExpectedRecord {
    return this.#random.pick(this.#random.chance(0.8) ? records.slice(-8) : records)
  }

  #newMark(): number {
    this.#marks++
    return this.#marks
  }

  #nameOf({ mark }: ExpectedRecord): string {
    const name = this.#names.get(mark)
    if (name === undefined) throw new Error(`#${mark} has no name.`)
    return name
  }
}

/** Returns the effect of a command that creates a record and changes no other one. */
function creation(created: ExpectedRecord): Pick<RandomCommand, 'change' | 'created'> {
  return { change: (model) => createRecord(model, created), created }
}

const texts = ['phone', 'grüße, "quotes" & 100%', 'first page', "o'clock 🎉", 'a\ttab', 'review of <b>']

const iso = (ms: number) => new Date(ms).toISOString()
