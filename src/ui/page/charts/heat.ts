import { dateText, dayText, periodText } from '../../../lib/calendar/period-text.js'
import { type Html, html } from '../../../lib/text/html.js'
import type { HeatDay, HeatMap } from '../../../report/charts/chart-model.js'
import { countText, figureText, percent } from '../figures.js'
import { chartFigure, figuresTable } from './axes.js'

const top = 20
const rowHeight = 16
const height = top + 7 * rowHeight
/** Number of columns of every map: the weeks of a year, so that days have the same size in shorter maps. */
const columns = 54

/** Upper bound for the number of maps, which limits the size of the page. */
const maxMaps = 20

/** Returns a map of days for each of the last years with a legend, and tables of the same figures. */
export function heatSection(allMaps: readonly HeatMap[]): Html {
  const maps = allMaps.slice(-maxMaps)
  const figures = maps.map((map, index) => {
    const content = [...monthNames(map), ...weekdayNames(map), ...map.weeks.flatMap(daysOf)]
    return html`<figure class="plot">
<p class="caption">${periodText(map)} <b>${figureText(map.text)}</b></p>
${chartFigure({
  ...{ id: `heat${index}`, title: titleOf(map), description: descriptionOf(map) },
  ...{ height, content },
})}</figure>\n`
  })
  const tables = maps.map((map) => figuresTable(`${titleOf(map)}, in figures`, tableOf(map)))
  return html`<section>
<h2>Day by day</h2>
${figures}${legendOf(maps)}${omittedNote(allMaps.length - maps.length)}</section>
${tables}`
}

function omittedNote(count: number): Html | undefined {
  if (count === 0) return undefined
  return html`<p class="note">${countText(count, 'earlier year is', 'earlier years are')} omitted; a report of these years shows them.</p>\n`
}

function titleOf(map: HeatMap): string {
  return `Day by day, ${periodText(map)}`
}

function descriptionOf({ weeks, first, last, text }: HeatMap): string {
  const days = weeks.flat().filter((day) => day !== undefined)
  const longest = days.reduce<HeatDay | undefined>(
    (best, day) => (day.seconds > (best?.seconds ?? 0) ? day : best),
    undefined,
  )
  const trackedDays = days.filter(({ seconds }) => seconds > 0).length
  return [
    `A column for each week in ${periodText({ first, last })}, a row for each weekday; darker is more time.`,
    `${figureText(text)} on ${countText(trackedDays, 'day', 'days')}.`,
    longest && `The longest is ${dayText(longest.day)} with ${longest.text}.`,
  ]
    .filter(Boolean)
    .join(' ')
}

function monthNames({ months }: HeatMap): Html[] {
  return months
    .filter(({ column }, index) => (months[index + 1]?.column ?? columns) - column > 1)
    .map(
      ({ name, column }, index) =>
        // Narrow screens have room for every other name.
        html`<text class="${index % 2 > 0 ? 'axis minor' : 'axis'}" x="${percent(column / columns)}" y="12">${name}</text>\n`,
    )
}

function weekdayNames({ weekdays }: HeatMap): Html[] {
  return weekdays.map((name, row) =>
    row % 2 === 0
      ? html`<text class="axis" x="-8" y="${top + row * rowHeight + 11}" text-anchor="end">${name}</text>\n`
      : html``,
  )
}

function daysOf(week: (HeatDay | undefined)[], column: number): Html[] {
  const x = percent((column + 0.06) / columns)
  return week.map((day, row) =>
    day === undefined
      ? html``
      : html`<rect class="h${day.level}" x="${x}" y="${top + row * rowHeight}" width="${percent(0.88 / columns)}" height="${rowHeight - 2}" rx="2"><title>${dayText(day.day)}: ${day.text}</title></rect>\n`,
  )
}

/** Returns the legend. All maps have the same steps. */
function legendOf(maps: readonly HeatMap[]): Html {
  const [first = '', second = '', third = ''] = maps[0]?.steps ?? []
  const items = ['none', `up to ${first}`, `up to ${second}`, `up to ${third}`, 'more'].map(
    (meaning, level) =>
      html`<li><svg class="swatch" width="14" height="14" aria-hidden="true"><rect class="h${level}" x=".5" y=".5" width="13" height="13" rx="2"/></svg> ${meaning}</li>\n`,
  )
  return html`<ul class="legend">${items}</ul>\n`
}

function tableOf({ weeks, weekdays, months }: HeatMap): Html {
  const headers = weekdays.map((name) => html`<th scope="col" class="figure">${name}</th>`)
  const rows = weeks.map((week) => {
    const cells = week.map(
      (day) => html`<td class="figure">${day && day.seconds > 0 ? figureText(day.text) : ''}</td>`,
    )
    const isEmpty = week.every((day) => day === undefined || day.seconds === 0)
    return html`<tr${isEmpty ? html` class="empty"` : undefined}><th scope="row">${dateText(week.find((day) => day !== undefined)?.day ?? '')}</th>${cells}</tr>\n`
  })
  const sums = months.map(
    ({ name, text }) => html`<li><span>${name}</span> <b>${figureText(text)}</b></li>\n`,
  )
  return html`<ul class="legend months">${sums}</ul>
<table class="compact">
<thead><tr><th scope="col">Week from</th>${headers}</tr></thead>
<tbody>
${rows}</tbody>
</table>`
}
