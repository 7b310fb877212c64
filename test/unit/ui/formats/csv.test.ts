import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { renderList } from '../../../../src/ui/formats/render.js'
import { plainStyle } from '../../../../src/ui/view.js'
import { joinChunks, noteView, specialNotes, specialTexts, stringsView } from '../special-texts.js'

const options = { style: plainStyle, width: undefined }

async function written(values: string[]): Promise<string> {
  return joinChunks(
    renderList(
      stringsView(['id', 'value']),
      values.map((value, index) => ({ id: `n${index}`, value })),
      'csv',
      options,
    ),
  )
}

/** Reads the values with an independent parser of RFC 4180. */
function readBack(text: string): string[] {
  const records: { id: string; value: string }[] = parse(text, { columns: true, recordDelimiter: '\r\n' })
  return records.map(({ value }) => value)
}

describe('CSV read by another program', () => {
  it('has every special value unchanged, except for the apostrophe before a formula', async () => {
    const text = await joinChunks(renderList(noteView, specialNotes, 'csv', options))
    const records: Record<string, string>[] = parse(text, { columns: true, recordDelimiter: '\r\n' })
    const formulas = new Set(['a formula', 'a formula with at', 'a formula with minus', 'a leading tab'])
    expect(records).toEqual(
      Object.entries(specialTexts).map(([name, notes], index) => ({
        id: String(index + 1),
        day: '2024-05-06',
        notes: formulas.has(name) ? `'${notes}` : notes,
      })),
    )
  })

  it('has any value unchanged, or with an apostrophe before it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), async (values) => {
        const read = readBack(await written(values))
        expect(read.map((value, index) => (value === `'${values[index]}` ? values[index] : value))).toEqual(
          values,
        )
      }),
    )
  })

  test.each([
    '=1+1',
    '+1+1',
    '-1+1',
    '@SUM(A1)',
    '\t=1+1',
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
    '=cmd|"/c calc"!A0',
    '+49 30 123',
    '-',
    '--',
    '+1e5',
    '-0x10',
    '-2024-05-01',
    "'=1",
    "''\ttext",
  ])('has %j as text', async (value) => {
    expect(readBack(await written([value]))).toEqual([`'${value}`])
  })

  test.each(['-12.50', '+3', '12', 'a=1', "'a", '"=1+1"', 'first\n=1+1', 'a,=1+1', 'a@b', '1-2'])(
    'has %j, which is not a formula, unchanged',
    async (value) => {
      expect(readBack(await written([value]))).toEqual([value])
    },
  )
})
