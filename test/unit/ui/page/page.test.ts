import { createHash } from 'node:crypto'
import { describe, expect, it, test } from 'vitest'
import type { Grid, GridRow } from '../../../../src/report/grid/grid.js'
import { scaleTo } from '../../../../src/ui/page/charts/axes.js'
import { gridSection, reportPage } from '../../../../src/ui/page/page.js'
import type { EntryDay, EntryRow } from '../../../../src/ui/page/page-model.js'
import { randomWork, steadyWork } from '../../report/charts/examples.js'
import { joinChunks } from '../special-texts.js'
import { examplePage } from './example.js'

const month = { since: '2024-05-01', until: '2024-05-31' }
const work = randomWork(month.since, month.until)
const render = (...input: Parameters<typeof examplePage>) => joinChunks(reportPage(examplePage(...input)))
const page = await render(work, { ...month, amounts: [{ currency: 'EUR', amount: '11743.90' }] })

const year = { since: '2024-01-01', until: '2024-12-31' }
const ofYear = examplePage(randomWork(year.since, year.until), year)

const figures = { duration: '1h 00m', hours: '1.00', amounts: [] }
const entryRow = {
  ...{ ...figures, from: '09:00', to: '10:00', isContinued: false, rate: null },
  ...{ client: 'Acme', project: 'Website', task: 'Design' },
}

const hostile = `"><script>alert(1)</script><img src=x onerror='x'>&amp;</title></style>`

