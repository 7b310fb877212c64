import { TtError } from '../../lib/errors.js'
import { isInconclusive, RejectedError } from '../errors.js'
import type { WireRecord } from '../types.js'
import { type ListSource, maxPages, type OpenPage, type PageReader, type RecordList } from './paging.js'

/**
 * Reads the pages after the first one by the parameters `page` and, where the service names the size, `per_page`.
 * Returns why the list is incomplete, where the number of records does not say so.
 *
 * A list ends with the page that completes the announced records or pages, that brings no new record, or that is
 * refused (4xx): services differ in their response to a page past the end. For a list whose length is not announced,
 * the size of the first page is remembered (`PagingMemory`). An invalid response to the first request for a second page
 * leaves the list incomplete; later ones throw, so that the cache is used instead of a part of the list.
 */
export async function* numberedPages<Item extends WireRecord>(
  source: ListSource<Item>,
  reader: PageReader<Item>,
  open: OpenPage,
): AsyncGenerator<RecordList<Item>, string | undefined> {
  const { total, pageCount, page: firstNumber = 1, perPage } = reader.headers
  const isAnnounced = total !== undefined || pageCount !== undefined
  const firstSize = reader.count
  const knownSize = source.pagingMemory?.read(source.path)
  const sized = perPage === undefined ? {} : { per_page: String(perPage) }
  for (let pagesRead = 1; ; pagesRead++) {
    if (hasAll(reader, pagesRead)) return undefined
    if (pagesRead >= maxPages) return `it has more than ${maxPages} pages`
    try {
      const query = { ...source.query, page: String(firstNumber + pagesRead), ...sized }
      yield* reader.records(await open(source.path, query), { stopAtRepeat: true })
      if (reader.latest.newRecords > 0) {
        if (!isAnnounced && pagesRead === 1) source.pagingMemory?.write(source.path, firstSize)
        continue
      }
    } catch (error) {
      // A service that is known to take the parameter fails for another reason: the whole list does.
      const isFirstAttempt = !isAnnounced && pagesRead === 1 && knownSize === undefined
      if (isFirstAttempt && isInvalidResponse(error))
        return `whether it has a second page is not known. ${error.message.replace(/\.$/, '')}`
      if (!(error instanceof RejectedError)) throw error
      reader.latest = { records: 0, newRecords: 0, isRepeated: false }
    }
    if (isAnnounced) return missingPages(reader, pagesRead)
    if (pagesRead === 1) rememberEnd(source, reader, firstSize)
    return undefined
  }
}

/** Whether the announced records, or else the announced pages, have come. */
function hasAll({ count, headers }: PageReader<WireRecord>, pagesRead: number): boolean {
  const { total, pageCount } = headers
  if (total !== undefined) return count >= total
  return pageCount !== undefined && pagesRead >= pageCount
}

/** The reason for a list whose announced pages did not come; the one for missing records is `PageReader.missing`. */
function missingPages({ headers }: PageReader<WireRecord>, pagesRead: number): string | undefined {
  const { total, pageCount = 0 } = headers
  if (total !== undefined || pagesRead >= pageCount) return undefined
  return `the service announces ${pageCount} pages, and ${pagesRead} could be read`
}

/**
 * A second page that is the first one again means a service that ignores `page`; one that is empty or refused, only that
 * a page has room for so many records.
 */
function rememberEnd<Item extends WireRecord>(
  { pagingMemory, path }: ListSource<Item>,
  { latest }: PageReader<Item>,
  firstSize: number,
) {
  const ignoresPage = latest.isRepeated || (latest.records > 0 && latest.records >= firstSize)
  pagingMemory?.write(path, ignoresPage ? null : firstSize)
}

/** Whether the service has responded, and not with a list or a refusal: it fails on the parameter `page`. */
function isInvalidResponse(error: unknown): error is TtError {
  return error instanceof TtError && isInconclusive(error) && error.status !== undefined
}
