import { expect, test } from 'vitest'
import type { OptionSet } from '../../../src/cli/declaration.js'
import {
  groups,
  port,
  rounding,
  seconds,
  timeOrLast,
  type ValueParser,
  wholeNumber,
  wordOr,
} from '../../../src/cli/option-values.js'
import { type InputContext, readInput } from '../../../src/cli/read-input.js'
import { defaultSettings } from '../../../src/config/settings/settings.js'

const options = {
  '-n, --limit <n>': { description: 'most', parse: wholeNumber({ least: 1, most: 9, hint: 'Few.' }) },
  '--by <keys>': { description: 'keys', parse: groups(['day', 'week']), default: 'day' },
  '--pick': { description: 'pick', conflicts: ['[entry...]', '--limit'] },
  '--git': { description: 'git', conflicts: ['--csv', '--no-sync'], conflictReason: 'it is slow' },
  '--email <address>': { description: 'email', needs: '--key' },
  '--key': 'key',
} satisfies OptionSet

const ctx: InputContext = {
  now: new Date(0),
  config: { settings: async () => defaultSettings },
  entries: async () => {
    throw new Error('No test reads entries.')
  },
  nameOption: (flag) => flag,
}

/** Reads the input of a command with these options. */
function readOf(options: OptionSet, typed: Record<string, unknown>, context = ctx, entry: string[] = []) {
  const command = {
    args: { '[entry...]': 'entries' } as const,
    options,
    load: async () => ({ run: async () => {} }),
  }
  return readInput({ command, input: { args: { entry }, options: typed } }, context)
}

test('values are parsed as declared, and others stay as typed', async () => {
  const typed = { limit: '9', by: 'week,day', key: true, email: 'x', other: '5' }
  expect(await readOf(options, typed, ctx, ['1'])).toEqual({
    args: { entry: ['1'] },
    options: { ...typed, limit: 9, by: ['week', 'day'] },
  })
})

test.each<[Record<string, unknown>, string[], string, string]>([
  [{ limit: '0' }, [], '--limit takes a whole number from 1 to 9, not "0".', 'Few.'],
  [{ limit: '10' }, [], '--limit takes a whole number from 1 to 9, not "10".', 'Few.'],
  [
    { by: 'day,day' },
    [],
    'Repeated group "day" in --by.',
    'Valid groups: day, week. Separate several with commas.',
  ],
  [{ pick: true }, ['@1', '12'], '--pick and the entry "@1 12" cannot be used together.', 'Use one of them.'],
  [{ pick: true, limit: '1' }, [], '--pick and --limit cannot be used together.', 'Use one of them.'],
  [
    { git: true, csv: true },
    [],
    '--git cannot be used together with --csv: it is slow.',
    'Omit --csv or --git.',
  ],
  [{ email: 'x' }, [], '--email requires --key.', 'Add --key, or omit --email.'],
])('the options %j with the arguments %j are an error', async (typed, entry, message, hint) => {
  await expect(readOf(options, typed, ctx, entry)).rejects.toMatchObject({ code: 'usage', message, hint })
})

test('a required option must be given', async () => {
  const options: OptionSet = {
    '-a, --at <time>': { description: 'time', required: true, repeatable: true },
  }
  await expect(readOf(options, {})).rejects.toMatchObject({
    code: 'usage',
    message: 'Missing required option --at <time>.',
    hint: 'Add --at <time>, once or several times.',
  })
})

test.each<[string, ValueParser, string, unknown]>([
  ['seconds', seconds(), '0.25', 250],
  ['seconds', seconds({ least: 1 }), '0.5', '--x takes seconds, 1 or more, not "0.5".'],
  ['seconds', seconds({ most: 60 }), '61', '--x takes seconds from 0 to 60, not "61".'],
  ['seconds', seconds(), '', '--x takes seconds, 0 or more, not "".'],
  ['a whole number', wholeNumber(), '2.5', '--x takes a whole number, 0 or more, not "2.5".'],
  ['a whole number', wholeNumber(), '1e3', '--x takes a whole number, 0 or more, not "1e3".'],
  ['a port', port, '65536', '--x: "65536" is not a port.'],
  ['a port', port, '-1', '--x: "-1" is not a port.'],
  ['a port', port, '', '--x: "" is not a port.'],
  ['a word or a port', wordOr('none', port), 'none', null],
  ['a rounding', rounding, '7x', '--x: "7x" is not a duration.'],
  ['a word or a port', wordOr('none', port), '80', 80],
])('%s is parsed: %#', async (_, parse, typed, expected) => {
  const value = await readOf({ '--x <x>': { description: 'x', parse } }, { x: typed }).then(
    ({ options }) => options.x,
    (error: Error) => error.message,
  )
  expect(value).toEqual(expected)
})

test('messages name options as the invocation does', async () => {
  const renamed = { ...ctx, nameOption: (flag: string) => flag.replace(/^--/, '') }
  const options = {
    '--at <time>': { description: 'time', parse: timeOrLast },
    '--for <duration>': { description: 'duration', conflicts: ['--at'] },
    '--page <n>': { description: 'page', needs: '--for' },
    '--by <keys>': { description: 'groups', parse: groups(['day']) },
  }
  const messageOf = (typed: Record<string, unknown>) =>
    readOf(options, typed, renamed).then(
      () => undefined,
      ({ message }: Error) => message,
    )
  expect(await messageOf({ at: 'saturdy' })).toBe('at: "saturdy" is not a time.')
  expect(await messageOf({ at: '9:00', for: '1h' })).toBe('for and at cannot be used together.')
  expect(await messageOf({ page: '1' })).toBe('page requires for.')
  expect(await messageOf({ by: 'month' })).toBe('Unknown group "month" in by.')
})
