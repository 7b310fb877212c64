import { html } from '../../../lib/text/html.js'
import { document } from '../../../lib/text/page.js'
import type { HttpResponse } from '../../http/response.js'
import { pageResponse } from '../../oauth/authorize/sign-in-pages.js'
import type { OpenApiDocument } from '../document.js'
import { type PageOperation, showOperation } from './operations.js'
import { paragraphs, showSchema } from './schemas.js'

/** The stylesheet of the page: text has a contrast of at least 4.5 (WCAG 2.2, 1.4.3). */
const style = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --side: #f3f4f6; --text: #1b1f24; --quiet: #57606a; --line: #d5dae0; --code: #f3f4f6;
  --accent: #1f5fbf; --get: #0b6b45; --post: #1f5fbf; --patch: #7a4d00; --delete: #a1161b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1216; --side: #15191f; --text: #e8ebef; --quiet: #a4adb8; --line: #323942; --code: #191d23;
    --accent: #7db0ff; --get: #6fd6a4; --post: #7db0ff; --patch: #f0bd6a; --delete: #ffb1ad;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main { display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
nav {
  position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem;
  background: var(--side); border-right: 1px solid var(--line); font-size: 0.875rem;
}
nav .title { display: block; padding: 0 0.5rem; color: var(--text); font-size: 1rem; font-weight: 700; }
nav h2 { margin: 1.25rem 0 0.25rem; padding: 0 0.5rem; color: var(--quiet); font-size: 0.8125rem; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li a {
  display: flex; gap: 0.5rem; padding: 0.25rem 0.5rem; border-radius: 0.375rem;
  color: var(--text); text-decoration: none; overflow-wrap: anywhere;
}
nav li a:hover { background: var(--page); }
.content { max-width: 60rem; padding: 2.5rem clamp(1rem, 4vw, 3.5rem) 6rem; }
h1 { margin: 0 0 0.25rem; font-size: 1.875rem; line-height: 1.2; }
h2 { margin: 0 0 0.25rem; font-size: 1.375rem; line-height: 1.25; }
h3 { margin: 0 0 0.5rem; font-size: 1.0625rem; overflow-wrap: anywhere; }
h4 { margin: 1.25rem 0 0.5rem; font-size: 0.875rem; }
p { margin: 0 0 0.75rem; text-wrap: pretty; }
a { color: var(--accent); }
.group { margin-top: 3.5rem; }
.item { margin-top: 1.5rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: 0.75rem; }
.item:target { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
.summary::first-letter { text-transform: uppercase; }
.quiet { color: var(--quiet); font-size: 0.875rem; font-weight: 400; }
.required { color: var(--delete); font-size: 0.75rem; font-weight: 400; }
.scope {
  margin-left: 0.375rem; padding: 0.0625rem 0.5rem; border: 1px solid var(--line); border-radius: 1rem;
  color: var(--quiet); font-size: 0.8125rem; white-space: nowrap;
}
.method { font: 700 0.75rem/1.9 ui-monospace, "Cascadia Mono", Menlo, Consolas, "Noto Sans Mono", monospace; }
nav .method { flex: none; width: 3.25rem; }
h3 .method { padding: 0.1875rem 0.5rem; border: 1px solid; border-radius: 0.375rem; margin-right: 0.25rem; }
.get, .s2, .s3 { color: var(--get); }
.post { color: var(--post); }
.patch, .s4 { color: var(--patch); }
.delete, .s5 { color: var(--delete); }
pre, code { font: 0.875em/1.5 ui-monospace, "Cascadia Mono", Menlo, Consolas, "Noto Sans Mono", monospace; }
p code, td code, li code { padding: 0.0625rem 0.25rem; border-radius: 0.25rem; background: var(--code); }
pre {
  margin: 0 0 0.5rem; padding: 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem;
  background: var(--code); font-size: 0.8125rem; white-space: pre-wrap; overflow-wrap: anywhere; user-select: all;
}
.table { border: 1px solid var(--line); border-radius: 0.5rem; }
table { width: 100%; border-collapse: collapse; font-size: 0.875rem; }
th, td { padding: 0.5rem 0.75rem; text-align: left; vertical-align: top; overflow-wrap: break-word; }
thead th { color: var(--quiet); font-weight: 600; }
tbody tr { border-top: 1px solid var(--line); }
tbody th { min-width: 8rem; font-weight: 400; }
td { min-width: 8rem; }
td:last-child { min-width: 12rem; }
td:empty { padding: 0; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-width: 76rem) {
  main { display: block; }
  nav { position: static; height: auto; max-height: 50vh; border-right: 0; border-bottom: 1px solid var(--line); }
}
@media (max-width: 40rem) {
  thead { position: absolute; clip-path: inset(50%); }
  table, tbody, tr, tbody th, td { display: block; }
  tr { padding: 0.5rem 0.75rem; }
  tbody tr:first-child { border-top: 0; }
  tbody th, td { padding: 0; }
  .item { padding: 1rem; }
}
@media print { nav { display: none; } main { display: block; } .item { break-inside: avoid; } }
`

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
