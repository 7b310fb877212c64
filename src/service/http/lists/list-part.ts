import type { Condition } from '../../resources/ransack.js'
import type { Resource, Row } from '../../resources/resources.js'
import { isStorable } from '../../resources/values.js'
import type { Queries } from '../../storage/queries.js'
import { identifier, joinSql, type Sql, sql } from '../../storage/sql.js'
import { badRequest } from '../http-error.js'
import type { ApiRequest, RequestContext } from '../request-context.js'
import type { UserTurns } from '../user-turns.js'
import { completeListHeaders, withQuery } from './paging.js'

/** How much of a list one response contains, and how it is read. */
export interface ListLimits {
  /** Upper bound for the records of a response without `per_page`, if there is one. */
  maxRecords: number | undefined
  /** Number of records that are read at once, between other requests. */
  batchSize: number
  /** The turns of users for lists of more than one batch. */
  turns: UserTurns
}

/** The name of the query parameter in Link headers; its values belong to the service. */
const positionParameter = 'after'

/** Returns the condition for the records of this part of a list; none for the first part. Throws HttpError 400. */
export function startOfPart(request: ApiRequest, resource: Resource<unknown>): Condition[] {
  const text = request.query(positionParameter)
  if (text === undefined) return []
  const position = parsePosition(text, resource)
  if (!position || request.query('per_page') !== undefined) {
    throw badRequest(`The parameter ${positionParameter} is only valid as in a Link header.`)
  }
  return [conditionAfter(resource, position)]
}

/**
 * Returns the headers of the last or only part of a list: Link, and X-Total-Count if there are other parts.
 *
 * @param list the conditions of the whole list
 */
export async function lastPartHeaders(
  { request: { url, query }, queries }: RequestContext,
  resource: Resource<unknown>,
  list: Condition[],
): Promise<Record<string, string>> {
  if (query(positionParameter) === undefined) return completeListHeaders(url)
  return {
    Link: `<${firstPart(url)}>; rel="first", <${url}>; rel="last"`,
    'X-Total-Count': await countOf(queries, resource, list),
  }
}

async function countOf(queries: Queries, { table }: Resource<unknown>, list: Condition[]): Promise<string> {
  const [count] = await queries.all<{ total: number }>(
    sql`select count(*) as total from ${identifier(table)}${whereClause(list)}`,
  )
  return String(count?.total ?? 0)
}

/**
 * Returns the condition that ends this part of a list after `maxRecords`, and its headers: Link (RFC 8288) with the
 * address of the next part, and X-Total-Count. The condition is missing if the rest of the list is not longer.
 *
 * @param part the conditions of this part and all later ones
 * @param list the conditions of the whole list
 */
export async function endOfPart(
  context: RequestContext,
  resource: Resource<unknown>,
  part: Condition[],
  list: Condition[],
): Promise<{ end: Condition[]; headers: Record<string, string> }> {
  const { request, queries, lists } = context
  const complete = async () => ({ end: [], headers: await lastPartHeaders(context, resource, list) })
  if (lists?.maxRecords === undefined) return complete()
  const [last, next] = await queries.all<Row>(sql`
    select ${orderOf(resource)} from ${identifier(resource.table)}${whereClause(part)}
    order by ${orderOf(resource)} limit 2 offset ${lists.maxRecords - 1}`)
  if (!last || !next) return complete()
  const position = positionOf(resource, last)
  const text = Buffer.from(JSON.stringify(position)).toString('base64url')
  const url = withQuery(request.url, (query) => query.set(positionParameter, text))
  return {
    end: [sql`(${orderOf(resource)}) <= (${joinSql(position)})`],
    headers: {
      Link: `<${firstPart(request.url)}>; rel="first", <${url}>; rel="next"`,
      'X-Total-Count': await countOf(queries, resource, list),
    },
  }
}

function firstPart(address: string): string {
  return withQuery(address, (query) => query.delete(positionParameter))
}

/** Returns the position that a Link header contains; undefined for any other text. */
function parsePosition(text: string, { order, fields }: Resource<unknown>): unknown[] | undefined {
  let values: unknown
  try {
    values = JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
  if (!Array.isArray(values) || values.length !== order.length) return undefined
  const isValid = order.every((column, index) => {
    const value: unknown = values[index]
    const isText = fields[column] === 'text' || fields[column] === 'day'
    return isText ? typeof value === 'string' && isStorable(value) : Number.isSafeInteger(value)
  })
  return isValid ? values : undefined
}

export function whereClause(conditions: Condition[]): Sql {
  return conditions.length === 0 ? sql`` : sql` where ${joinSql(conditions, ' and ')}`
}

export function orderOf({ table, order }: Resource<unknown>): Sql {
  return joinSql(order.map((column) => identifier(table, column)))
}

/** Returns the values of a row by which the resource is ordered. */
export function positionOf({ order }: Resource<unknown>, row: Row = {}): unknown[] {
  return order.map((column) => row[column])
}

/** Returns the condition for all records after that position in the order of the resource. */
export function conditionAfter(resource: Resource<unknown>, position: unknown[]): Condition {
  return sql`(${orderOf(resource)}) > (${joinSql(position)})`
}
