/** A minimal browser for signing in: it stores a cookie and submits forms, and does not follow redirects. */
export class Browser {
  cookie: string | undefined

  constructor(readonly send: (request: Request) => Promise<Response>) {}

  async open(url: string, headers: Record<string, string> = {}) {
    return this.#request(url, { headers })
  }

  /** Submits the form with the button `action`, with its hidden fields and `fields`. */
  async press(
    page: Page,
    action: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) {
    const form = formWith(page.text, action)
    const body = new URLSearchParams({ ...form.fields, action, ...fields })
    const origin = { Origin: 'null', 'Sec-Fetch-Site': 'same-origin', ...headers }
    return this.#request(new URL(form.target, page.url).href, { method: 'POST', body, headers: origin })
  }

  /** Opens the URL, signs in and returns the consent page. */
  async signIn(url: string, email: string, password: string) {
    const signedIn = await this.press(await this.open(url), 'sign-in', { email, password })
    if (signedIn.location === undefined) throw new Error(`Not signed in: ${signedIn.text}`)
    return this.open(new URL(signedIn.location, url).href)
  }

  async #request(url: string, init: RequestInit & { headers: Record<string, string> }) {
    const cookie = this.cookie === undefined ? {} : { Cookie: this.cookie }
    const request = new Request(url, {
      redirect: 'manual',
      ...init,
      headers: { ...cookie, ...init.headers },
    })
    const response = await this.send(request)
    const setCookie = response.headers.get('Set-Cookie')
    if (setCookie !== null) this.cookie = setCookie.split(';')[0]
    const location = response.headers.get('Location') ?? undefined
    return { url, status: response.status, headers: response.headers, location, text: await response.text() }
  }
}

type Page = Awaited<ReturnType<Browser['open']>>

/** Returns the query parameters of a page's redirect. */
export function redirectParameters(page: Page): Record<string, string> {
  if (page.location === undefined) throw new Error(`No redirect: ${page.status} ${page.text}`)
  return Object.fromEntries(new URL(page.location).searchParams)
}

function formWith(text: string, action: string): { target: string; fields: Record<string, string> } {
  const form = text.split('<form ').find((piece) => piece.includes(`name="action" value="${action}"`))
  const [, target] = /action="([^"]*)"/.exec(form ?? '') ?? []
  if (form === undefined || target === undefined) throw new Error(`No button ${action}: ${text}`)
  const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  return {
    target: target.replaceAll('&amp;', '&'),
    fields: Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value])),
  }
}
