import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ExternalIds } from '../../../../src/import-export/import/external-id.js'
import { type SourceEntry, sourceEntry } from '../../../../src/import-export/import/format.js'
import { notesWithTags } from '../../../../src/import-export/import/tag-notes.js'
import { tagsIn } from '../../../../src/lib/text/tags.js'
import { entries } from './read.js'

const [start, end] = [new Date('2024-05-01T07:30:00Z'), new Date('2024-05-01T08:30:00Z')]
const entry = (given: Partial<SourceEntry> = {}) => sourceEntry({ line: 1, start, end, ...given })

const idsOf = (list: readonly SourceEntry[]) => {
  const ids = new ExternalIds('toggl')
  return list.map((item) => ids.next(item))
}

describe('the external ID of an entry', () => {
  test('is that of the source', () => {
    expect(idsOf([entry({ sourceId: '4a5d' }), entry({ sourceId: '4a5d', notes: 'changed' })])).toEqual([
      'toggl/4a5d',
      'toggl/4a5d',
    ])
  })

  test('is a hash of an ID that is too long', () => {
    const [id, other] = idsOf([300, 301].map((length) => entry({ sourceId: 'x'.repeat(length) })))
    expect(id).toMatch(/^toggl\/[\w-]{22}$/)
    expect(other).not.toBe(id)
  })

  test('is the one that it had in another workspace', () => {
    expect(idsOf([entry({ externalId: 'jira/5', sourceId: '7' })])).toEqual(['jira/5'])
  })

  test('does not change between versions of this program', () => {
    expect(idsOf([entry({ project: 'Website', notes: 'Logo', tags: ['a', 'b'] })])).toEqual([
      'toggl/MOs0JYllN8YGAxVqvUsKNK',
    ])
    expect(idsOf([entry({ placedOn: '2024-05-01' })])).toEqual(['toggl/AITqfwZrEv9XOS34D8UNH9'])
  })

  test('depends on the start, names, notes, tags and user, not on the end, amounts and lines', () => {
    const [plain] = idsOf([entry()])
    const amount = { value: '1', currency: null }
    for (const same of [{ line: 7 }, { billable: true }, { amount }, { end: null }])
      expect(idsOf([entry(same)])).toEqual([plain])
    const different = [
      entry({ start: new Date('2024-05-01T07:30:01Z') }),
      ...(['client', 'project', 'task', 'notes', 'person'] as const).map((key) => entry({ [key]: 'x' })),
      entry({ tags: ['x'] }),
      entry({ placedOn: '2024-05-01' }),
    ]
    expect(new Set([plain, ...different.flatMap((other) => idsOf([other]))])).toHaveLength(
      different.length + 1,
    )
    expect(idsOf([entry({ tags: ['b', 'a'] })])).toEqual(idsOf([entry({ tags: ['a', 'b'] })]))
  })

  test('of a placed entry depends on its day and duration, not on the entries before it', async () => {
    const rows = ['2024-05-01,Website,1.5', '2024-05-01,Calls,0.5', '2024-05-02,Website,1.5']
    const ids = async (lines: readonly string[]) =>
      idsOf(await entries('generic', ['date,project,hours', ...lines].join('\n')))
    expect((await ids(rows.toReversed())).toReversed()).toEqual(await ids(rows))
    expect(new Set(await ids(rows))).toHaveLength(3)
  })

  test('is unique for each of n equal entries, and independent of their order', () => {
    const anyEntry = fc
      .record({ project: fc.constantFrom('a', 'b'), notes: fc.constantFrom('', 'x'), minutes: fc.nat(2) })
      .map(({ minutes, ...given }) => entry({ ...given, start: new Date(minutes * 60_000) }))
    fc.assert(
      fc.property(
        fc.array(anyEntry, { maxLength: 30 }).chain((list) =>
          fc.record({
            list: fc.constant(list),
            shuffled: fc.shuffledSubarray(list, { minLength: list.length }),
            part: fc.subarray(list),
          }),
        ),
        ({ list, shuffled, part }) => {
          const ids = idsOf(list)
          expect(new Set(ids).size).toBe(list.length)
          expect(idsOf(shuffled).sort()).toEqual([...ids].sort())
          expect(ids).toEqual(expect.arrayContaining(idsOf(part)))
        },
      ),
    )
  })
})

describe('tags', () => {
  test.each<[notes: string, tags: string[], result: string]>([
    ['Logo', ['acme', 'front end'], 'Logo #acme #front-end'],
    ['', ['acme'], '#acme'],
    ['Logo #Acme', ['acme', '#web'], 'Logo #Acme #web'],
    ['Logo', ['a', 'A'], 'Logo #a'],
    ['Logo\n', ['a'], 'Logo\n#a'],
    ['Logo', [], 'Logo'],
    ['Logo', ['2024', '!!'], 'Logo 2024 !!'],
    ['Logo', ['ünï_code-1', ' q"x '], 'Logo #ünï_code-1 #q-x'],
  ])('of %j and %j become words of the notes', (notes, tags, result) =>
    expect(notesWithTags({ notes, tags })).toBe(result),
  )

  test('are found in the notes again if they have letters', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.stringMatching(/^[a-z][\w-]*$/)), (notes, tags) => {
        const found = tagsIn(notesWithTags({ notes, tags }))
        expect(found).toEqual(expect.arrayContaining(tags.map((tag) => tag.toLowerCase())))
      }),
    )
  })
})
