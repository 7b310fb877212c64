import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  mergeNumbers,
  type RecordedNumber,
  readNumberFile,
  TakenNumbers,
} from '../../../../src/report/invoice/taken-numbers.js'
import { temporaryDirectory } from '../../../support/process.js'

/** Numbers whose invoices are in the set `stored`; `isReadable` is whether the profile can be read. */
function setUp({ isReadable = true } = {}) {
  const directory = temporaryDirectory()
  const path = join(directory, 'numbers.json')
  const stored = new Set<string>()
  const create = () =>
    new TakenNumbers({
      path,
      lockPath: join(directory, 'lock'),
      hasInvoice: async (_, invoice) => (isReadable ? stored.has(invoice) : undefined),
    })
  const choice = (number: string) => ({
    ...{ number, series: '{n}', count: Number(number), profile: 'local', invoice: `id ${number}` },
    taken_at: '2024-05-01T00:00:00Z',
  })
  const store = async ({ invoice }: RecordedNumber) => void stored.add(invoice)
  const end = () => Promise.reject(new Error('killed'))
  return { path, create, choice, store, end }
}

test('a taken number stays taken', async () => {
  const { create, choice, store } = setUp()
  expect(await create().take(() => choice('1'), store)).toMatchObject({ number: '1' })
  expect([...(await create().read())]).toEqual([['1', expect.objectContaining({ series: '{n}', count: 1 })]])
})

test('no number is taken if none is chosen', async () => {
  const { path, create, store } = setUp()
  expect(await create().take(() => undefined, store)).toBeUndefined()
  expect(existsSync(path)).toBe(false)
})

test('the number of a process that ended before it stored the invoice is free again', async () => {
  const { path, create, choice, store, end } = setUp()
  await expect(create().take(() => choice('1'), end)).rejects.toThrow('killed')
  expect(readFileSync(path, 'utf8')).toContain('"reserved":true')
  expect([...(await create().read()).keys()]).toEqual([])
  expect(await create().take(() => choice('1'), store)).toMatchObject({ number: '1' })
})

test('the number of a process that ended after it stored the invoice is taken', async () => {
  const { path, create, choice, store, end } = setUp()
  const ended = create().take(
    () => choice('1'),
    (taken) => store(taken).then(end),
  )
  await expect(ended).rejects.toThrow('killed')
  expect([...(await create().read()).keys()]).toEqual(['1'])
  await create().take(() => choice('2'), store)
  expect(Object.entries(readNumberFile(path)).map(([number, { reserved }]) => [number, reserved])).toEqual([
    ['1', undefined],
    ['2', undefined],
  ])
})

test('a reserved number stays taken while its profile cannot be read', async () => {
  const { create, choice, end } = setUp({ isReadable: false })
  await expect(create().take(() => choice('1'), end)).rejects.toThrow('killed')
  expect([...(await create().read()).keys()]).toEqual(['1'])
})

test('numbers with the names of object members are numbers', async () => {
  const { create, choice, store, path } = setUp()
  for (const number of ['__proto__', 'constructor'])
    await create().take(() => ({ ...choice('1'), number, invoice: number }), store)
  expect([...(await create().read()).keys()]).toEqual(['__proto__', 'constructor'])
  expect(Object.keys(readNumberFile(path))).toEqual(['__proto__', 'constructor'])
})

test.each(['', '[]', '{"numbers": []}', '{"numbers": {"1": {}}}'])(
  'a file with %j is an error, not an empty series',
  async (content) => {
    const { path, create } = setUp()
    writeFileSync(path, content)
    await expect(create().read()).rejects.toThrow('cannot be read')
  },
)

test('merged numbers are those of both files', () => {
  const number = (invoice: string): RecordedNumber => ({
    ...{ series: null, count: null, profile: 'local', invoice, taken_at: '2024-05-01T00:00:00Z' },
  })
  const merged = mergeNumbers({ 1: number('a'), 2: number('b') }, { 2: number('c'), 3: number('d') })
  expect(Object.values(merged).map(({ invoice }) => invoice)).toEqual(['a', 'b', 'd'])
})
