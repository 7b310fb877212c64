import { describe, expect, test } from 'vitest'
import { parseDefaultTask } from '../../../../src/import-export/importer/default-task.js'
import {
  existingLink,
  type LinkIndex,
  nearestLink,
} from '../../../../src/import-export/importer/link-index.js'
import {
  type LinkRules,
  namesKey,
  resolveLink,
} from '../../../../src/import-export/importer/resolve-links.js'
import { usageErrorOf } from '../../../support/usage-error.js'
import { assignmentText, linksOf, localIndex, namesOf, serviceIndex } from './links.js'

/** Returns the task link of names, by these rules. */
function resolve(index: LinkIndex, names: string, rules: Partial<LinkRules> = {}, hasClients = true) {
  return assignmentText(
    resolveLink(namesOf(names), { index, choices: new Map(), defaultTask: 'General', ...rules }, hasClients),
  )
}

describe('names of the source', () => {
  const paths = [
    ...['Acme/Website/Design', 'Acme/Website/Review', 'Globex/App/Design', 'Internal/Support'],
    '!Acme/App/Design',
  ]

  test.each([
    ['ACME/website/dESIGN', 'Acme / Website / Design'],
    ['-/Internal/Support', 'Internal / Support'],
    // The task link of another client is archived.
    ['-/App/Design', 'Globex / App / Design'],
    ['-/-/Design', undefined],
    ['-/-/-', undefined],
  ])('%s are those of the task link %s, locally and at a service', (names, expected) => {
    expect(resolve(localIndex(...paths), names)).toBe(expected)
    expect(resolve(serviceIndex(...paths), names)).toBe(expected)
  })

  test.each([
    ['acme/website/Writing', 'new Acme/Website/Writing'],
    // A typing error is a new name: a merge could not be undone.
    ['Acme/Website/Desing', 'new Acme/Website/Desing'],
    ['Globex/Website/Design', 'new Globex/Website/Design'],
    ['Globex/Internal/Support', 'new Globex/Internal/Support'],
    // The project exists with one client.
    ['-/website/Writing', 'new Acme/Website/Writing'],
    ['-/Other/review', 'new Other/Review'],
  ])('%s without a task link are those of a new one in the local workspace', (names, expected) => {
    expect(resolve(localIndex(...paths), names)).toBe(expected)
    expect(resolve(serviceIndex(...paths), names)).toBeUndefined()
  })

  test('without a client are ambiguous if several clients have the project', () => {
    const paths = ['Acme/Website/Design', 'Globex/Website/Design']
    for (const index of [localIndex(...paths), serviceIndex(...paths)])
      for (const names of ['-/Website/Design', '-/Website/Other'])
        expect(resolve(index, names)).toBeUndefined()
  })

  test('without a client are those of a project without one, if the source has clients', () => {
    const index = localIndex('Acme/Website/Design', 'Website/Design')
    expect(resolve(index, '-/Website/Design', {}, true)).toBe('Website / Design')
    expect(resolve(index, '-/Website/Design', {}, false)).toBeUndefined()
    expect(resolve(index, '-/Website/Other', {}, true)).toBe('new Website/Other')
    expect(resolve(index, '-/Website/Other', {}, false)).toBeUndefined()
  })
})

describe('a project without a task', () => {
  const paths = [
    ...['Acme/Website/General', 'Acme/Website/Design', 'Acme/App/Review', 'Acme/Shop/Design'],
    ...['Acme/Shop/Review', 'Globex/App/Design', '!Acme/Old/General', 'Intern/Rest', 'Beta/Intern/Work'],
  ]

  test.each([
    // Its default task.
    ['acme/website/-', 'Acme / Website / General'],
    // Its only task.
    ['Globex/App/-', 'Globex / App / Design'],
    ['-/Intern/-', 'Intern / Rest'],
    // Several tasks, or several projects.
    ['Acme/Shop/-', undefined],
    ['-/App/-', undefined],
    // An archived task.
    ['Acme/Old/-', undefined],
  ])('%s gets the task %s, locally and at a service', (names, expected) => {
    expect(resolve(localIndex(...paths), names)).toBe(expected)
    expect(resolve(serviceIndex(...paths), names)).toBe(expected)
  })

  test('gets the task of the setting', () => {
    const index = localIndex(...paths)
    expect(resolve(index, 'Acme/Website/-', { defaultTask: 'design' })).toBe('Acme / Website / Design')
    expect(resolve(index, 'Acme/New/-', { defaultTask: 'design' })).toBe('new Acme/New/Design')
    // It is never that of a project of another client.
    expect(resolve(index, 'Globex/Website/-', { defaultTask: 'design' })).toBe('new Globex/Website/Design')
  })
})

