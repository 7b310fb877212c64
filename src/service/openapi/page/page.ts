import { html } from '../../../lib/text/html.js'
import { document } from '../../../lib/text/page.js'
import type { HttpResponse } from '../../http/response.js'
import { pageResponse } from '../../oauth/authorize/sign-in-pages.js'
import type { OpenApiDocument } from '../document.js'
import { type PageOperation, showOperation } from './operations.js'
import { showSchema } from './schemas.js'
import { style } from './style.js'
import { paragraphs } from './text.js'

/** Returns the OpenAPI document as a page without scripts and without external resources. */
export function documentPage(api: OpenApiDocument): HttpResponse {
  const { title, version, description } = api.info
  const groups = api.tags.map((tag) => ({ ...tag, operations: operationsOf(api, tag.name) }))
  const schemas = Object.entries(api.components.schemas ?? {}).sort(([a], [b]) => a.localeCompare(b))
  const body = html`
<nav aria-label="Contents">
<a class="title" href="#top">${String(title)}</a>
${groups.map(
  ({ name, operations }) => html`<h2>${name}</h2>
<ul>${operations.map(
    ({ method, path, operation }) =>
      html`<li><a href="#${operation.operationId}"><span class="method ${method}">${method.toUpperCase()}</span> ${shortPath(path)}</a></li>`,
  )}</ul>
`,
)}
<h2>Schemas</h2>
<ul>${schemas.map(([name]) => html`<li><a href="#${name}">${name}</a></li>`)}</ul>
</nav>
<div class="content" id="top">
<header>
<h1>${String(title)}</h1>
<p class="quiet">Version ${String(version)} · <a href="/openapi.json">openapi.json</a> (OpenAPI ${api.openapi})</p>
${paragraphs(String(description))}
</header>
${groups.map(
  ({ name, description: meaning, operations }) => html`
<section class="group">
<h2>${name}</h2>
<p>${meaning}</p>
${operations.map((one) => showOperation(api, one))}
</section>`,
)}
<section class="group">
<h2>Authentication</h2>
${Object.entries(api.components.securitySchemes ?? {}).map(
  ([name, scheme]) =>
    html`<section class="item" id="security-${name}"><h3><code>${name}</code></h3>${paragraphs(String(scheme.description))}</section>`,
)}
</section>
<section class="group">
<h2>Schemas</h2>
${schemas.map(([name, schema]) => showSchema(name, schema))}
</section>
</div>`
  return pageResponse(document('API of the time-tracking service', body, style), 200, { css: style })
}

function operationsOf({ paths }: OpenApiDocument, tag: string): PageOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ path, method, operation })),
  )
}

/** Returns the path as the API documents it, without the prefix that all its paths have. */
const shortPath = (path: string): string => path.replace(/^\/api\/v1(?!\/authenticate)/, '')
