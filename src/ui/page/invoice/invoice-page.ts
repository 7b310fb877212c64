import { createHash } from 'node:crypto'
import { addDecimals } from '../../../lib/decimals.js'
import { type Html, html } from '../../../lib/text/html.js'
import type { InvoiceDocument, InvoiceTax, Party } from '../../../records/shapes/invoices.js'
import { invoiceStyle } from './invoice-style.js'
import { countryName, formatDecimal, formatInvoiceDay, formatPercent, type Labels, labels } from './locale.js'

/** What an invoice is rendered with. */
interface Page {
  invoice: InvoiceDocument
  isDraft: boolean
  text: Labels
  decimal(number: string): string
  day(day: string): string
}

/** Returns a self-contained HTML page of an invoice, a cancellation or a draft: it has no script and loads no file. */
export function invoicePage(invoice: InvoiceDocument, { isDraft }: { isDraft: boolean }): string {
  const { locale } = invoice
  const text = labels[locale]
  const page: Page = {
    ...{ invoice, isDraft, text },
    decimal: (number) => formatDecimal(number, locale),
    day: (day) => formatInvoiceDay(day, locale),
  }
  const title = titleOf(page)
  const style = invoiceStyle({ sender: invoice.sender.name, title })
  return `${
    html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policyFor(style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title} – ${invoice.recipient.name}</title>
<link rel="icon" href="data:,">
<style>`.markup
  }${style}${
    html`</style>
</head>
<body>
<main>
${headerOf(page)}${partiesOf(page)}${factsOf(page)}${linesOf(page)}${expensesOf(page)}<div class="end">
${sumsOf(page)}${paymentOf(page)}</div>
${annexOf(page)}</main>
</body>
</html>
`.markup
  }`
}

function titleOf({ invoice: { kind, number }, isDraft, text }: Page): string {
  const name = kind === 'cancellation' ? text.cancellation : text.invoice
  return [...(isDraft ? [text.draft] : []), name, ...(number === null ? [] : [number])].join(' ')
}

function headerOf({ invoice: { kind, logo, sender }, isDraft, text }: Page): Html {
  const name = kind === 'cancellation' ? text.cancellation : text.invoice
  return html`<header>
<div>
<h1>${name}</h1>
${isDraft ? html`<p class="draft">${text.draft}</p>\n` : undefined}</div>
${logo === null ? undefined : html`<img class="logo" src="${logo}" alt="${sender.name}">\n`}</header>
`
}

function partiesOf({ invoice, text }: Page): Html {
  const { sender, recipient, locale } = invoice
  const party = (title: string, { name, ...one }: Party): Html => {
    const address = addressOf(one, locale)
    const ids = [
      ...(one.tax_id === null ? [] : [`${text.taxId} ${one.tax_id}`]),
      ...(one.vat_id === null ? [] : [`${text.vatId} ${one.vat_id}`]),
    ]
    return html`<div class="party">
<h2>${title}</h2>
<p><b><bdi>${name}</bdi></b>${address.map((line) => html`<br><bdi>${line}</bdi>`)}</p>
${ids.length > 0 ? html`<p class="ids">${linesWithBreaks(ids)}</p>\n` : undefined}</div>
`
  }
  return html`<div class="top">\n${party(text.to, recipient)}${party(text.from, sender)}</div>\n`
}

/** Countries whose addresses have the postal code after the city. */
const postalCodeLast = ['GB', 'IE', 'US', 'CA', 'AU', 'NZ', 'IN', 'SG']

function addressOf(
  { street, city, postal_code: code, country, email }: Omit<Party, 'name'>,
  locale: InvoiceDocument['locale'],
): string[] {
  const place = postalCodeLast.includes(country ?? '') ? [city, code] : [code, city]
  return [
    street,
    place.filter((part) => part !== null).join(' '),
    country === null ? null : countryName(country, locale),
    email,
  ].filter((line): line is string => line !== null && line !== '')
}

function factsOf({ invoice, text, day }: Page): Html {
  const { number, date, since, until, due, reference, cancels } = invoice
  const period =
    since === null || until === null ? null : since === until ? day(since) : `${day(since)} – ${day(until)}`
  const facts: [string, string | null][] = [
    [text.number, number],
    [text.cancels, cancels],
    [text.date, day(date)],
    [text.period, period],
    [text.due, due === null ? null : day(due)],
    [text.reference, reference],
  ]
  const known = facts.filter(([, value]) => value !== null)
  return html`<dl class="facts">
${known.map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value ?? ''}</bdi></dd></div>\n`)}</dl>
`
}

