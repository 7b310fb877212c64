import { expect, test } from 'vitest'
import { compactPresentation, JqFilter } from '../../../../src/ui/formats/jq.js'

async function apply(expression: string, json: string, isIndented = false) {
  return (await JqFilter.create(expression, { GREETING: 'hello' })).apply(json, {
    ...compactPresentation,
    isIndented,
  })
}

/** Expressions, inputs and outputs, a few for each section of the manual of jq. */
const cases: readonly (readonly [expression: string, json: string, ...lines: string[]])[] = [
  // Basic filters.
  ['.', '{"b":1,"a":2}', '{"b":1,"a":2}'],
  ['.a.b', '{"a":{"b":"x"}}', 'x'],
  ['.["a b"]', '{"a b":1}', '1'],
  ['.a?', '[1]'],
  ['.[1:3]', '["a","b","c","d"]', '["b","c"]'],
  ['.[-1]', '[1,2]', '2'],
  ['.[]', '{"a":1,"b":2}', '1', '2'],
  ['.a, .b', '{"a":1,"b":2}', '1', '2'],
  ['.[] | .id', '[{"id":1},{"id":2}]', '1', '2'],
  ['.. | numbers', '[[1],2]', '1', '2'],
  // Types, operators and builtin functions.
  ['{id, name: .title}', '{"id":1,"title":"t"}', '{"id":1,"name":"t"}'],
  ['map(.s) | add', '[{"s":60},{"s":30}]', '90'],
  ['.a + .b, .a - .b, .a * .b, .a / .b, 7 % 4', '{"a":8,"b":2}', '10', '6', '16', '4', '3'],
  ['length', '"été"', '3'],
  ['keys, keys_unsorted', '{"b":1,"a":2}', '["a","b"]', '["b","a"]'],
  ['has("a"), has("b")', '{"a":null}', 'true', 'false'],
  ['map_values(. + 1)', '{"a":1}', '{"a":2}'],
  ['pick(.a.b)', '{"a":{"b":1,"c":2},"d":3}', '{"a":{"b":1}}'],
  ['to_entries, with_entries(.value += 1)', '{"a":1}', '[{"key":"a","value":1}]', '{"a":2}'],
  ['[.[] | select(. > 1)]', '[1,2,3]', '[2,3]'],
  ['any, all', '[true,false]', 'true', 'false'],
  ['flatten, reverse', '[1,[2]]', '[1,2]', '[[2],1]'],
  ['[range(0; 6; 2)]', 'null', '[0,2,4]'],
  [
    'sort_by(.n), min_by(.n), (group_by(.n) | length)',
    '[{"n":2},{"n":1}]',
    '[{"n":1},{"n":2}]',
    '{"n":1}',
    '2',
  ],
  ['unique, unique_by(. % 2)', '[3,1,1]', '[1,3]', '[3]'],
  ['startswith("a"), ltrimstr("a"), ascii_upcase', '"ab"', 'true', 'b', 'AB'],
  ['split(", "), join("-")?', '"a, b"', '["a","b"]'],
  ['"\\(.a) of \\(.b)"', '{"a":1,"b":2}', '1 of 2'],
  ['tojson, (tojson | fromjson)', '[1,"x"]', '[1,"x"]', '[1,"x"]'],
  ['@csv, @tsv, @sh', '["a b",1]', '"a b",1', 'a b\t1', "'a b' 1"],
  [
    '@base64, (@base64 | @base64d), @uri, @html, @json',
    '"é <"',
    'w6kgPA==',
    'é <',
    '%C3%A9%20%3C',
    'é &lt;',
    '"é <"',
  ],
  ['todate, (todate | fromdate)', '1425599621', '2015-03-05T23:53:41Z', '1425599621'],
  ['strptime("%Y-%m-%d") | mktime | strftime("%A")', '"2024-05-01"', 'Wednesday'],
  // Conditionals, errors, regular expressions.
  ['if . > 1 then "many" elif . == 1 then "one" else "none" end', '1', 'one'],
  ['.a // "default"', '{"a":null}', 'default'],
  ['try error("no") catch .', 'null', 'no'],
  [
    'test("x"; "i"), [match("(?<d>\\\\d+)").captures[0].name], sub("\\\\d"; "#")',
    '"X12"',
    'true',
    '["d"]',
    'X#2',
  ],
  ['capture("(?<y>\\\\d{4})-(?<m>\\\\d\\\\d)")', '"2024-05"', '{"y":"2024","m":"05"}'],
  ['test("\\\\p{Lu}")', '"Ä"', 'true'],
  // Variables, functions, reduction, generators, assignment, paths.
  ['. as [$a, {b: $c}] | $a + $c', '[1,{"b":2}]', '3'],
  ['def f(g): g + 1; f(. * 2)', '3', '7'],
  ['reduce .[] as $i (0; . + $i)', '[1,2,3]', '6'],
  ['[foreach .[] as $i (0; . + $i)]', '[1,2,3]', '[1,3,6]'],
  ['[limit(3; repeat(1))], first(range(5)), [skip(3; range(5))]', 'null', '[1,1,1]', '0', '[3,4]'],
  ['.a |= . + 1 | .b = 2 | del(.c)', '{"a":1,"c":3}', '{"a":2,"b":2}'],
  ['[paths], getpath(["a","b"])', '{"a":{"b":1}}', '[["a"],["a","b"]]', '1'],
  ['walk(if type == "number" then . + 1 else . end)', '[1,{"a":2}]', '[2,{"a":3}]'],
  ['splits(", *")', '"a,  b"', 'a', 'b'],
  ['[., input]', '1 2', '[1,2]'],
  ['[tostream | length]', '[1]', '[2,1]'],
  ['limit(1; .[]) # the first', '[1,2]', '1'],
  ['-1', 'null', '-1'],
  ['env.GREETING, $ENV.GREETING, $ENV.HOME', 'null', 'hello', 'hello', 'null'],
]

test.each(cases)('evaluates %s for %s', async (expression, json, ...lines) => {
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
    '.[] |',
    'Invalid jq expression: syntax error, unexpected end of file at <top-level>, line 1, column 5:\n    .[] |\n        ^',
  ],
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
  ['.[0], .[0].a', '[1]', '1\n', 'Cannot index number with string ("a")'],
  ['error("no such day")', '1', '', 'no such day'],
  ['"stop"|halt_error', '1', '', 'stop'],
  ['.', '[1', '', 'Unfinished JSON term at EOF at line 1, column 2'],
])('reports that %s fails for %s, after its results', async (expression, json, text, message) => {
  expect(await apply(expression, json)).toMatchObject({
    text,
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

test('fails for an endless recursion, and works again afterwards', async () => {
  const filter = await JqFilter.create('def f: 1 + f; if . == 1 then f else . end', {})
  expect(filter.apply('1', compactPresentation)).toMatchObject({
    text: '',
    error: { code: 'failure', message: expect.stringMatching(/^The jq expression failed: out of memory/) },
  })
  expect(filter.apply('2', compactPresentation).text).toBe('2\n')
})

test('evaluates each of 100,000 records', async () => {
  const records = Array.from({ length: 100_000 }, (_, id) => ({ id, notes: `note ${id}`, seconds: 60 }))
  const sum = await apply('[length, (map(.seconds) | add), .[99999].notes]', JSON.stringify(records))
  expect(sum.text).toBe('[100000,6000000,"note 99999"]\n')
  const lines = await apply('.notes', records.map((record) => JSON.stringify(record)).join('\n'))
  expect(lines.text.split('\n')).toHaveLength(100_001)
  expect(lines.text.endsWith('\nnote 99999\n')).toBe(true)
})
