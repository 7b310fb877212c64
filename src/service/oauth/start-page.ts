import { type Html, html } from '../../lib/text/html.js'
import { document } from '../../lib/text/page.js'
import type { HttpResponse } from '../http/response.js'
import { type Application, listApplications } from './applications.js'
import { pageResponse } from './authorize/sign-in-pages.js'
import type { OAuthRequestContext } from './oauth-request-context.js'
import { isRegisteredRedirectUri } from './redirect-uri.js'

/** The redirect URI of `tt login`, with any port. */
const redirectUri = 'http://127.0.0.1/callback'

/** GET /: a page that says what the service is and how to sign in. */
export async function showStartPage({ issuer, storage }: OAuthRequestContext): Promise<HttpResponse> {
  const applications = await listApplications(storage)
  const usable = applications.filter(({ redirect_uris: uris }) => isRegisteredRedirectUri(redirectUri, uris))
  return pageResponse(
    document(
      'Time tracking with tt',
      html`
<h1>Time tracking with tt</h1>
<p>This is the address of a time-tracking service. You use it in a terminal, with the program <code>tt</code>.</p>
<ol class="steps">
<li>Install <code>tt</code>, with Node 20.19 or later:
<pre>npm install -g tt-time-tracker</pre></li>
${signInStep(issuer, usable)}
<li>List your tasks, and start the timer for one of them:
<pre>tt tasks
tt start Client/Project/Task</pre></li>
</ol>
<p class="quiet last"><code>tt help</code> explains everything else.</p>`,
    ),
  )
}

/**
 * Returns the step with the command to sign in. It contains the client ID of the only application if that is public: then
 * the ID is no secret (RFC 6749 section 2.2), and there is nothing to ask the administrator for.
 *
 * @param applications those with which `tt` can sign in
 */
function signInStep(issuer: string, applications: readonly Application[]): Html {
  const command = `tt login --base-url ${issuer}/api/v1`
  const [first, second] = applications
  if (!first) {
    return html`<li>Sign in. No application is registered for <code>tt</code> yet. The administrator registers one, and gives you its client ID:
<pre>tt admin app add tt --public --redirect-uri ${redirectUri}</pre>
Then run this command; your browser opens. Leave the prompt for a client secret empty:
<pre>${command}</pre></li>`
  }
  if (!second && first.public) {
    return html`<li>Sign in; your browser opens. Leave the prompt for a client secret empty:
<pre>${command} --client-id ${first.client_id}</pre></li>`
  }
  const secret = applications.every(({ public: isPublic }) => isPublic)
    ? html`The client ID comes from your administrator. Leave the prompt for a client secret empty; your browser opens:`
    : html`The client ID and the client secret come from your administrator; your browser opens:`
  return html`<li>Sign in. ${secret}
<pre>${command}</pre></li>`
}
