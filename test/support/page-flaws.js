// @ts-nocheck: this runs in the page; including the DOM types would add them to all of src.

/**
 * Returns the accessibility and layout flaws of the open page, one per line. The browser receives its source, so it
 * uses nothing from outside.
 *
 * @returns {string[]}
 */
export function findPageFlaws() {
  const flaws = []
  const elements = [...document.body.querySelectorAll('*')].filter((element) => element.checkVisibility())

  for (const element of elements) {
    if (!hasText(element)) continue
    const contrast = contrastOf(getComputedStyle(element).color, backgroundOf(element))
    if (!(contrast >= 4.5)) flaws.push(`${nameOf(element)} has a contrast of ${contrast.toFixed(2)}`)
  }
  for (const field of document.querySelectorAll('input:not([type=hidden])')) {
    if (![...field.labels].some((label) => label.checkVisibility() && label.textContent.trim()))
      flaws.push(`${nameOf(field)} has no label`)
    // WCAG 2.2, 1.4.11: the edge of a field is visible.
    const edge = contrastOf(getComputedStyle(field).borderTopColor, backgroundOf(field.parentElement))
    if (!(edge >= 3)) flaws.push(`the edge of ${nameOf(field)} has a contrast of ${edge.toFixed(2)}`)
  }
  for (const control of document.querySelectorAll('input:not([type=hidden]), button')) {
    // WCAG 2.2, 2.5.8: minimum target size.
    const { width, height } = control.getBoundingClientRect()
    if (width < 24 || height < 24) flaws.push(`${nameOf(control)} is ${width} × ${height} px`)
  }
  if (document.documentElement.lang === '') flaws.push('the page has no language')
  if (document.title === '') flaws.push('the page has no title')
  if (document.querySelectorAll('h1').length !== 1) flaws.push('the page does not have exactly one h1')
  if (!document.querySelector('main')) flaws.push('the page has no main element')
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

  function hasText(element) {
    if (element instanceof HTMLInputElement) return element.value !== ''
    return [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '')
  }

  /** Blends the backgrounds behind an element, from the page upwards. */
  function backgroundOf(element) {
    const layers = []
    for (let ancestor = element; ancestor; ancestor = ancestor.parentElement)
      layers.unshift(channels(getComputedStyle(ancestor).backgroundColor))
    const canvas = matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18, 1] : [255, 255, 255, 1]
    return layers.reduce(over, canvas)
  }

  function over([red, green, blue], [r, g, b, alpha]) {
    const mixed = (below, above) => above * alpha + below * (1 - alpha)
    return [mixed(red, r), mixed(green, g), mixed(blue, b), 1]
  }

  /** Returns the contrast ratio as WCAG 2.2 defines it. */
  function contrastOf(colour, background) {
    const [light, dark] = [luminance(over(background, channels(colour))), luminance(background)].sort(
      (a, b) => b - a,
    )
    return (light + 0.05) / (dark + 0.05)
  }

  function luminance(colour) {
    const [red, green, blue] = colour.map((channel) => {
      const share = channel / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }

  function channels(colour) {
    const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g).map(Number)
    return [red, green, blue, alpha]
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
