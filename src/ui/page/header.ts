import { type Html, html } from '../../lib/text/html.js'
import type { PageHeader } from './page-model.js'

/** Returns the title of the document, which browsers also propose as the name of a file. */
export function documentTitle({ title, period, recipient }: PageHeader): string {
  return [title, ...(recipient === null ? [] : [recipient]), period].join(' – ')
}

/** Returns the header: the title, the period, the selection in words, the recipient and the sender. */
export function headerSection({ title, period, selection, recipient, sender }: PageHeader): Html {
  const terms = selection.map((text, index) => html`${index > 0 ? ', ' : ''}<bdi>${text}</bdi>`)
  const parties = [
    ...(recipient === null ? [] : [partyOf('For', [recipient])]),
    ...(sender.length === 0 ? [] : [partyOf('From', sender)]),
  ]
  return html`<header>
<div>
<h1><bdi>${title}</bdi></h1>
<p class="period">${period}</p>
${terms.length > 0 ? html`<p class="selection">${terms}</p>\n` : undefined}</div>
${parties.length > 0 ? html`<dl class="parties">\n${parties}</dl>\n` : undefined}</header>
`
}

function partyOf(name: string, lines: readonly string[]): Html {
  const text = lines.map((line, index) => html`${index > 0 ? html`<br>` : undefined}<bdi>${line}</bdi>`)
  return html`<div><dt>${name}</dt><dd>${text}</dd></div>\n`
}
