import type { Api } from '../api/api.js'
import { isInconclusive } from '../api/errors.js'
import type { Predicates } from '../api/filter/query.js'
import type { TimeEntry, WireRecord } from '../api/types.js'
import type { Cache } from '../cache/cache.js'
import { writeIfPossible } from '../cache/client-state.js'
import type { Coverage } from '../cache/fetched-ranges.js'
import { addDays, dayOf } from '../calendar/day.js'
import type { TimeRange } from '../calendar/interval.js'
import type { Catalog, Link } from '../catalog/catalog.js'
import { TtError } from '../lib/errors.js'
import { dayMs } from '../lib/time-units.js'
import { mergePending } from '../outbox/merge-pending.js'
import type { Outbox } from '../outbox/outbox.js'
import { applyPending, overlayPending, type WithPending } from '../outbox/pending-overlay.js'
import { type Entry, toEntry } from './entry.js'

/** How far back a forgotten timer, or the entry before this one, is looked for first; days. */
const recentDays = 31

export interface ReadSources {
  api: Api
  catalog: Catalog
  outbox: Outbox
  /** Undefined in the local workspace, which always answers. */
  cache: Cache | undefined
  now: Date
  /** Told when the cache had to answer, and why. */
  warnStale(error: unknown, known: Coverage): void
}

export interface ReadOptions {
  /** What was never asked for counts as nothing, instead of failing, where the service cannot be reached. */
  allowEmpty?: boolean
  /** The user is told otherwise that the service could not be reached. */
  silent?: boolean
}

/** How much the cache knows of what was asked for. */
export type KnownEntries = Coverage & { isEmpty: boolean }

/**
 * Reads entries from the service, from the cache where that cannot be reached, lays what waits for delivery over them,
 * and joins them with the catalog.
 */
export class EntryReader {
  readonly #sources: ReadSources
  #fresh = true

  constructor(sources: ReadSources) {
    this.#sources = sources
  }

  /** Everything so far came from the service itself. */
  get isFresh(): boolean {
    return this.#fresh
  }

