import { expect, test } from 'vitest'
import { placeholder, settingNamed, settingTable } from '../../../../src/config/settings/setting-table.js'
import { parseDuration } from '../../../../src/lib/calendar/duration.js'
import { parseDate, parsePeriod } from '../../../../src/lib/calendar/period.js'
import { parseRounding } from '../../../../src/lib/calendar/rounding.js'
import { parseTime } from '../../../../src/lib/calendar/time.js'
import { completeWord } from '../../../../src/program/completion/complete-word.js'
import { KnownRecords } from '../../../../src/program/completion/known-records.js'
import { createProgram, everyCommand } from '../../../../src/program/program.js'
import { exportFormatNames } from '../../../../src/records/export-formats.js'
import { chartKinds, dimensions, expenseDimensions } from '../../../../src/records/report-names.js'

const host = { invoke: async () => {}, writeOut: () => {}, writeErr: () => {} }
const tree = {
  root: (word?: string) => createProgram(host, word),
  names: () => createProgram(host),
  isCommand: () => true,
  topics: async () => [],
}
const records = () => new KnownRecords({ env: { TT_HOME: '/nonesuch' }, cwd: undefined, profile: undefined })

async function values(...words: string[]): Promise<string[]> {
  const { candidates } = await completeWord(words, { tree, records })
  return candidates.map(({ value }) => value)
}

const now = new Date('2024-05-08T12:00:00Z')

test.each<[what: string, line: string[], read: (value: string) => unknown]>([
  ['a date', ['log', '--since', ''], (value) => parseDate(value, now)],
  ['a period', ['log', ''], (value) => parsePeriod(value, now)],
  ['a compared period', ['report', '--compare', ''], (value) => parsePeriod(value, now)],
  [
    'the second word of a period',
    ['expenses', 'list', 'last', ''],
    (value) => parsePeriod(`last ${value}`, now),
  ],
  ['the second word of a period to come', ['log', 'next', ''], (value) => parsePeriod(`next ${value}`, now)],
  ['a time', ['stop', '--at', ''], (value) => parseTime(value, now)],
  ['a duration', ['add', 'x', '--for', ''], parseDuration],
  ['a rounding', ['report', '--round', ''], parseRounding],
])('every candidate for %s can be parsed', async (_, line, read) => {
  const offered = await values(...line)
  expect(offered.length).toBeGreaterThan(2)
  for (const value of offered) expect(() => read(value)).not.toThrow()
})

test('completes the end of the last entry as a start', async () => {
  expect(await values('start', '--at', '')).toContain('last')
  expect(await values('add', 'x', '--from', '')).toContain('last')
  expect(await values('add', 'x', '')).toContain('2h')
})

test.each<[option: string, names: readonly string[]]>([
  ['export --format', exportFormatNames],
  ['report --chart', chartKinds],
  ['report --by', dimensions],
  ['timesheet --by', dimensions],
  ['expenses report --by', expenseDimensions],
])('completes every value of %s', async (option, names) => {
  expect(await values(...option.split(' '), '')).toEqual([...names])
})

test('completes every setting with valid values', async () => {
  const single = settingTable.map(({ name }) => name).filter((name) => !placeholder.test(name))
  expect(await values('config', 'get', '')).toEqual(single)
  for (const name of [...single, 'rate.Acme', 'client.Acme.country', 'client.Acme.tax_category']) {
    const setting = settingNamed(name)?.setting
    for (const value of await values('config', 'set', name, ''))
      expect(() => setting?.read(value, structuredClone(draft) as never, 'Acme')).not.toThrow()
  }
})

const draft = { holidays: {}, rates: {}, invoice: {}, clients: {}, targetSettings: { days: {} } }

test('completes every command and every option where it is allowed', { tags: 'slow' }, async () => {
  for (const command of everyCommand(await tree.root())) {
    const path: string[] = []
    for (let here = command; here.parent; here = here.parent) path.unshift(here.name())
    expect(await values(...path)).toContain(command.name())
    const options = command.options.flatMap(({ long, hidden }) => (long && !hidden ? long : []))
    expect(await values(...path, '--')).toEqual(expect.arrayContaining(options))
  }
})
