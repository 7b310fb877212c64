import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type Format, renderList, renderRecord } from '../../../../src/ui/formats/render.js'
import { plainStyle } from '../../../../src/ui/view.js'
import {
  joinChunks,
  type Note,
  noteView,
  specialNotes,
  specialTexts,
  stringsView,
  taggedStyle,
  unescapeField,
} from '../special-texts.js'

const options = { style: plainStyle, width: 80 }
const list = (format: Format, rows: readonly Note[]) =>
  joinChunks(renderList(noteView, rows, format, options))
const note = (notes: string | null): Note => ({ id: 7, day: '2024-05-06', notes })
const record = (format: Parameters<typeof renderRecord>[2], row: Note) =>
  renderRecord(noteView, row, format, options)

const anyRows = fc
  .uniqueArray(fc.stringMatching(/^[a-z_]{1,8}$/), { minLength: 1, maxLength: 5 })
  .chain((keys) =>
    fc.tuple(fc.constant(keys), fc.array(fc.tuple(...keys.map(() => anyText)), { maxLength: 8 })),
  )
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...Object.values(specialTexts)),
)

function asRecords(keys: string[], values: string[][]) {
  return values.map((row) => Object.fromEntries(keys.map((key, index) => [key, row[index] ?? ''])))
}

async function rendered(format: Format, keys: string[], values: string[][]): Promise<string> {
  return joinChunks(renderList(stringsView(keys), asRecords(keys, values), format, options))
}

/** Parses CSV by RFC 4180, independently of the writer. */
const readCsv = (text: string) => parse(text, { recordDelimiter: '\r\n' })

/** Returns the value that an independent parser reads from CSV. */
async function readBack(value: string): Promise<string | undefined> {
  return readCsv(await rendered('csv', ['id', 'value'], [['1', value]]))[1]?.[1]
}

test.each<[Format, string]>([
  ['json', '[]\n'],
  ['ndjson', ''],
  ['csv', 'id,day,notes\r\n'],
  ['tsv', ''],
  ['markdown', '| ID | Day | Notes |\n| --: | --- | --- |\n'],
  ['table', ''],
])('an empty list as %s is %j', async (format, text) => {
  expect(await list(format, [])).toBe(text)
})

describe('JSON', () => {
  it('is an indented array with unchanged values', async () => {
    const text = await list('json', specialNotes)
    const plainly = `${JSON.stringify(specialNotes.map(noteView.json), null, 2)}\n`
    expect(text).toBe(plainly.replace('\u009b', '\\u009b').replace('\u202e', '\\u202e'))
    expect(JSON.parse(text)).toEqual(specialNotes.map(noteView.json))
  })

  it('is an object for one record', () => {
    expect(record('json', note(null))).toBe(
      '{\n  "id": 7,\n  "day": "2024-05-06",\n  "notes": null,\n  "chars": null\n}\n',
    )
  })
})

describe('CSV', () => {
  test.each([
    ['quotes', '"the ""final"" version, \'really\'"'],
    ['commas', '"a, b,c"'],
    ['newlines', '"first\nsecond\r\nthird\rfourth"'],
    ['a formula', '"\'=HYPERLINK(""http://x"",""y"")"'],
    ['a negative number', '-12.50'],
    ['blank edges', '  padded  '],
    ['nothing', ''],
  ])('writes %s as %j', (name, field) => {
    expect(record('csv', note(specialTexts[name] ?? null))).toBe(`id,day,notes\r\n7,2024-05-06,${field}\r\n`)
  })

  test.each([-5, '2024-05-06T09:30:00+02:00', '12', '+3'])('writes %j unchanged', (value) => {
    const view = { ...noteView, json: () => ({ id: value, day: null, notes: { a: [1] } }) }
    const text = renderRecord(view, note(null), 'csv', options)
    expect(readCsv(text)[1]).toEqual([String(value), '', '{"a":[1]}'])
  })

  it('preserves every value, except for the apostrophe before a formula', async () => {
    const formula = (value: string) =>
      /^'*([\t\r\n]|\s*[=+\-@＝＋－＠])/.test(value) && !/^[+-]?\d+(\.\d+)?$/.test(value)
    await fc.assert(
      fc.asyncProperty(anyRows, async ([keys, values]) => {
        const expected = values.map((row) => row.map((value) => (formula(value) ? `'${value}` : value)))
        expect(readCsv(await rendered('csv', keys, values))).toEqual([keys, ...expected])
      }),
    )
  })

  test.each([
    '=1+1',
    '+1+1',
    '-1+1',
    '@SUM(A1)',
    '\r=1+1',
    '\n=1+1',
    '\ttext',
    ' =1+1',
    '\u00a0=1+1',
    '\ufeff=1+1',
    '＝1+1',
    '＋1',
    '－1+1',
    '＠SUM(A1)',
    '-',
    '+49 30 123',
    '-2024-05-01',
    '+1e5',
    '-0x10',
    "'=1",
    "''\ttext",
  ])('has %j as text', async (value) => {
    expect(await readBack(value)).toBe(`'${value}`)
  })

  test.each(['-12.50', '+3', '12', 'a=1', "'a", '"=1+1"', 'first\n=1+1', 'a,=1+1', 'a@b', '1-2'])(
    'has %j, which is not a formula, unchanged',
    async (value) => {
      expect(await readBack(value)).toBe(value)
    },
  )
})

