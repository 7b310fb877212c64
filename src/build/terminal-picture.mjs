// Draws terminal output with ANSI colours as an SVG picture.

const lineHeight = 18
const margin = 18
const charWidth = 8
/** Block elements by the eighths of a character cell that they fill. */
const eighths = ' ▏▎▍▌▋▊▉█'
const isBlocks = /^[▏▎▍▌▋▊▉█]+$/
const esc = '\u001b'
/** An SGR sequence, or text up to the next one. */
const segments = new RegExp(`${esc}\\[([\\d;]*)m|([^${esc}]+)`, 'g')
const colours = ['#6e7681', '#d1242f', '#1a7f37', '#9a6700', '#0969da', '#8250df', '#1b7c83', '#57606a']

/**
 * Returns an SVG picture of terminal lines. Each run of characters has its own x position and length, so that columns
 * align in any monospace font.
 *
 * @param {string[]} lines may contain SGR sequences (ECMA-48 section 8.3.117)
 * @param {number} columns width of the terminal in characters
 */
export function terminalPicture(lines, columns) {
  const width = Math.round(columns * charWidth + 2 * margin)
  const height = lines.length * lineHeight + 2 * margin
  const rows = lines.map((line, index) => {
    const y = margin + (index + 1) * lineHeight - 5
    return runsOf(line)
      .map((run) => element(run, y))
      .join('')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A terminal with commands of tt and their output">
<rect width="${width}" height="${height}" rx="8" fill="#f6f8fa" stroke="#d0d7de"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" fill="#1f2328" xml:space="preserve">
${rows.filter(Boolean).join('\n')}
</g>
</svg>
`
}

function element({ text, column, style }, y) {
  const x = (margin + column * charWidth).toFixed(1)
  // Block characters are drawn as rectangles: fonts differ in their height and leave gaps.
  if (isBlocks.test(text)) return blocks(text, x, y, style)
  const length = (text.length * charWidth).toFixed(1)
  return `<text x="${x}" y="${y}" textLength="${length}"${attributes(style)}>${escaped(text)}</text>`
}

function blocks(text, x, y, { colour = '#1f2328', background }) {
  const rect = (width, fill) =>
    `<rect x="${x}" y="${y - 12}" width="${width.toFixed(1)}" height="15" fill="${fill}"/>`
  const under = background ? rect(text.length * charWidth, background) : ''
  return under + rect((text.length - 1 + eighths.indexOf(text.at(-1)) / 8) * charWidth, colour)
}

function attributes({ bold, dim, colour }) {
  return [
    bold ? ' font-weight="600"' : '',
    dim && !colour ? ' fill="#656d76"' : '',
    colour ? ` fill="${colour}"` : '',
  ].join('')
}

/** Splits a line into runs of one style; without spaces at its ends; block characters are runs of their own. */
function runsOf(line) {
  const runs = []
  let style = {}
  let column = 0
  for (const [, codes, text] of line.matchAll(segments)) {
    if (codes !== undefined) {
      style = styleAfter(style, codes)
      continue
    }
    // A run ends where two spaces follow: SVG would join them.
    for (const match of text.matchAll(/█+|[▏▎▍▌▋▊▉]|[^\s▏▎▍▌▋▊▉█]+(?: [^\s▏▎▍▌▋▊▉█]+)*/g))
      runs.push({ text: match[0], column: column + match.index, style })
    column += text.length
  }
  return runs
}

function styleAfter(style, codes) {
  let next = { ...style }
  const values = codes.split(';').map(Number)
  for (let index = 0; index < values.length; index++) {
    const code = values[index]
    if (code === 0) next = {}
    else if (code === 1) next.bold = true
    else if (code === 2) next.dim = true
    else if (code === 22) next = { ...next, bold: false, dim: false }
    else if (code >= 30 && code <= 37) next.colour = colours[code - 30]
    else if (code >= 90 && code <= 97) next.colour = colours[code - 90]
    else if (code === 39) next.colour = undefined
    else if (code === 38 && values[index + 1] === 2) {
      next.colour = `rgb(${values.slice(index + 2, index + 5).join(',')})`
      index += 4
    } else if (code === 48 && values[index + 1] === 2) {
      next.background = `rgb(${values.slice(index + 2, index + 5).join(',')})`
      index += 4
    } else if (code === 49) next.background = undefined
  }
  return next
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
