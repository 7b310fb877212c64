import { toList } from '../decode/shapes.js'
import { InvalidResponseError } from '../errors.js'
import type { Predicates } from '../filter/query.js'
import type { RecordFilter } from '../filter/record-filter.js'
import type { Http, HttpResponse } from '../http/http.js'
import type { Id, WireRecord } from '../types.js'
import { IdSet } from './id-set.js'
import { type PageHeaders, readPageHeaders } from './page-headers.js'

export const maxPages = 10_000

/** A list without pagination headers may have a second page from this many records on. */
const usualPageSize = 20

/** Records in the order of the service, each id once. */
export type RecordList<Item> = Item[] & {
  /** Why records may be missing; undefined for a complete list. A record that is not in an incomplete list may exist. */
  incomplete?: string
}

/**
 * Remembers how a service pages its lists. The value is the number of records from which on a list without pagination
 * headers may have a second page; null for a path that ignores `page`.
 */
export interface PagingMemory {
  read(path: string): number | null | undefined
  write(path: string, mayContinueFrom: number | null): void
}

export interface ListOptions {
  /** The service is known to apply predicates exactly: what it returns is not filtered once more. */
  hasExactFilters?: boolean | undefined
  /** Undefined for a service that is known to send complete lists or pagination headers. */
  pagingMemory?: PagingMemory | undefined
  /** Receives one sentence for each path whose list could not be read completely. */
  warn?: ((text: string) => void) | undefined
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
  /** The predicates in `query`, by which records are filtered once more. */
  predicates: Predicates | undefined
}

/** One page, whose records come at once or in batches. */
export interface Page extends Pick<HttpResponse, 'status' | 'headers' | 'url'> {
  batches: Iterable<unknown[]> | AsyncIterable<unknown[]>
}

export type OpenPage = (path: string, query?: Record<string, string | undefined>) => Promise<Page>

/**
 * Reads a whole list: the first page and each that `Link: <…>; rel="next"` names (RFC 8288); without Link, the pages
 * that the other pagination headers announce, by `page` and `per_page`; without any such header, a second page once for
 * each path.
 *
 * Throws InvalidResponseError if a page is not a list, or if a linked page repeats, is at another origin (the token is
 * not sent there), or exceeds the limit of 10,000 pages.
 */
export async function listAll<Item extends WireRecord>(source: ListSource<Item>): Promise<RecordList<Item>> {
  const { http, kind } = source
  const records: RecordList<Item> = []
  const open: OpenPage = async (path, query = {}) => {
    const { value, ...page } = await http.request('GET', path, { query })
    return { ...page, batches: [toList(value, kind)] }
  }
  for await (const batch of readPages(source, open, new IdSet())) {
    for (const record of batch) records.push(record)
    if (batch.incomplete !== undefined) records.incomplete = batch.incomplete
  }
  return records
}

/**
 * Reads the same list in batches while it arrives; of what was read before, only the ids are in memory. The last batch
 * of an incomplete list is marked so. Adds the ids to `ids`. Throws the same, at any batch.
 */
export function streamList<Item extends WireRecord>(
  source: ListSource<Item>,
  ids = new IdSet(),
): AsyncGenerator<RecordList<Item>> {
  const { http, kind } = source
  const unwrap = (value: unknown) => toList(value, kind)
  return readPages(source, (path, query = {}) => http.list(path, { query, unwrap }), ids)
}

async function* readPages<Item extends WireRecord>(
  source: ListSource<Item>,
  open: OpenPage,
  ids: IdSet,
): AsyncGenerator<RecordList<Item>> {
  const reader = new PageReader(source, ids, await filterFor(source))
  const links = new LinkedPages(source.kind)
  let page = await open(source.path, source.query)
  for (;;) {
    yield* reader.records(page)
    const next = links.after(page)
    if (!next) break
    page = await open(next.href)
  }
  let incomplete: string | undefined
  if (!links.isUsed && mayContinue(source, reader)) {
    const { numberedPages } = await import('./numbered-pages.js')
    incomplete = yield* numberedPages(source, reader, open)
  }
  incomplete ??= reader.missing
  if (incomplete === undefined) return
  source.warn?.(`The list of ${source.kind} is incomplete: ${incomplete}.`)
  yield Object.assign([], { incomplete })
}

async function filterFor({ predicates = {}, hasExactFilters }: ListSource<WireRecord>) {
  // A day compared with a time is left to the service, and no filter is loaded for it.
  const isTestable = ([key, value]: [string, unknown]) =>
    !/^time_(start|end)_/.test(key) || !/^\d{4}-\d\d-\d\d$/.test(String(value))
  if (hasExactFilters || !Object.entries(predicates).some(isTestable)) return undefined
  const { recordFilter } = await import('../filter/record-filter.js')
  return recordFilter(predicates)
}

/** Whether a list has a second page by its headers, or may have one as far as is known. */
function mayContinue<Item extends WireRecord>(source: ListSource<Item>, reader: PageReader<Item>): boolean {
  const { count, headers } = reader
  const { total, pageCount, perPage } = headers
  if (total !== undefined || pageCount !== undefined) return count < (total ?? 0) || (pageCount ?? 0) > 1
  if (!source.pagingMemory) return false
  const from = source.pagingMemory.read(source.path)
  if (from === null) return false
  return count > 0 && count >= (perPage ?? from ?? usualPageSize)
}

