import { createHash } from 'node:crypto'
import { TtError } from '../../lib/errors.js'
import { escapeHtml } from '../../lib/html.js'

/** A page for the browser at the end of its way. */
export interface Page {
  status: number
  headers: Record<string, string>
  html: string
}

/** The sign-in is done. */
export function signedInPage(): Page {
  return page(200, 'Signed in', 'status', ['tt is signed in to the service.'])
}

/**
 * The sign-in came to nothing, with the words that stand in the terminal too.
 *
 * Its status is 200, because the browser has done its part: any other is an error on the browser's console.
 */
export function failedPage(error: unknown): Page {
  const words =
    error instanceof TtError ? [error.message, error.hint ?? ''] : ['Something went wrong in the terminal.']
  return page(200, 'Not signed in', 'alert', words)
}

/** A request that is not the answer; the sign-in goes on. */
export function unexpectedRequestPage(problem: string): Page {
  return page(400, 'Not the answer', 'alert', [
    `tt is waiting for the answer to a sign-in, and this is not it. ${problem}`,
    'To sign in, open the address that stands in the terminal.',
  ])
}

/** The answer came again, such as when the page is loaded once more. */
export function alreadyUsedPage(): Page {
  return page(410, 'Answered already', 'status', [
    'This answer has been taken before. The terminal says what came of it.',
  ])
}

const style = `
:root { color-scheme: light dark; --page: #f3f4f6; --card: #fff; --text: #1b1f24; --quiet: #57606a; --line: #d5dae0;
  --status: #1a7f37; --alert: #a1161b }
@media (prefers-color-scheme: dark) { :root { --page: #0f1216; --card: #191d23; --text: #e8ebef; --quiet: #a4adb8;
  --line: #323942; --status: #3fb950; --alert: #ffb1ad } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem;
  background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 34rem; padding: 1.75rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .75rem; overflow-wrap: anywhere }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25 }
p { margin: 0 0 .75rem; text-wrap: pretty }
code { font: .9375em ui-monospace, monospace }
div { margin-bottom: 1rem; padding-left: .875rem; border-left: 4px solid var(--status) }
[role=alert] { border-color: var(--alert) }
div > :last-child { margin: 0 }
main > p { margin: 0; color: var(--quiet) }
`

function page(status: number, title: string, role: 'status' | 'alert', words: string[]): Page {
  const paragraphs = words.filter(Boolean).map((text) => `<p>${withCommands(escapeHtml(text))}</p>`)
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – tt</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<div role="${role}">${paragraphs.join('\n')}</div>
<p>You can close this tab and go back to the terminal.</p>
</main>
</body>
</html>
`
  return { status, headers: headersFor(html), html }
}

function headersFor(html: string): Record<string, string> {
  const styleHash = createHash('sha256').update(style).digest('base64')
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(Buffer.byteLength(html)),
    // The empty icon keeps the browser from asking for /favicon.ico.
    'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    connection: 'close',
  }
}

/** What stands between backticks in a terminal is set as code. */
function withCommands(markup: string): string {
  return markup.replace(/`([^`]+)`/g, '<code>$1</code>')
}
