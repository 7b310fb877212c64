import { parseId } from '../../resources/values.js'
import { badRequest } from '../http-error.js'
import type { ApiRequest } from '../request-context.js'

export interface Paging {
  page: number
  perPage: number
}

const maxPerPage = 1000

/** Returns the page that `per_page` and `page` select; undefined without them. Throws HttpError 400 for invalid values. */
export function parsePaging(request: ApiRequest): Paging | undefined {
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
export function withQuery(url: string, change: (query: URLSearchParams) => void): string {
  const target = new URL(url, unusedOrigin)
  change(target.searchParams)
  return target.href.replace(unusedOrigin, '')
}

const unusedOrigin = 'http://relative.invalid'

/** In place of the number of a page. Setting a parameter of an address takes as long as writing ten records. */
const placeholder = 'PAGE'
const placeholderPattern = /(?<=[?&]page=)PAGE(?=&|#|$)/
