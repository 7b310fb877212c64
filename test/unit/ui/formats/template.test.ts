import { describe, expect, it, test } from 'vitest'
import { renderList } from '../../../../src/ui/formats/render.js'
import { plainStyle, type View } from '../../../../src/ui/view.js'
import { joinChunks, type Note, noteView, specialNotes, unescapeField } from '../special-texts.js'

const view: View<Note> = {
  ...noteView,
  templateFields: [
    { key: 'shout', text: ({ notes }) => notes?.toUpperCase() ?? 'nothing' },
    { key: 'chars', text: ({ notes }) => `${notes?.length} letters` },
  ],
}
const note: Note = { id: 7, day: '2024-05-06', notes: 'tea' }

const render = (template: string, rows: readonly Note[] = [note], viewOfRows = view) =>
  joinChunks(renderList(viewOfRows, rows, 'template', { style: plainStyle, width: undefined, template }))

describe('a template', () => {
  test.each([
    ['{day}: {notes}', '2024-05-06: tea'],
    ['{ notes }', 'tea'],
    ['{shout}', 'TEA'],
    ['{chars}', '3 letters'],
    ['no field', 'no field'],
    ['{{{id}}}', '{7}'],
    ['{{id}}', '{id}'],
    ['a\\tb\\\\n', 'a\tb\\n'],
    ['{id}\\n{day}', '7\n2024-05-06'],
    ['{id}{id}', '77'],
    ['🍵{id}', '🍵7'],
  ])('formats %j as %j', async (template, line) => {
    expect(await render(template)).toBe(`${line}\n`)
  })

  it('formats null as an empty text, and a list as compact JSON', async () => {
    const typed = { ...noteView, json: () => ({ id: null, day: [1, { a: 'b' }], notes: true }) }
    expect(await render('<{id}> {day} {notes}', [note], typed)).toBe('<> [1,{"a":"b"}] true\n')
  })

  it('accepts a field that only some rows have', async () => {
    const typed: View<Note> = { ...noteView, json: (row) => (row.id === 7 ? { extra: 1 } : {}) }
    expect(await render('({extra})', [{ ...note, id: 1 }, note], typed)).toBe('()\n(1)\n')
  })

  test.each([
    ['{id', '"{" is not closed'],
    ['{id}}', '"}" has no opening brace'],
    ['{{id}', '"}" has no opening brace'],
    ['{a{b}', '"{" is not closed'],
    ['\\q', '"\\q" is not an escape sequence'],
    ['end\\', '"\\" is not an escape sequence'],
    ['', 'it is empty'],
  ])('is rejected: %j, because %s', async (template, reason) => {
    await expect(render(template)).rejects.toMatchObject({
      ...{ name: 'TtError', code: 'usage' },
      message: `--template is invalid: ${reason}.`,
      hint: expect.stringContaining('{label}'),
    })
  })

  test.each([
    ['{nonesuch} {id} {Id}', '"nonesuch", "Id"'],
    ['{}', '""'],
    ['{constructor}', '"constructor"'],
  ])('is rejected with unknown fields: %j', async (template, named) => {
    await expect(render(template)).rejects.toMatchObject({
      code: 'usage',
      message: `--template: unknown field ${named}.`,
      hint: 'Available: id, day, notes, shout, chars.',
    })
  })

  it('prints one line per row and preserves every value', async () => {
    const lines = (await render('{id}\\t{notes}', specialNotes)).split('\n')
    expect(lines.pop()).toBe('')
    const read = lines.map((line) => line.split('\t').map(unescapeField))
    expect(read).toEqual(specialNotes.map(({ id, notes }) => [String(id), notes]))
  })
})
