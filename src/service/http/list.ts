import type { RecordDeclaration } from '../../records/records.js'
import { columnsOf, fieldTypes, type Row, toRecords } from '../resources/fields.js'
import { type Condition, parseConditions, readFilter } from '../resources/ransack.js'
import { isStorable, parseId } from '../resources/values.js'
import type { Queries } from '../storage/queries.js'
import { allOf, identifier, joinSql, literal, type Sql, sql, toSqlText } from '../storage/sql.js'
import type { ApiRequest, RequestContext, Turns } from './request-context.js'
import { badRequest, type HttpResponse, jsonResponse, RecordBatches } from './response.js'
import { nextTurn } from './turns.js'

/** Number of records in the first batch. A shorter list is sent at once, without streaming. */
const firstBatchSize = 500
/** Number of records in each further batch in the local workspace, where no other requests wait. */
const laterBatchSize = 2000

/** How much of a list one response contains, and how it is read. */
export interface ListOptions {
  /** Upper bound for the records of a response without `per_page`, if there is one. */
  maxRecords: number | undefined
  /** Number of records that are read at once, between other requests. */
  batchSize: number
  /** The turns of users for lists of more than one batch. */
  turns: Turns
}

/** A list: the records of a record that match conditions, in its order. */
interface List {
  context: RequestContext
  record: RecordDeclaration
  /** The fields of its records in the response. */
  form: RecordDeclaration
  /** The conditions of the whole list. */
  conditions: Condition[]
}

/**
 * Returns the records that match `conditions` and the filter of the request, in the order of the record. Returns one page
 * if the request has `per_page`, otherwise all.
 *
 * A list of more than one batch streams. Each further batch starts after the last record sent and is read when the client
 * has received the batch before it. So a slow client occupies neither memory nor the database, and records that are created
 * or deleted during the transfer cause no duplicates or gaps. With `context.lists`, a list ends at a limit and continues at
 * the address in its Link header.
 *
 * @param form the same record with other fields, for the records in the response
 */
export async function respondWithList(
  context: RequestContext,
  record: RecordDeclaration,
  conditions: Condition[],
  form = record,
): Promise<HttpResponse> {
  const { request, lists } = context
  const filter = await parseConditions(readFilter(request, record), record, context)
  const whole = [...conditions, ...filter]
  const part = [...startOfPart(request, record), ...whole]
  const list: List = { context, record, form, conditions: whole }
  const paging = parsePaging(request)
  if (paging) return respondWithPage(list, paging)
  const limit = Math.min(firstBatchSize, lists?.maxRecords ?? firstBatchSize)
  const rows = await selectRows(list, part, { limit })
  if (rows.length < limit) {
    const headers = await lastPartHeaders(context, record, whole)
    return jsonResponse(new RecordBatches([toRecords(form, rows)]), 200, headers)
  }
  return inTurnOfUser(context, async () => {
    const { end, headers } = await endOfPart(context, record, part, whole)
    return jsonResponse(new RecordBatches(readBatches(list, [...part, ...end], rows)), 200, headers)
  })
}

/** Returns one page of a list with Link (RFC 8288) and X-Total-Count. The last page needs no counting. */
async function respondWithPage(list: List, { page, perPage }: Paging): Promise<HttpResponse> {
  const { context, record, form, conditions } = list
  const offset = (page - 1) * perPage
  const versionColumn = versionColumnOf(record, context.userId)
  const rows = await selectRows(list, conditions, { limit: limitOf(perPage), offset, versionColumn })
  const version = takeVersion(rows)
  const hasNext = rows.length > perPage
  const isLast = !hasNext && (rows.length > 0 || page === 1)
  const total = isLast ? offset + rows.length : await totalOf(context, record, conditions, version)
  return jsonResponse(new RecordBatches([toRecords(form, rows.slice(0, perPage))]), 200, {
    'X-Total-Count': String(total),
    Link: linkHeader(context.request.url, { page, perPage }, total),
  })
}

