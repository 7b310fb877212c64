import type { RecordFilter } from '../filter/record-filter.js'
import type { Id, WireRecord } from '../types.js'
import type { IdSet } from './id-set.js'
import { type PageHeaders, readPageHeaders } from './page-headers.js'
import type { ListSource, Page, RecordList } from './record-list.js'

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
