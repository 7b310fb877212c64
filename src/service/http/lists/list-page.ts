import type { Condition } from '../../resources/ransack.js'
import type { Resource } from '../../resources/resources.js'
import { literal, type Sql } from '../../storage/sql.js'
import type { RequestContext } from '../request-context.js'
import { type HttpResponse, jsonTextResponse } from '../response.js'
import { type ListText, selectText } from './list-text.js'
import { totalOf, versionOf } from './list-total.js'
import { linkHeader, type Paging } from './paging.js'

/** Returns one page of a list with Link (RFC 8288) and X-Total-Count. The last page needs no counting. */
export async function respondWithPage(
  context: RequestContext,
  resource: Resource<unknown>,
  conditions: Condition[],
  { page, perPage, times }: Paging & { times: string | undefined },
): Promise<HttpResponse> {
  const { request, queries } = context
  const offset = (page - 1) * perPage
  const version = versionOf(resource, context.userId)
  const read = await selectText(queries, resource, conditions, {
    limit: limitOf(perPage),
    offset,
    times,
    version,
  })
  const hasNext = read.count > perPage
  const isLast = !hasNext && (read.count > 0 || page === 1)
  const total = isLast ? offset + read.count : await totalOf(context, resource, conditions, read.version)
  return jsonTextResponse(hasNext ? withoutLast(read) : read.text, {
    'X-Total-Count': String(total),
    Link: linkHeader(request.url, { page, perPage }, total),
  })
}

/** The sizes of pages with statements of their own, so that their number is limited. */
const usualSizes = [10, 20, 25, 50, 100, 200, 250, 500, 1000]

/** Returns the limit of a page and the record that shows whether there is a next one. */
function limitOf(perPage: number): number | Sql {
  return usualSizes.includes(perPage) ? literal(perPage + 1) : perPage + 1
}

/** Records are separated by a line break, which the JSON text of a record does not contain. */
const separator = ',\n'

function withoutLast({ text }: ListText): string {
  return `${text.slice(0, text.lastIndexOf(separator))}]`
}
