/** The commands that run before those in the terminal picture of the README, each with its time. */
export const pictureSetup: readonly (readonly [time: string, line: string])[] = [
  ['2024-04-29T09:00:00', 'add Acme/Website/Design --from 9:00 --to 11:30 --notes "Page layout"'],
  [
    '2024-04-29T09:00:00',
    'add Acme/Website/Review --from 12:30 --to 14:00 --notes "Contrast and focus order"',
  ],
  ['2024-04-29T09:00:00', 'add Internal/Planning --create --from 14:00 --to 16:15 --notes "Quarter goals"'],
  ['2024-04-30T09:00:00', 'add Acme/App/Design --create --from 9:15 --to 12:15 --notes "Icons"'],
  ['2024-04-30T09:00:00', 'add Acme/Website/Design --from 13:00 --to 16:45 --notes "Navigation"'],
]

/** The commands in the picture, each with its time. */
export const pictureScene: typeof pictureSetup = [
  ['2024-05-01T09:30:00', 'start Website/Design --at 9:20 --notes "Landing page"'],
  ['2024-05-01T10:54:00', 'status'],
  ['2024-05-01T10:54:00', 'log week'],
  ['2024-05-01T10:54:00', 'report week --chart'],
]

/** Width of the terminal in characters. */
export const pictureColumns = 88

/** Environment in which the commands print the same colours on every machine. */
export const pictureEnvironment = {
  TERM: 'xterm-256color',
  FORCE_COLOR: '3',
  FORCE_HYPERLINK: '0',
  LC_ALL: 'C.UTF-8',
}

interface Style {
  bold?: boolean
  dim?: boolean
  colour?: string | undefined
  background?: string | undefined
}

/** Characters of one style. */
interface Run {
  text: string
  column: number
  style: Style
}

const lineHeight = 18
const margin = 18
const charWidth = 8
/** Block elements; the index is the number of eighths of a character cell that they fill. */
const eighths = ' ▏▎▍▌▋▊▉█'
const onlyBlocks = /^[▏▎▍▌▋▊▉█]+$/
const esc = '\u001b'
/** Matches an SGR sequence, or text up to the next one. */
const segments = new RegExp(`${esc}\\[([\\d;]*)m|([^${esc}]+)`, 'g')
const colours = ['#6e7681', '#d1242f', '#1a7f37', '#9a6700', '#0969da', '#8250df', '#1b7c83', '#57606a']

/**
 * Returns an SVG picture of command lines with their output, which may contain SGR sequences (ECMA-48 section 8.3.117).
 * Each run of characters has its own position and length, so that columns align in any monospace font.
 */
export function terminalPicture(commands: readonly { line: string; output: string }[]): string {
  const lines = commands.flatMap(({ line, output }, index) => [
    ...(index > 0 ? [''] : []),
    `${esc}[1m$ tt ${line}${esc}[22m`,
    ...output.trimEnd().split('\n'),
  ])
  const width = Math.round(pictureColumns * charWidth + 2 * margin)
  const height = lines.length * lineHeight + 2 * margin
  const rows = lines.map((line, index) => {
    const y = margin + (index + 1) * lineHeight - 5
    return runsOf(line)
      .map((run) => renderRun(run, y))
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

function renderRun({ text, column, style }: Run, y: number): string {
  const x = (margin + column * charWidth).toFixed(1)
  // Block elements are drawn as rectangles, because fonts differ in their height and leave gaps.
  if (onlyBlocks.test(text)) return renderBlocks(text, x, y, style)
  const length = (text.length * charWidth).toFixed(1)
  return `<text x="${x}" y="${y}" textLength="${length}"${styleAttributes(style)}>${escapeXml(text)}</text>`
}

function renderBlocks(text: string, x: string, y: number, { colour = '#1f2328', background }: Style): string {
  const rect = (width: number, fill: string) =>
    `<rect x="${x}" y="${y - 12}" width="${width.toFixed(1)}" height="15" fill="${fill}"/>`
  const under = background ? rect(text.length * charWidth, background) : ''
  return under + rect((text.length - 1 + eighths.indexOf(text.slice(-1)) / 8) * charWidth, colour)
}

function styleAttributes({ bold, dim, colour }: Style): string {
  return [
    bold ? ' font-weight="600"' : '',
    dim && !colour ? ' fill="#656d76"' : '',
    colour ? ` fill="${colour}"` : '',
  ].join('')
}

/** Splits a line into runs of one style, without leading and trailing spaces. Block elements form separate runs. */
function runsOf(line: string): Run[] {
  const runs: Run[] = []
  let style: Style = {}
  let column = 0
  for (const [, codes, text = ''] of line.matchAll(segments)) {
    if (codes !== undefined) {
      style = applyCodes(style, codes)
      continue
    }
    // A run ends before two spaces, because SVG would collapse them.
    for (const match of text.matchAll(/█+|[▏▎▍▌▋▊▉]|[^\s▏▎▍▌▋▊▉█]+(?: [^\s▏▎▍▌▋▊▉█]+)*/g))
      runs.push({ text: match[0], column: column + match.index, style })
    column += text.length
  }
  return runs
}

function applyCodes(style: Style, codes: string): Style {
  let next = { ...style }
  const values = codes.split(';').map(Number)
  for (let index = 0; index < values.length; index++) {
    const code = values[index] ?? 0
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

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
