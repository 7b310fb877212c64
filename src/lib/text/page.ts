import { Html, html } from './html.js'
import { style } from './page-style.js'

/** Returns a complete page, with the style of the sign-in pages unless another one is given. */
export function document(title: string, body: Html, css = style): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${new Html(css)}</style>
</head>
<body>
<main>${body}
</main>
</body>
</html>
`
}
