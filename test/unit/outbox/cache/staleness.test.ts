import { expect, test } from 'vitest'
import { UnreachableError } from '../../../../src/api-client/api-errors.js'
import { Staleness } from '../../../../src/outbox/cache/staleness.js'

const now = new Date('2024-05-08T09:18:30')
const error = new UnreachableError('The service at https://a.example cannot be reached (connection refused).')

function warningsOf(known: { at: Date | undefined; complete: boolean }, predicates = {}): string[] {
  const warnings: string[] = []
  const staleness = new Staleness({ now, warn: (text) => warnings.push(text) })
  // It warns once per command.
  for (let n = 0; n < 3; n++) staleness.note(error, known, predicates)
  return warnings
}

test.each([
  ['2024-05-08T09:18:00', '09:18, less than a minute ago'],
  ['2024-05-08T09:17:30', '09:17, 1 minute ago'],
  ['2024-05-08T08:18:00', '08:18, 1 hour ago'],
  ['2024-05-07T09:12:00', '2024-05-07 09:12, 24 hours ago'],
  ['2024-05-01T09:12:00', '2024-05-01 09:12, 7 days ago'],
  ['2024-05-08T10:00:00', '10:00'],
])('prints the age of the data: %s', (at, words) => {
  expect(warningsOf({ at: new Date(at), complete: true })).toEqual([
    `${error.message} Showing cached data of ${words}.`,
  ])
})

test('warns that records may be missing, without an age when none is known', () => {
  const gaps = 'Some records may be missing: the cache does not cover the whole period.'
  expect(warningsOf({ at: new Date('2024-05-08T09:12:00'), complete: false })).toEqual([
    `${error.message} Showing cached data of 09:12, 6 minutes ago. ${gaps}`,
  ])
  expect(warningsOf({ at: undefined, complete: false })).toEqual([
    `${error.message} Showing cached data. ${gaps}`,
  ])
})

test('says that letters outside ASCII in a filter may be compared differently', () => {
  const text = 'Letters outside ASCII in the filter may be compared differently from the service.'
  const warn = (word: string) => warningsOf({ at: now, complete: true }, { notes_cont: word }).join()
  expect(warn('über')).toContain(text)
  expect(warn('blick')).not.toContain(text)
})
