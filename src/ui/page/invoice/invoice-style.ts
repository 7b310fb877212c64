/**
 * The stylesheet of an invoice. It is always light: it looks on the screen like on paper. Text has a contrast of at least
 * 4.5 to its background (WCAG 2.2, 1.4.3).
 */
const style = `
:root { color-scheme: light; --text: #1c2126; --quiet: #58616b; --line: #dde1e6; --accent: #1f4e79; }
* { box-sizing: border-box; }
body {
  margin: 0; padding: 2.5rem 1rem; background: #f4f5f7; color: var(--text);
  font: 0.9375rem/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums; -webkit-text-size-adjust: 100%;
}
main { max-width: 52rem; margin: 0 auto; overflow-wrap: anywhere; padding: 3rem; background: #fff; border: 1px solid var(--line); }
h1, h2, p, dl, dd { margin: 0; }
h1 { font-size: 1.875rem; line-height: 1.15; letter-spacing: -0.015em; color: var(--accent); }
h2 { font-size: 1rem; line-height: 1.3; }
section { margin-top: 2.25rem; }
header { display: flex; justify-content: space-between; gap: 1.5rem 3rem; align-items: flex-start; }
header > div { min-width: 0; }
.logo { display: block; max-width: 16rem; max-height: 5rem; }
.draft { margin-top: 0.25rem; color: #a3281b; font-size: 1.5rem; font-weight: 700; letter-spacing: 0.06em; text-transform: uppercase; }
.top { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 1.5rem 3rem; margin-top: 2.25rem; }
.party { flex: 1 1 14rem; min-width: 0; }
.party h2, dt { color: var(--quiet); font-size: 0.8125rem; font-weight: 400; }
.party b { font-weight: 600; }
.party .ids { margin-top: 0.5rem; color: var(--quiet); font-size: 0.8125rem; }
.facts { display: flex; flex-wrap: wrap; gap: 0.75rem 2rem; margin-top: 2rem; padding: 0.875rem 0; border-block: 1px solid var(--line); }
.facts dd { font-weight: 600; }
table { width: 100%; margin-top: 0.625rem; border-collapse: collapse; }
th, td { padding: 0.4375rem 0.75rem 0.4375rem 0; text-align: start; vertical-align: top; font-weight: 400; }
:is(th, td):last-child { padding-inline-end: 0; }
thead th { border-bottom: 1px solid var(--text); color: var(--quiet); font-size: 0.8125rem; vertical-align: bottom; }
tbody tr { border-bottom: 1px solid var(--line); }
.figure { text-align: right; white-space: nowrap; overflow-wrap: normal; }
.day { white-space: nowrap; overflow-wrap: normal; }
.notes { white-space: pre-line; }
.sums { margin-inline-start: auto; width: auto; min-width: min(22rem, 100%); }
.sums th { padding-inline-end: 2rem; }
.sums small { display: block; color: var(--quiet); font-size: 0.8125rem; }
.sums .total > * { border-top: 2px solid var(--text); font-size: 1.1875rem; font-weight: 700; }
.sums tr { border-bottom: 0; }
.after p + p { margin-top: 0.375rem; }
.after .note { white-space: pre-line; }
.annex table { font-size: 0.875rem; }
.annex .sum > * { border-top: 1px solid var(--text); font-weight: 600; }
@media screen and (max-width: 40rem) {
  body { padding: 0; }
  main { padding: 1.5rem 1rem 2rem; border: 0; }
  header { flex-wrap: wrap; }
  .lines .rate { display: none; }
  .annex .what { display: none; }
}
@media print {
  :root { font-size: 12px; }
  body { padding: 0; background: none; line-height: 1.35; }
  main { max-width: none; padding: 0; border: 0; }
  .logo { max-width: 60mm; max-height: 20mm; }
  section { margin-top: 7mm; }
  .top { margin-top: 8mm; }
  h1, h2 { break-after: avoid; }
  tr, .facts, .party { break-inside: avoid; }
  /* The sums and the payment are on one page: Chromium does not divide an inline block. */
  .end { display: inline-block; width: 100%; }
  thead { display: table-header-group; }
  th, td { padding: 1mm 2.5mm 1mm 0; }
  .annex { break-before: page; margin-top: 0; }
  .annex tbody tr:nth-last-child(-n + 2) { break-before: avoid; }
}
`

/** What each printed page shows at its top. */
export interface PageMargins {
  sender: string
  title: string
}

/** Returns the stylesheet with the texts in the margins of printed pages. */
export function invoiceStyle({ sender, title }: PageMargins): string {
  const font = 'color: #58616b; font: 8pt system-ui, "Noto Sans", "Liberation Sans", sans-serif;'
  return `${style}@page {
  size: A4; margin: 20mm 18mm 18mm;
  @top-left { content: ${cssText(sender)}; ${font} }
  @top-right { content: ${cssText(title)}; ${font} }
  @bottom-right { content: counter(page) " / " counter(pages); ${font} }
}
`
}

/** Upper bound for the characters of a text in the margin of a page. */
const maxCharacters = 60

/** Returns the text as a string of CSS, shortened; no text can leave it. */
function cssText(text: string): string {
  const characters = [...text.replace(/\s+/g, ' ')]
  const shortened =
    characters.length > maxCharacters ? [...characters.slice(0, maxCharacters - 1), '…'] : characters
  const safe = shortened.map((character) =>
    /[\p{L}\p{N} .,\-/…]/u.test(character) ? character : `\\${character.codePointAt(0)?.toString(16)} `,
  )
  return `"${safe.join('')}"`
}
