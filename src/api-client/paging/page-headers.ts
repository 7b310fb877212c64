import type { HeadersLike } from '../http/transport.js'

/** What the headers of one page announce about the whole list; undefined for a missing or invalid header. */
export interface PageHeaders {
  /** Records of the list: X-Total-Count, X-Total, Total, or the size in Content-Range (RFC 9110 section 14.4). */
  total: number | undefined
  /** X-Total-Pages. */
  pageCount: number | undefined
  /** Number of this page: X-Page. */
  page: number | undefined
  /** Records of a full page: X-Per-Page or Per-Page. */
  perPage: number | undefined
}

/** Reads the pagination headers of a response, except Link. */
export function readPageHeaders(headers: HeadersLike): PageHeaders {
  const first = (...names: string[]) =>
    names.map((name) => wholeNumber(headers.get(name))).find((number) => number !== undefined)
  return {
    total:
      first('x-total-count', 'x-total', 'total') ??
      wholeNumber(/\/\s*(\d+)\s*$/.exec(headers.get('content-range') ?? '')?.[1]),
    pageCount: first('x-total-pages'),
    page: first('x-page'),
    perPage: first('x-per-page', 'per-page') || undefined,
  }
}

function wholeNumber(text: string | null | undefined): number | undefined {
  return /^\s*\d{1,15}\s*$/.test(text ?? '') ? Number(text) : undefined
}
