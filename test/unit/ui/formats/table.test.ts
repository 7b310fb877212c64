import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { createStyle } from '../../../../src/ui/colour.js'
import { renderList, renderRecord } from '../../../../src/ui/formats/render.js'
import { displayWidth } from '../../../../src/ui/text.js'
import { plainStyle, type View } from '../../../../src/ui/view.js'
import {
  joinChunks,
  type Note,
  noteView,
  specialNotes,
  specialTexts,
  stringsView,
  taggedStyle,
} from '../special-texts.js'

interface Worked {
  id: number
  day: string
  minutes: number
  project: string
  notes: string
}

const workedView: View<Worked> = {
  columns: [
    { key: 'id', title: 'ID', align: 'right' },
    { key: 'minutes', title: 'Duration', align: 'right', text: (row) => `${row.minutes}m` },
    { key: 'project', title: 'Project', canShrink: true },
    { key: 'notes', title: 'Notes', canShrink: true },
  ],
  json: (row) => ({ ...row }),
  group: (row, style) => style.bold(row.day),
  footer: (rows) => `${rows.length} entries, ${rows.reduce((sum, row) => sum + row.minutes, 0)}m`,
  empty: 'No entries.',
}

const worked: Worked[] = [
  {
    id: 8,
    day: 'Mon 2024-05-06',
    minutes: 90,
    project: 'Acme / Website relaunch',
    notes: 'Kick-off with the whole team',
  },
  {
    id: 9,
    day: 'Mon 2024-05-06',
    minutes: 5,
    project: '株式会社アクメ / 設計',
    notes: 'レビュー 🍵 first\nsecond',
  },
  { id: 10, day: 'Tue 2024-05-07', minutes: 240, project: 'שָׁלוֹם', notes: '' },
  {
    id: 11,
    day: 'Tue 2024-05-07',
    minutes: 15,
    project: 'Café',
    notes:
      'A note that goes on about many things, one after the other, and does not end before it has named them all',
  },
]

const render = <Row>(view: View<Row>, rows: readonly Row[], width?: number, style = plainStyle) =>
  joinChunks(renderList(view, rows, 'table', { style, width }))
const table = (width: number | undefined, rows = worked) => render(workedView, rows, width)

