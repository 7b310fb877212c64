import { expect, test } from 'vitest'
import { compactPresentation, JqFilter } from '../../../../src/ui/formats/jq.js'

async function apply(expression: string, json: string, isIndented = false) {
  return (await JqFilter.create(expression, { GREETING: 'hello' })).apply(json, {
    ...compactPresentation,
    isIndented,
  })
}

/** Expressions, inputs and outputs: a few functions of each library that the build of jq contains. */
const cases: readonly (readonly [expression: string, json: string, ...lines: string[]])[] = [
  ['.[]', '{"a":1,"b":2}', '1', '2'],
  ['.a?', '[1]'],
  ['[limit(3; repeat(1))], first(range(5)), [skip(3; range(5))]', 'null', '[1,1,1]', '0', '[3,4]'],
  ['strptime("%Y-%m-%d") | mktime | strftime("%A")', '"2024-05-01"', 'Wednesday'],
  ['test("\\\\p{Lu}")', '"Ä"', 'true'],
  ['[., input]', '1 2', '[1,2]'],
  ['-1', 'null', '-1'],
  ['env.GREETING, $ENV.GREETING, $ENV.HOME', 'null', 'hello', 'hello', 'null'],
]

test.each(cases)('evaluates %s for %s', { tags: 'slow' }, async (expression, json, ...lines) => {
  const text = lines.map((line) => `${line}\n`).join('')
  expect(await apply(expression, json)).toEqual({ text, messages: '' })
})

test('preserves all digits of numbers', async () => {
  const numbers = ['12345678901234567890', '1.000', '100000000000000000000000000001', '-0.10']
  for (const number of numbers) expect((await apply('.[0]', `[${number}]`)).text).toBe(`${number}\n`)
})

test('prints strings as they are, also empty ones, white space, control characters and emoji', async () => {
  const texts = ['', ' a ', 'line\nline', 'ünï \u{1f600} 日本', '"quoted"', '\u2028', '\t', '\u0000', '']
  expect((await apply('.[]', JSON.stringify(texts))).text).toBe(texts.map((text) => `${text}\n`).join(''))
})

test('indents arrays and objects by two spaces on request', async () => {
  const { text } = await apply('., .a[0]', '{"a":["x"]}', true)
  expect(text).toBe('{\n  "a": [\n    "x"\n  ]\n}\nx\n')
})

test.each([
  [
    'nosuch',
    'Invalid jq expression: nosuch/0 is not defined at <top-level>, line 1, column 1:\n    nosuch\n    ^^^^^^',
  ],
  [
    'env |',
    'Invalid jq expression: syntax error, unexpected end of file at <top-level>, line 1, column 5:\n    env |\n        ^',
  ],
  ['', 'Invalid jq expression: Top-level program not given (try ".")'],
  ['import "x" as x; .', 'Invalid jq expression: module not found: x'],
])('rejects the expression %j with the message of jq', async (expression, message) => {
  await expect(JqFilter.create(expression, {})).rejects.toMatchObject({ code: 'usage', message })
})

test.each([
  ['"stop"|halt_error', '1', 'stop'],
  ['.', '[1', 'Unfinished JSON term at EOF at line 1, column 2'],
])('reports that %s fails for %s', async (expression, json, message) => {
  expect(await apply(expression, json)).toMatchObject({
    text: '',
    error: { code: 'failure', message: expect.stringContaining(message) },
  })
})

test('reports at most five errors of one expression', async () => {
  const { text, error } = await apply('.a', '1 2 3 4 5 6 {"a":"b"} 7')
  expect(text).toBe('b\n')
  expect(error?.message.split('\n')).toEqual([
    'The jq expression failed: Cannot index number with string ("a")',
    ...Array(4).fill('Cannot index number with string ("a")'),
    'and 2 more errors',
  ])
})

test('separates the output of debug from the results and from an error', async () => {
  expect(await apply('debug | .[0]', '[1]')).toEqual({ text: '1\n', messages: '["DEBUG:",[1]]' })
  expect(await apply('debug | .a', '[1]')).toMatchObject({ text: '', messages: '["DEBUG:",[1]]' })
})

test('fails for an endless recursion, and works again afterwards', { tags: 'slow' }, async () => {
  const filter = await JqFilter.create('def f: 1 + f; if . == 1 then f else . end', {})
  expect(filter.apply('1', compactPresentation)).toMatchObject({
    text: '',
    error: { code: 'failure', message: expect.stringMatching(/^The jq expression failed: out of memory/) },
  })
  expect(filter.apply('2', compactPresentation).text).toBe('2\n')
})

test('evaluates each of 100,000 records', { tags: 'slow' }, async () => {
  const records = Array.from({ length: 100_000 }, (_, id) => ({ id, notes: `note ${id}`, seconds: 60 }))
  const sum = await apply('[length, (map(.seconds) | add), .[99999].notes]', JSON.stringify(records))
  expect(sum.text).toBe('[100000,6000000,"note 99999"]\n')
  const lines = await apply('.notes', records.map((record) => JSON.stringify(record)).join('\n'))
  expect(lines.text.split('\n')).toHaveLength(100_001)
  expect(lines.text.endsWith('\nnote 99999\n')).toBe(true)
})
