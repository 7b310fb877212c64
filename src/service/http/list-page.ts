import type { Condition } from '../resources/ransack.js'
import type { Resource, Row } from '../resources/resources.js'
import { identifier, sql } from '../storage/sql.js'
import { badRequest } from './http-error.js'
import { firstPart, isLaterPart, partAfter, positionOf, whereClause } from './list-part.js'
import { type ListText, selectText } from './list-text.js'
import { linkHeader, type Paging } from './paging.js'
import type { ApiRequest, RequestContext } from './request-context.js'
import { type HttpResponse, jsonTextResponse } from './response.js'

/** Lists of up to this number of records are counted for each page; longer ones only with `total=true`. */
const maxCounted = 500

/**
 * Returns one page of a list with Link (RFC 8288) and, if the list is short or the request has `total=true`, with
 * X-Total-Count and the address of the last page. A page of a longer list links to the next one by the position of its
 * last record: to count the list, or to skip many records, would take much longer than to read the page.
 *
 * @param list the conditions of the whole list
 * @param part the same, and that of the part after a position
 */
export async function respondWithPage(
  context: RequestContext,
  resource: Resource<unknown>,
  { list, part }: { list: Condition[]; part: Condition[] },
  { page, perPage, times }: Paging & { times: string | undefined },
): Promise<HttpResponse> {
  const { request, queries } = context
  const shouldCount = isCountRequested(request)
  const offset = (page - 1) * perPage
  const read = await selectText(queries, resource, part, { limit: perPage + 1, offset, times })
  const hasNext = read.count > perPage
  const text = hasNext ? withoutLast(read) : read.text
  const isPart = isLaterPart(request)
  const isEnd = !isPart && !hasNext && (read.count > 0 || page === 1)
  const total = isEnd ? offset + read.count : await count(context, resource, list, shouldCount)
  const totalHeader: Record<string, string> = total === undefined ? {} : { 'X-Total-Count': String(total) }
  const Link =
    total !== undefined && !isPart
      ? linkHeader(request.url, { page, perPage }, total)
      : linkByPosition(request, page, hasNext ? positionAtEnd(resource, text) : undefined)
  return jsonTextResponse(text, { ...totalHeader, Link })
}

function isCountRequested({ query }: ApiRequest): boolean {
  const text = query('total')
  if (text === undefined || text === 'false') return false
  if (text === 'true') return true
  throw badRequest('total must be true or false.')
}

/** Returns the number of records of the list; undefined if it is long and an exact number is not requested. */
async function count(
  { queries }: RequestContext,
  resource: Resource<unknown>,
  list: Condition[],
  isRequested: boolean,
): Promise<number | undefined> {
  const rows = sql`from ${identifier(resource.table)}${whereClause(list)}`
  const [row] = await queries.all<{ total: number }>(
    isRequested
      ? sql`select count(*) as total ${rows}`
      : sql`select count(*) as total from (select 1 ${rows} limit ${maxCounted + 1}) as part`,
  )
  const total = row?.total ?? 0
  return isRequested || total <= maxCounted ? total : undefined
}

/** Records are separated by a line break, which the JSON text of a record does not contain. */
const separator = ',\n'

function withoutLast({ text }: ListText): string {
  return `${text.slice(0, text.lastIndexOf(separator))}]`
}

/** Returns the position of the last record, from its JSON text. */
function positionAtEnd(resource: Resource<unknown>, text: string): unknown[] {
  const start = text.lastIndexOf(separator)
  const record = JSON.parse(text.slice(start < 0 ? 1 : start + separator.length, -1)) as Row
  for (const name of resource.order) {
    const value = record[name]
    if (resource.fields[name] === 'time' && typeof value === 'string') record[name] = Date.parse(value)
  }
  return positionOf(resource, record)
}

/** Returns the Link header of a page of a list whose length is unknown, or of a part. */
function linkByPosition(request: ApiRequest, page: number, next: unknown[] | undefined): string {
  const { url: address } = request
  const at = (number: number) => {
    const url = new URL(firstPart(address))
    url.searchParams.set('page', String(number))
    return url.href
  }
  const links = [['first', at(1)]]
  if (page > 1) links.push(['prev', at(page - 1)])
  if (next) links.push(['next', partAfter(address, next)])
  else if (isLaterPart(request)) links.push(['last', address])
  return links.map(([rel, url]) => `<${url}>; rel="${rel}"`).join(', ')
}