describe('the page of a report', () => {
  it('shows the sender, the period, the selection and the totals', () => {
    for (const text of [
      '<h1><bdi>Time report</bdi></h1>',
      '2024-05-01 to 2024-05-31',
      '<dd><bdi>Ada Lovelace</bdi><br><bdi>12 Analytical Street</bdi><br><bdi>London</bdi></dd>',
      '<bdi>billable</bdi>, <bdi>each entry rounded up to 15 min</bdi>',
      '124h 01m',
      '11,743.90 EUR',
    ])
      expect(page).toContain(text)
  })

  it('has the recipient in the title of the document', async () => {
    const text = await render(work, month, { title: 'Invoice 7', recipient: 'Acme' })
    expect(text).toContain('<title>Invoice 7 – Acme – 2024-05-01 to 2024-05-31</title>')
  })

  it('escapes text in every place', async () => {
    const evil = steadyWork('2024-05-01', [3600, 1800], hostile)
    const row: EntryRow = {
      ...{ from: hostile, to: hostile, isContinued: false, duration: hostile, hours: hostile },
      ...{ rate: { currency: hostile, amount: hostile }, amounts: [{ currency: hostile, amount: hostile }] },
      ...{ client: hostile, project: hostile, task: hostile, notes: hostile },
    }
    const header = { title: hostile, period: hostile, selection: [hostile], recipient: hostile }
    const more = {
      ...header,
      sender: [hostile, hostile],
      createdAt: hostile,
      roundingNote: hostile,
      days: [{ title: hostile, figures: row, rows: [row] }],
      entryColumns: new Set(Object.keys(row) as (keyof EntryRow)[]),
      entryTotals: row,
      commonValues: [{ title: hostile, text: hostile }],
    }
    const amounts = [{ currency: hostile, amount: '1.00' }]
    const text = await render(evil, { ...month, amounts }, more)
    expect(text).not.toMatch(/<script|<img|onerror='|&amp;<|\0/)
    expect(text.match(/<\/style>/g)).toHaveLength(1)
    expect(text.match(/<\/title>/g)).toHaveLength(text.match(/<title/g)?.length ?? 0)
    expect(text.split('&lt;script&gt;alert(1)&lt;/script&gt;').length).toBeGreaterThan(15)
  })

  it('has no external resources or scripts, and its policy allows only its own style', () => {
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect(page).toContain(`default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;`)
    expect(page.replace(style, '')).not.toMatch(
      /https?:|<script|<link (?!rel="icon" href="data:,")| style=| on\w+=|@import/,
    )
    expect(style).not.toMatch(/url\(|@import/)
  })

  it('has a title and a description for each chart, and the same figures in tables', () => {
    const charts = page.match(/<svg id="[^>]*>/g) ?? []
    expect(charts).toHaveLength(1)
    for (const chart of charts) {
      const [, id] = /id="(\w+)"/.exec(chart) ?? []
      expect(chart).toContain(`role="img" aria-labelledby="${id}-title" aria-describedby="${id}-description"`)
      expect(page).toMatch(
        new RegExp(`<title id="${id}-title">[^<]+</title>\\s*<desc id="${id}-description">[^<]+</desc>`),
      )
    }
    const [, figures = ''] = /<details class="figures daily">([\s\S]*?)<\/details>/.exec(page) ?? []
    expect(figures.match(/<tr[ >]/g)).toHaveLength(32)
    // Paper shows no empty days.
    expect(figures.match(/<tr class="empty">/g)).toHaveLength(8)
    expect(figures).toContain('2024-05-31 Fri')
  })

  it('shows shares by another dimension under their own heading', async () => {
    expect(page).not.toContain('<h2>Time by task')
    const text = await render(work, month, { sharesBy: 'task' })
    expect(text).toMatch(
      /<h2>Time by task<\/h2>[\s\S]*class="figure part"[\s\S]*<h2>Total by client and project<\/h2>/,
    )
  })

  it('has a bar for the share of each group, in the colour of its client in the chart', () => {
    const [, table = ''] = /<table class="groups[^>]*>([\s\S]*?)<\/table>/.exec(page) ?? []
    const fills = [...table.matchAll(/<tr class="depth(\d)[^>]*>.*?fill="url\(#p(\d)\)" width="([\d.]+)%"/g)]
    expect(new Set(fills.map(([, depth, series]) => (depth === '0' ? series : ''))).size).toBeGreaterThan(2)
    let current: string | undefined
    for (const [, depth, series] of fills) {
      if (depth === '0') current = series
      else expect(series).toBe(current)
    }
  })

  it('shortens very long names in charts, and has the complete ones in tables', async () => {
    const name = 'A note about the work of this day that goes on and on, '.repeat(20)
    const mixed = [name, 'Website'].flatMap((project) => steadyWork('2024-05-02', [3600], project))
    const model = examplePage(mixed, month)
    const bars = model.bars && {
      ...model.bars,
      series: model.bars.series.map((series) => ({ ...series, label: name })),
    }
    const text = await joinChunks(reportPage({ ...model, bars }))
    const [, legend = ''] = /<ul class="legend">([\s\S]*?)<\/ul>/.exec(text) ?? []
    expect(legend.match(/<bdi>A note .{70,80}…<\/bdi>/g)).toHaveLength(2)
    expect(text).toContain(`<bdi>${name}</bdi>`)
  })

  it('has maps of the last 20 years only, and states how many it omits', async () => {
    const maps = Array.from({ length: 22 }, () => ofYear.heatMaps).flat()
    const text = await joinChunks(reportPage({ ...ofYear, heatMaps: maps }))
    expect(text.match(/<svg id="heat\d+"/g)).toHaveLength(20)
    expect(text).toContain('2 earlier years are omitted')
  })

  it('has a heat map for a long period, and none for a month', async () => {
    const long = await joinChunks(reportPage(ofYear))
    expect(long.match(/<rect class="h\d" [^>]*><title>/g)).toHaveLength(366)
    expect(page).not.toContain('class="h1"')
  })

  it('has columns for amounts and rounded times only when they exist', async () => {
    const bare = examplePage(work, month)
    const text = await joinChunks(reportPage(bare))
    expect(text).not.toMatch(/Amount|Rounded|Exact/)
    expect(page.match(/<th [^>]*>Amount<\/th>/g)).toHaveLength(2)
    const rounding = { single: { stepSeconds: 900, direction: 'up' }, of: 'entries' } as const
    const rounded = { ...bare.report, rounding }
    expect(await joinChunks(reportPage({ ...bare, report: rounded }))).toMatch(
      /<dt>Exact time<\/dt>[\s\S]*<dt>Rounded time<\/dt>[\s\S]*<h2>Exact time by day<[\s\S]*<th [^>]*>Exact time<\/th><th [^>]*>Rounded time<\/th>/,
    )
  })

  it.each([
    [3600 * 1000, 'behind the target'],
    [0, 'ahead of the target'],
  ])('shows with a target of %i seconds that the time is %s', async (targetSeconds, words) => {
    expect(await render(work, { ...month, targetSeconds })).toContain(words)
    expect(page).not.toContain('Balance')
  })

  it('marks a running entry', async () => {
    const model = examplePage(work, month)
    expect(await joinChunks(reportPage({ ...model, report: { ...model.report, running: true } }))).toContain(
      'still running',
    )
    expect(page).not.toContain('still running')
  })

  it('has a message and no charts without time', async () => {
    const text = await render([], month)
    expect(text).toContain('No time in this period.')
    expect(text).not.toMatch(/role="img"|<table/)
  })

  it('omits the entries that make it larger than 5 MB, and states their number', {
    tags: 'slow',
  }, async () => {
    const count = 40_000
    const notes = 'A note of about the usual length'
    const days = Array.from({ length: count / 100 }, (_, day) => ({
      ...{ title: `day ${day}`, figures },
      rows: Array.from({ length: 100 }, () => ({ ...entryRow, notes })),
    }))
    const model = examplePage(work, month, { days })
    model.report.count = count
    const text = await joinChunks(reportPage(model))
    expect(Buffer.byteLength(text)).toBeLessThan(5_000_000)
    const listed = text.split('<td class="from">').length - 1
    expect(listed).toBeGreaterThan(5_000)
    expect(text).toContain(`${(count - listed).toLocaleString('en')} of 40,000 entries are omitted`)
    const complete = await joinChunks(reportPage({ ...model, hasAllEntries: true }))
    expect(complete.split('<td class="from">').length - 1).toBe(count)
    expect(complete).not.toContain('are omitted')
  })

  it('has real minus signs and isolates names of other scripts in texts without markup', async () => {
    const names = ['Website', 'אתר', 'موقع']
    const mixed = names.flatMap((project) => steadyWork('2024-05-02', [3600], project))
    const text = await render(mixed, { ...month, targetSeconds: 9 * 3600 })
    expect(text).toContain('<dd>−6h 00m</dd>')
    expect(text).toContain(`(${names.map((name) => `&#x2068;${name}&#x2069;`).join(', ')})</title>`)
  })

  it('reads its entries while it is written, without storing them', async () => {
    let read = 0
    async function* days(): AsyncGenerator<EntryDay> {
      for (; read < 5000; read += 500) {
        const rows = Array.from({ length: 500 }, (_, index) => ({
          ...entryRow,
          notes: `number ${read + index}`,
        }))
        yield { title: `day ${read}`, figures, rows }
      }
    }
    let longest = 0
    let ahead = 0
    let rows = 0
    for await (const piece of reportPage(examplePage(work, month, { days: days() }))) {
      const inPiece = piece.split('<td class="from">').length - 1
      rows += inPiece
      longest = Math.max(longest, inPiece)
      ahead = Math.max(ahead, read - rows)
    }
    expect({ rows, longest }).toEqual({ rows: 5000, longest: 200 })
    expect(ahead).toBeLessThanOrEqual(500)
  })
})

test.each([
  [7 * 60, ['0 min', '5 min', '10 min']],
  [3600, ['0 min', '15 min', '30 min', '45 min', '60 min']],
  [8 * 3600, ['0 h', '2 h', '4 h', '6 h', '8 h']],
  [11.4 * 3600, ['0 h', '4 h', '8 h', '12 h']],
  [40 * 3600, ['0 h', '8 h', '16 h', '24 h', '32 h', '40 h']],
  [180 * 3600, ['0 h', '40 h', '80 h', '120 h', '160 h', '200 h']],
  [2100 * 3600, ['0 h', '500 h', '1,000 h', '1,500 h', '2,000 h', '2,500 h']],
])('a chart of up to %i seconds has grid lines at %j', (most, texts) => {
  const { top, lines } = scaleTo(most)
  expect(lines.map(({ text }) => text)).toEqual(texts)
  expect(top).toBeGreaterThanOrEqual(most)
})

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
