import { html } from '../../lib/text/html.js'
import type { HttpResponse } from '../http/response.js'
import { document, pageResponse } from './authorize/sign-in-pages.js'
import type { OAuthRequestContext } from './oauth-request-context.js'

/** GET /: a page that says what the service is and how to sign in. */
export async function showStartPage({ issuer }: OAuthRequestContext): Promise<HttpResponse> {
  return pageResponse(
    document(
      'Time tracking with tt',
      html`
<h1>Time tracking with tt</h1>
<p>This is the address of a time-tracking service. You use it in a terminal, with the program <code>tt</code>.</p>
<ol class="steps">
<li>Install <code>tt</code>, with Node 20.19 or later:
<pre>npm install -g tt-time-tracker</pre></li>
<li>Sign in. The client ID and the client secret come from your administrator; your browser opens for the password:
<pre>tt login --base-url ${issuer}/api/v1</pre></li>
<li>List your tasks, and start the timer for one of them:
<pre>tt links
tt start Client/Project/Task</pre></li>
</ol>
<p class="quiet last"><code>tt help</code> explains everything else.</p>`,
    ),
  )
}