function linesOf({ invoice: { lines, currency }, text, decimal }: Page): Html | undefined {
  if (lines.length === 0) return undefined
  const rows = lines.map(
    ({ description, hours, rate, amount }) => html`<tr><td><bdi>${description}</bdi></td>
<td class="figure">${decimal(hours)}</td><td class="figure rate">${decimal(rate)}</td><td class="figure">${decimal(amount)}</td></tr>
`,
  )
  return html`<section>
<h2>${text.services}</h2>
<table class="lines">
<thead><tr><th scope="col">${text.description}</th><th scope="col" class="figure">${text.hours}</th>
<th scope="col" class="figure rate">${text.rate} (${currency})</th><th scope="col" class="figure">${text.amount} (${currency})</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
</section>
`
}

function expensesOf({ invoice: { expenses, currency }, text, decimal, day }: Page): Html | undefined {
  if (expenses.length === 0) return undefined
  const rows = expenses.map(
    ({ date, description, amount }) => html`<tr><td class="day">${date === null ? '' : day(date)}</td>
<td><bdi>${description || text.expenses}</bdi></td><td class="figure">${decimal(amount)}</td></tr>
`,
  )
  return html`<section>
<h2>${text.expenses}</h2>
<table class="lines">
<thead><tr><th scope="col">${text.date}</th><th scope="col">${text.description}</th>
<th scope="col" class="figure">${text.amount} (${currency})</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
</section>
`
}

function sumsOf({ invoice, text, decimal }: Page): Html {
  const { net, taxes, total, currency, locale } = invoice
  const taxRow = ({ tax_category: category, tax_percent: percent, net, tax, reason }: InvoiceTax): Html => {
    const name =
      category === 'standard'
        ? `${text.tax} ${formatPercent(percent, locale)} ${text.on} ${decimal(net)}`
        : `${text.categories[category]}${taxes.length > 1 ? ` (${decimal(net)})` : ''}`
    const detail = reason === null ? undefined : html`<small><bdi>${reason}</bdi></small>`
    return html`<tr><th scope="row">${name}${detail}</th><td class="figure">${decimal(tax)}</td></tr>\n`
  }
  return html`<section>
<table class="sums">
<tbody>
<tr><th scope="row">${text.net}</th><td class="figure">${decimal(net)}</td></tr>
${taxes.map(taxRow)}<tr class="total"><th scope="row">${text.total}</th><td class="figure">${decimal(total)} ${currency}</td></tr>
</tbody>
</table>
</section>
`
}

/** Returns where to pay, and the note. */
function paymentOf({ invoice: { iban, note, number, sender }, text }: Page): Html | undefined {
  if (iban === null && note === null) return undefined
  const account =
    iban &&
    html`<p><b>${text.payment}</b><br>${text.account} ${iban.replace(/(.{4})(?=.)/g, '$1 ')}<br><bdi>${sender.name}</bdi>${
      number === null ? undefined : html`<br>${text.number} <bdi>${number}</bdi>`
    }</p>\n`
  const paragraph = note === null ? undefined : html`<p class="note"><bdi>${note}</bdi></p>\n`
  return html`<section class="after">\n${account || undefined}${paragraph}</section>\n`
}

function annexOf({ invoice, text, decimal, day }: Page): Html | undefined {
  const { annex, annex_kind: kind, lines } = invoice
  if (annex.length === 0) return undefined
  const isDetailed = kind === 'entries'
  const rows = annex.map(
    ({ date, description, notes, hours }) =>
      html`<tr><td class="day">${day(date)}</td>${
        isDetailed
          ? html`<td class="what"><bdi>${description ?? ''}</bdi></td><td class="notes"><bdi>${notes ?? ''}</bdi></td>`
          : undefined
      }<td class="figure">${decimal(hours)}</td></tr>\n`,
  )
  const sum = lines.reduce((sum, { hours }) => addDecimals(sum, hours), '0.00')
  return html`<section class="annex">
<h2>${text.annex}</h2>
<table>
<thead><tr><th scope="col" class="day">${text.date}</th>${
    isDetailed
      ? html`<th scope="col" class="what">${text.description}</th><th scope="col">${text.notes}</th>`
      : undefined
  }<th scope="col" class="figure">${text.hours}</th></tr></thead>
<tbody>
${rows}<tr class="sum"><th scope="row">${text.totalHours}</th>${
    isDetailed ? html`<td class="what"></td><td></td>` : undefined
  }<td class="figure">${decimal(sum)}</td></tr>
</tbody>
</table>
</section>
`
}

function linesWithBreaks(lines: readonly string[]): Html[] {
  return lines.map((line, index) => html`${index > 0 ? html`<br>` : undefined}<bdi>${line}</bdi>`)
}

/** Returns the content security policy: only the style of the page, and images within it. */
function policyFor(style: string): string {
  const hash = createHash('sha256').update(style).digest('base64')
  return `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`
}