describe('a table', () => {
  it('fits 60 columns', async () => {
    expect(await table(60)).toMatchInlineSnapshot(`
      "ID  Duration  Project                 Notes
      Mon 2024-05-06
       8       90m  Acme / Website relaun…  Kick-off with the who…
       9        5m  株式会社アクメ / 設計   レビュー 🍵 first↵sec…

      Tue 2024-05-07
      10      240m  שָׁלוֹם
      11       15m  Café                    A note that goes on a…

      4 entries, 350m
      "
    `)
  })

  it('wraps a column that may not be shortened', async () => {
    const columns = workedView.columns.map((column) =>
      column.key === 'notes' ? { key: 'notes', title: 'Notes', canWrap: true } : column,
    )
    expect(await render({ ...workedView, columns }, worked.slice(2), 60)).toMatchInlineSnapshot(`
      "ID  Duration  Project  Notes
      Tue 2024-05-07
      10      240m  שָׁלוֹם
      11       15m  Café     A note that goes on about many
                             things, one after the other, and does
                             not end before it has named them all

      2 entries, 255m
      "
    `)
  })

  it('preserves the order of columns with right-to-left text', async () => {
    // Without isolation, a terminal shows two such cells as one run, the second one first.
    const rows = [{ id: 1, day: 'x', minutes: 5, project: 'שלום', notes: 'سلام 1' }]
    const [, , line = ''] = (await table(60, rows)).split('\n')
    expect(line).toBe(' 1        5m  שלום\u200e     سلام 1')
    expect(displayWidth(line)).toBe(' 1        5m  Project  Notes '.length)
  })

  it('hides a column without values before it shortens another one', async () => {
    const notes = 'Kick-off with the whole team'
    const rows = [{ id: 1, day: 'x', minutes: 5, project: '', notes }]
    expect(await table(47, rows)).toContain(`ID  Duration  Notes\nx\n 1        5m  ${notes}\n`)
    expect(await table(60, rows)).toContain('ID  Duration  Project  Notes\n')
  })

  it('shows the total of a group behind its heading', async () => {
    const view = {
      ...workedView,
      groupTotals: (rows: readonly Worked[]) =>
        rows.map(({ day }) => `${rows.reduce((sum, row) => sum + (row.day === day ? row.minutes : 0), 0)}m`),
    }
    const text = await render(view, worked, 80)
    expect(text.split('\n').filter((line) => line.includes('2024'))).toEqual([
      'Mon 2024-05-06  95m',
      'Tue 2024-05-07  255m',
    ])
  })

  it('shortens nothing without a width', async () => {
    expect(await table(undefined)).toContain('before it has named them all\n')
  })

  it('does not shorten fixed columns, even in a narrow terminal', async () => {
    const lines = (await table(12)).split('\n')
    expect(lines[0]).toBe('ID  Duration  …  …')
    expect(lines[2]).toBe(' 8       90m  …  …')
  })

  it('preserves every row and their order over many pages', async () => {
    const rows = Array.from({ length: 1_001 }, (_, index) => ({ id: index, day: 'x', notes: `n${index}` }))
    const lines = (await render(noteView, rows, 80)).trimEnd().split('\n')
    expect(lines.slice(1).map((line) => line.trim().split(/ +/))).toEqual(
      rows.map((row) => [`${row.id}`, 'x', row.notes]),
    )
  })

  it('preserves a row without text', async () => {
    expect(await render(stringsView(['a']), [{ a: '' }, { a: 'x' }], 80)).toBe('a\n\nx\n')
  })

  it('aligns the column next to every special value', async () => {
    const view: View<Note> = { ...noteView, columns: [...noteView.columns].reverse() }
    const lines = (await render(view, specialNotes, 40)).trimEnd().split('\n')
    expect(
      lines.slice(1).map((line) => displayWidth(line.replace(/\d\d?$/, '')) + (/\d\d$/.test(line) ? 2 : 1)),
    ).toEqual(specialNotes.map(() => displayWidth(lines[0] ?? '')))
  })

  test.each(Object.entries(specialTexts))('escapes %s', async (_, notes) => {
    const style = await createStyle({ env: { FORCE_COLOR: '1' }, isTTY: true })
    const view: View<Note> = {
      ...noteView,
      group: (row) => row.notes ?? '',
      footer: ([row]) => row?.notes ?? '',
    }
    const text = await render(view, [{ id: 1, day: 'd', notes }], 80, style)
    const heading = '\u001b[1mID  Day  Notes'
    expect(text.startsWith(heading)).toBe(true)
    expect(text.slice(text.indexOf('\n') + 1)).not.toMatch(/[^\P{Cc}\n]/u)
    expect(text.split('\n')).toHaveLength(6)
  })

  it('preserves the colours of cells, also of shortened ones', async () => {
    const style = await createStyle({ env: { FORCE_COLOR: '1' }, isTTY: true })
    const view: View<Note> = {
      ...noteView,
      columns: [
        { key: 'notes', title: 'Notes', canShrink: true, text: (row) => style.green(row.notes ?? '') },
        { key: 'id', title: 'ID' },
      ],
    }
    const rows = [{ id: 1, day: 'd', notes: 'running for ever' }]
    const text = await render(view, rows, 12, style)
    expect(text).toBe('\u001b[1mNotes     ID\u001b[22m\n\u001b[32mrunning…\u001b[39m  1\n')
  })

  it('never exceeds the terminal width when columns can shrink', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 80 }),
      fc.constantFrom(...Object.values(specialTexts)),
    )
    const row = fc.record({ a: text, b: text, c: text })
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 4 }),
        fc.integer({ min: 40, max: 120 }),
        async (rows, width) => {
          const view = {
            ...stringsView(['a', 'b', 'c'], { canShrink: true }),
            group: (of: Record<string, string>) => of.a ?? '',
          }
          for (const line of (await render(view, rows, width)).split('\n')) {
            expect(displayWidth(line)).toBeLessThanOrEqual(width)
            expect(line).toBe(line.trimEnd())
          }
        },
      ),
    )
  })
})

describe('one record in a terminal', () => {
  const note: Note = { id: 7, day: '2024-05-06', notes: 'a\n\u001b[2J' }
  const options = { style: taggedStyle, width: 80 }

  it('is a list of titles and values', () => {
    expect(renderRecord(noteView, note, 'table', options)).toBe(
      '<dim>ID</dim>     7\n<dim>Day</dim>    2024-05-06\n<dim>Notes</dim>  a↵\\x1b[2J\n',
    )
  })

  it('is a sentence when the view has one', () => {
    const view: View<Note> = {
      ...noteView,
      line: (row, style) => `${style.bold(String(row.id))}: ${row.notes}`,
    }
    expect(renderRecord(view, note, 'table', options)).toBe('<b>7</b>: a↵\\x1b[2J\n')
  })

  it('is a list with --fields', () => {
    const view: View<Note> = { ...noteView, line: () => 'sentence' }
    expect(renderRecord(view, note, 'table', { ...options, fields: ['id'] })).toBe('<dim>ID</dim>  7\n')
  })

  it('narrows other columns before it breaks a word of a wrapped one', async () => {
    const view = {
      empty: '',
      columns: [
        { key: 'a', title: 'Name', canShrink: true },
        { key: 'b', title: 'Text', canWrap: true },
      ],
      json: (row: readonly string[]) => ({ a: row[0], b: row[1] }),
    }
    const row = ['a name of some length', 'reconsideration of it']
    expect(await render(view, [row], 32)).toBe(
      'Name             Text\na name of some…  reconsideration\n                 of it\n',
    )
  })
})
