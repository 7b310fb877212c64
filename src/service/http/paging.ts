import { parseId } from '../resources/values.js'
import { badRequest } from './errors.js'
import type { ApiRequest } from './request-context.js'

export interface Paging {
  page: number
  perPage: number
}

const maxPerPage = 1000

/** What `per_page` and `page` ask for; undefined without them. Throws HttpError 400 for what is no page. */
export function parsePaging(request: ApiRequest): Paging | undefined {
  const [perPageText, pageText] = [request.query('per_page'), request.query('page')]
  if (perPageText === undefined) {
    if (pageText !== undefined) throw badRequest('page means nothing without per_page.')
    return undefined
  }
  const perPage = parseId(perPageText)
  if (perPage === undefined || perPage > maxPerPage) {
    throw badRequest(`per_page is a whole number from 1 to ${maxPerPage}.`)
  }
  const page = parseId(pageText ?? '1')
  if (page === undefined || !Number.isSafeInteger(page * perPage)) {
    throw badRequest('page is a whole number from 1 on.')
  }
  return { page, perPage }
}

/** The headers of a complete list at `url`, which say that there are no further pages. */
export function completeListHeaders(url: string): Record<string, string> {
  return { Link: `<${url}>; rel="first last"` }
}

/** The Link header (RFC 8288) of a page of the list at `url`: first, prev, next and last, where there are such. */
export function linkHeader(url: string, { page, perPage }: Paging, total: number): string {
  const last = Math.max(1, Math.ceil(total / perPage))
  const links: [rel: string, page: number][] = [['first', 1]]
  if (page > 1) links.push(['prev', Math.min(page - 1, last)])
  if (page < last) links.push(['next', page + 1])
  links.push(['last', last])
  return links
    .map(([rel, number]) => {
      const target = new URL(url)
      target.searchParams.set('page', String(number))
      return `<${target}>; rel="${rel}"`
    })
    .join(', ')
}
