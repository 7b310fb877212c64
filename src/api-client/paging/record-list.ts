import type { KnownCapabilities } from '../capabilities.js'
import type { Predicates } from '../filter/query.js'
import type { CompactList, Http, HttpResponse, RequestOptions } from '../http/http.js'
import type { Id } from '../types.js'

/** Records in the order of the service, each ID once. */
export type RecordList<Item> = Item[] & {
  /** The reason why records may be missing; undefined for a complete list. */
  incomplete?: string
}

export interface ListOptions {
  /**
   * Whether the service is in this process: it applies predicates exactly and its lists are complete, so that its records
   * are neither filtered nor checked again.
   */
  hasExactFilters?: boolean | undefined
  /** Undefined for a service that is known to accept everything, and to send complete lists or pagination headers. */
  capabilities?: KnownCapabilities | undefined
  /** Receives one sentence for each path whose list could not be read completely. */
  warn?: ((text: string) => void) | undefined
}

export interface StreamOptions extends Pick<RequestOptions, 'isTentative'> {
  /** Receives the IDs of the records. */
  ids?: IdSet
}

/** A list to read, with all its pages. */
export interface ListSource<Item> extends ListOptions {
  http: Http
  path: string
  query: Record<string, string | undefined>
  /** The name of the records in the plural, for messages. */
  kind: string
  /** Decodes one record. */
  read(value: unknown): Item
  /** The predicates in `query`, by which records are filtered again. */
  predicates: Predicates | undefined
  /** A form that `streamList` prefers, with the same records as items. */
  compact?: CompactList | undefined
}

/** One page, whose records arrive in one or more batches. */
export interface Page extends Pick<HttpResponse, 'status' | 'headers' | 'url'> {
  batches: Iterable<unknown[]> | AsyncIterable<unknown[]>
  /** Whether the records are decoded. */
  isCompact?: boolean
}

/** Requests one page. */
export type OpenPage = (path: string, query?: Record<string, string | undefined>) => Promise<Page>

/** The number of pages after which reading a list stops. */
export const maxPages = 10_000

/**
 * A set of many IDs, in which a number equals its text. Consecutive whole numbers, which most services use as IDs, take
 * about one bit each.
 */
export class IdSet {
  /** Bits of 32 consecutive numbers each, by the first number divided by 32. */
  readonly #numbers = new Map<number, number>()
  readonly #texts = new Set<string>()

  /** Adds the ID. Returns whether it was new. */
  add(id: Id): boolean {
    const number = wholeNumber(id)
    if (number === undefined) {
      const sizeBefore = this.#texts.size
      return this.#texts.add(String(id)).size > sizeBefore
    }
    const [group, bit] = [Math.floor(number / 32), 1 << (number % 32)]
    const bits = this.#numbers.get(group) ?? 0
    if (bits & bit) return false
    this.#numbers.set(group, bits | bit)
    return true
  }

  has(id: Id): boolean {
    const number = wholeNumber(id)
    if (number === undefined) return this.#texts.has(String(id))
    return ((this.#numbers.get(Math.floor(number / 32)) ?? 0) & (1 << (number % 32))) !== 0
  }
}

function wholeNumber(id: Id): number | undefined {
  if (typeof id === 'number') return Number.isSafeInteger(id) && id >= 0 ? id : undefined
  const number = Number(id)
  return Number.isSafeInteger(number) && number >= 0 && String(number) === id ? number : undefined
}