describe('tags of the source', () => {
  const index = localIndex('Acme/Website/Design', 'Website/Design', 'App/Review', 'Website/Review')

  test.each([
    ['#Acme #Website #Design', 'Acme / Website / Design'],
    ['#website #design', 'Website / Design'],
    ['#design #urgent #website', 'Website / Design'],
    // Two links have the same number of names.
    ['#App #Website #Review', undefined],
    ['#Website', undefined],
  ])('%s contain the names of %s', (tags, expected) => {
    expect(resolve(index, tags)).toBe(expected)
  })
})

describe('the chosen task', () => {
  const index = localIndex('Acme/Website/Design', 'Acme/Website/Review', 'Website/Design')

  test.each([
    ['design', 'Acme/Website/-', 'Acme / Website / Design'],
    ['Other', 'Acme/Website/-', 'new Acme/Website/Other'],
    ['Design', 'Acme/Website/Review', 'Acme / Website / Review'],
    ['Design', '-/-/-', undefined],
    ['Acme/Website/Review', '-/-/-', 'Acme / Website / Review'],
    ['Acme/Website/Review', '#urgent', 'Acme / Website / Review'],
    ['Acme/Website/Review', '-/-/Design', 'Acme / Website / Design'],
    ['Acme/Website/Review', 'Globex/App/-', 'new Globex/App/Review'],
    ['Website/Design', '-/-/-', 'Website / Design'],
    ['Admin/Other', '-/-/-', 'new Admin/Other'],
    ['Admin/Other', '-/-/Review', 'new Admin/Review'],
    ['2', '-/-/-', 'Acme / Website / Review'],
    ['2', 'Acme/Website/-', 'Acme / Website / Review'],
  ])('%s with the names %s is %s', (typed, names, expected) => {
    expect(resolve(index, names, { chosenTask: parseDefaultTask(typed, index) })).toBe(expected)
  })

  test.each([
    ['Desing', 'No task is named "Desing". Did you mean Design?', ['Design']],
    ['Acme/Website/Desing', '"Acme/Website/Desing" matches no task. Did you mean', ['Acme/Website/Design']],
    ['a/b/c/d', '"a/b/c/d" is not a task.', []],
    ['', '"" is not a task.', []],
  ])('%s is an error at a service, with candidates', (typed, message, candidates) => {
    const error = usageErrorOf(() => parseDefaultTask(typed, serviceIndex('Acme/Website/Design')))
    expect(error.message).toContain(message)
    expect(error.candidates.slice(0, candidates.length)).toEqual(candidates)
  })

  test('is an error if several clients have its project', () => {
    expect(() => parseDefaultTask('Website/Other', index)).toThrow('"Website/Other" matches no task.')
  })

  test('is an error if several task links have its names', () => {
    const error = usageErrorOf(() =>
      parseDefaultTask('Website/Design', localIndex('A/Website/Design', 'B/Website/Design')),
    )
    expect(error.message).toBe(
      '"Website/Design" matches several tasks: A / Website / Design; B / Website / Design.',
    )
  })
})

test('an earlier choice precedes the names, but not the mapping file', () => {
  const index = localIndex('Acme/Website/Design', 'App/Review', 'App/Design')
  const [design, review, other] = index.links.map(existingLink)
  if (!design || !review || !other) throw new Error('three links')
  const choices = new Map([[namesKey(namesOf('Acme/Website/Design')), review]])
  expect(resolve(index, 'Acme/Website/Design', { choices })).toBe('App / Review')
  const mapping = { find: () => other } as unknown as NonNullable<LinkRules['mapping']>
  expect(resolve(index, 'Acme/Website/Design', { choices, mapping })).toBe('App / Design')
})

test.each([
  ['Acme/Website/Writing', 'Acme / Website / Design'],
  ['Acme/-/-', 'Acme / Website / Design'],
  ['-/App/-', 'App / Review'],
  ['-/-/Review', 'App / Review'],
  ['-/Wbsite/Desgn', 'Web site / Design'],
  ['#app #urgent', 'App / Review'],
  ['-/Xyz/Abc', undefined],
  ['-/-/-', undefined],
])('the nearest task link of %s is %s', (names, expected) => {
  const links = linksOf('Acme/Website/Design', 'App/Review', 'Web site/Design')
  expect(nearestLink(namesOf(names), links)?.label).toBe(expected)
})
