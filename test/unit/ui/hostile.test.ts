import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { escapeHtml } from '../../../src/lib/text/html.js'
import { type Format, selectableFormats } from '../../../src/ui/formats/formats.js'
import { jsonText } from '../../../src/ui/formats/json.js'
import { renderList, usesStyle } from '../../../src/ui/formats/render.js'
import { reportPage } from '../../../src/ui/page/page.js'
import { createPrompts } from '../../../src/ui/prompts.js'
import { escapeForTerminal } from '../../../src/ui/text.js'
import { plainStyle, type View } from '../../../src/ui/view.js'
import { examplePage } from './page/example.js'
import { hostileTexts, joinChunks, noteView, tea, unsafeCharacter } from './special-texts.js'

const texts = Object.values(hostileTexts)
const formats: Format[] = ['table', 'tsv', ...selectableFormats]

const rows = texts.map((notes, id) => ({ id, day: '2024-05-06', notes }))
const view: View<(typeof rows)[number]> = {
  ...noteView,
  columns: [
    { key: 'id', title: 'ID' },
    { key: 'notes', title: `Notes ${hostileTexts['CSI 2 J (erase)']}`, canShrink: true },
  ],
  event: ({ notes }) => ({ ...tea, summary: notes, description: notes, categories: [notes] }),
}

const list = (format: Format, width: number | undefined) =>
  renderList(view, rows, format, { style: plainStyle, width, template: '{id} {notes}' })

describe.each(formats)('the format %s', (format) => {
  test('contains no control characters in a terminal', async () => {
    const shown = await joinChunks(escapeForTerminal(list(format, 80), { hasStyle: usesStyle(format) }))
    expect(shown.length).toBeGreaterThan(100)
    expect(shown).not.toMatch(unsafeCharacter)
  })
})

/** CSV is exact. RFC 5545 has no escapes for control characters, so iCalendar in a pipe contains only bidi controls. */
const exact: readonly Format[] = ['csv', 'ical']

test.each(formats.filter((format) => !exact.includes(format)))(
  'the format %s contains no control characters in a pipe',
  async (format) => {
    expect(await joinChunks(list(format, undefined))).not.toMatch(unsafeCharacter)
  },
)

test('JSON escapes C0, C1 and bidi controls reversibly', () => {
  const controls = [0x20, 0xa0].flatMap((end) => Array.from({ length: 32 }, (_, at) => end - 32 + at))
  const bidi = [
    0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
  ]
  const text = String.fromCharCode(...controls, 0x7f, ...bidi)
  const json = jsonText({ [text]: text })
  expect(json).toMatch(/^[ -~]*$/)
  expect(JSON.parse(json)).toEqual({ [text]: text })
})

test.each(Object.entries(hostileTexts))('a page escapes %s in its title and its text', async (_, text) => {
  expect(escapeHtml(text)).not.toMatch(unsafeCharacter)
  const model = { ...examplePage([], { since: '2024-05-01', until: '2024-05-31' }), title: text, who: [text] }
  const page = await joinChunks(reportPage(model))
  expect(page).toContain(`<title>${escapeHtml(text)}`)
  expect(page).not.toMatch(unsafeCharacter)
})

test.each(Object.entries(hostileTexts))('a prompt shows %s as a visible escape', async (_, text) => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  let shown = ''
  output.on('data', (piece) => {
    shown += piece
  })
  const prompts = createPrompts(input, output, plainStyle)
  const isShown = new Promise<void>((resolve) => output.on('data', () => shown.includes('?') && resolve()))
  const confirmation = prompts.confirm(`Delete ${text}?`)
  await isShown
  input.write('n\r')
  expect(await confirmation).toBe(false)
  expect(shown).not.toContain(text)
  expect(shown).toMatch(/Delete (a|safe)(\\x|\\u|↵)/)
})
