import { RejectedError } from '../../api-client/api-errors.js'
import type { WireRecord } from '../../api-client/types.js'
import { addDays, dayOf } from '../../lib/calendar/day.js'
import { formatTime } from '../../lib/calendar/time.js'
import { dayMs, minuteMs } from '../../lib/time-units.js'
import { writeIfPossible } from '../cache/client-state.js'
import type { QueuedChange } from '../queued-change.js'
import type { DeliveryParts } from './delivery.js'

/**
 * What a command that did not wait for the service has started or stopped: it has ended the running timer that was known on
 * this machine. Times are epoch milliseconds.
 */
export interface TimerIntention {
  kind: 'start' | 'stop'
  /** The time at which running timers end. */
  at: number
  /** When the command was typed. */
  typedAt: number
  /** The numbers of the changes that the command has saved. It has lost its effect when none of them does the same. */
  changes: number[]
  /** The numbers of the changes that end known timers. */
  ends: number[]
  /** The IDs of known timers that a stop leaves running, because it ends one timer; its command has printed them. */
  leaves?: string[]
}

/** How long after the command a timer of another client is ended, in milliseconds. */
const maxAgeMs = 10 * minuteMs
/** How far back running timers are searched, in days. */
const searchedDays = 31

/**
 * Completes what commands have started and stopped without waiting for the service: reads which timers run there, ends those
 * of other clients that began before the command, and leaves those that began later. Warns about everything that differs from what the
 * command printed.
 */
export class TimerIntentions {
  readonly #parts: DeliveryParts
  /** Whether the service has rejected the list in this process. */
  #isRejected = false

  constructor(parts: DeliveryParts) {
    this.#parts = parts
  }

  /** Whether there are any to complete. */
  get hasWork(): boolean {
    return !this.#isRejected && this.#stored().length > 0
  }

  /** The pending changes to send before all others: the ends of timers of other clients, and earlier changes of these. */
  get urgent(): QueuedChange[] {
    const { state, outbox, hasDelivery } = this.#parts
    if (!hasDelivery) return []
    return (state.snapshot('urgent_changes')?.value ?? []).flatMap((seq) => {
      const change = outbox.get(seq)
      const first =
        change && outbox.changesOf('entry', change.record).find(({ state }) => state === 'waiting')
      return change?.state === 'waiting' && first ? [first] : []
    })
  }

