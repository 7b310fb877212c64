import { InvalidResponseError, isInconclusive, RejectedError } from '../../../api-client/api-errors.js'
import type { Predicates } from '../../../api-client/filter/query.js'
import type { TimeEntry, WireRecord } from '../../../api-client/types.js'
import type { Interval, TimeRange } from '../../../lib/calendar/interval.js'
import { TtError } from '../../../lib/errors.js'
import { dayMs } from '../../../lib/time-units.js'
import { writeIfPossible } from '../../../outbox/cache/client-state.js'
import type { Coverage } from '../../../outbox/cache/fetched-ranges.js'
import { isNotFound } from '../../../outbox/delivery/delivery-errors.js'
import { type ClockReading, readClocks } from '../../../outbox/delivery/settling-time.js'
import type { Outbox } from '../../../outbox/outbox.js'
import { applyPending, mergePending, overlayPending, type WithPending } from '../../../outbox/pending.js'
import type { Link } from '../../catalog/catalog.js'
import { type Entry, fromTimes, isTimes, overlapsRange, toEntry } from '../entry.js'
import type { UseCache } from './entry-stream.js'
import type { OverlapQuery } from './overlapping-records.js'
import { aroundStart, type ReadSources } from './read-sources.js'

/** How far back a forgotten timer or the last entry is searched first, in days. */
const recentDays = 31
/** The periods that are searched for the last finished entries one after the other, in days; undefined for all time. */
const recentPeriods = [recentDays, 366, undefined]

export interface ReadOptions {
  /** Treats missing cached data as empty instead of failing while the service cannot be reached. */
  allowEmpty?: boolean
  /** Suppresses the warning about cached data. */
  silent?: boolean
}

/** How much of the requested data the cache has. */
export type KnownEntries = Coverage & { isEmpty: boolean }

/**
 * Reads entries from the service, or from the cache while it cannot be reached; applies pending changes, and joins the
 * task links.
 */
export class EntryReader {
  readonly #sources: ReadSources
  #isFresh = true
  #readAt: ClockReading | undefined
  #isComplete = true

  constructor(sources: ReadSources) {
    this.#sources = sources
  }

  /** Whether everything read so far came from the service, not from the cache. */
  get isFresh(): boolean {
    return this.#isFresh
  }

  /** When the first response arrived, if everything read so far came from the service. */
  get readAt(): ClockReading | undefined {
    return this.#isFresh ? this.#readAt : undefined
  }

