import { NonsenseError } from './failures.js'
import type { Answer, Http } from './http.js'
import { asList } from './shapes.js'

const maxPages = 10_000

/**
 * Reads a whole list: the first page and each that `Link: <…>; rel="next"` names (RFC 8288), in their order.
 *
 * Throws NonsenseError when a page is no list, comes twice, lies at another origin (the token is not sent
 * there), or when there are more than 10,000 of them.
 */
export async function listAll(
  http: Http,
  path: string,
  query: Record<string, string | undefined>,
  what: string,
): Promise<unknown[]> {
  const records: unknown[] = []
  const seen = new Set<string>()
  let answer = await http.request('GET', path, { query })
  for (;;) {
    for (const record of asList(answer.value, what)) records.push(record)
    seen.add(answer.url.href)
    const next = nextPage(answer)
    if (!next) return records
    if (seen.has(next.href) || seen.size >= maxPages) {
      throw new NonsenseError(`The pages of the list of ${what} never end.`, { status: answer.status })
    }
    // The page that was asked for counts as seen as well: a redirect may answer under another address.
    seen.add(next.href)
    answer = await http.request('GET', next.href)
  }
}

function nextPage(answer: Answer): URL | undefined {
  const target = linkTarget(answer.headers.get('link') ?? '', 'next')
  if (target === undefined || !URL.canParse(target, answer.url.href)) return undefined
  const url = new URL(target, answer.url)
  url.hash = ''
  if (url.origin === answer.url.origin) return url
  throw new NonsenseError(`The next page lies at ${url.origin}. The token was not sent there.`, {
    status: answer.status,
  })
}

const link = /<([^>]*)>((?:\s*;\s*[^\s=;,"]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g
const parameter = /;\s*([^\s=;,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g

/** The target of the first link with the relation `relation` (RFC 8288 section 3); one about another page is not it. */
function linkTarget(header: string, relation: string): string | undefined {
  for (const [, target, parameters = ''] of header.matchAll(link)) {
    const named = new Map<string, string>()
    for (const [, name = '', quoted, bare = ''] of parameters.matchAll(parameter)) {
      const key = name.toLowerCase()
      if (!named.has(key)) named.set(key, quoted ?? bare)
    }
    const relations = (named.get('rel') ?? '').toLowerCase().split(/\s+/)
    if (relations.includes(relation) && !named.has('anchor')) return target
  }
  return undefined
}
