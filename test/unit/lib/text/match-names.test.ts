import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchInsideWords, matchNames } from '../../../../src/lib/text/match-names.js'
import { fold } from '../../../../src/lib/text/nearest-names.js'

const paths = [
  ['Acme', 'Website', 'Design'],
  ['Acme', 'Website', 'Design review'],
  ['Acme', 'App', 'Design'],
  ['Müller GmbH', 'Büro', 'Ablage'],
  ['Website', 'Writing'],
]
const found = (typed: string) => matchNames(typed, paths, (path) => path).map((path) => path.join('/'))

describe('matchNames', () => {
  test.each([
    ['ACME / WEBSITE / DESIGN', ['Acme/Website/Design']],
    ['website/design', ['Acme/Website/Design']],
    ['acme/design', ['Acme/Website/Design', 'Acme/App/Design']],
    ['web/des', ['Acme/Website/Design', 'Acme/Website/Design review']],
    ['website/review', ['Acme/Website/Design review']],
    ['design', ['Acme/Website/Design', 'Acme/App/Design']],
    ['buro', ['Müller GmbH/Büro/Ablage']],
    ['mueller', []],
    ['web rev', ['Acme/Website/Design review']],
    // Inside a word alone.
    ['sign', []],
    ['web/sign', []],
    ['web sign', []],
    ['design/website', []],
    [' / ', []],
  ])('%j finds %j', (typed, expected) => {
    expect(found(typed)).toEqual(expected)
  })

  test.each([
    ['Front-end', 'end', true],
    ['R&D/ops_team', 'team', true],
    ['A – B', 'b', true],
    ['Büro', 'uro', false],
    ['株式会社アクメ', 'アクメ', false],
    ['banana an', 'an', true],
  ])('a word of %j begins with %j: %s', (name, typed, expected) => {
    expect(matchNames(typed, [[name]], (path) => path)).toHaveLength(expected ? 1 : 0)
    expect(matchInsideWords(typed, [[name]], (path) => path)).toHaveLength(1)
  })

  test('matchInsideWords finds matches within words', () => {
    const inside = (typed: string) =>
      matchInsideWords(typed, paths, (path) => path).map((path) => path.join('/'))
    expect(inside('site/view')).toEqual(['Acme/Website/Design review'])
    expect(inside('nothing')).toEqual([])
    expect(inside(' / ')).toEqual([])
  })

  test('prefers the exact spelling of a name', () => {
    expect(matchNames('travel', [['Travel'], ['travel']], (path) => path)).toEqual([['travel']])
    expect(matchNames('TRAVEL', [['Travel'], ['travel']], (path) => path)).toHaveLength(2)
  })

  test('finds a link by its full path, whatever its names are', () => {
    const name = fc
      .string({ minLength: 1, unit: 'grapheme' })
      .filter((text) => fold(text) !== '' && !text.includes('/'))
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, name, name), { minLength: 1, maxLength: 6 }),
        fc.nat(5),
        (candidates, index) => {
          const expected = candidates[index % candidates.length] ?? candidates[0]
          expect(matchNames(expected?.join('/') ?? '', candidates, (path) => path)).toContain(expected)
        },
      ),
    )
  })
})
