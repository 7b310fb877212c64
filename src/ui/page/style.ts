/**
 * Upper bound for the figures beside each other in a table of groups on a narrow screen. With more, it omits the number of
 * entries, then the shares, then the exact times.
 */
const maxNarrowFigures = 3
const maxFigures = 8

/** The columns of groups on a narrow screen, by the number of their figures. */
const narrowGroups = Array.from({ length: maxFigures }, (_, index) => {
  const count = index + 1
  const omitted = ['.count', '.part', '.exact'].slice(0, Math.max(0, count - maxNarrowFigures))
  const columns = `.figures${count} { grid-template-columns: repeat(${count - omitted.length}, auto); }`
  return [columns, ...omitted.map((kind) => `.figures${count} ${kind} { display: none; }`)].join(' ')
}).join(' ')

/** The colours of series without their patterns. */
const plainFills = [1, 2, 3, 4, 5, 6]
  .map((series) => `[fill$="p${series})"] { fill: var(--s${series}); }`)
  .join(' ')

/** The summary in columns, by their number. */
const summaryColumns = [1, 2, 3, 4, 5]
  .map((count) => `.columns${count} { grid-template-columns: repeat(${count}, auto); }`)
  .join(' ')

/**
 * The stylesheet of the page. Text has a contrast of at least 4.5 to its background, in light and dark mode (WCAG 2.2,
 * 1.4.3). Paper is always light.
 */
