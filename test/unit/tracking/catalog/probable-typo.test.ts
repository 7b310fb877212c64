import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findTypos, isProbableTypo } from '../../../../src/tracking/catalog/new-task.js'

/** Pairs of names that differ by one letter of one long word. */
const typos: [typed: string, known: string][] = [
  // The examples of the documentation: swapped, swapped, added.
  ['Webiste', 'Website'],
  ['Desing', 'Design'],
  ['Meetings', 'Meeting'],
  // One letter of a short word is added; longer words are tested with random letters.
  ['Phones', 'Phone'],
  // Two neighbouring letters are swapped.
  ['ewbsite', 'Website'],
  // Case, accents, punctuation and spaces do not count.
  ['WEBISTE', 'website'],
  ['Mobel-Lager', 'Möbeln-Lager'],
  ['Müler GmbH', 'Müller GmbH'],
  ['Web  desing', 'Web/Design'],
  ['L’artisann', "L'artisan"],
  // One word of several.
  ['Release 2.0 planing', 'Release 2.0 planning'],
  ['Relaese2024', 'Release2024'],
  // Other scripts.
  ['Разработа', 'Разработка'],
]

/** Pairs of different names. */
const different: [typed: string, known: string][] = [
  // The examples of the documentation.
  ['Sprint 13', 'Sprint 12'],
  ['Release1', 'Release2'],
  ['GLX-102', 'GLX-101'],
  ['2026', '2025'],
  ['Web2', 'Web'],
  ['Redesign', 'Design'],
  ['Core', 'Code'],
  ['Night', 'Flight'],
  // The words are short.
  ['Test', 'Tests'],
  // The difference is a digit, as also with random letters.
  ['abcd1e', 'abcde1'],
  ['Design 2024', 'Desing 2025'],
  // More than one letter differs.
  ['Design', 'Dezinn'],
  // More than one word differs, or the number of words.
  ['Desing reveiw', 'Design review'],
  ['Design', 'Design review'],
  // Equal names.
  ['Büro-Möbel', 'buro mobel'],
  // No letters.
  ['!!!!!', '!!!!?'],
]

describe('isProbableTypo', () => {
  test.each(typos)('%j is probably a typo of %j', (typed, known) => {
    expect([isProbableTypo(typed, known), isProbableTypo(known, typed)]).toEqual([true, true])
  })

  test.each(different)('%j and %j are different names', (typed, known) => {
    expect([isProbableTypo(typed, known), isProbableTypo(known, typed)]).toEqual([false, false])
  })

  test('holds for every single change of a letter, and for none that adds or changes a digit', () => {
    const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz')
    const word = fc.array(letter, { minLength: 6, maxLength: 20 })
    fc.assert(
      fc.property(word, fc.nat(19), letter, fc.nat(9), (letters, position, other, digit) => {
        const at = position % letters.length
        const known = letters.join('')
        const changed = letters.with(at, other).join('')
        const added = letters.toSpliced(at, 0, other).join('')
        const missing = letters.toSpliced(at, 1).join('')
        expect(isProbableTypo(changed, known)).toBe(changed !== known)
        expect(isProbableTypo(added, known)).toBe(true)
        expect(isProbableTypo(missing, known)).toBe(true)
        expect(isProbableTypo(letters.with(at, `${digit}`).join(''), known)).toBe(false)
        expect(isProbableTypo(letters.toSpliced(at, 0, `${digit}`).join(''), known)).toBe(false)
      }),
    )
  })

  test('compares names of any length in little time of the processor', { tags: 'slow' }, () => {
    const long = 'a'.repeat(1_000_000)
    const start = process.cpuUsage()
    expect(isProbableTypo(`${long}b`, long)).toBe(true)
    const { user, system } = process.cpuUsage(start)
    expect(user + system).toBeLessThan(2_000_000) // Microseconds.
  })
})

describe('findTypos', () => {
  const known = { client: ['Acme'], project: ['Website', 'Sprint 12'], task: ['Design', 'Desing2'] }

  test.each([
    [
      { project: 'Webiste', task: 'Desing' },
      [
        { level: 'project', typed: 'Webiste', known: 'Website' },
        { level: 'task', typed: 'Desing', known: 'Design' },
      ],
    ],
    [{ project: 'Sprint 13', task: 'Design' }, []],
    // Names of another level do not count.
    [{ project: 'Desing', task: 'Webiste' }, []],
  ])('of %j are %j', (names, expected) => {
    expect(findTypos(names, known)).toEqual(expected)
  })

  test('are none for a name that exists beside the similar one', () => {
    expect(
      findTypos({ project: 'Meetings', task: 'General' }, { ...known, project: ['Meeting', 'Meetings'] }),
    ).toEqual([])
  })
})
