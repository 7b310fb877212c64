import { expect, test } from 'vitest'
import { escapeControls } from '../../../../src/lib/text/control-characters.js'
import { html } from '../../../../src/lib/text/html.js'
import { quoteWord } from '../../../../src/lib/text/shell-quoting.js'
import { jsonText } from '../../../../src/ui/formats/json.js'

/** "ab" with the invisible words "rm" and a cancel tag in between. */
const hidden = 'a\u{e0072}\u{e006d}\u{e007f}b'

test('tag characters, which spell invisible text, are visible in every output', () => {
  const shown = 'a\\u{e0072}\\u{e006d}\\u{e007f}b'
  expect(escapeControls(hidden)).toBe(shown)
  expect(html`${hidden}`.markup).toBe(shown)
  expect(jsonText(hidden)).toBe('"a\\udb40\\udc72\\udb40\\udc6d\\udb40\\udc7fb"')
  expect(quoteWord(hidden)).toMatch(/^[ -~]+$/)
})

test('other characters outside the Basic Multilingual Plane stay', () => {
  for (const text of ['😀', '\u{e0100}'])
    expect([escapeControls(text), jsonText(text)]).toEqual([text, `"${text}"`])
})
