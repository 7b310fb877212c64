import type { Predicates } from '../../api-client/filter/query.js'
import type { WireRecord } from '../../api-client/types.js'
import type { Interval, TimeRange } from '../../lib/calendar/interval.js'
import type { ChangeApplier } from '../../outbox/change-applier.js'
import type { ClockReading } from '../../outbox/delivery/settling-time.js'
import type { Entry } from './entry.js'
import type { EntryReader, ReadOptions } from './reading/entry-reader.js'
import type { OverlapQuery } from './reading/overlapping-records.js'
import type { RunningTimer } from './running-timer.js'

export interface EntriesParts {
  reader: EntryReader
  changes: ChangeApplier
  timer: RunningTimer
  hasDelivery: boolean
}

/**
 * Reads time entries, with pending changes applied. Delivers the pending changes of earlier commands before it sends
 * requests.
 */
export class Entries {
  readonly #parts: EntriesParts

  constructor(parts: EntriesParts) {
    this.#parts = parts
  }

  /** Returns the running entry; the latest of several. */
  async running(): Promise<Entry | undefined> {
    const [entry] = await this.allRunning()
    return entry
  }

  /** Returns all running entries, the latest start first. */
  async allRunning(): Promise<Entry[]> {
    await this.#parts.changes.deliverBacklog()
    const entries = await this.#parts.timer.read()
    this.#parts.timer.rememberRead(entries[0])
    return entries
  }

  /** Returns the entries with pending changes, oldest first. */
  async pending(predicates: Predicates): Promise<Entry[]> {
    await this.#parts.changes.deliverBacklog()
    return this.#parts.reader.pending(predicates)
  }

  /** Returns the running timer. Throws TtError `not_found` without one. */
  async requireRunning(): Promise<Entry> {
    const running = await this.running()
    if (!running) throw this.#parts.timer.notRunningError()
    return running
  }

  /** Like `requireRunning`, for a change: a command that does not wait for the service uses the known timer. */
  async requireRunningForChange(): Promise<Entry> {
    const { changes, timer } = this.#parts
    if (!timer.prefersKnown) return this.requireRunning()
    await changes.deliverBacklog()
    const [running] = await timer.readForChange({ isOptional: false })
    if (!running) throw timer.notRunningError()
    return running
  }

  /** Returns the entry with an ID, or the one for `@`, `@1`, `@2` …. Throws TtError `not_found` or `usage`. */
  async find(reference: string): Promise<Entry> {
    if (reference === '@') return this.requireRunning()
    await this.#parts.changes.deliverBacklog()
    return this.#parts.reader.find(reference)
  }

  /** Returns the record of an entry, with its pending changes applied; undefined if there is no entry with that ID. */
  async record(id: string): Promise<WireRecord | undefined> {
    return (await this.#parts.reader.byId(id))?.record
  }

  /** Returns the records of the entries that start within the bounds, with their pending changes applied. */
  async records(bounds: TimeRange): Promise<WireRecord[]> {
    return (await this.#parts.reader.within(bounds)).map(({ wire }) => wire)
  }

  /** Whether everything read so far came from the service, not from the cache. */
  get isFresh(): boolean {
    return this.#parts.reader.isFresh
  }

  /** When the first response arrived, if everything read so far came from the service. */
  get readAt(): ClockReading | undefined {
    return this.#parts.reader.readAt
  }

  /** Returns the entry with this external ID; undefined if there is none. */
  async findByExternalId(externalId: string, options: ReadOptions = {}): Promise<Entry | undefined> {
    await this.#parts.changes.deliverBacklog()
    return this.#parts.reader.byExternalId(externalId, options)
  }

  /** Returns the entries that start within the bounds, oldest first. */
  async list(bounds: TimeRange, predicates: Predicates): Promise<Entry[]> {
    await this.#parts.changes.deliverBacklog()
    return this.#parts.reader.within(bounds, predicates)
  }

  /** Returns the entries that overlap the range, also those that start before it, in the order of their starts. */
  async overlapping(range: TimeRange, predicates: Predicates = {}): Promise<Entry[]> {
    await this.#parts.changes.deliverBacklog()
    return this.#parts.reader.overlapping(this.#overlapQuery(range, predicates))
  }

  /**
   * Returns the matching entries of the cache and the outbox, without requests. `matches` receives each entry
   * before its link is read, so `link` is undefined.
   */
  listKnown(bounds: TimeRange, matches: (entry: Entry) => boolean): Promise<Entry[]> {
    return this.#parts.reader.listKnown(bounds, matches)
  }

  /** Returns the last entry of each of the `count` tasks that were tracked last, with its reference; see `EntryReader`. */
  lastTasks(count: number): ReturnType<EntryReader['lastTasks']> {
    return this.#parts.reader.lastTasks(count)
  }

  /**
   * Returns the finished entries of the cache and the outbox that overlap the interval, and the running timer if it
   * starts before the end of the interval. Sends no requests.
   */
  async knownOverlapping(interval: Interval): Promise<Entry[]> {
    const finished = await this.#parts.reader.knownOverlapping(interval)
    const timer = this.#parts.timer.known
    return timer && timer.start < interval.end ? [...finished, timer] : finished
  }

  /** Whether an entry is known to start before an instant, on this machine or at the service. */
  hasEntryBefore(instant: Date): Promise<boolean> {
    return this.#parts.reader.hasEntryBefore(instant)
  }

  /** The same reads without requests to a service, which find what is known on this machine. */
  get known(): Pick<Entries, 'running' | 'hasEntryBefore'> & {
    overlapping(interval: Interval): Promise<Entry[]>
  } {
    const { reader, timer, hasDelivery } = this.#parts
    if (!hasDelivery) return this
    return {
      running: async () => timer.known,
      overlapping: (interval) => this.knownOverlapping(interval),
      hasEntryBefore: (instant) => reader.hasKnownEntryBefore(instant),
    }
  }

  /**
   * Like `overlapping`, but yields batches as they arrive, in any order, so that a long list is never in memory as a
   * whole. May throw after any batch; the list is incomplete then. With `isUnlimited`, reads all entries that start
   * before the end of the range, to find running entries of any age, and entries of any duration even if the service
   * cannot filter by end.
   */
  async *batches(
    range: TimeRange,
    predicates: Predicates,
    options: Pick<OverlapQuery, 'isUnlimited'> = {},
  ): AsyncGenerator<Entry[]> {
    await this.#parts.changes.deliverBacklog()
    yield* this.#parts.reader.batches({ ...this.#overlapQuery(range, predicates), ...options })
  }

  /** Like `overlapping`, but yields batches, so that a long list of the local workspace is never in memory as a whole. */
  async *orderedBatches(range: TimeRange, predicates: Predicates): AsyncGenerator<Entry[]> {
    await this.#parts.changes.deliverBacklog()
    yield* this.#parts.reader.orderedBatches(this.#overlapQuery(range, predicates))
  }

  /**
   * Like `batches`, but the entries may lack their notes and all other fields but `id`, `start`, `end` and `link`.
   * Requests only these fields from a service that supports it.
   */
  async *batchesOfTimes(range: TimeRange, predicates: Predicates): AsyncGenerator<Entry[]> {
    await this.#parts.changes.deliverBacklog()
    yield* this.#parts.reader.batchesOfTimes(this.#overlapQuery(range, predicates))
  }

  #overlapQuery(range: TimeRange, predicates: Predicates): OverlapQuery {
    return { range, predicates, openSince: this.#parts.timer.openSince }
  }
}