  /**
   * Completes them. Throws the errors that stop the delivery of all changes.
   *
   * @param storeResult stores what was warned about, within the transaction
   */
  async complete(storeResult = () => {}): Promise<void> {
    const { api, state, clock } = this.#parts
    const stored = this.#stored()
    const intentions = stored.filter((intention) => this.#hasEffect(intention))
    if (intentions.length === 0) {
      state.atomically(() => this.#remove(stored.length))
      return
    }
    const first = Math.min(...intentions.map(({ at }) => at))
    const from = addDays(dayOf(new Date(first - searchedDays * dayMs)), -2)
    let records: WireRecord[]
    try {
      records = await api.listTimeEntries({ time_start_gteq: from })
    } catch (error) {
      if (!(error instanceof RejectedError)) throw error
      // The changes of the commands themselves are sent nevertheless.
      this.#isRejected = clock().getTime() - first < dayMs
      if (!this.#isRejected) state.atomically(() => this.#remove(stored.length))
      return
    }
    state.atomically(() => {
      const byId = new Map(records.map((record) => [String(record.id), record]))
      // Another command may have undone it while the list was read.
      const remaining = intentions.filter((intention) => this.#hasEffect(intention))
      for (const intention of remaining) this.#withdrawEnds(intention, byId)
      const urgent = records.flatMap((record) => this.#settleRunning(record, remaining))
      if (urgent.length > 0) {
        const seqs = [...this.urgent, ...urgent].map(({ seq }) => seq)
        state.saveSnapshot('urgent_changes', seqs, clock())
      }
      this.#remove(stored.length)
      // With the changes, so that the user learns of them also if this process is killed.
      storeResult()
    })
  }

  /** Whether the changes of the command still start or stop a timer: it may have been undone, or its entry deleted. */
  #hasEffect({ kind, changes }: TimerIntention): boolean {
    return changes.some((seq) => {
      const change = this.#parts.outbox.get(seq)
      return kind === 'start' ? change?.op === 'create' : typeof change?.fields.time_end === 'string'
    })
  }

  /** Withdraws the end of a timer that has another end at the service already. */
  #withdrawEnds({ ends, at }: TimerIntention, records: ReadonlyMap<string, WireRecord>) {
    const { outbox, cache, clock, labelOf, warn } = this.#parts
    for (const seq of ends) {
      const change = outbox.get(seq)
      const record = change && records.get(change.record)
      const isEnd = change?.op === 'update' && Object.keys(change.fields).join() === 'time_end'
      if (!record || !isEnd || change.outcomeUnknown || change.state !== 'waiting') continue
      const end = timeOf(record.time_end)
      if (end === undefined || end === at || (change.base?.time_end ?? null) !== null) continue
      outbox.remove(seq)
      writeIfPossible(() => cache?.store('entry', record, clock()))
      const times = `${shown(timeOf(record.time_start), at)}–${shown(end, at)}`
      warn(`${labelOf(record)} was stopped elsewhere before (${times}), and keeps that end.`)
    }
  }

  /** Ends a timer that began before a command, or warns that it runs. Returns the change that ends it. */
  #settleRunning(record: WireRecord, intentions: readonly TimerIntention[]): QueuedChange[] {
    const { outbox, cache, clock, labelOf, warn } = this.#parts
    const id = String(record.id)
    const start = timeOf(record.time_start)
    if (timeOf(record.time_end) !== undefined || start === undefined) return []
    if (outbox.changesOf('entry', id).some(({ op, fields }) => op === 'delete' || fields.time_end)) return []
    if (this.#mayBeCreatedHere(record, start)) return []
    const isLeft = ({ leaves = [] }: TimerIntention) =>
      leaves.some((left) => outbox.resolve('entry', left) === id)
    if (intentions.some(isLeft)) return []
    const intention = intentions.find(({ at }) => start < at)
    const now = clock().getTime()
    const timer = `${labelOf(record)}, started elsewhere at ${shown(start, now)},`
    if (!intention) {
      const isUnexpected =
        intentions.some(({ kind }) => kind === 'start') && !outbox.isCreatedHere('entry', id)
      if (isUnexpected && start <= now) warn(`${timer} is running too.`)
      return []
    }
    const { at, typedAt } = intention
    if (Math.abs(now - typedAt) >= maxAgeMs) {
      warn(
        `${timer} is still running: it was not known when the timer here was changed at ${shown(at, now)}.`,
      )
      return []
    }
    writeIfPossible(() => cache?.store('entry', record, clock()))
    const fields = { time_end: new Date(at).toISOString() }
    const change = outbox.append({ kind: 'entry', op: 'update', record, fields }, new Date(typedAt))
    warn(`${timer} was stopped at ${shown(at, now)} as well.`)
    return change ? [change] : []
  }

  /** Whether a create of this machine, whose response was lost, may have made the record. */
  #mayBeCreatedHere({ task_link_id: link }: WireRecord, start: number): boolean {
    return this.#parts.outbox
      .createsWithUnknownOutcome('entry')
      .some(
        ({ fields }) =>
          String(fields.task_link_id) === String(link) &&
          Math.abs(Date.parse(String(fields.time_start)) - start) < minuteMs,
      )
  }

  #stored(): TimerIntention[] {
    return this.#parts.state.snapshot('timer_intentions')?.value ?? []
  }

  /** Removes the first ones: commands may have added others. */
  #remove(count: number) {
    const { state, clock } = this.#parts
    state.saveSnapshot('timer_intentions', this.#stored().slice(count), clock())
  }
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

function shown(time: number | undefined, relativeTo: number): string {
  return time === undefined ? '?' : formatTime(new Date(time), new Date(relativeTo))
}