/** Reads the records of page after page, each id once. */
export class PageReader<Item extends WireRecord> {
  readonly #source: ListSource<Item>
  readonly #ids: IdSet
  readonly #filter: RecordFilter | undefined
  #firstId: Id | undefined
  #firstTotal: number | undefined
  /** Distinct records so far. */
  count = 0
  /** The latest page: its records, how many of them are new, and whether it begins like the first page. */
  latest = { records: 0, newRecords: 0, isRepeated: false }
  /** What the headers of the pages say: the latest numbers of records and pages, the first number and size of a page. */
  headers: PageHeaders = { total: undefined, pageCount: undefined, page: undefined, perPage: undefined }

  /** @param filter drops records that the service should not have returned; they still count as read */
  constructor(source: ListSource<Item>, ids: IdSet, filter: RecordFilter | undefined) {
    this.#source = source
    this.#ids = ids
    this.#filter = filter
  }

  /** The new records of a page. With `stopAtRepeat`, a page that begins with the first record of all is not read on. */
  async *records(
    { headers, batches }: Page,
    { stopAtRepeat = false } = {},
  ): AsyncGenerator<RecordList<Item>> {
    this.#takeHeaders(readPageHeaders(headers))
    const latest = { records: 0, newRecords: 0, isRepeated: false }
    this.latest = latest
    for await (const batch of batches) {
      const tests = this.#filter && batch.map(this.#filter)
      const read = batch.map((value) => this.#source.read(value))
      const [first] = read
      this.#firstId ??= first?.id
      latest.isRepeated ||=
        stopAtRepeat &&
        latest.records === 0 &&
        first !== undefined &&
        String(first.id) === String(this.#firstId)
      if (latest.isRepeated) return
      const countBefore = this.count
      const records = read.filter((record, index) => {
        if (!this.#ids.add(record.id)) return false
        this.count++
        return tests?.[index]?.(record) ?? true
      })
      latest.records += read.length
      latest.newRecords += this.count - countBefore
      yield records
    }
  }

  /** Why records are missing, by the announced number of records; undefined where it does not say so. */
  get missing(): string | undefined {
    const { total } = this.headers
    if (total === undefined) return undefined
    if (this.count < total) return `the service announces ${total} records, and ${this.count} could be read`
    // Records move to earlier pages when others are deleted, and one of them may have been skipped.
    return total < (this.#firstTotal ?? total) ? 'it changed while it was read' : undefined
  }

  #takeHeaders({ total, pageCount, page, perPage }: PageHeaders) {
    const before = this.headers
    this.#firstTotal ??= total
    this.headers = {
      total: total ?? before.total,
      pageCount: pageCount ?? before.pageCount,
      page: before.page ?? page,
      perPage: before.perPage ?? perPage,
    }
  }
}

type LinkedPage = Pick<HttpResponse, 'status' | 'headers' | 'url'>

/** The pages of a list that Link headers name. */
class LinkedPages {
  readonly #seen = new Set<string>()
  /** The service names pages by Link, if only the first and the last one. */
  isUsed = false

  /** @param kind names the records in the plural */
  constructor(readonly kind: string) {}

  /** Returns the next page; undefined after the last one. Throws InvalidResponseError for endless pages. */
  after(page: LinkedPage): URL | undefined {
    this.#seen.add(page.url.href)
    const links = linksIn(page.headers.get('link') ?? '')
    this.isUsed ||= ['next', 'prev', 'previous', 'first', 'last'].some((relation) => links.has(relation))
    const next = nextPage(page, links.get('next'))
    if (!next) return undefined
    if (this.#seen.has(next.href) || this.#seen.size >= maxPages) {
      throw new InvalidResponseError(`The list of ${this.kind} has too many or repeated pages.`, {
        status: page.status,
      })
    }
    // The requested page counts as seen too: a redirect may respond from another address.
    this.#seen.add(next.href)
    return next
  }
}

function nextPage(page: LinkedPage, target: string | undefined): URL | undefined {
  if (target === undefined || !URL.canParse(target, page.url.href)) return undefined
  const url = new URL(target, page.url)
  url.hash = ''
  if (url.origin === page.url.origin) return url
  throw new InvalidResponseError(
    `The next page of the list is at ${url.origin}. The token was not sent there.`,
    {
      status: page.status,
    },
  )
}

const link = /<([^>]*)>((?:\s*;\s*[^\s=;,"]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g
const parameter = /;\s*([^\s=;,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g

/** The first target of each relation (RFC 8288 section 3), but for links about another page. */
function linksIn(header: string): Map<string, string> {
  const targets = new Map<string, string>()
  for (const [, target = '', parameters = ''] of header.matchAll(link)) {
    const named = new Map<string, string>()
    for (const [, name = '', quoted, bare = ''] of parameters.matchAll(parameter)) {
      const key = name.toLowerCase()
      if (!named.has(key)) named.set(key, quoted ?? bare)
    }
    if (named.has('anchor')) continue
    for (const relation of (named.get('rel') ?? '').toLowerCase().split(/\s+/))
      if (relation !== '' && !targets.has(relation)) targets.set(relation, target)
  }
  return targets
}
