import { RejectedError } from '../api-errors.js'
import { toList } from '../decode/shapes.js'
import type { WireRecord } from '../types.js'
import { IdSet } from './id-set.js'
import { LinkedPages } from './linked-pages.js'
import { PageReader } from './page-reader.js'
import type { ListSource, OpenPage, RecordList, StreamOptions } from './record-list.js'

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
  const { recordFilter } = await import('../filter/record-filter.js')
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
