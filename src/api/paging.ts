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
  const pages = new Pages(what)
  let answer = await http.request('GET', path, { query })
  for (;;) {
    for (const record of asList(answer.value, what)) records.push(record)
    const next = pages.after(answer)
    if (!next) return records
    answer = await http.request('GET', next.href)
  }
}

/** The same in batches as they come in. Throws the same, at any batch. */
export async function* listInBatches(
  http: Http,
  path: string,
  query: Record<string, string | undefined>,
  what: string,
): AsyncGenerator<unknown[]> {
  const unwrap = (value: unknown) => asList(value, what)
  const pages = new Pages(what)
  let answer = await http.list(path, { query, unwrap })
  for (;;) {
    yield* answer.batches
    const next = pages.after(answer)
    if (!next) return
    answer = await http.list(next.href, { unwrap })
  }
}

type Page = Pick<Answer, 'status' | 'headers' | 'url'>

/** The pages of a list that were read. */
class Pages {
  readonly #seen = new Set<string>()

  /** @param what names the records in the plural */
  constructor(readonly what: string) {}

  /** The page after this one; undefined where it is the last. Throws NonsenseError where they never end. */
  after(page: Page): URL | undefined {
    this.#seen.add(page.url.href)
    const next = nextPage(page)
    if (!next) return undefined
    if (this.#seen.has(next.href) || this.#seen.size >= maxPages) {
      throw new NonsenseError(`The pages of the list of ${this.what} never end.`, { status: page.status })
    }
    // The page that was asked for counts as seen as well: a redirect may answer under another address.
    this.#seen.add(next.href)
    return next
  }
}

function nextPage(answer: Page): URL | undefined {
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
