import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fold } from '../../../src/nearest.js'
import { isNear, match } from '../../../src/tracking/matching.js'

const paths = [
  ['Acme', 'Website', 'Design'],
  ['Acme', 'Website', 'Design review'],
  ['Acme', 'App', 'Design'],
  ['Müller GmbH', 'Büro', 'Ablage'],
  ['Website', 'Writing'],
]
const found = (typed: string) => match(typed, paths, (path) => path).map((path) => path.join('/'))

describe('a typed word finds task links', () => {
  test.each([
    ['acme/website/design', ['Acme/Website/Design']],
    ['ACME / WEBSITE / DESIGN', ['Acme/Website/Design']],
    ['website/design', ['Acme/Website/Design']],
    ['acme/design', ['Acme/Website/Design', 'Acme/App/Design']],
    ['web/des', ['Acme/Website/Design', 'Acme/Website/Design review']],
    ['website/review', ['Acme/Website/Design review']],
    ['design', ['Acme/Website/Design', 'Acme/App/Design']],
    ['writing', ['Website/Writing']],
    ['buro', ['Müller GmbH/Büro/Ablage']],
    ['mueller', []],
    ['muller gmbh/ablage', ['Müller GmbH/Büro/Ablage']],
    ['web rev', ['Acme/Website/Design review']],
    ['app design', ['Acme/App/Design']],
    ['design/website', []],
    ['', []],
    [' / ', []],
    ['desing', []],
  ])('%j finds %j', (typed, expected) => {
    expect(found(typed)).toEqual(expected)
  })

  test('a name as it is spelled goes before another spelling of it', () => {
    expect(match('travel', [['Travel'], ['travel']], (path) => path)).toEqual([['travel']])
    expect(match('TRAVEL', [['Travel'], ['travel']], (path) => path)).toHaveLength(2)
  })

  test('the whole path of a link finds that link, whatever the names are', () => {
    const name = fc
      .string({ minLength: 1, unit: 'grapheme' })
      .filter((text) => fold(text) !== '' && !text.includes('/'))
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, name, name), { minLength: 1, maxLength: 6 }),
        fc.nat(5),
        (candidates, index) => {
          const wanted = candidates[index % candidates.length] ?? candidates[0]
          expect(match(wanted?.join('/') ?? '', candidates, (path) => path)).toContain(wanted)
        },
      ),
    )
  })
})

test.each([
  ['Desing', 'Design', true],
  ['design', 'Design', false],
  ['Design 2', 'Design', true],
  ['QA', 'QB', false],
  ['Apps', 'App', true],
  ['Development', 'Design', false],
])('%j beside %j is near: %s', (typed, known, expected) => {
  expect(isNear(typed, known)).toBe(expected)
})
