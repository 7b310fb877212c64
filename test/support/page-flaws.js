// @ts-nocheck: this runs in the page; including the DOM types would add them to all of src.

/**
 * Returns the flaws of the open page that axe-core does not find, one per line. The browser receives its source, so it
 * uses nothing from outside but axe-core.
 *
 * @returns {string[]}
 */
export function findLayoutFlaws() {
  const flaws = []
  const elements = [document.body, ...document.body.querySelectorAll('*')].filter((element) =>
    element.checkVisibility(),
  )

  // WCAG 2.2, 1.4.11: the edge of a field is visible. Its label is, too, which axe-core does not require.
  const { Color, flattenColors, getContrast, getOwnBackgroundColor } = axe.commons.color
  for (const field of document.querySelectorAll('input:not([type=hidden])')) {
    const edge = new Color()
    edge.parseString(getComputedStyle(field).borderTopColor)
    let background = new Color(255, 255, 255)
    for (const element of elements.filter((other) => other !== field && other.contains(field)))
      background = flattenColors(getOwnBackgroundColor(getComputedStyle(element)), background)
    const contrast = getContrast(background, edge)
    if (!(contrast >= 3)) flaws.push(`${nameOf(field)} has an edge with a contrast of ${contrast.toFixed(2)}`)
    if (![...field.labels].some((label) => label.checkVisibility() && label.textContent.trim()))
      flaws.push(`${nameOf(field)} has no visible label`)
  }
  // Stricter than axe-core: one h1, and targets without exceptions (WCAG 2.2, 2.5.8).
  if (document.querySelectorAll('h1').length !== 1) flaws.push('the page does not have exactly one h1')
  for (const control of document.querySelectorAll('input:not([type=hidden]), button')) {
    const { width, height } = control.getBoundingClientRect()
    if (width < 24 || height < 24) flaws.push(`${nameOf(control)} is ${width} × ${height} px`)
  }
  const { scrollWidth, clientWidth } = document.documentElement
  if (scrollWidth > clientWidth)
    flaws.push(`the page is ${scrollWidth} px wide, the window ${clientWidth} px`)
  for (const element of elements) {
    const { left, right } = element.getBoundingClientRect()
    if (element.closest('.scroll > *')) continue
    if (left < 0 || right > clientWidth + 0.5) flaws.push(`${nameOf(element)} overflows the window`)
    const main = element.closest('table') && contentBox(document.querySelector('main'))
    if (main && right > main.right + 0.5) flaws.push(`${nameOf(element)} overflows the page`)
  }
  for (const cell of document.querySelectorAll('th + td, td + td, th + th')) {
    const before = cell.previousElementSibling
    if (cell.checkVisibility() && before.checkVisibility() && overlap(textBox(before), textBox(cell)))
      flaws.push(`${nameOf(cell)} overlaps ${nameOf(before)}`)
  }
  // The labels of a chart have no boxes that could wrap: they must not overlap.
  for (const chart of document.querySelectorAll('svg.chart')) {
    const labels = [...chart.querySelectorAll('text')].filter((label) => label.checkVisibility())
    const boxes = labels.map((label) => label.getBoundingClientRect())
    for (const [index, box] of boxes.entries())
      for (const [other, otherBox] of boxes.entries())
        if (other > index && overlap(box, otherBox))
          flaws.push(`${nameOf(labels[index])} overlaps ${nameOf(labels[other])} in a chart`)
  }
  for (const cell of document.querySelectorAll('td.amount, td.amounts, .summary dd:not(.note)')) {
    const lines = cell.innerHTML.split('<br>').length
    const height = Number.parseFloat(getComputedStyle(cell).lineHeight)
    if (cell.checkVisibility() && textBox(cell).height > (lines + 0.5) * height)
      flaws.push(`${nameOf(cell)} wraps`)
  }
  return flaws

  function contentBox(element) {
    const { left, right } = element.getBoundingClientRect()
    const { paddingLeft, paddingRight } = getComputedStyle(element)
    return { left: left + Number.parseFloat(paddingLeft), right: right - Number.parseFloat(paddingRight) }
  }

  function textBox(element) {
    const range = document.createRange()
    range.selectNodeContents(element)
    return range.getBoundingClientRect()
  }

  function overlap(a, b) {
    const isEmpty = a.width === 0 || b.width === 0
    const isApart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top
    return !isEmpty && !isApart
  }

  function nameOf(element) {
    return `<${element.localName}> "${(element.textContent || element.id).trim().slice(0, 40)}"`
  }
}

/**
 * Returns the focus outline of an element, such as "solid 3px".
 *
 * @returns {string}
 */
export function outlineOf(element) {
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  return `${outlineStyle} ${outlineWidth}`
}
