import { InvalidResponseError } from '../api-errors.js'
import { maxPages, type Page } from './record-list.js'

type LinkedPage = Pick<Page, 'status' | 'headers' | 'url'>

/** The pages of a list that Link headers name (RFC 8288). */
export class LinkedPages {
  readonly #seen = new Set<string>()
  readonly #kind: string
  /** Whether the service names any page in Link, even if only the first or last one. */
  isUsed = false

  /** @param kind names the records in the plural */
  constructor(kind: string) {
    this.#kind = kind
  }

  /**
   * Returns the address of the next page; undefined after the last one. Throws InvalidResponseError for endless pages and
   * for an address at another origin.
   */
  after(page: LinkedPage): URL | undefined {
    this.#seen.add(page.url.href)
    const links = parseLinks(page.headers.get('link') ?? '')
    this.isUsed ||= ['next', 'prev', 'previous', 'first', 'last'].some((relation) => links.has(relation))
    const next = nextPage(page, links.get('next'))
    if (!next) return undefined
    if (this.#seen.has(next.href) || this.#seen.size >= maxPages) {
      throw new InvalidResponseError(`The list of ${this.#kind} has too many or repeated pages.`, {
        status: page.status,
      })
    }
    // The requested address counts as seen too: after a redirect, `page.url` is another one.
    this.#seen.add(next.href)
    return next
  }
}

function nextPage(page: LinkedPage, target: string | undefined): URL | undefined {
  if (target === undefined || !URL.canParse(target, page.url.href)) return undefined
  const url = new URL(target, page.url)
  url.hash = ''
  if (url.origin === page.url.origin) return url
  throw new InvalidResponseError(
    `The next page of the list is at ${url.origin}. The token was not sent there.`,
    { status: page.status },
  )
}

const linkPattern = /<([^>]*)>((?:\s*;\s*[^\s=;,"]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g
const parameterPattern = /;\s*([^\s=;,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g

/** Returns the first target of each relation (RFC 8288 section 3), except for links about another page. */
function parseLinks(header: string): Map<string, string> {
  const targets = new Map<string, string>()
  for (const [, target = '', parameters = ''] of header.matchAll(linkPattern)) {
    const values = new Map<string, string>()
    for (const [, name = '', quoted, bare = ''] of parameters.matchAll(parameterPattern)) {
      const key = name.toLowerCase()
      if (!values.has(key)) values.set(key, quoted ?? bare)
    }
    if (values.has('anchor')) continue
    for (const relation of (values.get('rel') ?? '').toLowerCase().split(/\s+/))
      if (relation !== '' && !targets.has(relation)) targets.set(relation, target)
  }
  return targets
}
