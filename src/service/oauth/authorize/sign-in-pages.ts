import { createHash } from 'node:crypto'
import type { Scope } from '../../../api-client/types.js'
import { type Html, html } from '../../../lib/text/html.js'
import { document, style } from '../../../lib/text/page.js'
import type { HttpResponse } from '../../http/response.js'
import { scopeDescriptions } from '../../http/routes.js'

export interface SignInPage {
  company: string
  application: string
  /** The path and query of this page. */
  action: string
  formToken: string
  /** The email address of the failed attempt. */
  email?: string | undefined
  /** Why the last attempt failed. */
  alert?: string | undefined
  /** The OpenID Connect provider where the user can sign in instead. */
  provider?: { name: string; url: string } | undefined
}

/** Returns the sign-in page. */
export function signInPage(page: SignInPage): Html {
  const { company, application, action, formToken, email, alert, provider } = page
  const [emailFocus, passwordFocus] = email ? [undefined, autofocus] : [autofocus, undefined]
  return document(
    alert === undefined ? 'Sign in' : 'Sign in again',
    html`
<p class="company"><bdi>${company}</bdi></p>
<h1>Sign in</h1>
<p>to continue to <bdi><strong>${application}</strong></bdi></p>
${alert === undefined ? undefined : html`<p class="alert" role="alert" id="problem">${alert}</p>`}
${
  provider &&
  html`
<div class="actions"><a class="button" href="${provider.url}">Sign in with <bdi>${provider.name}</bdi></a></div>
<p class="quiet divider">or with a password</p>`
}
<form method="post" action="${action}">
<input type="hidden" name="form_token" value="${formToken}">
<label for="email">Email address</label>
<input id="email" name="email" type="text" inputmode="email" autocomplete="username" autocapitalize="none"
  spellcheck="false" required maxlength="255" value="${email ?? ''}"${emailFocus}${ariaAttributes(alert)}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required
  maxlength="1024"${passwordFocus}${ariaAttributes(alert)}>
<div class="actions"><button class="main" name="action" value="sign-in">Sign in</button></div>
</form>
<p class="quiet last"><bdi>${application}</bdi> never sees your password.</p>`,
  )
}

export interface ConsentPage {
  company: string
  application: string
  scopes: readonly Scope[]
  user: { name: string; email: string }
  /** The address to which the browser is redirected. */
  redirectUri: string
  action: string
  formToken: string
}

/** Returns the consent page: the application, the requested scopes, and the user. */
export function consentPage(page: ConsentPage): Html {
  const { company, application, scopes, user, redirectUri, action, formToken } = page
  const token = html`<input type="hidden" name="form_token" value="${formToken}">`
  return document(
    'Allow access',
    html`
<p class="company"><bdi>${company}</bdi></p>
<h1>Allow access?</h1>
<p><bdi><strong>${application}</strong></bdi> requests access to your account. It would be able to:</p>
<ul>${scopes.map((scope) => html`<li>${scopeDescriptions[scope]}</li>`)}</ul>
<form class="account" method="post" action="${action}">
${token}
<p>Signed in as <bdi><strong>${user.name}</strong></bdi><br><bdi class="quiet">${user.email}</bdi></p>
<button class="plain" name="action" value="switch">Use another account</button>
</form>
<form method="post" action="${action}">
${token}
<div class="actions two">
<button class="main" name="action" value="allow">Allow</button>
<button name="action" value="deny">Deny</button>
</div>
</form>
<p class="quiet last">Both buttons take you to ${describeDestination(redirectUri)}. It never sees your password.</p>`,
  )
}

/** Returns a page that describes a problem and what to do. */
export function errorPage(title: string, problem: string, advice: Html): Html {
  return document(
    title,
    html`
<h1>${title}</h1>
<p class="alert" role="alert">${problem}</p>
<p class="last">${advice}</p>`,
  )
}

export interface PageOptions {
  /** CSP sources to which the forms of the page may redirect, in addition to this origin. */
  formActions?: readonly string[]
  /** The stylesheet of the page. */
  css?: string
}

/** Returns a response whose headers forbid framing, caching, external resources and scripts. */
export function pageResponse(
  page: Html,
  status = 200,
  { formActions = [], css = style }: PageOptions = {},
): HttpResponse {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(css).digest('base64')}'`,
    'img-src data:',
    `form-action ${["'self'", ...formActions].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy.join('; '),
      'X-Frame-Options': 'DENY',
      ...pageHeaders,
    },
    body: page.markup,
  }
}

/** Headers of every response to a browser, including redirects. */
const pageHeaders = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
}

/** Redirects with 303: the browser continues with GET and never sends the form again (RFC 9700 section 4.12). */
export const redirect = (location: string): HttpResponse => ({
  status: 303,
  headers: { Location: location, ...pageHeaders },
  body: null,
})

export const withCookie = (response: HttpResponse, cookie: string): HttpResponse => ({
  ...response,
  headers: { ...response.headers, 'Set-Cookie': cookie },
})

const autofocus = html` autofocus`
const ariaAttributes = (alert: string | undefined) =>
  alert === undefined ? undefined : html` aria-invalid="true" aria-describedby="problem"`

function describeDestination(redirectUri: string): Html {
  const { protocol, host, hostname } = new URL(redirectUri)
  if (['127.0.0.1', '[::1]', 'localhost'].includes(hostname)) {
    return html`a program on this computer (<bdi>${host}</bdi>)`
  }
  return host === '' ? html`an app on this device (<bdi>${protocol}</bdi>)` : html`<bdi>${host}</bdi>`
}
