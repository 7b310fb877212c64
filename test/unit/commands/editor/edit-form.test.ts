import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createForm,
  splitForm,
  withErrors,
  withoutErrors,
} from '../../../../src/commands/editor/edit-form.js'
import { type Entry, toEntry } from '../../../../src/tracking/entries/entry.js'
import { inZone } from '../../lib/calendar/zone.js'

function entry(
  id: number | string,
  notes: string,
  start = '2024-05-08T07:00:00Z',
  end: string | null = '2024-05-08T08:30:00Z',
): Entry {
  const record = { id, time_start: start, time_end: end, notes, task_link_id: 1 }
  return toEntry({ record, pending: false }, undefined)
}

const values = (text: string) =>
  splitForm(text).blocks.map(({ id, fields }) => ({
    id,
    ...Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value])),
  }))

test('a form shows each entry with its fields', () => {
  const form = createForm([
    entry(12, 'first\n\n  second\n# third'),
    entry('~3', '', '2024-05-08T09:00:30Z', null),
  ])
  expect(
    form
      .split('\n')
      .filter((line) => !line.startsWith('# '))
      .join('\n'),
  ).toBe(`
entry 12
task: task 1
from: 2024-05-08 09:00
to: 2024-05-08 10:30
notes: first
  
    second
  # third

entry ~3
task: task 1
from: 2024-05-08 11:00:30
to: running
notes: 
`)
  expect(values(form)).toEqual([
    {
      id: '12',
      task: 'task 1',
      from: '2024-05-08 09:00',
      to: '2024-05-08 10:30',
      notes: 'first\n\n  second\n# third',
    },
    { id: '~3', task: 'task 1', from: '2024-05-08 11:00:30', to: 'running', notes: '' },
  ])
})

test('a form shows a task whose names contain line breaks on one line', () => {
  const link = { id: 1, label: 'Acme\n/ App\r\n / Design', wire: {} } as unknown as Entry['link']
  const form = createForm([{ ...entry(12, 'first'), link }])
  expect(splitForm(form).errors).toEqual([])
  expect(values(form)).toMatchObject([{ id: '12', task: 'Acme / App / Design', notes: 'first' }])
})

test('a form shows offsets of repeated wall times, and milliseconds', () => {
  inZone('Europe/Berlin', () => {
    const form = createForm([entry(1, '', '2024-10-27T01:30:00Z', '2024-10-27T03:00:00.250Z')])
    expect(form).toContain('from: 2024-10-27T02:30:00+01:00\nto: 2024-10-27T04:00:00.250+01:00\n')
  })
})

test.each(['\u2028', '\u2029', '\u0085'])('notes with the separator %j are read back', (separator) => {
  const form = createForm([entry(1, `first${separator}still first`)])
  expect(splitForm(form)).toMatchObject({
    errors: [],
    blocks: [{ fields: { notes: { value: `first${separator}still first` } } }],
  })
})

const line = fc.string({ unit: 'grapheme', maxLength: 12 })
const notes = fc.oneof(
  line,
  fc
    .array(fc.oneof(line, fc.constantFrom('', ' ', '\t', '# x', 'entry 1', 'to: running', '# error: x')))
    .map((lines) => lines.join('\n')),
)

describe('a form with any notes', () => {
  const tidy = (text: string) =>
    text
      .split(/\r\n|\r|\n/)
      .map((one) => one.trimEnd())
      .join('\n')
      .trim()

  test('is read back, also with other line endings and without trailing spaces', () => {
    fc.assert(
      fc.property(fc.array(notes, { minLength: 1, maxLength: 3 }), (texts) => {
        const form = createForm(texts.map((text, at) => entry(at + 1, text)))
        for (const text of [
          form,
          form.replaceAll('\n', '\r\n'),
          // Not with the flag m, for which U+2028 ends a line too.
          form
            .split('\n')
            .map((one) => one.replace(/[ \t]+$/, ''))
            .join('\n'),
          form.trimEnd(),
        ]) {
          const { blocks, errors } = splitForm(text)
          expect(errors).toEqual([])
          expect(blocks.map(({ fields }) => fields.notes?.value)).toEqual(texts.map(tidy))
        }
      }),
    )
  })

  test('is unchanged after error lines are added and removed', () => {
    fc.assert(
      fc.property(notes, fc.array(fc.nat(12)), (text, lines) => {
        const form = createForm([entry(1, text)])
        const flawed = withErrors(
          form,
          lines.map((at) => ({ line: at, message: 'No\nway.' })),
        )
        expect(flawed.split('\n').filter((one) => one === '# error: No way.')).toHaveLength(lines.length)
        expect(withoutErrors(flawed)).toBe(form)
      }),
    )
  })
})

test.each([
  ['task: x', 0, 'before the first "entry ID"'],
  ['entry 1\nform: 9:00', 1, 'Expected one of'],
  ['entry 1\nentry', 1, 'Expected one of'],
  ['entry 1\nfrom: 9:00\n  17:00', 2, 'Only notes can have further lines'],
  ['entry 1\nnotes: a\nb', 2, 'Indent further lines of notes'],
  ['entry 1\nto: 9:00\nTo: 10:00', 2, 'two "to:" lines'],
  ['entry 1\n\nentry 1', 2, 'Entry 1 occurs twice'],
])('rejects %j and names the line and the reason', (text, at, message) => {
  expect(splitForm(text).errors).toEqual([{ line: at, message: expect.stringContaining(message) }])
})

test('ignores missing lines and comments', () => {
  expect(values('# x\nentry 1\n# y\nnotes: a\n# z\n  b\n\n\n')).toEqual([{ id: '1', notes: 'a\nb' }])
})
