import { createHash } from 'node:crypto'
import { html } from '../../lib/text/html.js'
import { barsSection } from './charts/bars.js'
import { heatSection } from './charts/heat.js'
import { patternDefinitions } from './charts/patterns.js'
import { comparisonSection } from './comparison.js'
import { entriesSection } from './entries.js'
import { expensesSection } from './expenses.js'
import { gridSection } from './grid.js'
import { groupsSection } from './groups.js'
import { documentTitle, headerSection } from './header.js'
import type { PageModel } from './page-model.js'
import { style } from './style.js'
import { summarySection } from './summary.js'

/** Minimum length of a map: a shorter map shows no more than the bars. */
const minMapWeeks = 10

/** Upper bound for the size of a page, unless it has all entries. Browsers open it within seconds. */
const maxBytes = 2_500_000

/**
 * Yields a self-contained HTML page about a period in chunks: it has no script and loads no file. It supports light and dark
 * screens, and paper.
 */
export async function* reportPage(model: PageModel): AsyncGenerator<string> {
  const { report } = model
  yield html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${documentTitle(model)}</title>
<link rel="icon" href="data:,">
<style>`.markup
  yield style
  yield html`</style>
</head>
<body>
${patternDefinitions()}<main>
${headerSection(model)}${summarySection(model)}`.markup

  let bytes = 0
  for (const section of sections(model)) {
    bytes += Buffer.byteLength(section)
    yield section
  }
  if (report.count > 0)
    yield* entriesSection(model, model.hasAllEntries ? Number.POSITIVE_INFINITY : maxBytes - bytes)
  yield html`<footer>Made with tt, ${model.createdAt}</footer>
</main>
</body>
</html>
`.markup
}

/** Yields the charts, the groups and the grid. */
function* sections(model: PageModel): Generator<string> {
  const { report, bars, heatMaps } = model
  if (report.count === 0) {
    yield html`<p>No time in this period.</p>\n`.markup
    if (model.comparison) yield comparisonSection(model.comparison).markup
    if (model.expenses) yield expensesSection(model.expenses).markup
    return
  }
  // One bar shows no more than the totals.
  if (bars && bars.maxSeconds > 0 && bars.bars.length > 1) yield barsSection(bars, model).markup
  if (heatMaps.some(({ weeks }) => weeks.length > minMapWeeks)) yield heatSection(heatMaps).markup
  if (report.groups.length > 0) yield groupsSection(model).markup
  if (model.comparison) yield comparisonSection(model.comparison).markup
  if (model.grid) yield gridSection(model.grid, model).markup
  if (model.expenses) yield expensesSection(model.expenses).markup
}

/** Returns the content security policy: only the style of the page, and the empty icon that prevents a request for one. */
function policy(): string {
  const hash = createHash('sha256').update(style).digest('base64')
  return `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`
}
