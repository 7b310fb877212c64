import { describe, expect, test } from 'vitest'
import { hintText } from '../../../../src/cli/next-step-text.js'
import { settingNamed, settingsFrom, settingTable } from '../../../../src/config/settings/setting-table.js'
import { defaultSettings } from '../../../../src/config/settings/settings.js'
import { usageErrorOf } from '../../../support/usage-error.js'

test('no values and explicit default values give the default settings', () => {
  expect(settingsFrom({})).toEqual(defaultSettings)
  const typed = settingTable.flatMap(({ name, default: fallback }) => (fallback ? [[name, fallback]] : []))
  expect(typed.length).toBeGreaterThan(3)
  expect(settingsFrom(Object.fromEntries(typed))).toEqual(defaultSettings)
})

test.each([
  ['007', '7'],
  ['0.0', '0'],
  ['8.10 %', '8.1'],
  ['0.0001', '0.0001'],
  ['100.0000', '100'],
])('a tax of %s is one of %s', (typed, tax) => {
  expect(settingsFrom({ 'invoice.tax': typed, 'client.Acme.tax': typed })).toMatchObject({
    invoice: { tax },
    clients: { Acme: { tax } },
  })
})

describe('the table of settings', () => {
  test.each(settingTable.map((setting) => [setting.name, setting] as const))(
    '%s has a type, a description, and a valid example that differs from the default',
    (name, { type, description, example }) => {
      expect(type).toMatch(/^\S.*\S$/)
      expect(description).toMatch(/^\S.*[^\s.]$/)
      const fullName = name.replace('PATTERN', 'Acme')
      expect(settingsFrom({ [fullName]: example })).not.toEqual(defaultSettings)
    },
  )

  test('finds a setting by its name, and a setting with a pattern by its prefix', () => {
    expect(settingNamed('rate')?.setting.name).toBe('rate')
    expect(settingNamed('rate.Acme Inc./Website')).toMatchObject({
      setting: { name: 'rate.PATTERN' },
      part: 'Acme Inc./Website',
    })
    for (const name of ['rates', 'Week_start', 'target', 'target.', 'toString', '__proto__', ''])
      expect(settingNamed(name)).toBeUndefined()
  })
})

test.each([
  [{ week_start: 'Sun' }, { weekStart: 0 }],
  [{ working_days: 'wed, Mon,mon,sunday' }, { workingDays: [0, 1, 3] }],
  [{ working_hours: 'none' }, { workingHours: [] }],
  [
    { working_hours: '8-12:30, 13:00-24:00' },
    {
      workingHours: [
        { from: 480, to: 750 },
        { from: 780, to: 1440 },
      ],
    },
  ],
  [
    { holidays: '2024-05-01, 2024-12-31..2025-01-02' },
    { holidays: { days: ['2024-05-01', '2024-12-31', '2025-01-01', '2025-01-02'], file: undefined } },
  ],
  [
    { holidays_file: '~/a, b.ics', holidays: '2024-05-01' },
    { holidays: { days: ['2024-05-01'], file: '~/a, b.ics' } },
  ],
  [{ entry_limit: '1h' }, { entryLimitSeconds: 3600 }],
  [{ currency: 'chf' }, { currency: 'CHF' }],
  [{ sender: 'Ada Lovelace\\nLondon' }, { sender: ['Ada Lovelace', 'London'] }],
  [{ sender: ' Ada\r\n\nLondon ' }, { sender: ['Ada', '', 'London'] }],
  [
    { rate: '80', 'rate.Acme/Website': ' 95.50  eur', 'rate.*/*/Design': '0', 'rate.__proto__': '1' },
    {
      rates: Object.fromEntries([
        ['*', '80'],
        ['Acme/Website', '95.50 EUR'],
        ['*/*/Design', '0'],
        ['__proto__', '1'],
      ]),
    },
  ],
  [{ billable: 'Acme, !Acme/Internal' }, { billable: ['Acme', '!Acme/Internal'] }],
])('reads the values %j', (values, settings) => {
  expect(settingsFrom(values)).toEqual({ ...defaultSettings, ...settings })
})

