import { describe, expect, it, test } from 'vitest'
import {
  type Format,
  formatFor,
  parseFields,
  renderList,
  renderRecord,
} from '../../../../src/ui/formats/render.js'
import { plainStyle } from '../../../../src/ui/view.js'
import { usageErrorOf } from '../../../support/usage-error.js'
import { joinChunks, type Note, noteView } from '../special-texts.js'

const notes: Note[] = [
  { id: 1, day: '2024-05-06', notes: 'Design' },
  { id: 2, day: '2024-05-07', notes: null },
]

const render = (format: Format, fields: string[], rows = notes, view = noteView) =>
  joinChunks(renderList(view, rows, format, { style: plainStyle, width: 80, fields }))

describe('the value of --fields', () => {
  it('is a list of keys separated by commas, with optional blanks', () => {
    expect(parseFields('id, notes ,day')).toEqual(['id', 'notes', 'day'])
  })

  test.each(['', ' ', 'id,', ',id', 'id,,notes'])('is rejected with an empty key: %j', (text) => {
    usageErrorOf(() => parseFields(text))
  })

  it('is rejected with a repeated key', () => {
    expect(usageErrorOf(() => parseFields('id,id')).message).toBe('--fields contains "id" twice.')
  })
})

describe('--fields', () => {
  const outputs: [Format, string][] = [
    ['ndjson', '{"chars":6,"id":1}\n{"chars":null,"id":2}\n'],
    ['csv', 'chars,id\r\n6,1\r\n,2\r\n'],
    ['tsv', '6\t1\n\t2\n'],
    ['markdown', '| chars | ID |\n| --- | --: |\n| 6 | 1 |\n|  | 2 |\n'],
    ['table', 'chars  ID\n6       1\n        2\n'],
    ['json', '[\n  {\n    "chars": 6,\n    "id": 1\n  },\n  {\n    "chars": null,\n    "id": 2\n  }\n]\n'],
  ]
  test.each(outputs)(
    'selects and orders keys in %s, including keys without a column',
    async (format, text) => {
      expect(await render(format, ['chars', 'id'])).toBe(text)
    },
  )

  it('rejects a key that no row has and lists the available keys', () => {
    const error = usageErrorOf(() =>
      renderList(noteView, notes, 'ndjson', { style: plainStyle, width: 80, fields: ['nots'] }),
    )
    expect(error).toMatchObject({
      message: '--fields: unknown field "nots".',
      hint: 'Available: id, day, notes, chars.',
    })
  })

  it('rejects a key that a single record lacks', () => {
    const [note] = notes
    const options = { style: plainStyle, width: 80, fields: ['nots'] }
    usageErrorOf(() => note && renderRecord(noteView, note, 'json', options))
  })

  it('accepts a key that only a later row has, and prints null for the others', async () => {
    const view = {
      ...noteView,
      json: (note: Note) => (note.id === 2 ? { id: 2, extra: true } : { id: note.id }),
    }
    expect(await render('ndjson', ['extra'], notes, view)).toBe('{"extra":null}\n{"extra":true}\n')
  })

  it('accepts any key without rows', async () => {
    expect(await render('json', ['whatever'], [])).toBe('[]\n')
  })
})

describe('the format', () => {
  it('is a table on a terminal and TSV elsewhere', () => {
    expect(formatFor({}, true)).toBe('table')
    expect(formatFor({}, false)).toBe('tsv')
  })

  test.each(['json', 'ndjson', 'csv', 'markdown'] as const)('is %s with that option', (flag) => {
    expect(formatFor({ [flag]: true }, true)).toBe(flag)
  })

  it('is template or ical with that option', () => {
    expect(formatFor({ template: '{id}' }, true)).toBe('template')
    expect(formatFor({ template: '' }, false)).toBe('template')
    expect(formatFor({ ical: true }, true)).toBe('ical')
  })

  test.each([
    [{ json: true, csv: true }, '--json and --csv'],
    [{ template: '{id}', csv: true }, '--csv and --template'],
    [{ template: '{id}', fields: 'id' }, '--template and --fields'],
    [{ ical: true, fields: 'id' }, '--ical and --fields'],
  ])('cannot combine %j', (options, names) => {
    expect(usageErrorOf(() => formatFor(options, true))).toMatchObject({
      message: `${names} cannot be used together.`,
      hint: 'Use one of them.',
    })
  })
})