/** The sizes of pages with statements of their own, so that their number is limited. */
const usualSizes = [10, 20, 25, 50, 100, 200, 250, 500, 1000]

/** Returns the limit of a page and the record that shows whether there is a next one. */
function limitOf(perPage: number): number | Sql {
  return usualSizes.includes(perPage) ? literal(perPage + 1) : perPage + 1
}

async function* readBatches(list: List, where: Condition[], first: Row[]): AsyncGenerator<object[]> {
  const { record, form, context } = list
  const limit = context.lists?.batchSize ?? laterBatchSize
  try {
    let rows = first
    while (rows.length > 0) {
      // Converting the rows changes them.
      const last = positionOf(record, rows.at(-1))
      yield toRecords(form, rows)
      // SQLite seeks by the first of several lower bounds. With another one first, each batch would reread earlier rows.
      rows = await selectRows(list, [conditionAfter(record, last), ...where], { limit })
    }
  } catch (error) {
    context.onError(error)
    throw error
  }
}

function selectRows(
  { context, record, form }: List,
  conditions: Condition[],
  { limit, offset = 0, versionColumn }: { limit: number | Sql; offset?: number; versionColumn?: Sql },
): Promise<Row[]> {
  return context.queries.read(
    conditions,
    (where) => sql`
    select ${columnsOf(form)}${versionColumn ?? sql``} from ${identifier(record.table)} where ${where}
    order by ${orderOf(record)} limit ${limit}${offset > 0 ? sql` offset ${offset}` : sql``}`,
  )
}

interface Paging {
  page: number
  perPage: number
}

const maxPerPage = 1000

/** Returns the page that `per_page` and `page` select; undefined without them. Throws HttpError 400 for invalid values. */
function parsePaging(request: ApiRequest): Paging | undefined {
  const [perPageText, pageText] = [request.query('per_page'), request.query('page')]
  if (perPageText === undefined) {
    if (pageText !== undefined) throw badRequest('page requires per_page.')
    return undefined
  }
  const perPage = parseId(perPageText)
  if (perPage === undefined || perPage > maxPerPage) {
    throw badRequest(`per_page must be a whole number from 1 to ${maxPerPage}.`)
  }
  const page = parseId(pageText ?? '1')
  if (page === undefined || !Number.isSafeInteger(page * perPage)) {
    throw badRequest('page must be a whole number, 1 or more.')
  }
  return { page, perPage }
}

/** Returns the headers of a complete list at `url`: its Link header has no further pages. */
export function completeListHeaders(url: string): Record<string, string> {
  return { Link: `<${url}>; rel="first last"` }
}

/** Returns the Link header (RFC 8288) of a page of the list at `url`: first, last and, if they exist, prev and next. */
export function linkHeader(url: string, { page, perPage }: Paging, total: number): string {
  const last = Math.max(1, Math.ceil(total / perPage))
  const links: [rel: string, page: number][] = [['first', 1]]
  if (page > 1) links.push(['prev', Math.min(page - 1, last)])
  if (page < last) links.push(['next', page + 1])
  links.push(['last', last])
  const target = withQuery(url, (query) => query.set('page', placeholder))
  const [before, after = ''] = target.split(placeholderPattern)
  return links.map(([rel, number]) => `<${before}${number}${after}>; rel="${rel}"`).join(', ')
}

/** Returns the address, which can be relative (RFC 3986 section 4.2), with another query. */
function withQuery(url: string, change: (query: URLSearchParams) => void): string {
  const target = new URL(url, unusedOrigin)
  change(target.searchParams)
  return target.href.replace(unusedOrigin, '')
}

const unusedOrigin = 'http://relative.invalid'

