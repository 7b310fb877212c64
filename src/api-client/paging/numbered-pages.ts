import { TtError } from '../../lib/errors.js'
import { isInconclusive, RejectedError } from '../api-errors.js'
import type { WireRecord } from '../types.js'
import type { PageReader } from './paging.js'
import { type ListSource, maxPages, type OpenPage, type Page, type RecordList } from './record-list.js'

/**
 * Yields the pages after the first one, by the parameters `page` and, if the service announces the size, `per_page`.
 * Returns why the list is incomplete, unless the announced total shows it.
 *
 * A list ends with the page that completes the announced records or pages, contains no new record, or is rejected (4xx)
 * twice: services differ in their response to a page after the last one, and a single rejection may be that of a gateway. For a list of unannounced length, remembers the size of
 * the first page (`Capabilities`). An invalid response to the first request for a second page leaves the list incomplete;
 * later ones throw, so that the caller uses the cache instead of a part of the list.
 */
export async function* numberedPages<Item extends WireRecord>(
  source: ListSource<Item>,
  reader: PageReader<Item>,
  open: OpenPage,
): AsyncGenerator<RecordList<Item>, string | undefined> {
  const { total, pageCount, page: firstNumber = 1, perPage } = reader.headers
  const isAnnounced = total !== undefined || pageCount !== undefined
  const firstSize = reader.count
  const knownSize = source.capabilities?.get(`pageSize ${source.path}`)?.value
  const sizeParameter = perPage === undefined ? {} : { per_page: String(perPage) }
  for (let pagesRead = 1; ; pagesRead++) {
    if (hasAll(reader, pagesRead)) return undefined
    if (pagesRead >= maxPages) return `it has more than ${maxPages} pages`
    try {
      const query = { ...source.query, page: String(firstNumber + pagesRead), ...sizeParameter }
      yield* reader.records(await openTwice(() => open(source.path, query)), { stopAtRepeat: true })
      if (reader.latest.newRecords > 0) {
        if (!isAnnounced && pagesRead === 1) source.capabilities?.set(`pageSize ${source.path}`, firstSize)
        continue
      }
    } catch (error) {
      // A service that is known to support the parameter fails for another reason, so the whole list fails.
      const isFirstAttempt = !isAnnounced && pagesRead === 1 && knownSize === undefined
      if (isFirstAttempt && isInvalidResponse(error))
        return `whether it has a second page is not known. ${error.message.replace(/\.$/, '')}`
      if (!(error instanceof RejectedError)) throw error
      reader.latest = { records: 0, newRecords: 0, isRepeated: false }
    }
    if (isAnnounced) return missingPages(reader, pagesRead)
    if (pagesRead === 1) savePageSize(source, reader, firstSize)
    return undefined
  }
}

/** Opens a page once more after it was rejected (4xx). */
function openTwice(open: () => Promise<Page>): Promise<Page> {
  return open().catch((error: unknown) => {
    if (error instanceof RejectedError) return open()
    throw error
  })
}

/** Whether all announced records, or else all announced pages, have been read. */
function hasAll({ count, headers }: PageReader<WireRecord>, pagesRead: number): boolean {
  const { total, pageCount } = headers
  if (total !== undefined) return count >= total
  return pageCount !== undefined && pagesRead >= pageCount
}

/** Returns why announced pages are missing; `PageReader.missing` is the reason for missing records. */
function missingPages({ headers }: PageReader<WireRecord>, pagesRead: number): string | undefined {
  const { total, pageCount = 0 } = headers
  if (total !== undefined || pagesRead >= pageCount) return undefined
  return `the service announces ${pageCount} pages, and ${pagesRead} could be read`
}

/**
 * Stores the page size of this list. If the second page repeats the first one, the service ignores `page`; if it is empty
 * or rejected, the page size is at least `firstSize`.
 */
function savePageSize<Item extends WireRecord>(
  { capabilities, path }: ListSource<Item>,
  { latest }: PageReader<Item>,
  firstSize: number,
) {
  const ignoresPage = latest.isRepeated || (latest.records > 0 && latest.records >= firstSize)
  capabilities?.set(`pageSize ${path}`, ignoresPage ? null : firstSize)
}

/** Whether the service responded with neither a list nor a rejection: it fails on the parameter `page`. */
function isInvalidResponse(error: unknown): error is TtError {
  return error instanceof TtError && isInconclusive(error) && error.status !== undefined
}
