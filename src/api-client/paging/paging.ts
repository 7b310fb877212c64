import { InvalidResponseError, RejectedError } from '../api-errors.js'
import { toList } from '../decode/shapes.js'
import type { RecordFilter } from '../filter/conditions.js'
import type { HeadersLike } from '../http/transport.js'
import type { Id, WireRecord } from '../types.js'
import {
  IdSet,
  type ListSource,
  maxPages,
  type OpenPage,
  type Page,
  type RecordList,
  type StreamOptions,
} from './record-list.js'

/** A list without pagination headers may have a second page from this many records on. */
const usualPageSize = 20

/**
 * Reads a whole list: the first page and each that `Link: <…>; rel="next"` names (RFC 8288); without Link, the pages
 * that other pagination headers announce, by `page` and `per_page`; without any such header, tries a second page once
 * for each path.
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
 * Yields the same list in batches while it arrives, so that only the IDs of earlier records remain in memory. The last
 * batch of an incomplete list is marked. Throws like `listAll`, at any batch.
 */
export function streamList<Item extends WireRecord>(
  source: ListSource<Item>,
  { ids = new IdSet(), isTentative = false }: StreamOptions = {},
): AsyncGenerator<RecordList<Item>> {
  const { http, kind, compact, capabilities } = source
  const request = { unwrap: (value: unknown) => toList(value, kind), isTentative }
  const open: OpenPage = async (path, query = {}) => {
    if (!compact || capabilities?.get('compactLists')) return http.list(path, { query, ...request })
    return http.list(path, { query, compact, ...request }).catch((error: unknown) => {
      if (!isUnacceptable(error)) throw error
      capabilities?.set('compactLists', 'refused')
      return http.list(path, { query, ...request })
    })
  }
  return readPages(source, open, ids)
}

/** Whether a service rejects a media type. */
function isUnacceptable(error: unknown): boolean {
  return error instanceof RejectedError && (error.status === 406 || error.status === 415)
}