/** In place of the number of a page. Setting a parameter of an address takes as long as writing ten records. */
const placeholder = 'PAGE'
const placeholderPattern = /(?<=[?&]page=)PAGE(?=&|#|$)/

/** The name of the query parameter in Link headers; its values belong to the service. */
const positionParameter = 'after'

/** Returns the condition for the records of this part of a list; none for the first part. Throws HttpError 400. */
function startOfPart(request: ApiRequest, record: RecordDeclaration): Condition[] {
  const text = request.query(positionParameter)
  if (text === undefined) return []
  const position = parsePosition(text, record)
  if (!position || request.query('per_page') !== undefined) {
    throw badRequest(`The parameter ${positionParameter} is only valid as in a Link header.`)
  }
  return [conditionAfter(record, position)]
}

/**
 * Returns the headers of the last or only part of a list: Link, and X-Total-Count if there are other parts.
 *
 * @param list the conditions of the whole list
 */
async function lastPartHeaders(
  context: RequestContext,
  record: RecordDeclaration,
  list: Condition[],
): Promise<Record<string, string>> {
  const { url, query } = context.request
  if (query(positionParameter) === undefined) return completeListHeaders(url)
  return {
    Link: `<${firstPart(url)}>; rel="first", <${url}>; rel="last"`,
    'X-Total-Count': String(await totalOf(context, record, list)),
  }
}

/**
 * Returns the condition that ends this part of a list after `maxRecords`, and its headers: Link (RFC 8288) with the
 * address of the next part, and X-Total-Count. The condition is missing if the rest of the list is not longer.
 *
 * @param part the conditions of this part and all later ones
 * @param list the conditions of the whole list
 */
async function endOfPart(
  context: RequestContext,
  record: RecordDeclaration,
  part: Condition[],
  list: Condition[],
): Promise<{ end: Condition[]; headers: Record<string, string> }> {
  const { request, queries, lists } = context
  const complete = async () => ({ end: [], headers: await lastPartHeaders(context, record, list) })
  if (lists?.maxRecords === undefined) return complete()
  const [last, next] = await queries.all<Row>(sql`
    select ${orderOf(record)} from ${identifier(record.table)} where ${allOf(...part)}
    order by ${orderOf(record)} limit 2 offset ${lists.maxRecords - 1}`)
  if (!last || !next) return complete()
  const position = positionOf(record, last)
  const text = Buffer.from(JSON.stringify(position)).toString('base64url')
  const url = withQuery(request.url, (query) => query.set(positionParameter, text))
  return {
    end: [sql`(${orderOf(record)}) <= (${joinSql(position)})`],
    headers: {
      Link: `<${firstPart(request.url)}>; rel="first", <${url}>; rel="next"`,
      'X-Total-Count': String(await totalOf(context, record, list)),
    },
  }
}

function firstPart(address: string): string {
  return withQuery(address, (query) => query.delete(positionParameter))
}

/** Returns the position that a Link header contains; undefined for any other text. */
function parsePosition(text: string, { order, fields }: RecordDeclaration): unknown[] | undefined {
  let values: unknown
  try {
    values = JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
  if (!Array.isArray(values) || values.length !== order.length) return undefined
  const isValid = order.every((column, index) => {
    const value: unknown = values[index]
    const { column: type } = fieldTypes[fields[column]?.type ?? 'id']
    return type === 'text' ? typeof value === 'string' && isStorable(value) : Number.isSafeInteger(value)
  })
  return isValid ? values : undefined
}

function orderOf({ table, order }: RecordDeclaration): Sql {
  return joinSql(order.map((column) => identifier(table, column)))
}

/** Returns the values of a row by which the record is ordered. */
function positionOf({ order }: RecordDeclaration, row: Row = {}): unknown[] {
  return order.map((column) => row[column])
}

/** Returns the condition for all records after that position in the order of the record. */
function conditionAfter(record: RecordDeclaration, position: unknown[]): Condition {
  return sql`(${orderOf(record)}) > (${joinSql(position)})`
}

const ownedTables: readonly string[] = ['time_entries', 'expenses']

/**
 * Returns the expression for the version of the user's entries and expenses: two statements that read the same version see
 * the same records, whichever process of whichever machine has changed them. Null for a record of the company.
 */
function versionOf({ table }: RecordDeclaration, userId: number): Sql {
  if (!ownedTables.includes(table)) return sql`null`
  return sql`(select cast(coalesce(sum(version), 0) as text) from record_versions where user_id = ${userId})`
}

/** The last column of a page: the version of the list, so that its total needs no statement of its own. */
const versionColumnOf = (record: RecordDeclaration, userId: number): Sql =>
  sql`, ${versionOf(record, userId)} as list_version`

/** Removes the last column of a page from its rows, and returns its value; undefined for a page without rows. */
function takeVersion(rows: Row[]): unknown {
  const version = rows[0]?.list_version
  for (const row of rows) delete row.list_version
  return version
}

/**
 * Returns the number of records in a list. Counting takes as long as reading the index entries of all of them, so it uses
 * the cached total unless the version has changed.
 *
 * @param current the version, if it was read with the records
 */
async function totalOf(
  { queries, userId }: RequestContext,
  record: RecordDeclaration,
  conditions: Condition[],
  current?: unknown,
): Promise<number> {
  const where = allOf(...conditions)
  const version = versionOf(record, userId)
  const key = `${record.table}${toSqlText(where, queries.dialect)}${JSON.stringify(where.values.map(String))}`
  const totals = totalsOf(queries)
  const cached = totals.get(key)
  if (cached) {
    const [read] = current === undefined ? await queries.all<Total>(sql`select ${version} as version`) : []
    if (cached.version === (read?.version ?? current)) return cached.total
  }
  const [counted] = await queries.all<Total>(
    sql`select count(*) as total, ${version} as version from ${identifier(record.table)} where ${where}`,
  )
  if (!counted) return 0
  totals.delete(key)
  if (counted.version !== null && key.length <= maxKeyLength) totals.set(key, counted)
  const [oldest] = totals.keys()
  if (totals.size > maxTotals && oldest !== undefined) totals.delete(oldest)
  return counted.total
}

/** A total, and the version of the records that were counted. */
interface Total {
  total: number
  version: string | null
}

/** Upper bounds of the cache: it takes at most 10 MB. */
const maxTotals = 10_000
const maxKeyLength = 500

const totalsByDatabase = new WeakMap<Queries, Map<string, Total>>()

/** Returns the cached totals of a database, the oldest first. */
function totalsOf(queries: Queries): Map<string, Total> {
  const { origin = queries } = queries
  const known = totalsByDatabase.get(origin) ?? new Map<string, Total>()
  totalsByDatabase.set(origin, known)
  return known
}

/**
 * Creates the response of a list of more than one batch when the user has a turn for that, which ends with the response.
 * Rejects with HttpError 429 while the user has too many such lists.
 */
async function inTurnOfUser(
  { request, lists, userId }: RequestContext,
  createResponse: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  if (!lists) return createResponse()
  await lists.turns.begin(userId)
  let hasEnded = false
  const end = () => {
    if (!hasEnded) lists.turns.end(userId)
    hasEnded = true
  }
  try {
    // What is read before the first record is sent takes much longer than a batch.
    await nextTurn()
    const { body, ...others } = await createResponse()
    const text = body instanceof RecordBatches ? body.text() : body
    const isStream = typeof text === 'object' && text !== null && request.raw.method !== 'HEAD'
    if (!isStream) end()
    return { ...others, body: isStream ? withEnd(text, end) : text }
  } catch (error) {
    end()
    throw error
  }
}

/** Returns the same chunks; calls `end` after the last one, and also when they are not read to the end, or not at all. */
function withEnd(chunks: AsyncIterable<string>, end: () => void): AsyncIterable<string> {
  const iterator = chunks[Symbol.asyncIterator]()
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        try {
          const result = await iterator.next()
          if (result.done) end()
          return result
        } catch (error) {
          end()
          throw error
        }
      },
      async return() {
        end()
        await iterator.return?.()
        return { done: true, value: undefined }
      },
    }),
  }
}
