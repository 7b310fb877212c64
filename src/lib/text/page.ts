import { Html, html } from './html.js'

/** The stylesheet of the sign-in pages, of the service and of the callback server of `tt login`: text has a contrast of at least 4.5 (WCAG 2.2, 1.4.3). */
export const style = `
:root {
  color-scheme: light dark;
  --page: #f3f4f6; --card: #ffffff; --text: #1b1f24; --quiet: #57606a; --line: #d5dae0; --field: #8a929b;
  --accent: #1f5fbf; --accent-over: #174a97; --on-accent: #ffffff; --alert: #a1161b; --alert-page: #fdecec; --status: #155d27; --status-page: #e6f4ea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1216; --card: #191d23; --text: #e8ebef; --quiet: #a4adb8; --line: #323942; --field: #6f7985;
    --accent: #7db0ff; --accent-over: #a5c8ff; --on-accent: #0b1a30; --alert: #ffb1ad; --alert-page: #3a1a1c; --status: #7ee09a; --status-page: #12301b;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem 1rem;
  background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main {
  width: 100%; max-width: 26rem; padding: 2rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 0.75rem; overflow-wrap: anywhere;
}
@media (max-width: 30rem) {
  body { padding: 0; place-items: start stretch; background: var(--card); }
  main { max-width: none; padding: 1.5rem 1.25rem; border: 0; }
}
h1 { margin: 0 0 0.25rem; font-size: 1.5rem; line-height: 1.25; }
p { margin: 0 0 1rem; text-wrap: pretty; }
.company { margin-bottom: 1.25rem; color: var(--quiet); font-weight: 600; }
.divider { text-align: center; }
.quiet { color: var(--quiet); font-size: 0.9rem; }
.alert, .status {
  padding: 0.625rem 0.75rem; border-left: 4px solid var(--alert); border-radius: 0.25rem;
  background: var(--alert-page); color: var(--alert);
}
.status { border-color: var(--status); background: var(--status-page); color: var(--status); }
h1 + .alert, h1 + .status { margin-top: 1rem; }
div.alert, div.status { margin-bottom: 1rem; }
.alert :last-child, .status :last-child { margin-bottom: 0; }
label { display: block; margin-bottom: 0.25rem; font-weight: 600; }
input {
  display: block; width: 100%; min-height: 2.75rem; margin-bottom: 1rem; padding: 0.5rem 0.75rem;
  border: 1px solid var(--field); border-radius: 0.5rem; background: var(--card); color: var(--text); font: inherit;
}
pre {
  margin: 0.25rem 0 1.25rem; padding: 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem;
  background: var(--page); white-space: pre-wrap; user-select: all;
}
pre, code { font: 0.9rem/1.5 ui-monospace, "Cascadia Mono", Menlo, Consolas, "Noto Sans Mono", monospace; }
.steps { padding: 0 0 0 1.25rem; border: 0; list-style: decimal; }
.steps li, .steps li + li { padding: 0; border: 0; }
.steps li::marker { font-weight: 600; }
ol, ul { margin: 0 0 1.25rem; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: 0.5rem; }
li { padding: 0.75rem 1rem; }
li + li { border-top: 1px solid var(--line); }
.account {
  display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0 1rem;
  margin: 1rem 0 1.25rem;
}
.account p { margin: 0; }
.actions { display: grid; gap: 0.75rem; margin-bottom: 1.25rem; }
@media (min-width: 30.01rem) { .actions.two { grid-template-columns: 1fr 1fr; } }
button, a.button {
  min-height: 2.75rem; padding: 0.5rem 1rem; border: 1px solid var(--field); border-radius: 0.5rem;
  background: var(--card); color: var(--text); font: inherit; font-weight: 600; cursor: pointer;
}
button:hover, a.button:hover { border-color: var(--text); }
a.button { text-align: center; text-decoration: none; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.main:hover { background: var(--accent-over); border-color: var(--accent-over); }
button.plain { min-height: 2rem; padding: 0.25rem 0; border: 0; background: none; color: var(--accent); font-weight: 400; text-decoration: underline; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.last { margin-bottom: 0; }
`

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
