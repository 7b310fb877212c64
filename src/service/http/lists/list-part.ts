import type { RecordDeclaration } from '../../../records/records.js'
import { fieldTypes } from '../../resources/fields.js'
import type { Condition } from '../../resources/ransack.js'
import type { Row } from '../../resources/rows.js'
import { isStorable } from '../../resources/values.js'
import type { Queries } from '../../storage/queries.js'
import { allOf, identifier, joinSql, type Sql, sql } from '../../storage/sql.js'
import { badRequest } from '../http-error.js'
import type { ApiRequest, RequestContext } from '../request-context.js'
import type { UserTurns } from '../user-turns.js'
import { completeListHeaders, withQuery } from './paging.js'

/** How much of a list one response contains, and how it is read. */
export interface ListOptions {
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
export function startOfPart(request: ApiRequest, record: RecordDeclaration): Condition[] {
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
export async function lastPartHeaders(
  { request: { url, query }, queries }: RequestContext,
  record: RecordDeclaration,
  list: Condition[],
): Promise<Record<string, string>> {
  if (query(positionParameter) === undefined) return completeListHeaders(url)
  return {
    Link: `<${firstPart(url)}>; rel="first", <${url}>; rel="last"`,
    'X-Total-Count': await countOf(queries, record, list),
  }
}

async function countOf(queries: Queries, { table }: RecordDeclaration, list: Condition[]): Promise<string> {
  const [count] = await queries.all<{ total: number }>(
    sql`select count(*) as total from ${identifier(table)} where ${allOf(...list)}`,
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
      'X-Total-Count': await countOf(queries, record, list),
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

export function orderOf({ table, order }: RecordDeclaration): Sql {
  return joinSql(order.map((column) => identifier(table, column)))
}

/** Returns the values of a row by which the record is ordered. */
export function positionOf({ order }: RecordDeclaration, row: Row = {}): unknown[] {
  return order.map((column) => row[column])
}

/** Returns the condition for all records after that position in the order of the record. */
export function conditionAfter(record: RecordDeclaration, position: unknown[]): Condition {
  return sql`(${orderOf(record)}) > (${joinSql(position)})`
}