  /** Whether every list of `within` and `running` so far is complete. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Returns the entry of a record with its task link, if that can be read. */
  async joinLink(found: WithPending): Promise<Entry> {
    const id = (found.record as TimeEntry).task_link_id
    const link = await this.#sources.catalog.byId(id).catch(unknownWhenUnreachable)
    return toEntry(found, link, this.#invoiceOf(found.record.id))
  }

  /** Like `joinLink` after a change: no error of reading the link fails a change that is saved. */
  async joinLinkAfterChange(found: WithPending): Promise<Entry> {
    return this.joinLink(found).catch((error: unknown) => {
      if (!(error instanceof TtError)) throw error
      return toEntry(found, undefined, this.#invoiceOf(found.record.id))
    })
  }

  /** Returns the entries that start within the bounds and match the predicates, oldest first. */
  async within(bounds: TimeRange, predicates: Predicates = {}, options: ReadOptions = {}): Promise<Entry[]> {
    const [found, links] = await Promise.all([this.#withPending(bounds, predicates, options), this.#links()])
    return this.#entriesWithin(bounds, found, links).sort((a, b) => a.start.getTime() - b.start.getTime())
  }

  /**
   * Returns the matching entries of the cache and the outbox, without requests. `matches` receives each entry
   * before its link is read, so `link` is undefined.
   */
  async listKnown(bounds: TimeRange, matches: (entry: Entry) => boolean): Promise<Entry[]> {
    return Promise.all(
      (await this.#known(bounds))
        .filter(matches)
        .sort((a, b) => a.start.getTime() - b.start.getTime())
        .map(({ wire, pending }) => this.joinLink({ record: wire, pending })),
    )
  }

  /**
   * Returns the last finished entry of each of the `count` tasks that were tracked last, with its reference: `@1`, `@2` ….
   * Uses the cache and the outbox, without requests, and the latest month that has entries.
   */
  async lastTasks(count: number): Promise<{ reference: string; entry: Entry }[]> {
    for (const days of recentPeriods) {
      const finished = latestFinished(await this.#known(this.#lastDays(days)))
      if (finished.length === 0) continue
      const seen = new Set<string>()
      const last = finished
        .map((entry, index) => ({ reference: `@${index + 1}`, entry, task: String(entry.wire.task_link_id) }))
        .filter(({ task }) => !seen.has(task) && seen.add(task))
        .slice(0, count)
      return Promise.all(
        last.map(async ({ reference, entry: { wire: record, pending } }) => ({
          reference,
          entry: await this.joinLink({ record, pending }),
        })),
      )
    }
    return []
  }

  /** Returns the running entries of the cache and the outbox, the latest start first, without requests. */
  async knownRunning(from: Date): Promise<Entry[]> {
    const { cache } = this.#sources
    const found = await mergePending('entry', this.#sources, async () => cache?.openEntries(from) ?? [], {})
    const running = this.#entriesWithin({ start: from }, found, new Map())
      .filter(({ end }) => end === null)
      .sort((a, b) => byStart(b, a))
    return Promise.all(running.map(({ wire: record, pending }) => this.joinLink({ record, pending })))
  }

  /** Returns the entries of the cache and the outbox that start within the bounds, without their links. */
  async #known(bounds: TimeRange): Promise<Entry[]> {
    const { cache } = this.#sources
    const read = async () => cache?.readRange('entry', bounds).records ?? this.#records(bounds, {}, {})
    return this.#entriesWithin(bounds, await mergePending('entry', this.#sources, read, {}), new Map())
  }

  /** Returns the entries that overlap the range of a query, in the order of their starts. */
  async overlapping(query: OverlapQuery, useCache = this.#useCache): Promise<Entry[]> {
    const { overlappingList } = await import('./entry-stream.js')
    const read = () => overlappingList(query, this.#sources, useCache)
    const [found, links] = await Promise.all([
      mergePending('entry', this.#sources, read, query.predicates),
      this.#links(),
    ])
    this.#noteArrival()
    return this.#overlapping(query.range, found, links).sort(byStart)
  }

  /**
   * Like `overlapping`, but yields batches in any order, each entry once, so that a long list is never in memory as a
   * whole. Changes made while it is read may be included or not. May throw after any batch; the list is incomplete then.
   */
  async *batches(query: OverlapQuery): AsyncGenerator<Entry[]> {
    const [{ streamEntries }, links] = await Promise.all([import('./entry-stream.js'), this.#links()])
    for await (const batch of streamEntries(query, this.#sources, this.#useCache)) {
      const entries = this.#overlapping(query.range, batch, links)
      if (entries.length > 0) yield entries
    }
  }

  /**
   * Like `overlapping`, but yields batches. In the local workspace and from the cache, which list entries in the order of
   * their starts, a long list is never in memory as a whole.
   */
  async *orderedBatches(query: OverlapQuery): AsyncGenerator<Entry[]> {
    const { cache, outbox } = this.#sources
    if (!cache && outbox.isEmpty()) {
      const { withRunningInOrder } = await import('./read-sources.js')
      return yield* withRunningInOrder(this.batches(query))
    }
    // A service lists entries in any order.
    const usesCache = new Error('The service cannot be used.')
    let entries: Entry[]
    try {
      entries = await this.overlapping(query, (...reason) => {
        this.#useCache(...reason)
        throw usesCache
      })
    } catch (error) {
      if (error !== usesCache) throw error
      return yield* this.#cachedInOrder(query)
    }
    yield entries
  }

  /** Yields the cached entries in the order of their starts, with pending changes. */
  async *#cachedInOrder(query: OverlapQuery): AsyncGenerator<Entry[]> {
    const [{ streamCached }, links] = await Promise.all([import('./entry-stream.js'), this.#links()])
    const entriesIn = (found: WithPending[]) => this.#overlapping(query.range, found, links).sort(byStart)
    const hasPending = entriesOf(this.#sources.outbox).length > 0
    let pending: Entry[] = []
    // The last batch has the records that pending changes may belong to, in any order: it is read first.
    if (hasPending) for await (const batch of streamCached(query, this.#sources)) pending = entriesIn(batch)
    let next: Entry[] | undefined
    for await (const batch of streamCached(query, this.#sources)) {
      const entries = next
      next = entriesIn(batch)
      const last = entries?.at(-1)
      if (!entries || !last) continue
      const isDue = ({ start }: Entry) => start <= last.start
      yield pending.some(isDue) ? [...pending.filter(isDue), ...entries].sort(byStart) : entries
      pending = pending.filter((entry) => !isDue(entry))
    }
    if (hasPending) yield pending
    else if (next) yield next
  }

  /** Like `batches`, but the entries may lack all but `id`, `start`, `end` and `link`. */
  async *batchesOfTimes(query: OverlapQuery): AsyncGenerator<Entry[]> {
    // Pending changes can be merged into records only.
    if (!this.#sources.outbox.isEmpty()) return yield* this.batches(query)
    const [{ streamRecords }, links] = await Promise.all([import('./entry-stream.js'), this.#links()])
    const { now } = this.#sources
    const timesQuery = { ...query, timesSuffice: true }
    const invoiceOf = this.#invoices()
    for await (const batch of streamRecords(timesQuery, this.#sources, this.#useCache)) {
      const entries = batch.map((record) => {
        const link = links.get(String(record.task_link_id))
        const invoice = invoiceOf(record.id)
        return isTimes(record)
          ? fromTimes(record, link, invoice)
          : toEntry({ record, pending: false }, link, invoice)
      })
      yield entries.filter((entry) => overlapsRange(entry, query.range, now))
    }
  }

  /** Returns the finished entries of the cache and the outbox that overlap the interval, without requests. */
  async knownOverlapping(interval: Interval): Promise<Entry[]> {
    const read = async () =>
      this.#sources.cache?.readOverlapping(interval).records ??
      this.#sources.api.listTimeEntries({
        time_start_lt: interval.end.toISOString(),
        time_end_gteq: interval.start.toISOString(),
      })
    const pending = await mergePending('entry', this.#sources, read, {})
    const found = this.#overlapping(interval, pending, new Map())
    return Promise.all(
      found
        .filter((entry) => entry.end !== null)
        .map(({ wire, pending }) => this.joinLink({ record: wire, pending })),
    )
  }

  /** Whether an entry is known to start before an instant, on this machine or at the service. */
  async hasEntryBefore(instant: Date): Promise<boolean> {
    const { hasEntryBefore } = await import('./earlier-entry.js')
    return hasEntryBefore(instant, this.#sources)
  }

  /** Whether an entry of the cache or the outbox starts before an instant. */
  async hasKnownEntryBefore(instant: Date): Promise<boolean> {
    const { hasKnownEntryBefore } = await import('./earlier-entry.js')
    return hasKnownEntryBefore(instant, this.#sources)
  }

  /**
   * Returns the running entries, the latest start first. `openOnly` requests entries without an end, for a service that
   * is known to compare with null; otherwise those that started since `from` are found.
   */
  async running(from: Date, openOnly: boolean, options: ReadOptions = {}): Promise<Entry[]> {
    const found = openOnly
      ? await this.within({}, { time_end_eq: null }, options)
      : await this.within({ start: from }, {}, options)
    return found.filter((entry) => entry.end === null).reverse()
  }

  /** Returns the entries with pending changes as they will be, oldest first, without requests. */
  async pending(predicates: Predicates): Promise<Entry[]> {
    const { matchesPredicates } = await import('../../../api-client/filter/conditions.js')
    const pending = overlayPending([], entriesOf(this.#sources.outbox))
    const zone = this.#sources.cache?.timeZone()
    const found = pending.filter(({ record }) => matchesPredicates(record, predicates, zone))
    const links = await this.#links()
    return this.#entriesWithin({}, found, links).sort((a, b) => a.start.getTime() - b.start.getTime())
  }

  /** Returns the finished entry for `@1`, `@2` …, or the one with an ID. Throws TtError `not_found` or `usage`. */
  async find(reference: string): Promise<Entry> {
    const position = /^@([1-9]\d{0,5})$/.exec(reference)?.[1]
    if (position !== undefined) return this.#finished(Number(position))
    if (!/^~?[\p{L}\p{N}_.:-]+$/u.test(reference)) {
      throw new TtError('usage', `"${reference}" is not an entry.`, {
        hint: 'An entry is an ID, @ for the running one, or @1 for the last finished one.',
      })
    }
    const found = await this.byId(reference)
    if (found) return this.joinLink(found)
    throw new TtError('not_found', `There is no entry ${reference}.`, {
      nextStep: { action: 'list', records: 'entries' },
      ...(this.#isFresh && !reference.startsWith('~') ? { status: 404 } : {}),
    })
  }

  /** Returns the entry with an ID or local ID; undefined if there is none. */
  async byId(id: string): Promise<WithPending | undefined> {
    const { outbox } = this.#sources
    const name = outbox.resolve('entry', id)
    const known = name.startsWith('~') ? undefined : await this.#fetchRecord(name)
    return applyPending(known, outbox.changesOf('entry', name))
  }

  /** Returns the entry with this external ID; undefined if there is none. */
  async byExternalId(externalId: string, options: ReadOptions = {}): Promise<Entry | undefined> {
    const { api, outbox, cache } = this.#sources
    const pending = overlayPending([], entriesOf(outbox)).find(
      ({ record }) => record.external_id === externalId,
    )
    if (pending) return this.joinLink(pending)
    const wire = await api.findTimeEntryByExternalId(externalId).catch((error: unknown) => {
      if (!cache || !isInconclusive(error)) throw error
      const known = this.#fromCache(error, {}, options, {})
      return known.find((record) => record.external_id === externalId) as TimeEntry | undefined
    })
    return wire && this.byId(String(wire.id)).then((found) => found && this.joinLink(found))
  }

  async #fetchRecord(id: string): Promise<WireRecord | undefined> {
    const { api, cache, now } = this.#sources
    try {
      const wire = await api.getTimeEntry(id).catch((error: unknown) => this.#findListed(id, error))
      this.#noteArrival()
      writeIfPossible(() => cache?.store('entry', wire, now))
      return wire
    } catch (error) {
      if (isNotFound(error)) return undefined
      if (!cache || !isInconclusive(error)) throw error
      this.#isFresh = false
      const known = cache.get('entry', id)
      if (!known && this.#sources.outbox.changesOf('entry', id).length === 0) throw error
      this.#sources.warnStale(error, { at: known?.at, complete: true })
      return known?.record
    }
  }

  /**
   * Returns an entry from the list of its day after a 404, which may be that of a gateway. Throws `failure` if the list does
   * not have it, or if this machine never knew the entry.
   */
  async #findListed(id: string, failure: unknown): Promise<WireRecord> {
    const { api, cache } = this.#sources
    const known = isNotFound(failure) ? cache?.get('entry', id) : undefined
    const start = Date.parse(String(known?.record.time_start))
    if (Number.isNaN(start)) throw failure
    const day = aroundStart({ start: new Date(start), end: new Date(start + 1) })
    const listed = await api.listTimeEntries(day).catch((error: unknown) => {
      throw error instanceof RejectedError ? new InvalidResponseError(error.message, { cause: error }) : error
    })
    const found = listed.find((entry) => String(entry.id) === id)
    if (found) return found
    throw failure
  }

  /** Returns records of the service or the cache, with pending changes. */
  #withPending(bounds: TimeRange, predicates: Predicates, options: ReadOptions): Promise<WithPending[]> {
    const read = () => this.#records(bounds, predicates, options)
    return mergePending('entry', this.#sources, read, predicates)
  }

  async #records(bounds: TimeRange, predicates: Predicates, options: ReadOptions): Promise<WireRecord[]> {
    const { api, cache, now } = this.#sources
    try {
      // A predicate on the same bound replaces it; the caller filters by the exact bounds.
      const records = await api.listTimeEntries({ ...aroundStart(bounds), ...predicates })
      this.#noteArrival()
      if (records.incomplete !== undefined) this.#isComplete = false
      if (Object.keys(predicates).length === 0)
        writeIfPossible(() => cache?.storeRange('entry', bounds, records, now))
      return records
    } catch (error) {
      if (!cache || !isInconclusive(error)) throw error
      const { matchesPredicates } = await import('../../../api-client/filter/conditions.js')
      const zone = cache.timeZone()
      const cached = this.#fromCache(error, bounds, options, predicates)
      return cached.filter((record) => matchesPredicates(record, predicates, zone))
    }
  }

  #noteArrival() {
    this.#readAt ??= readClocks(this.#sources.clocks)
  }

  #fromCache(error: unknown, bounds: TimeRange, options: ReadOptions, predicates: Predicates): WireRecord[] {
    const known = this.#sources.cache?.readRange('entry', bounds)
    const { records = [], at, complete = false } = known ?? {}
    this.#warnOfCache(error, { at, complete, isEmpty: records.length === 0 }, options, predicates)
    return records
  }

  /** Warns that cached data is used. Throws the error without any data, unless `allowEmpty` is set. */
  #warnOfCache(error: unknown, known: KnownEntries, options: ReadOptions, predicates: Predicates) {
    this.#isFresh = false
    const isUnknown = known.at === undefined && known.isEmpty && entriesOf(this.#sources.outbox).length === 0
    if (isUnknown && !options.allowEmpty) throw error
    if (!isUnknown && !options.silent) this.#sources.warnStale(error, known, predicates)
  }

  readonly #useCache: UseCache = (error, known, predicates) => this.#warnOfCache(error, known, {}, predicates)

  /** Returns the records that overlap a range as entries with their links. */
  #overlapping(range: TimeRange, found: WithPending[], links: ReadonlyMap<string, Link>): Entry[] {
    return this.#toEntries(found, links).filter((entry) => overlapsRange(entry, range, this.#sources.now))
  }

  /** Returns the records that start within the bounds as entries with their links. */
  #entriesWithin(range: TimeRange, found: WithPending[], links: ReadonlyMap<string, Link>): Entry[] {
    return this.#toEntries(found, links).filter(
      ({ start }) => !(range.start && start < range.start) && !(range.end && start >= range.end),
    )
  }

  #toEntries(found: readonly WithPending[], links: ReadonlyMap<string, Link>): Entry[] {
    const invoiceOf = this.#invoices()
    return found.map((one) => {
      const { id, task_link_id: linkId } = one.record as TimeEntry
      return toEntry(one, links.get(String(linkId)), invoiceOf(id))
    })
  }

  #invoiceOf(id: unknown): string | null {
    return this.#sources.invoiced.numberOf('entry', String(id)) ?? null
  }

  /** Returns a function that returns the number of the invoice of an entry. */
  #invoices(): (id: unknown) => string | null {
    const numbers = this.#sources.invoiced.numbers('entry')
    return (id) => (numbers.size === 0 ? null : (numbers.get(String(id)) ?? null))
  }

  /** Returns the task links by ID; empty if the service cannot be reached and none are cached. */
  async #links(): Promise<Map<string, Link>> {
    const links = await this.#sources.catalog.links().catch(unknownWhenUnreachable)
    return new Map((links ?? []).map((link) => [String(link.id), link]))
  }

  async #finished(position: number): Promise<Entry> {
    for (const days of recentPeriods) {
      const entry = latestFinished(await this.within(this.#lastDays(days)))[position - 1]
      if (entry) return entry
    }
    const message =
      position === 1 ? 'There is no finished entry.' : `There are fewer than ${position} finished entries.`
    throw new TtError('not_found', message, {
      nextStep: position === 1 ? { action: 'start_or_add' } : { action: 'list', records: 'entries' },
    })
  }

  #lastDays(days: number | undefined): TimeRange {
    return days === undefined ? {} : { start: daysBefore(this.#sources.now, days) }
  }
}

/** Returns the finished entries in the order of `@1`, `@2` …. */
function latestFinished(entries: readonly Entry[]): Entry[] {
  return entries.filter(({ end }) => end !== null).sort(byEnd)
}

/** Sorts finished entries, the latest end first. */
function byEnd(a: Entry, b: Entry): number {
  return (b.end?.getTime() ?? 0) - (a.end?.getTime() ?? 0)
}

function entriesOf(outbox: Outbox) {
  return outbox.all().filter(({ kind }) => kind === 'entry')
}

/** Ignores that the service cannot be reached: entries without names are better than an error. */
function unknownWhenUnreachable(error: unknown): undefined {
  if (!isInconclusive(error)) throw error
}

/** Returns the start of the last 31 days, or `start` where that is earlier. */
export function recentStart(now: Date, start: Date = now): Date {
  return new Date(Math.min(daysBefore(now, recentDays).getTime(), start.getTime()))
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * dayMs)
}

function byStart(a: Entry, b: Entry): number {
  return a.start.getTime() - b.start.getTime()
}
