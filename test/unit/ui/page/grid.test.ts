import { expect, test } from 'vitest'
import type { Grid, GridRow } from '../../../../src/report/grid/grid.js'
import { gridSection } from '../../../../src/ui/page/page.js'

const row = (label: string, depth: number, more: Partial<GridRow> = {}): GridRow => ({
  ...{ label, depth, isParent: false, running: false, path: [label], cells: [60, null], seconds: 60 },
  ...more,
})
const grid: Grid = {
  by: ['client', 'project'],
  columnsBy: 'day',
  columns: [],
  rows: [row('<b>Acme</b>', 0, { isParent: true }), row('Website', 1, { running: true })],
  total: row('Total', 0, { isParent: true, path: [] }),
  isEmpty: false,
}
const duration = (seconds: number) => `${seconds / 60} min`

test('a table of a grid escapes names, leaves cells without an entry empty, and can be scrolled by keyboard', () => {
  const tables = [{ grid, name: 'Week <1>', headings: ['Mon', 'Tue'] }]
  expect(gridSection(tables, { duration, report: { rounding: null } }).markup).toBe(`<section>
<h2>Time by client, project and day</h2>
<div class="scroll short" role="region" tabindex="0" aria-label="Time by client, project and day, Week &lt;1&gt;">
<table class="compact">
<caption class="caption">Week &lt;1&gt;</caption>
<thead><tr><th scope="col">Client, project</th><th scope="col" class="figure">Mon</th><th scope="col" class="figure">Tue</th><th scope="col" class="figure">Total</th></tr></thead>
<tbody>
<tr class="depth0 strong"><th scope="row"><bdi>&lt;b&gt;Acme&lt;/b&gt;</bdi></th><td class="figure">1 min</td><td class="figure"></td><td class="figure strong">1 min</td></tr>
<tr class="depth1"><th scope="row"><bdi>Website</bdi> <small>running</small></th><td class="figure">1 min</td><td class="figure"></td><td class="figure strong">1 min</td></tr>
<tr class="total"><th scope="row"><bdi>Total</bdi></th><td class="figure">1 min</td><td class="figure"></td><td class="figure strong">1 min</td></tr>
</tbody>
</table>
</div>
</section>
`)
})