export const style = `
:root {
  color-scheme: light dark;
  --page: #f4f5f7; --sheet: #ffffff; --text: #1c2126; --quiet: #58616b; --line: #dde1e6; --faint: #eef0f3;
  --accent: #1f5fa8; --mark: #ffffff;
  --s0: #2f6fa8; --s1: #e3a02f; --s2: #2c9a78; --s3: #8cc4e6; --s4: #c9592b; --s5: #c486ab; --s6: #e2d75a; --s7: #9aa2ab;
  --h0: #eceff2; --h1: #c3dbef; --h2: #82b3d9; --h3: #3f83b8; --h4: #174f80;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #0f1216; --sheet: #171b20; --text: #e6e9ed; --quiet: #a3acb7; --line: #313840; --faint: #22272d;
    --accent: #8fbef0; --mark: #14181d;
    --s0: #5b9bd1; --s1: #e3a740; --s2: #45b391; --s3: #a9d5ef; --s4: #dd7a50; --s5: #d29cbd; --s6: #e6dc74; --s7: #88919b;
    --h0: #242a31; --h1: #24435f; --h2: #2f6a9a; --h3: #5b9fd4; --h4: #b5dbf7;
  }
}
@media print { :root { color-scheme: light; } }

* { box-sizing: border-box; }
body {
  margin: 0; padding: 2.5rem 1rem; background: var(--page); color: var(--text);
  font: 0.9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums; -webkit-text-size-adjust: 100%;
}
main {
  max-width: 66rem; margin: 0 auto; padding: 3rem; background: var(--sheet);
  border: 1px solid var(--line); border-radius: 0.75rem;
}
h1, h2 { text-wrap: balance; }
p, li, td { text-wrap: pretty; }
h1 { margin: 0; font-size: 1.875rem; line-height: 1.2; letter-spacing: -0.015em; }
h2 { margin: 0 0 1rem; font-size: 1.125rem; line-height: 1.3; }
p { margin: 0; }
section { margin-top: 2.75rem; }
main > p { margin-top: 2rem; }
header {
  display: flex; flex-wrap: wrap; justify-content: space-between; gap: 1.25rem 3rem;
  padding-bottom: 1.5rem; border-bottom: 2px solid var(--text);
}
header > div { flex: 1 1 18rem; }
.selection { margin-top: 0.25rem; }
.parties { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; margin: 0; }
.parties dt { color: var(--quiet); font-size: 0.8125rem; }
.parties dd { margin: 0; }
.period { margin-top: 0.375rem; font-size: 1.125rem; }
.selection, .note, footer { color: var(--quiet); }
footer { margin-top: 2.75rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 0.8125rem; }
header, td, th, li, dd { overflow-wrap: anywhere; }
section + .figures { margin-top: 0.75rem; }

/* Rows have about equally many figures: none stands alone in the last one. */
.summary { display: grid; justify-content: start; gap: 1.25rem 3rem; margin: 0; }
${summaryColumns}
.summary dt { color: var(--quiet); font-size: 0.8125rem; }
.summary dd { margin: 0; font-size: 1.25rem; font-weight: 600; line-height: 1.3; }
.summary div:first-child dd:not(.note) { font-size: 1.875rem; line-height: 1.15; letter-spacing: -0.015em; }
.summary dd:not(.note) { white-space: nowrap; overflow-wrap: normal; }
.summary dd.note { margin-top: 0.125rem; color: var(--quiet); font-size: 0.8125rem; font-weight: 400; }
section:has(> .summary) { margin-top: 1.75rem; }
section:has(> .summary) h2 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
dl + .note, table + .note { margin-top: 1rem; }

figure { margin: 0; }
.plot { padding-left: 3.25rem; }
.plot figcaption, .plot .caption { margin-left: -3.25rem; }
.caption { margin-bottom: 0.5rem; color: var(--quiet); font-size: 0.8125rem; }
.scroll caption, .comparison caption { text-align: left; grid-column: 1 / -1; }
.comparison table + table { margin-top: 1.5rem; }
.caption b, .legend b { margin-left: 0.25rem; color: var(--text); font-weight: 600; }
figure + table, figure + .common { margin-top: 1.5rem; }
figure + figure { margin-top: 2rem; }
.definitions { position: absolute; }
.chart { display: block; overflow: visible; }
.chart text { fill: var(--text); font-size: 12px; }
.chart .axis, .chart .tick { fill: var(--quiet); font-size: 11px; }
.chart .under { fill: var(--quiet); }
.grid { stroke: var(--line); }
.bar rect { stroke: var(--sheet); stroke-width: 1; }
.target { stroke: var(--text); stroke-width: 1.5; stroke-dasharray: 4 3; }
.target.short { stroke-dasharray: none; }
.share { fill: var(--s7); }
.part span { display: inline-block; min-width: 2.5rem; }
.part-bar { width: 4rem; height: 0.5rem; margin-right: 0.5rem; border-radius: 0.125rem; background: var(--faint); }
.mark { fill: var(--mark); fill-opacity: 0.7; stroke: none; }
.mark path { fill: none; stroke: var(--mark); stroke-opacity: 0.65; stroke-width: 1.25; }
.s0 { fill: var(--s0); } .s1 { fill: var(--s1); } .s2 { fill: var(--s2); } .s3 { fill: var(--s3); }
.s4 { fill: var(--s4); } .s5 { fill: var(--s5); } .s6 { fill: var(--s6); } .s7 { fill: var(--s7); }
.h0 { fill: var(--h0); } .h1 { fill: var(--h1); } .h2 { fill: var(--h2); } .h3 { fill: var(--h3); } .h4 { fill: var(--h4); }
.legend {
  display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; margin: 0.75rem 0 0; padding: 0; list-style: none; font-size: 0.8125rem;
}
.legend li { display: flex; gap: 0.375rem; }
.legend b { margin-left: 0; white-space: nowrap; }
.months { margin: 0 0 0.75rem; }
.swatch { flex: none; margin-top: 0.1875rem; }

details { font-size: 0.8125rem; }
.scroll { margin-top: 0.5rem; overflow-x: auto; }
.scroll + .scroll { margin-top: 1.5rem; }
summary { width: max-content; max-width: 100%; padding: 0.25rem 0; color: var(--accent); cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 2px; }

table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.4375rem 0.75rem 0.4375rem 0; text-align: left; vertical-align: top; font-weight: 400; }
table :is(th, td):last-child { padding-right: 0; }
thead th { border-bottom: 1px solid var(--text); color: var(--quiet); font-size: 0.8125rem; vertical-align: bottom; }
tbody tr { border-bottom: 1px solid var(--line); }
.figure { text-align: right; white-space: nowrap; overflow-wrap: normal; }
thead .figure { white-space: normal; }
.compact thead .figure { overflow-wrap: anywhere; }
.strong > *, td.strong, .total > * { font-weight: 600; }
.total { border-bottom: 0; border-top: 1px solid var(--text); }
small { color: var(--quiet); font-size: 0.8125rem; font-weight: 400; }
.depth1 > th { padding-left: 1.25rem; } .depth2 > th { padding-left: 2.5rem; } .depth3 > th { padding-left: 3.75rem; }
.compact { font-size: 0.8125rem; }
.compact th, .compact td { padding-block: 0.1875rem; }
.compact tbody th { min-width: 7rem; }
.groups th:first-child { min-width: 6rem; }
.entries { font-size: 0.875rem; }
.entries :is(th, td):not(:last-child) { padding-right: 0.5rem; }
.entries .from, .entries .to { white-space: nowrap; overflow-wrap: normal; }
.entries .user, .entries .client, .entries .project { min-width: 5.5rem; } .entries .task { min-width: 6.75rem; }
.entries .notes { min-width: 9rem; text-align: start; white-space: pre-line; }
.entries .day > * { padding-top: 0.875rem; font-weight: 600; }
.common { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; margin: 0 0 0.75rem; padding: 0; list-style: none; font-size: 0.875rem; }
.common b { font-weight: 600; }
.omitted, .note + .note, .scroll + .note, .legend + .note { margin-top: 1rem; }
main > .omitted { margin-top: 2.75rem; }

@media screen and (max-width: 44rem) {
  body { padding: 0; }
  main { padding: 1.5rem 1rem 2rem; border: 0; border-radius: 0; }
  .minor { display: none; }
  /* The name is on one line, its figures are on the next, aligned in columns. */
  .groups { display: grid; }
  .groups thead, .groups tbody, .groups tr { display: grid; grid-column: 1 / -1; grid-template-columns: subgrid; }
  .groups tr { padding: 0.375rem 0; }
  .groups thead tr { border-bottom: 1px solid var(--text); }
  .groups th, .groups td { padding: 0; border: 0; font-size: 0.8125rem; }
  .groups .figure + .figure { padding-left: 0.625rem; }
  .groups th:first-child { grid-column: 1 / -1; min-width: 0; }
  ${narrowGroups}
  .groups .depth1 { padding-left: 0.75rem; } .groups .depth2 { padding-left: 1.5rem; } .groups .depth3 { padding-left: 2.25rem; }
  .groups :is(.depth1, .depth2, .depth3) > th { padding-left: 0; }
  .compact tbody th { max-width: 40vw; }
}

@media screen {
  /* The names stay visible while a wide table scrolls. */
  .compact :is(thead, tbody) th:first-child { position: sticky; left: 0; background: var(--sheet); }
}

@media screen and (max-width: 58rem) {
  /* A row for each figure: the name, the figure, and below it the note. */
  .summary { display: block; max-width: 26rem; }
  .summary div { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; align-items: baseline; }
  .summary div + div { margin-top: 0.5rem; padding-top: 0.5rem; border-top: 1px solid var(--line); }
  .summary dd { text-align: right; }
  .summary div:first-child dd:not(.note) { font-size: 1.5rem; }
  .summary dd.note { grid-column: 1 / -1; }
  .groups { font-size: 0.875rem; }
  .part-bar { width: 2.5rem; }
  /* The entries have the rates, and the time says the same as hours. */
  .groups .rate, .groups:not(.mixed) .hours { display: none; }
  /* Each entry becomes several lines: times and figures, names, notes. */
  .entries thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .entries, .entries tbody { display: block; }
  .entries tr { display: flex; flex-wrap: wrap; gap: 0 0.5rem; padding: 0.625rem 0; }
  .entries tr > * { min-width: 0; padding: 0; }
  .entries .day > * { padding-top: 0; }
  .entries tr:not(.day, .total) .figure { order: -2; }
  .entries .from, .entries .to { order: -3; }
  /* Without times of day, the names begin the line of the figures. */
  .entries.untimed tr:not(.day, .total) .figure { order: 0; }
  /* Ends the line of times and figures. */
  .entries tr:not(.day, .total)::after { content: ""; flex: 0 0 100%; order: -1; }
  .entries.untimed tr:not(.day, .total)::after { display: none; }
  .entries .day th, .entries .total th { flex: 1 1 0; }
  .entries td:empty, .entries .hours { display: none; }
  .entries .to::before { content: "–"; margin-right: 0.5rem; }
  .entries .duration { margin-left: auto; font-weight: 600; }
  .entries tr:not(.day, .total) .rate { order: 1; color: var(--quiet); }
  .entries .rate::after { content: " an hour"; }
  .entries .task:not(:empty) ~ .rate::before { content: "· "; }
  .entries td.amounts { flex: 0 0 auto; }
  .entries .user, .entries .client, .entries .project, .entries .task { min-width: 0; color: var(--quiet); }
  .entries .notes { flex-basis: 100%; order: 2; }
  .entries .user:not(:empty) ~ .client:not(:empty)::before, .entries .client:not(:empty) ~ .project:not(:empty)::before, .entries .project:not(:empty) ~ .task::before { content: "· "; }
}

@media screen and (max-width: 44rem) {
  .part-bar { width: 1.5rem; margin-right: 0; }
  .entries .day th { flex-basis: 100%; }
  /* The date and the amount, then the rest. */
  .expenses thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .expenses, .expenses tbody { display: block; }
  .expenses tr { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 0.5rem; padding: 0.5rem 0; }
  .expenses tr > * { padding: 0; }
  .expenses .date { flex: 1 1 0; }
  .expenses .figure { order: -1; }
  .expenses .date { order: -2; }
  .expenses .total th { flex: 1 1 0; order: -2; }
  .expenses tr:not(.total)::after { content: ""; flex: 0 0 100%; order: -1; }
  .expenses :is(.type, .project) { flex: 0 1 auto; color: var(--quiet); }
  .expenses td:empty { display: none; }
  .expenses .type:not(:empty) ~ .project:not(:empty)::before { content: "· "; }
  .expenses .notes { flex: 0 0 100%; }
  .expenses tr { justify-content: flex-start; }
}

@page {
  size: A4; margin: 14mm 15mm 16mm;
  @bottom-right { content: counter(page) " / " counter(pages); color: #58616b; font: 8pt system-ui, sans-serif; }
}
@media print {
  :root { font-size: 11.5px; }
  body { padding: 0; background: none; line-height: 1.35; }
  main { display: flex; flex-direction: column; max-width: none; padding: 0; border: 0; }
  h1 { font-size: 1.75rem; }
  h2 { margin-bottom: 2.5mm; }
  header { padding-bottom: 4mm; }
  section { margin-top: 6mm; }
  section:has(> .summary) { margin-top: 4mm; }
  .summary { gap: 0.75rem 2rem; }
  /* Browsers write each pattern of a PDF separately, which makes it large. */
  ${plainFills}
  .plot .chart { zoom: 0.6; }
  .chart .axis, .chart .tick { font-size: 16px; }
  .plot { padding-left: 3.75rem; }
  .plot figcaption, .plot .caption { margin-left: -3.75rem; }
  figure + table { margin-top: 3mm; }
  .figures { order: 1; margin-top: 6mm; }
  /* The entries have the totals of each day. */
  .figures.daily { display: none; }
  footer { order: 2; margin-top: 6mm; break-before: avoid; }
  h1, h2, summary, .common, .caption { break-after: avoid; }
  figure, .summary, .months, tr { break-inside: avoid; }
  tr.strong, tr.day { break-after: avoid; }
  tr.total, table + .note, .note + .note { break-before: avoid; }
  /* A page does not begin with the last row of a table. */
  tbody:last-child tr:nth-last-child(-n + 2) { break-before: avoid; }
  .short { break-inside: avoid; }
  thead { display: table-header-group; }
  th, td { padding: 0.8mm 2.5mm 0.8mm 0; }
  details::details-content { content-visibility: visible; block-size: auto; }
  summary { color: var(--text); font-size: 1.125rem; font-weight: 600; list-style: none; }
  summary::-webkit-details-marker { display: none; }
  .scroll { overflow: visible; }
  .compact { font-size: 0.75rem; }
  .compact th, .compact td { padding: 0.4mm 1.5mm 0.4mm 0; }
  .compact tbody th { min-width: 6rem; }
  .empty { display: none; }
  .entries { font-size: 0.8125rem; }
  .entries th, .entries td { padding-block: 0.5mm; }
  .entries .day > * { padding-top: 1.5mm; }
  .entries .client, .entries .project { min-width: 5.2rem; } .entries .task { min-width: 6.75rem; }
  .entries .notes { min-width: 8rem; }
}
`
