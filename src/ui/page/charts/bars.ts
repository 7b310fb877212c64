import { type Html, html } from '../../../lib/text/html.js'
import { capitalize } from '../../../lib/text/words.js'
import type { Bar, BarChart } from '../../../report/charts/chart-model.js'
import {
  chartName,
  countText,
  figureText,
  isolated,
  isolatedList,
  percent,
  px,
  timeTitle,
} from '../figures.js'
import type { PageModel } from '../page-model.js'
import { chartFigure, figuresTable, scaleTo, ticksOf } from './axes.js'
import { fillOf, swatch } from './patterns.js'

const top = 12
const base = 232
const height = 276
/** Minimum number of slots, so that a few bars are not very wide. */
const minSlots = 7
/** Maximum number of bars with dashed target lines; with more bars the lines are too short for dashes. */
const maxDashed = 31

const nameOfUnit = {
  day: ['day', 'days'],
  week: ['week', 'weeks'],
  month: ['month', 'months'],
  quarter: ['quarter', 'quarters'],
  year: ['year', 'years'],
  decade: ['decade', 'decades'],
} as const

/** Returns the stacked bars of the period with a legend, and a table of the same figures. */
export function barsSection(chart: BarChart, { duration, days, report }: PageModel): Html {
  const [unit] = nameOfUnit[chart.unit]
  const title = `${timeTitle('Time', report)} by ${unit}`
  const svg = chartFigure({
    ...{ id: 'bars', title, description: descriptionOf(chart), height },
    content: [...gridOf(chart), ...barsOf(chart), ...ticksOfBars(chart)],
  })
  return html`<section>
<h2>${title}</h2>
<figure class="plot">${svg}${legendOf(chart)}</figure>
</section>
${figuresTable(`${title} in figures`, tableOf(chart, duration), chart.unit === 'day' && days !== undefined)}`
}

function descriptionOf({ bars, unit, series }: BarChart): Html {
  const [singular, plural] = nameOfUnit[unit]
  const longest = bars.reduce<Bar | undefined>(
    (best, bar) => (bar.seconds > (best?.seconds ?? 0) ? bar : best),
    undefined,
  )
  const empty = bars.filter(({ seconds }) => seconds === 0).length
  const parts: (Html | string | undefined)[] = [
    `Stacked bars of ${countText(bars.length, singular, plural)}, ${countText(empty, singular, plural)} of them without time.`,
    longest === undefined ? undefined : `The longest is ${longest.label} with ${figureText(longest.text)}.`,
    series.length > 1
      ? html`Most time went to ${isolated(chartName(series[0]?.label ?? ''))}: ${figureText(series[0]?.text ?? '')}.`
      : undefined,
  ]
  return html`${parts.filter((part) => part !== undefined).map((part, index) => html`${index > 0 ? ' ' : ''}${part}`)}`
}

function gridOf({ maxSeconds }: BarChart): Html[] {
  const scale = scaleTo(maxSeconds)
  return scale.lines.map(({ seconds, text }) => {
    const y = px(base - ((base - top) * seconds) / scale.top)
    return html`<line class="grid" x1="0" x2="100%" y1="${y}" y2="${y}"/><text class="axis" x="-8" y="${y}" dy="4" text-anchor="end">${text}</text>\n`
  })
}

function barsOf({ bars, series, maxSeconds }: BarChart): Html[] {
  const { top: limit } = scaleTo(maxSeconds)
  const slot = 1 / Math.max(minSlots, bars.length)
  const heightOf = (seconds: number) => ((base - top) * seconds) / limit
  return bars.map((bar, index) => {
    let y = base
    const rects = bar.parts.map((seconds, seriesIndex) => {
      if (seconds === 0) return html``
      y -= heightOf(seconds)
      return html`<rect x="${percent((index + 0.14) * slot)}" y="${px(y)}" width="${percent(slot * 0.72)}" height="${px(heightOf(seconds))}" fill="${fillOf(seriesIndex)}"/>`
    })
    const names = bar.parts.flatMap((seconds, seriesIndex) =>
      seconds > 0 ? [chartName(series[seriesIndex]?.label ?? '')] : [],
    )
    const list = series.length > 1 && names.length > 0 ? html` (${isolatedList(names)})` : undefined
    const title = html`${bar.label}: ${figureText(bar.text)}${list}`
    return html`<g class="bar"><title>${title}</title>${rects}${targetLine(bar, index * slot, slot, base - heightOf(bar.target ?? 0))}</g>\n`
  })
}

function targetLine({ target }: Bar, x: number, slot: number, y: number): Html | undefined {
  if (!target) return undefined
  return html`<line class="${targetClass(slot)}" x1="${percent(x)}" x2="${percent(x + slot)}" y1="${px(y)}" y2="${px(y)}"/>`
}

function targetClass(slot: number): string {
  return slot * maxDashed < 1 ? 'target short' : 'target'
}

function ticksOfBars(chart: BarChart): Html[] {
  const slot = 1 / Math.max(minSlots, chart.bars.length)
  return ticksOf(chart).map(({ text, secondLine, isMajor }, index) => {
    const x = percent((index + 0.5) * slot)
    const kind = isMajor ? 'tick' : 'tick minor'
    const second =
      secondLine &&
      html`<text class="${kind} under" x="${x}" y="${base + 33}" text-anchor="middle">${secondLine}</text>`
    return html`<text class="${kind}" x="${x}" y="${base + 17}" text-anchor="middle">${text}</text>${second}\n`
  })
}

function legendOf({ series, bars }: BarChart): Html | undefined {
  const hasTarget = bars.some(({ target }) => target)
  if (series.length < 2 && !hasTarget) return undefined
  const items = series.map(
    ({ label, text }, index) =>
      html`<li>${swatch(index)} <bdi>${chartName(label)}</bdi> <b>${figureText(text)}</b></li>\n`,
  )
  const target = html`<li><svg class="swatch" width="22" height="14" aria-hidden="true"><line class="${targetClass(1 / bars.length)}" x1="0" x2="22" y1="7" y2="7"/></svg> Target</li>\n`
  return html`<figcaption><ul class="legend">${items}${hasTarget ? target : undefined}</ul></figcaption>`
}

function tableOf({ bars, series, unit }: BarChart, duration: PageModel['duration']): Html {
  const hasTarget = bars.some(({ target }) => target)
  const isStacked = series.length > 1
  const textCell = (seconds: number, text = '') =>
    html`<td class="figure">${seconds === 0 ? '' : figureText(text)}</td>`
  const cell = (seconds: number) => textCell(seconds, duration(seconds))
  const headers = isStacked
    ? series.map(({ label }) => html`<th scope="col" class="figure"><bdi>${chartName(label)}</bdi></th>`)
    : []
  const [name] = nameOfUnit[unit]
  const rows = bars.map(
    (bar) =>
      html`<tr${bar.seconds === 0 ? html` class="empty"` : undefined}><th scope="row">${bar.label}</th>${isStacked ? bar.parts.map((seconds, index) => textCell(seconds, bar.partTexts[index])) : []}<td class="figure strong">${figureText(bar.text)}</td>${hasTarget ? cell(bar.target ?? 0) : undefined}</tr>\n`,
  )
  return html`<table class="compact">
<thead><tr><th scope="col">${capitalize(name)}</th>${headers}<th scope="col" class="figure">Total</th>${hasTarget ? html`<th scope="col" class="figure">Target</th>` : undefined}</tr></thead>
<tbody>
${rows}</tbody>
</table>`
}
