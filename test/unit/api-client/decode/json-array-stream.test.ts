import fc from 'fast-check'
import { expect, test } from 'vitest'
import { streamElements } from '../../../../src/api-client/decode/json-array-stream.js'
import { toList } from '../../../../src/api-client/decode/shapes.js'

/** Splits the text into pieces that end at these places. */
function cutAt(text: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b)
  return [...ends, text.length].map((end, index) => text.slice(ends[index - 1] ?? 0, end))
}

/** Returns the elements that the pieces contain, or the name of the error. */
async function read(pieces: readonly string[]): Promise<unknown> {
  const elements: unknown[] = []
  try {
    for await (const batch of streamElements(
      arriving(pieces),
      (value) => toList(value, 'records'),
      (error) => error as Error,
    ))
      elements.push(...batch)
    return elements
  } catch (error) {
    return nameOf(error)
  }
}

async function* arriving(pieces: readonly string[]) {
  yield* pieces
}

const nameOf = (error: unknown) => (error as Error).constructor.name

/** Returns the elements of a text that is parsed at once, or the name of the error. */
function readWhole(text: string): unknown {
  try {
    return toList(text.trim() === '' ? undefined : JSON.parse(text), 'records')
  } catch (error) {
    return nameOf(error)
  }
}

const places = fc.array(fc.nat(), { maxLength: 12 })
const indents = fc.constantFrom(undefined, 1, '\t', ' \n ')

test('reads the same elements from JSON in pieces as from the whole text', { tags: 'slow' }, async () => {
  const json = fc.oneof(
    fc.jsonValue(),
    fc.array(fc.jsonValue()),
    fc.array(fc.string({ unit: 'binary' })),
    fc.record({ data: fc.array(fc.jsonValue()), total: fc.nat() }),
  )
  await fc.assert(
    fc.asyncProperty(json, indents, places, async (value, indent, cuts) => {
      const text = JSON.stringify(value, null, indent)
      expect(await read(cutAt(text, cuts))).toEqual(readWhole(text))
    }),
    { numRuns: 1000 },
  )
})

test('reports the same error for damaged JSON in pieces as for the whole text', {
  tags: 'slow',
}, async () => {
  const damage = fc.constantFrom('', ',', '[', ']', '{', '}', '"', '\\', ':', ' ', '1', 'x', '\u00a0', '],[')
  const list = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(list, damage, fc.nat(), fc.nat(3), places, async (value, inserted, at, left, cuts) => {
      const whole = JSON.stringify(value)
      const place = at % (whole.length + 1)
      const text = `${whole.slice(0, place)}${inserted}${whole.slice(place + left)}`
      expect(await read(cutAt(text, cuts))).toEqual(readWhole(text))
    }),
    { numRuns: 3000 },
  )
})

test.each([
  [' \n[ \t]\r ', []],
  ['{"data": [{"id": 1}], "total": 1}', [{ id: 1 }]],
  ['["a,]\\"", "\\\\"]', ['a,]"', '\\']],
  ['', 'InvalidResponseError'],
  ['7', 'InvalidResponseError'],
  ['[1', 'SyntaxError'],
  ['[1,]', 'SyntaxError'],
  ['[,1]', 'SyntaxError'],
  ['[1}', 'SyntaxError'],
  ['[1]]', 'SyntaxError'],
  ['<html>', 'SyntaxError'],
])('%s gives %j, also character by character', async (text, outcome) => {
  expect(await read([text])).toEqual(outcome)
  expect(await read([...text])).toEqual(outcome)
})

test('yields batches before the end, and every element once', async () => {
  const count = 10_000
  let sent = 0
  async function* pieces() {
    yield '['
    while (sent < count) yield `${sent === 0 ? '' : ','}${sent++}`
    yield ']'
  }
  const found: unknown[] = []
  const aheadOf: number[] = []
  for await (const batch of streamElements(
    pieces(),
    () => [],
    (error) => error as Error,
  )) {
    found.push(...batch)
    aheadOf.push(sent - found.length)
  }
  expect(found).toEqual(Array.from({ length: count }, (_, index) => index))
  expect(aheadOf.length).toBeGreaterThanOrEqual(4)
  expect(Math.max(...aheadOf)).toBeLessThanOrEqual(1)
})