  async joinLink(projected: WithPending): Promise<Entry> {
    const id = (projected.record as TimeEntry).task_link_id
    return toEntry(projected, await this.#sources.catalog.byId(id).catch(unknownWhenUnreachable))
  }

  /** The same for a record that was just changed: names that cannot be read do not fail a change that is saved. */
  async joinLinkAfterChange(projected: WithPending): Promise<Entry> {
    return this.joinLink(projected).catch((error: unknown) => {
      if (!(error instanceof TtError)) throw error
      return toEntry(projected, undefined)
    })
  }

  /** The entries that start within the bounds and meet the predicates, oldest first. */
  async within(bounds: TimeRange, predicates: Predicates = {}, options: ReadOptions = {}): Promise<Entry[]> {
    const [found, links] = await Promise.all([this.#projected(bounds, predicates, options), this.#links()])
    return entriesWithin(bounds, found, links).sort((a, b) => a.start.getTime() - b.start.getTime())
  }

  /**
   * Those of them that fit, as far as this machine knows: a service is not asked. The one in this process is asked by
   * the predicates as well, which `fits` says too. What is handed to `fits` has no link yet.
   */
  async listKnown(
    bounds: TimeRange,
    fits: (entry: Entry) => boolean,
    predicates: Predicates = {},
  ): Promise<Entry[]> {
    const { cache } = this.#sources
    const read = async () =>
      cache?.readRange('entry', bounds).records ?? this.#records(bounds, predicates, {})
    const found = entriesWithin(bounds, await mergePending('entry', this.#sources, read, {}), new Map())
    return Promise.all(
      found
        .filter(fits)
        .sort((a, b) => a.start.getTime() - b.start.getTime())
        .map(({ wire, pending }) => this.joinLink({ record: wire, pending })),
    )
  }

  /**
   * The same as `within` in batches, in no order and each entry once: a long list is never whole in memory. What is
   * typed while it comes may be in it or not. Throws at any batch: what has come by then is not all.
   */
  async *batches(bounds: TimeRange, predicates: Predicates): AsyncGenerator<Entry[]> {
    const [{ streamEntries }, links] = await Promise.all([import('./entry-stream.js'), this.#links()])
    const query = { bounds, predicates, servicePredicates: { ...aroundStart(bounds), ...predicates } }
    const instead = (error: unknown, known: KnownEntries) => this.#answerFromCache(error, known, {})
    for await (const batch of streamEntries(query, this.#sources, instead)) {
      const entries = entriesWithin(bounds, batch, links)
      if (entries.length > 0) yield entries
    }
  }

  /**
   * The entries that run; the one that began last first. Where `openOnly` is true, the service is known to compare
   * with null; otherwise those are found that began in the last 31 days, or since `since`.
   */
  async running(since: Date, openOnly: boolean, options: ReadOptions = {}): Promise<Entry[]> {
    const from = new Date(Math.min(lastDays(this.#sources.now, recentDays).from.getTime(), since.getTime()))
    const found = openOnly
      ? await this.within({}, { time_end_eq: null }, options)
      : await this.within({ from }, {}, options)
    return found.filter((entry) => entry.end === null).reverse()
  }

  /** The entries of which something waits for delivery, as they will be, oldest first: the service is not asked. */
  async pending(predicates: Predicates): Promise<Entry[]> {
    const { matchesPredicates } = await import('../api/filter/predicates.js')
    const waiting = overlayPending([], entriesOf(this.#sources.outbox))
    const found = waiting.filter(({ record }) => matchesPredicates(record, predicates))
    return entriesWithin({}, found, await this.#links()).sort((a, b) => a.start.getTime() - b.start.getTime())
  }

  /** The finished entry that `@1`, `@2` … means, or the one with that id. Throws TtError `not_found`, or `usage`. */
  async find(reference: string): Promise<Entry> {
    const position = /^@([1-9]\d{0,5})$/.exec(reference)?.[1]
    if (position !== undefined) return this.#finished(Number(position))
    if (!/^~?[\p{L}\p{N}_.:-]+$/u.test(reference)) {
      throw new TtError('usage', `"${reference}" is not an entry.`, {
        hint: 'An entry is an id, @ for the running one, or @1 for the last finished one.',
      })
    }
    const found = await this.byId(reference)
    if (found) return this.joinLink(found)
    throw new TtError('not_found', `There is no entry ${reference}.`, {
      nextStep: { action: 'list', records: 'entries' },
      ...(this.#fresh && !reference.startsWith('~') ? { status: 404 } : {}),
    })
  }

  /** The entry with that id, or that local id; undefined where there is none. */
  async byId(id: string): Promise<WithPending | undefined> {
    const { outbox } = this.#sources
    const name = outbox.resolve('entry', id)
    const known = name.startsWith('~') ? undefined : await this.#asked(name)
    return applyPending(known, outbox.changesOf('entry', name))
  }

  /** The entry that another system knows by this id; undefined when there is none. */
  async byExternalId(externalId: string): Promise<Entry | undefined> {
    const { api, outbox, cache } = this.#sources
    const waiting = overlayPending([], entriesOf(outbox)).find(
      ({ record }) => record.external_id === externalId,
    )
    if (waiting) return this.joinLink(waiting)
    const wire = await api.findTimeEntryByExternalId(externalId).catch((error: unknown) => {
      if (!cache || !isInconclusive(error)) throw error
      const known = this.#fromCache(error, {}, {})
      return known.find((record) => record.external_id === externalId) as TimeEntry | undefined
    })
    return wire && this.byId(String(wire.id)).then((found) => found && this.joinLink(found))
  }

  async #asked(id: string): Promise<WireRecord | undefined> {
    const { api, cache, now } = this.#sources
    try {
      const wire = await api.getTimeEntry(id)
      writeIfPossible(() => cache?.store('entry', wire, now))
      return wire
    } catch (error) {
      if (error instanceof TtError && error.code === 'not_found') return undefined
      if (!cache || !isInconclusive(error)) throw error
      this.#fresh = false
      const known = cache.get('entry', id)
      if (!known && this.#sources.outbox.changesOf('entry', id).length === 0) throw error
      this.#sources.warnStale(error, { at: known?.at, complete: true })
      return known?.record
    }
  }

  /** What the service has, or what is known of it, with what waits laid over it. */
  #projected(bounds: TimeRange, predicates: Predicates, options: ReadOptions): Promise<WithPending[]> {
    const read = () => this.#records(bounds, predicates, options)
    return mergePending('entry', this.#sources, read, predicates)
  }

  async #records(bounds: TimeRange, predicates: Predicates, options: ReadOptions): Promise<WireRecord[]> {
    const { api, cache, now } = this.#sources
    try {
      // A predicate on the same bound stands for itself: the cut is made by the caller in any case.
      const records = await api.listTimeEntries({ ...aroundStart(bounds), ...predicates })
      if (Object.keys(predicates).length === 0)
        writeIfPossible(() => cache?.storeRange('entry', bounds, records, now))
      return records
    } catch (error) {
      if (!cache || !isInconclusive(error)) throw error
      const { matchesPredicates } = await import('../api/filter/predicates.js')
      return this.#fromCache(error, bounds, options).filter((record) => matchesPredicates(record, predicates))
    }
  }

  #fromCache(error: unknown, bounds: TimeRange, options: ReadOptions): WireRecord[] {
    const known = this.#sources.cache?.readRange('entry', bounds)
    const { records = [], at, complete = false } = known ?? {}
    this.#answerFromCache(error, { at, complete, isEmpty: records.length === 0 }, options)
    return records
  }

  /** Says that what is known has to do; throws the error where there is nothing. */
  #answerFromCache(error: unknown, known: KnownEntries, options: ReadOptions) {
    this.#fresh = false
    const nothing = known.at === undefined && known.isEmpty && entriesOf(this.#sources.outbox).length === 0
    if (nothing && !options.allowEmpty) throw error
    if (!nothing && !options.silent) this.#sources.warnStale(error, known)
  }

  /** By id; none where they are not worth failing for. */
  async #links(): Promise<Map<string, Link>> {
    const links = await this.#sources.catalog.links().catch(unknownWhenUnreachable)
    return new Map((links ?? []).map((link) => [String(link.id), link]))
  }

  async #finished(position: number): Promise<Entry> {
    const { now } = this.#sources
    for (const days of [recentDays, 366, undefined]) {
      const entries = await this.within(days === undefined ? {} : lastDays(now, days))
      const finished = entries.filter((entry) => entry.end !== null)
      finished.sort((a, b) => (b.end?.getTime() ?? 0) - (a.end?.getTime() ?? 0))
      const entry = finished[position - 1]
      if (entry) return entry
    }
    const message =
      position === 1 ? 'There is no finished entry.' : `There are not ${position} finished entries.`
    throw new TtError('not_found', message, { nextStep: { action: 'list', records: 'entries' } })
  }
}

/** The records as entries with their links, but for those that do not start within the bounds. */
function entriesWithin(
  { from, to }: TimeRange,
  found: WithPending[],
  links: ReadonlyMap<string, Link>,
): Entry[] {
  return found
    .map((projected) => toEntry(projected, links.get(String((projected.record as TimeEntry).task_link_id))))
    .filter(({ start }) => !(from && start < from) && !(to && start >= to))
}

function entriesOf(outbox: Outbox) {
  return outbox.all().filter(({ kind }) => kind === 'entry')
}

/** The names of a link are not worth failing for. */
function unknownWhenUnreachable(error: unknown): undefined {
  if (!isInconclusive(error)) throw error
}

function lastDays(now: Date, days: number): { from: Date } {
  return { from: new Date(now.getTime() - days * dayMs) }
}

/**
 * The documented filters that surely hold the bounds. A service reads a date as midnight of a zone that is not
 * known here and may be 26 hours away, so more is asked for on either side, and whoever asked makes the exact cut.
 */
function aroundStart({ from, to }: TimeRange): Predicates {
  return {
    ...(from ? { time_start_gteq: addDays(dayOf(from), -2) } : {}),
    ...(to ? { time_start_lt: addDays(dayOf(to), 2) } : {}),
  }
}
