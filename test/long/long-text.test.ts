import { expect, test } from 'vitest'
import { matchesPredicates, recordFilter } from '../../src/api-client/filter/conditions.js'
import { parsePredicate } from '../../src/api-client/filter/query.js'
import { readBaseUrl } from '../../src/api-client/http/base-url.js'
import { selectProfile } from '../../src/config/profile.js'
import { checkSetting, settingTable } from '../../src/config/settings/setting-table.js'
import { parseDuration } from '../../src/lib/calendar/duration.js'
import { parseDate } from '../../src/lib/calendar/period.js'
import { parseRounding } from '../../src/lib/calendar/rounding.js'
import { parseTime } from '../../src/lib/calendar/time.js'
import { TtError } from '../../src/lib/errors.js'
import { matchNames } from '../../src/lib/text/match-names.js'
import { nearestNamesText } from '../../src/lib/text/nearest-names.js'
import { isEquivalent } from '../../src/outbox/field-equality.js'
import { rankCandidates } from '../../src/program/completion/complete-word.js'
import { parseRate } from '../../src/report/rates.js'
import { parsePattern } from '../../src/tracking/catalog/name-pattern.js'
import { isProbableTypo } from '../../src/tracking/catalog/new-task.js'
import { checkKeys, parseFields } from '../../src/ui/formats/field-selection.js'
import { share } from '../support/share.js'
import { noteView } from '../unit/ui/special-texts.js'

// About the longest argument that Linux accepts. Quadratic work for it takes minutes.
const length = 100_000
const long = (piece: string) => piece.repeat(length / piece.length)

/** Long repetitions, alone and with an end that makes a pattern fail after reading all of them. */
const texts = [
  ...['x', '1', ' ', '.', '0', 'é', '/', ',', '1.', '1:', 'a ', 'a/', '-1', '1h', 'a_', '!', '..1'].flatMap(
    (piece) => [
      long(piece),
      `${long(piece)} x`,
      `1${long(piece)}!`,
      `1.${long(piece)}1`,
      `x:${long(piece)}x`,
    ],
  ),
  `p1dt${long('1')}`,
  `last ${long('a')} `,
  Array.from({ length: length / 8 }, (_, index) => `key${index}`).join(','),
]

const now = new Date('2024-05-01T09:30:00')
const names = Array.from({ length: 200 }, (_, index) => `Design a ${index}`)
const candidates = names.map((value) => ({ value, label: 'Acme / Website', description: '' }))
const row = { id: 1, day: '2024-05-01', notes: 'x' }

const readers: Record<string, (text: string) => unknown> = {
  parseTime: (text) => parseTime(text, now),
  parseDate: (text) => parseDate(text, now),
  parseDuration,
  parseRounding,
  parseRate: (text) => parseRate(text, 'rate', undefined),
  parsePattern,
  parsePredicate: (text) => [parsePredicate(`notes_eq=${text}`), parsePredicate(`${text}_eq=1`)],
  matchesPredicates: (text) => [
    matchesPredicates({ id: 1 }, { id_eq: text }),
    matchesPredicates({ amount: text }, { amount_lt: text }),
  ],
  recordFilter: (text) => [
    recordFilter({ amount_eq: text })({ amount: 1 })({ amount: 1 }),
    recordFilter({ amount_lt: '1' })({ amount: text })({ amount: text }),
    recordFilter({ notes_eq: text })({ notes: '1' })({ notes: '1' }),
  ],
  isEquivalent: (text) => [isEquivalent('amount', text, '1'), isEquivalent('notes', text, 'x')],
  readBaseUrl: (text) => readBaseUrl(`https://example.com/${text}`),
  selectProfile: (text) => selectProfile({ TT_BASE_URL: `https://example.com/${text}`, TT_TOKEN: 'x' }),
  parseFields,
  checkKeys: (text) =>
    checkKeys(noteView, Array(50).fill(row), text.split(','), { option: '--fields', others: [] }),
  matchNames: (text) => matchNames(text, names, (name) => ['Acme', 'Website', name]),
  isProbableTypo: (text) => isProbableTypo(text, `${text}x`),
  nearestNamesText: (text) => nearestNamesText(text, [...names, `${text}x`, text.slice(1)]),
  rankCandidates: (text) => rankCandidates(candidates, text, true),
  ...Object.fromEntries(
    settingTable
      .filter(({ name }) => !/^target\..*day$/.test(name))
      .map(({ name }) => [name, (text: string) => checkSetting(name.replace('PATTERN', 'x'), text)]),
  ),
}

test.each(share('long texts', Object.entries(readers)))('%s reads long texts in linear time', (_, read) => {
  for (const text of texts) {
    try {
      read(text)
    } catch (error) {
      expect(error).toBeInstanceOf(TtError)
    }
  }
})
