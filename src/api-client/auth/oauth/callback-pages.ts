import { createHash } from 'node:crypto'
import { TtError } from '../../../lib/errors.js'
import { type Html, html } from '../../../lib/text/html.js'
import { document } from '../../../lib/text/page.js'
import { style } from '../../../lib/text/page-style.js'

/** A page for the browser at the end of the sign-in. */
export interface Page {
  status: number
  headers: Record<string, string>
  html: string
}

/** Returns the page for a completed sign-in. */
export function signedInPage(): Page {
  return page(200, 'Signed in', 'status', ['tt is signed in to the service.'])
}

/**
 * Returns the page for a failed sign-in, with the same text as in the terminal.
 *
 * Its status is 200: browsers report any other status as an error on their console, and the browser made no error.
 */
export function failedPage(error: unknown, hintText: (error: TtError) => string | undefined): Page {
  const texts =
    error instanceof TtError ? [error.message, hintText(error) ?? ''] : ['An error occurred in the terminal.']
  return page(200, 'Not signed in', 'alert', texts)
}

/** Returns the page for a request that is not the authorization response; the sign-in continues. */
export function unexpectedRequestPage(problem: string): Page {
  return page(400, 'Unexpected request', 'alert', [
    `This request is not the response to the sign-in that tt is waiting for. ${problem}`,
    'To sign in, open the address that the terminal shows.',
  ])
}

/** Returns the page for a repeated authorization response, such as after a reload. */
export function alreadyUsedPage(): Page {
  return page(410, 'Already used', 'status', [
    'This response was used before. The terminal shows the outcome of the sign-in.',
  ])
}

function page(status: number, title: string, role: 'status' | 'alert', texts: string[]): Page {
  const { markup } = document(
    `${title} – tt`,
    html`
<h1>${title}</h1>
<div role="${role}" class="${role}">${texts.filter(Boolean).map(paragraph)}</div>
<p class="last">You can close this tab and return to the terminal.</p>`,
  )
  return { status, headers: headersFor(markup), html: markup }
}

/** Returns a paragraph, with text between backticks as code. */
function paragraph(text: string): Html {
  const parts = text
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
  return html`<p>${parts}</p>`
}

function headersFor(markup: string): Record<string, string> {
  const styleHash = createHash('sha256').update(style).digest('base64')
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(Buffer.byteLength(markup)),
    // `img-src data:` allows the empty icon, which prevents a request for /favicon.ico.
    'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    connection: 'close',
  }
}
