import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAmount, readTime } from '../../../../src/api-client/decode/values.js'
import { TtError } from '../../../../src/lib/errors.js'

test.each([
  ['2024-05-01T09:30:00.000Z', '2024-05-01T09:30:00.000Z'],
  ['2024-02-29T09:30:00.000Z', '2024-02-29T09:30:00.000Z'],
  ['2024-05-01T09:30:00Z', '2024-05-01T09:30:00.000Z'],
  ['2024-05-01T09:30Z', '2024-05-01T09:30:00.000Z'],
  ['2024-05-01T09:30:00.000+02:00', '2024-05-01T07:30:00.000Z'],
  ['2024-05-01T00:30:00-0530', '2024-05-01T06:00:00.000Z'],
  ['2024-05-01T09:30:00.1234567+02', '2024-05-01T07:30:00.123Z'],
  ['2024-05-01 09:30:00 UTC', '2024-05-01T09:30:00.000Z'],
  ['2024-05-01 09:30:00 +0200', '2024-05-01T07:30:00.000Z'],
  ['2024-05-01 09:30:00', '2024-05-01T09:30:00.000Z'],
  ['2024-05-01T09:30:00.5', '2024-05-01T09:30:00.500Z'],
  ['2024-05-01', '2024-05-01T00:00:00.000Z'],
  [1_714_555_800, '2024-05-01T09:30:00.000Z'],
  [1_714_555_800.25, '2024-05-01T09:30:00.250Z'],
  [1_714_555_800_123, '2024-05-01T09:30:00.123Z'],
])('the time %s is read as %s', (value, expected) => {
  expect(readTime(value, 'time_start')).toBe(expected)
})

test.each([
  '',
  'soon',
  '2024-13-01T09:30:00.000Z',
  '2024-02-30T09:30:00.000Z',
  '2023-02-29T09:30:00Z',
  '2024-05-01T25:00:00Z',
  '2024-05-01T09:61:00Z',
  '2024-05-01T09:30:00+99:00',
  '0000-01-01T00:00:00+01:00',
  Number.POSITIVE_INFINITY,
  1e300,
  null,
  undefined,
  true,
  {},
  ['2024-05-01'],
])('rejects %j as a time and names the field', (value) => {
  expect(() => readTime(value, 'time_start')).toThrow(
    expect.objectContaining({
      code: 'rejected',
      message: expect.stringContaining('time_start is not a time'),
    }),
  )
})

test('reads every instant of four-digit years with any offset', () => {
  const instants = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-30'), noInvalidDate: true })
  fc.assert(
    fc.property(instants, fc.integer({ min: -1439, max: 1439 }), (instant, offset) => {
      const local = new Date(instant.getTime() + offset * 60_000).toISOString()
      fc.pre(/^\d{4}-/.test(local))
      const two = (part: number) => String(Math.floor(part)).padStart(2, '0')
      const zone = `${offset < 0 ? '-' : '+'}${two(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`
      expect(readTime(local.replace('Z', zone), 'time_start')).toBe(instant.toISOString())
      expect(
        readTime(instant.getTime() < 1e11 ? instant.getTime() / 1000 : instant.getTime(), 'at'),
      ).toBeTruthy()
    }),
  )
})

test('reads any text as a time in RFC 3339 or throws a TtError', () => {
  const nearly = fc.stringMatching(/^\d{4}-[01]\d-[0-3]\dT[0-2]\d:\d\d:\d\d\.\d{3}Z$/)
  fc.assert(
    fc.property(fc.oneof(fc.string(), nearly), (text) => {
      try {
        const read = readTime(text, 'time_start')
        expect(new Date(read).toISOString()).toBe(read)
      } catch (error) {
        expect(error).toBeInstanceOf(TtError)
      }
    }),
  )
})

test.each([
  ['12.50', '12.50'],
  [12.5, '12.5'],
  [12, '12'],
  ['-3', '-3'],
  ['+3.0', '3.0'],
  [' 7 ', '7'],
  ['0.125e2', '12.5'],
  ['0.1e1', '1'],
  ['0.5e-3', '0.0005'],
  ['-0.12e5', '-12000'],
  [1e21, '1000000000000000000000'],
  [1e-7, '0.0000001'],
  ['0.0e0', '0'],
])('the amount %s is read as %s', (value, expected) => {
  expect(readAmount(value, 'amount')).toBe(expected)
})

test.each(['', 'much', '1,50', '1.', '1e999', Number.POSITIVE_INFINITY, null, {}])(
  'rejects %j as an amount',
  (value) => {
    expect(() => readAmount(value, 'amount')).toThrow(
      expect.objectContaining({
        code: 'rejected',
        message: expect.stringContaining('amount is not an amount'),
      }),
    )
  },
)

test('an amount without its exponent is the same number', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e60, max: 1e60, noNaN: true }), (amount) => {
      fc.pre(amount === 0 || Math.abs(amount) > 1e-60)
      const read = readAmount(amount, 'amount')
      expect(read).toMatch(/^-?\d+(\.\d+)?$/)
      expect(Number(read)).toBe(amount + 0)
    }),
  )
})