async function* readPages<Item extends WireRecord>(
  source: ListSource<Item>,
  open: OpenPage,
  ids: IdSet,
): AsyncGenerator<RecordList<Item>> {
  if (source.hasExactFilters) return yield* exactList(source, open)
  const reader = new PageReader(source, ids, await createFilter(source))
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

/** Yields the list of a service in this process: one page, with each record once, that needs no filter. */
async function* exactList<Item>(
  { path, query, read }: ListSource<Item>,
  open: OpenPage,
): AsyncGenerator<RecordList<Item>> {
  for await (const batch of (await open(path, query)).batches) yield batch.map(read)
}

async function createFilter({ predicates = {} }: ListSource<WireRecord>) {
  // Only the service can compare a day with a time, because of its time zone, so such predicates need no filter.
  const isTestable = ([key, value]: [string, unknown]) =>
    !/^time_(start|end)_/.test(key) || !/^\d{4}-\d\d-\d\d$/.test(String(value))
  if (!Object.entries(predicates).some(isTestable)) return undefined
  const { recordFilter } = await import('../filter/conditions.js')
  return recordFilter(predicates)
}

/** Whether a list has a second page according to its headers, or may have one. */
function mayContinue<Item extends WireRecord>(source: ListSource<Item>, reader: PageReader<Item>): boolean {
  const { count, headers } = reader
  const { total, pageCount, perPage } = headers
  if (total !== undefined || pageCount !== undefined) return count < (total ?? 0) || (pageCount ?? 0) > 1
  if (!source.capabilities) return false
  const pageSize = source.capabilities.get(`pageSize ${source.path}`)?.value
  if (pageSize === null) return false
  return count > 0 && count >= (perPage ?? pageSize ?? usualPageSize)
}

type LinkedPage = Pick<Page, 'status' | 'headers' | 'url'>

/** The pages of a list that Link headers name (RFC 8288). */
class LinkedPages {
  readonly #seen = new Set<string>()
  readonly #kind: string
  /** Whether the service names any page in Link, even if only the first or last one. */
  isUsed = false

  /** @param kind names the records in the plural */
  constructor(kind: string) {
    this.#kind = kind
  }

  /**
   * Returns the address of the next page; undefined after the last one. Throws InvalidResponseError for endless pages and
   * for an address at another origin.
   */
  after(page: LinkedPage): URL | undefined {
    this.#seen.add(page.url.href)
    const links = parseLinks(page.headers.get('link') ?? '')
    this.isUsed ||= ['next', 'prev', 'previous', 'first', 'last'].some((relation) => links.has(relation))
    const next = nextPage(page, links.get('next'))
    if (!next) return undefined
    if (this.#seen.has(next.href) || this.#seen.size >= maxPages) {
      throw new InvalidResponseError(`The list of ${this.#kind} has too many or repeated pages.`, {
        status: page.status,
      })
    }
    // The requested address counts as seen too: after a redirect, `page.url` is another one.
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
    { status: page.status },
  )
}

const linkPattern = /<([^>]*)>((?:\s*;\s*[^\s=;,"]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g
const parameterPattern = /;\s*([^\s=;,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g

/** Returns the first target of each relation (RFC 8288 section 3), except for links about another page. */
function parseLinks(header: string): Map<string, string> {
  const targets = new Map<string, string>()
  for (const [, target = '', parameters = ''] of header.matchAll(linkPattern)) {
    const values = new Map<string, string>()
    for (const [, name = '', quoted, bare = ''] of parameters.matchAll(parameterPattern)) {
      const key = name.toLowerCase()
      if (!values.has(key)) values.set(key, quoted ?? bare)
    }
    if (values.has('anchor')) continue
    for (const relation of (values.get('rel') ?? '').toLowerCase().split(/\s+/))
      if (relation !== '' && !targets.has(relation)) targets.set(relation, target)
  }
  return targets
}

/** Decodes and filters the records of consecutive pages, each ID once. */
export class PageReader<Item extends WireRecord> {
  readonly #source: ListSource<Item>
  readonly #ids: IdSet
  readonly #filter: RecordFilter | undefined
  #firstId: Id | undefined
  #firstTotal: number | undefined
  /** Number of distinct records so far. */
  count = 0
  /** The latest page: its records, how many of them are new, and whether it begins like the first page. */
  latest = { records: 0, newRecords: 0, isRepeated: false }
  /** The latest total and number of pages, and the number and size of the first page, as the headers announce them. */
  headers: PageHeaders = { total: undefined, pageCount: undefined, page: undefined, perPage: undefined }

  /** @param filter drops records that the service should not have returned; `count` includes them */
  constructor(source: ListSource<Item>, ids: IdSet, filter: RecordFilter | undefined) {
    this.#source = source
    this.#ids = ids
    this.#filter = filter
  }

  /** Yields the new records of a page. With `stopAtRepeat`, skips a page that begins with the first record of the list. */
  async *records(
    { headers, batches, isCompact = false }: Page,
    { stopAtRepeat = false } = {},
  ): AsyncGenerator<RecordList<Item>> {
    this.#mergeHeaders(readPageHeaders(headers))
    const latest = { records: 0, newRecords: 0, isRepeated: false }
    this.latest = latest
    for await (const batch of batches) {
      // Only the service of this program has compact lists, and it applies filters exactly.
      const tests = isCompact ? undefined : this.#filter && batch.map(this.#filter)
      const decoded = isCompact ? (batch as Item[]) : batch.map((value) => this.#source.read(value))
      const [first] = decoded
      this.#firstId ??= first?.id
      latest.isRepeated ||=
        stopAtRepeat &&
        latest.records === 0 &&
        first !== undefined &&
        String(first.id) === String(this.#firstId)
      if (latest.isRepeated) return
      const countBefore = this.count
      const records = decoded.filter((record, index) => {
        if (!this.#ids.add(record.id)) return false
        this.count++
        return tests?.[index]?.(record) ?? true
      })
      latest.records += decoded.length
      latest.newRecords += this.count - countBefore
      yield records
    }
  }

  /** The reason why records are missing according to the announced total; undefined if none are. */
  get missing(): string | undefined {
    const { total } = this.headers
    if (total === undefined) return undefined
    if (this.count < total) return `the service announces ${total} records, and ${this.count} could be read`
    // When records are deleted, others move to earlier pages, so that one of them may have been skipped.
    return total < (this.#firstTotal ?? total) ? 'it changed while it was read' : undefined
  }

  #mergeHeaders({ total, pageCount, page, perPage }: PageHeaders) {
    const previous = this.headers
    this.#firstTotal ??= total
    this.headers = {
      total: total ?? previous.total,
      pageCount: pageCount ?? previous.pageCount,
      page: previous.page ?? page,
      perPage: previous.perPage ?? perPage,
    }
  }
}

/** What the headers of one page announce about the whole list; undefined for a missing or invalid header. */
interface PageHeaders {
  /** Records of the list: X-Total-Count, X-Total, Total, or the size in Content-Range (RFC 9110 section 14.4). */
  total: number | undefined
  /** X-Total-Pages. */
  pageCount: number | undefined
  /** Number of this page: X-Page. */
  page: number | undefined
  /** Records of a full page: X-Per-Page or Per-Page. */
  perPage: number | undefined
}

/** Reads the pagination headers of a response, except Link. */
function readPageHeaders(headers: HeadersLike): PageHeaders {
  const first = (...names: string[]) =>
    names.map((name) => wholeNumber(headers.get(name))).find((number) => number !== undefined)
  return {
    total:
      first('x-total-count', 'x-total', 'total') ??
      wholeNumber(/\/\s*(\d+)\s*$/.exec(headers.get('content-range') ?? '')?.[1]),
    pageCount: first('x-total-pages'),
    page: first('x-page'),
    perPage: first('x-per-page', 'per-page') || undefined,
  }
}

function wholeNumber(text: string | null | undefined): number | undefined {
  return /^\s*\d{1,15}\s*$/.test(text ?? '') ? Number(text) : undefined
}
