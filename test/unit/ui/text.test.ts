import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  displayWidth,
  escapeStyledText,
  escapeText,
  escapeTexts,
  shortenText,
  wrapMessage,
  wrapText,
} from '../../../src/ui/text.js'
import { specialTexts } from './special-texts.js'

const anyText = fc.string({ unit: 'binary' })

describe('text for a terminal', () => {
  test.each([
    ['an escape', '\u001b[2J', '\\x1b[2J'],
    ['a C1 control', '\u009b31m', '\\x9b31m'],
    ['a bell', '\u0007', '\\x07'],
    ['a direction override', '\u202eabc', '\\u202eabc'],
    ['invisible tag characters', 'a\u{e0041}\u{e007f}b', 'a\\u{e0041}\\u{e007f}b'],
    ['newlines of three systems', 'a\nb\r\nc\rd', 'a↵b↵c↵d'],
    ['a tab', 'a\tb', 'a b'],
  ])('shows %s visibly', (_, text, shown) => {
    expect(escapeText(text)).toBe(shown)
  })

  it('preserves letters of every script and emoji', () => {
    for (const name of [
      'emoji',
      'Chinese, Japanese, Korean',
      'right to left with points',
      'combining marks',
    ]) {
      expect(escapeText(specialTexts[name] ?? '')).toBe(specialTexts[name])
    }
  })

  it('never contains a control character', () => {
    fc.assert(
      fc.property(
        anyText,
        (text) => !/[\p{Cc}\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u.test(escapeText(text)),
      ),
    )
  })

  it('preserves the colours of a style and escapes all other sequences', () => {
    expect(escapeStyledText('\u001b[1mbold\u001b[22m \u001b[2J')).toBe('\u001b[1mbold\u001b[22m \\x1b[2J')
  })

  it('is escaped within nested records, and dates are unchanged', () => {
    const start = new Date(0)
    const row = { start, notes: '\u001bc', link: { name: 'a\nb', tags: ['\u0007'] }, count: 3, end: null }
    expect(escapeTexts(row)).toEqual({
      start,
      notes: '\\x1bc',
      link: { name: 'a↵b', tags: ['\\x07'] },
      count: 3,
      end: null,
    })
  })
})

describe('the width of text', () => {
  test.each([
    ['abc', 3],
    ['', 0],
    ['設計', 4],
    ['ﾊﾝｶｸ', 4],
    ['가', 2],
    ['🍵', 2],
    ['👩‍👩‍👧‍👦', 2],
    ['🇩🇪', 2],
    ['1️⃣', 2],
    ['cafe\u0301', 4],
    ['שָׁלוֹם', 4],
    ['a\u200bb', 2],
    ['\u001b[31mred\u001b[39m', 3],
    ['Größe “Ω” – Привет', 18],
    ['©️', 2],
  ])('of %j is %i', (text, width) => {
    expect(displayWidth(text)).toBe(width)
  })

  it('is the sum of the widths of its graphemes', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
    const unit = fc.oneof(fc.integer({ min: 0x20, max: 0x27ff }), fc.constantFrom(0x300, 0xfe0f, 0x1f3fd))
    const text = fc.array(unit).map((points) => escapeText(String.fromCodePoint(...points)))
    fc.assert(
      fc.property(text, (value) => {
        const parts = [...segmenter.segment(value)].map(({ segment }) => displayWidth(segment))
        expect(displayWidth(value)).toBe(parts.reduce((sum, width) => sum + width, 0))
      }),
    )
  })
})

describe('shortened text', () => {
  test.each([
    ['Design review', 13, 'Design review'],
    ['Design review', 12, 'Design revi…'],
    ['Design review', 1, '…'],
    ['設計レビュー', 6, '設計…'],
    ['設計レビュー', 5, '設計…'],
    ['cafe\u0301s and bars', 5, 'cafe\u0301…'],
    ['ab👩‍👩‍👧‍👦cd', 4, 'ab…'],
    ['ab👩‍👩‍👧‍👦cd', 5, 'ab👩‍👩‍👧‍👦…'],
    ['\u001b[32mrunning\u001b[39m', 4, '\u001b[32mrun…\u001b[39m'],
  ])('%j to %i cells is %j', (text, width, short) => {
    expect(shortenText(text, width)).toBe(short)
  })

  it('never exceeds its width', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 20 }), (text, width) => {
        expect(displayWidth(shortenText(escapeText(text), width))).toBeLessThanOrEqual(width)
      }),
    )
  })
})

describe('wrapped text', () => {
  test.each([
    ['after commas', '2026-12-24,2026-12-25', 12, ['2026-12-24,', '2026-12-25']],
    ['after spaces, which are dropped', 'No pending changes.', 10, ['No pending', 'changes.']],
    [
      'before a word that fits the next line',
      'set in /home/ada/x.json.',
      18,
      ['set in', '/home/ada/x.json.'],
    ],
    ['around a command', 'Run `tt log all` now.', 15, ['Run', '`tt log all`', 'now.']],
    ['after slashes', '/home/ada/config.json', 12, ['/home/ada/', 'config.json']],
    ['within a long word', 'abcdefgh', 3, ['abc', 'def', 'gh']],
    ['between wide characters', '株式会社', 5, ['株式', '会社']],
    ['never, if the text fits', 'a b', 3, ['a b']],
    ['after the space before a word as long as a line', ' abc', 3, ['abc']],
    ['after a space that alone fits before a wide character', ' 株株', 2, ['株', '株']],
  ])('breaks %s', (_, text, width, lines) => {
    expect(wrapText(text, width)).toEqual(lines)
  })

  it('never breaks a word of a message, and indents continued lines', () => {
    expect(wrapMessage('Run `tt log`.\n  and 12,345 entries: /home/ada/config.json', 16)).toBe(
      'Run `tt log`.\n  and 12,345\n  entries:\n  /home/ada/config.json',
    )
    expect(wrapMessage('a line off a terminal', undefined)).toBe('a line off a terminal')
  })

  it('contains every character, and each line fits', () => {
    const unstyled = anyText.map(escapeText)
    fc.assert(
      fc.property(unstyled, fc.integer({ min: 6, max: 40 }), (text, width) => {
        const lines = wrapText(text, width)
        const withoutSpace = (value: string) => value.replace(/\s/g, '')
        expect(withoutSpace(lines.join(''))).toBe(withoutSpace(text))
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width)
      }),
    )
  })
})