describe('TSV', () => {
  it('has no header', () => {
    expect(record('tsv', note(null))).toBe('7\t2024-05-06\t\n')
  })

  it('contains machine-readable values without colour', () => {
    const view = { ...noteView, columns: [{ key: 'notes', title: 'Notes', text: () => 'for people' }] }
    expect(renderRecord(view, note('a'), 'tsv', { style: taggedStyle, width: 5 })).toBe('a\n')
    const typed = { ...noteView, json: () => ({ id: true, day: { a: 1 }, notes: 1.5 }) }
    expect(renderRecord(typed, note('a'), 'tsv', options)).toBe('true\t{"a":1}\t1.5\n')
  })

  it('preserves every value in escaped form', async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, async ([keys, values]) => {
        const lines = (await rendered('tsv', keys, values)).split('\n')
        expect(lines.pop()).toBe('')
        expect(lines.map((line) => line.split('\t').map(unescapeField))).toEqual(values)
      }),
    )
  })
})

describe('Markdown', () => {
  test.each([
    ['pipes', 'a\\|b \\`code\\` \\<b>bold\\</b>'],
    ['newlines', 'first<br>second<br>third<br>fourth'],
    ['backslashes', 'C:\\\\new\\\\table'],
    ['an escape sequence', '\\x1b\\[2J\\x1b\\]0;owned\\x07 \\x9b31m'],
  ])('escapes %s', (name, cell) => {
    expect(record('markdown', note(specialTexts[name] ?? null))).toContain(`\n| 7 | 2024-05-06 | ${cell} |\n`)
  })

  test.each([
    ['_emphasis_ and __bold__', '\\_emphasis\\_ and \\_\\_bold\\_\\_'],
    ['~~struck~~', '\\~\\~struck\\~\\~'],
    ['AT&amp;T &copy; &#35;', 'AT\\&amp;T \\&copy; \\&#35;'],
    ['  indented', '&nbsp;&nbsp;indented'],
  ])('escapes the text %j', (text, cell) => {
    expect(record('markdown', note(text))).toContain(`\n| 7 | 2024-05-06 | ${cell} |\n`)
  })

  it('contains the display text without colour', () => {
    const view = {
      ...noteView,
      columns: [
        {
          key: 'notes',
          title: 'Notes',
          text: (row: Note, style: typeof plainStyle) => style.bold(row.notes ?? '-'),
        },
      ],
    }
    expect(renderRecord(view, note(null), 'markdown', { style: taggedStyle, width: 80 })).toBe(
      '| Notes |\n| --- |\n| - |\n',
    )
  })
})

describe('a long list', () => {
  const rows = Array.from({ length: 100_000 }, (_, index) => ({
    id: index,
    day: '2024-05-06',
    notes: `Note ${index}`,
  }))

  test.each(['json', 'ndjson', 'csv', 'tsv', 'markdown'] as const)(
    'as %s is written in few chunks of whole lines',
    { tags: 'slow' },
    async (format) => {
      let chunks = 0
      let lines = 0
      for await (const chunk of renderList(noteView, rows, format, options)) {
        chunks++
        lines += chunk.split('\n').length - 1
        expect(chunk.endsWith('\n')).toBe(true)
      }
      expect(chunks).toBeLessThan(300)
      expect(lines).toBeGreaterThanOrEqual(rows.length)
    },
  )
})
