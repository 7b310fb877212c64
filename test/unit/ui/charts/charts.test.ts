import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { heatMaps } from '../../../../src/report/charts/heat.js'
import { shares } from '../../../../src/report/charts/shares.js'
import { barsText } from '../../../../src/ui/charts/bars.js'
import { heatText } from '../../../../src/ui/charts/heat.js'
import { type ChartOptions, canDrawUnicode, wrap } from '../../../../src/ui/charts/layout.js'
import { sharesText } from '../../../../src/ui/charts/shares.js'
import { createStyle } from '../../../../src/ui/colour.js'
import { displayWidth } from '../../../../src/ui/text.js'
import { plainStyle } from '../../../../src/ui/view.js'
import { fullTime, randomWork, steadyWork } from '../../report/charts/examples.js'
import { chartOf, type DayWork, reportByDay, reportByProject } from '../../report/charts/reports.js'
import { specialTexts } from '../special-texts.js'

const hour = 3600
const month = { since: '2024-05-01', until: '2024-05-31' }
const year = { since: '2024-01-01', until: '2024-12-31' }
const inMonth = randomWork(month.since, month.until)
const inYear = randomWork(year.since, year.until)

const truecolour = await createStyle({ env: { FORCE_COLOR: '3' }, isTTY: true })
const basic = await createStyle({ env: { FORCE_COLOR: '1' }, isTTY: true })
const plain: ChartOptions = { style: plainStyle, width: undefined, unicode: true }

const barsOf = (work: readonly DayWork[], framing = {}, targetOf?: (day: string) => number) =>
  chartOf(reportByDay(work, framing), 1, targetOf)

const charts: Record<string, (options: ChartOptions) => string> = {
  'bars-month': (options) => barsText(barsOf(inMonth, month, fullTime), options),
  'heat-year': (options) => heatText(heatMaps(reportByDay(inYear, year), 1), options),
  shares: (options) => sharesText(shares(reportByProject(inMonth).groups), options),
}

const looks: Record<string, Omit<ChartOptions, 'width'>> = {
  plain: { style: plainStyle, unicode: true },
  ascii: { style: plainStyle, unicode: false },
  truecolour: { style: truecolour, unicode: true },
  basic: { style: basic, unicode: true },
}

// Days have two cells in a wide terminal and one in others; in a narrow one the map continues below. A look has no effect
// on the layout.
const goldenFiles: [name: string, width: number, look: string][] = [
  ['bars-month', 80, 'ascii'],
  ['bars-month', 80, 'truecolour'],
  ['heat-year', 120, 'plain'],
  ['heat-year', 40, 'plain'],
  ['heat-year', 80, 'ascii'],
  ['heat-year', 80, 'truecolour'],
  ['shares', 80, 'plain'],
]