describe('targets', () => {
  const hours = (values: Record<string, string>) =>
    settingsFrom(values).targets?.map((seconds) => seconds / 3600)

  test.each([
    [{ 'target.daily': '8h', working_days: 'mon,sat' }, [0, 8, 0, 0, 0, 0, 8]],
    [{ 'target.daily': '8h', 'target.friday': '6h', 'target.saturday': '2h' }, [0, 8, 8, 8, 8, 6, 2]],
    [{ 'target.daily': '8h', 'target.friday': 'none' }, [0, 8, 8, 8, 8, 0, 0]],
    [{ 'target.weekly': '38.5h' }, [0, 7.7, 7.7, 7.7, 7.7, 7.7, 0]],
    [{ 'target.weekly': '40h', 'target.friday': '6h' }, [0, 8.5, 8.5, 8.5, 8.5, 6, 0]],
    [{ 'target.sunday': '1h' }, [1, 0, 0, 0, 0, 0, 0]],
    [{ 'target.daily': 'none' }, [0, 0, 0, 0, 0, 0, 0]],
  ])('of %j are read as hours from Sunday', (values, expected) => {
    expect(hours(values)).toEqual(expected)
  })

  test('add up to a weekly target that cannot be divided evenly', () => {
    const { targets } = settingsFrom({ 'target.weekly': '40h', working_days: 'mon,tue,wed,thu,fri,sat,sun' })
    expect(targets?.reduce((sum, seconds) => sum + seconds)).toBe(40 * 3600)
  })

  test('of single days are rejected when they contradict the weekly target', () => {
    const week = { 'target.weekly': '10h', working_days: 'mon,tue', 'target.monday': '6h' }
    expect(hours({ ...week, 'target.tuesday': '4h' })).toEqual([0, 6, 4, 0, 0, 0, 0])
    for (const tuesday of ['3h', '5h']) {
      const { message } = usageErrorOf(() => settingsFrom({ ...week, 'target.tuesday': tuesday }))
      expect(message).toMatch(/^target\.weekly is 10h 00m, and the targets of single days make /)
    }
  })

  test('cannot be both daily and weekly, and the error names both settings', () => {
    const { message } = usageErrorOf(() => settingsFrom({ 'target.daily': '8h', 'target.weekly': '40h' }))
    expect(message).toBe('target.daily and target.weekly are both set.')
  })
})

test.each([
  ['week_start', 'someday', '"someday" is not a weekday'],
  ['working_days', '', '"" is empty'],
  ['working_days', 'mon,,tue', 'empty part between commas'],
  ['working_hours', '9:00', '"9:00" is not a range'],
  ['working_hours', '9:00-25:00', '"9:00-25:00" is not a range'],
  ['working_hours', '9:61-10:00', 'is not a range'],
  ['working_hours', '17:00-9:00', 'ends before it begins'],
  ['working_hours', '13:00-14:00,9:00-12:00', 'out of order'],
  ['working_hours', '9:00-12:00,12:00-17:00', 'not separated by a break'],
  ['target.daily', '8', 'the unit is missing'],
  ['target.monday', '25h', '"25h" is longer than a day'],
  ['target.weekly', '169h', '"169h" is longer than a week'],
  ['holidays', '2024-02-30', '"2024-02-30" is not a day'],
  ['holidays', '2024-12-24..2024-12-01', 'ends before it begins'],
  ['holidays', '2024-01-01..2026-01-01', 'longer than a year'],
  ['holidays_file', 'holidays.ics', 'is not an absolute path'],
  ['entry_limit', '59m', '"59m" is less than an hour'],
  ['sender', ' \\n ', 'is empty'],
  ['sender', 'a\n'.repeat(11), 'has more than 10 lines'],
  ['currency', 'EURO', 'is not a currency code'],
  ['rate', '-1', 'is not an hourly rate'],
  ['rate', '1e3', 'is not an hourly rate'],
  ['rate', '95 EURO', 'is not an hourly rate'],
  ['rate', '$95', 'can be 95USD or'],
  ['rate.', '95', 'is not a pattern'],
  ['rate.a/b/c/d', '95', 'is not a pattern'],
  ['rate.*', '95', 'The default hourly rate is the setting "rate"'],
  ['billable', 'Acme,!', 'is not a pattern'],
  ['week_start', 1, 'is not a string'],
  ['nonesuch', '1', 'is not a setting of this version of tt'],
])('rejects %s = %j: %s', (name, value, words) => {
  const error = usageErrorOf(() => settingsFrom({ [name]: value }))
  expect(error.message).toContain(name)
  expect(error.message).toContain(words)
  expect(hintText(error)).toContain('tt config')
})