test('a heat map has a solid cell in each of five shades where there are 256 colours', async () => {
  const draw = (style: ChartOptions['style']) =>
    heatText(heatMaps(reportByDay(inYear, year), 1), { style, width: 60, unicode: true })
  const shadesOf = (text: string, pattern: RegExp) => new Set(text.match(pattern))
  const manyColours = await createStyle({ env: { FORCE_COLOR: '2' }, isTTY: true })
  expect(shadesOf(draw(truecolour), /\[48;2;[\d;]+m(?= )/g).size).toBe(5)
  expect([...shadesOf(draw(manyColours), /\[48;5;\d+m/g)].sort()).toHaveLength(5)
  for (const style of [truecolour, manyColours]) expect(draw(style)).not.toMatch(/[·░▒▓█]/)
  for (const style of [plainStyle, basic]) expect(draw(style)).toMatch(/·.*none.*░.*▒.*▓/)
})

describe('charts in a terminal', () => {
  test.each(goldenFiles)('%s at %i columns, %s, matches the golden file', async (name, width, look) => {
    const text = charts[name]?.({ ...plain, ...looks[look], width }) ?? ''
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width)
    await expect(text).toMatchFileSnapshot(`golden/${name}-${width}-${look}.txt`)
  })

  it('have the default width without a terminal', () => {
    for (const draw of Object.values(charts)) expect(draw(plain)).toBe(draw({ ...plain, width: 80 }))
  })

  it('never exceed the terminal width or contain control characters, whatever the names are', {
    tags: 'slow',
  }, () => {
    const anyName = fc.oneof(
      fc.constantFrom(...Object.values(specialTexts)),
      fc.string({ unit: 'binary', maxLength: 100 }),
    )
    const anyWork = fc.array(
      fc.record({
        day: fc.constantFrom('2024-05-01', '2024-05-03', '2024-05-20'),
        project: fc.option(anyName),
        seconds: fc.integer({ min: 0, max: 100 * hour }),
      }),
      { maxLength: 20 },
    )
    fc.assert(
      fc.property(
        anyWork,
        fc.integer({ min: 12, max: 150 }),
        fc.constantFrom(...Object.values(looks)),
        fc.boolean(),
        (work, width, look, targeted) => {
          const options = { ...look, width }
          const texts = [
            barsText(barsOf(work, month, targeted ? fullTime : undefined), options),
            heatText(heatMaps(reportByDay(work), 1), options),
            sharesText(shares(reportByProject(work).groups), options),
          ]
          for (const text of texts.filter((one) => one !== 'No time in this period.\n')) {
            for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width)
            const codes = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g')
            expect(text.replace(codes, '').replaceAll('\n', '')).not.toMatch(
              /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u,
            )
          }
        },
      ),
    )
  })

  it('print a message when there is nothing to draw', () => {
    const nothing = 'No time in this period.\n'
    expect(barsText(barsOf([]), plain)).toBe(nothing)
    expect(barsText(barsOf([], month), plain)).toBe(nothing)
    expect(heatText([], plain)).toBe(nothing)
    expect(sharesText([], plain)).toBe(nothing)
  })

  it('show a target without time', () => {
    const text = barsText(barsOf([], { since: '2024-05-06', until: '2024-05-07' }, fullTime), {
      ...plain,
      width: 40,
    })
    expect(text).toBe(
      `2024-05-06 Mon${' '.repeat(21)}│  0m\n2024-05-07 Tue${' '.repeat(21)}│  0m\n\n│ target\n`,
    )
  })

  it('show the smallest time, in every form', () => {
    const work = steadyWork('2024-05-01', [100 * hour, 1])
    for (const options of Object.values(looks)) {
      const [, second = ''] = barsText(barsOf(work), { ...options, width: 60 }).split('\n')
      expect(second.replace(/2024-05-02 Thu|1s/g, '').trim()).not.toBe('')
    }
  })

  it('have bars with a precision of an eighth of a cell', () => {
    const work = steadyWork(
      '2024-05-01',
      [16, 8, 4, 1].map((eighths) => eighths * hour),
    )
    const bars = barsText(barsOf(work), { ...plain, width: 35 }).split('\n')
    expect(bars.slice(0, 4).map((line) => line.slice(16, 26).trim())).toEqual([
      '██████████',
      '█████',
      '██▌',
      '▋',
    ])
  })

  it('distinguish every series by its fill where colours repeat, in bars and in the legend', () => {
    const work = [...'ABCDEFGH'].map((project, index) => ({
      day: '2024-05-01',
      project,
      seconds: (9 - index) * hour,
    }))
    const text = barsText(barsOf(work), { style: basic, unicode: true, width: 80 })
    const [bar = '', , ...legend] = text.split('\n')
    expect(text).not.toContain('target')
    for (const [index, fill] of [...'█▓▒░#+o.'].entries()) {
      expect(legend.join(' ')).toContain(`${basic.series?.paint(fill, index)} ${'ABCDEFGH'[index]}`)
      expect(bar).toContain(fill)
    }
  })

  it('are at most 100 cells wide in wider terminals, except for maps of days', () => {
    const options = { ...plain, width: 250 }
    const [bars, shareBars] = [
      barsText(barsOf(inMonth, month, fullTime), options).split('\n\n')[0] ?? '',
      sharesText(shares(reportByProject(inMonth).groups), options),
    ]
    for (const text of [bars, shareBars]) expect(Math.max(...text.split('\n').map(displayWidth))).toBe(100)
  })
})

test('items that fit the width with a gap of three are on one line', () => {
  expect([wrap(['ab', 'cd'], 7), wrap(['ab', 'cd'], 6)]).toEqual(['ab   cd\n', 'ab\ncd\n'])
})

test.each([
  [{ LC_ALL: 'C', LANG: 'de_DE.UTF-8' }, false],
  [{ LANG: 'de_DE.UTF-8' }, true],
  [{ LC_CTYPE: 'C.utf8', LANG: 'C' }, true],
  [{ LC_ALL: '', LANG: 'en_US.utf8' }, true],
  [{ LANG: 'de_DE.ISO-8859-1' }, false],
  [{ LANG: 'de_DE.UTF-8', TERM: 'dumb' }, false],
  [{}, false],
])('the environment %j allows Unicode: %s', (env, unicode) => {
  expect(canDrawUnicode(env, 'linux')).toBe(unicode)
})

test('Windows allows Unicode without a locale, except in a dumb terminal', () => {
  expect(canDrawUnicode({}, 'win32')).toBe(true)
  expect(canDrawUnicode({ TERM: 'dumb' }, 'win32')).toBe(false)
})
