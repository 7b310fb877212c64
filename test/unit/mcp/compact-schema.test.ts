import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { compactInput, compactOutput } from '../../../src/mcp/compact-schema.js'
import { time } from '../../../src/records/shapes/values.js'

const json = (shape: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(shape, { io }) as Record<string, unknown>

const id = z.union([z.string().min(1), z.int().min(1)])
const values = ['x', '', 1, 0, -1, 1.5, null, true, ['x', 1], [], [''], {}, '2024-05-01T09:30:00Z', 'today']

test.each([
  ['a limited integer', z.int().min(0).max(100)],
  ['a nullable time', time.nullable()],
  ['a nullable limited integer', z.int().min(1).nullable()],
  ['a text or an integer', z.union([z.string(), z.int()]).nullable()],
  ['a union in a union', z.union([id, z.array(id).min(0)])],
  ['a nullable choice', z.enum(['x', 'y']).nullable()],
  ['a choice or a list of them', z.union([z.enum(['x', 'y']), z.array(z.enum(['x', 'y']))])],
])('accepts the same values as the schema of %s, in fewer bytes', (_, shape) => {
  const whole = json(z.strictObject({ value: shape }), 'input')
  const compact = compactInput(whole)
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
  addFormats.default(ajv)
  for (const value of [...values.map((value) => ({ value })), {}, { value: 'x', other: 1 }])
    expect([value, ajv.validate(compact, value)]).toEqual([value, ajv.validate(whole, value)])
  expect(JSON.stringify(compact).length).toBeLessThan(JSON.stringify(whole).length)
})

test('an output allows further keys, and describes each property once', () => {
  const record = z.object({ count: z.int().describe('The number.') }).meta({ id: 'CompactTest' })
  const shape = z.object({ count: z.int().describe('The number.'), records: z.array(record) })
  expect(compactOutput(json(shape, 'output'))).toEqual({
    type: 'object',
    properties: {
      count: { type: 'integer', description: 'The number.' },
      records: { type: 'array', items: { $ref: '#/$defs/CompactTest' } },
    },
    required: ['count', 'records'],
    $defs: {
      CompactTest: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
    },
  })
  expect(compactOutput(json(shape, 'output'), 'entries_list')).toMatchObject({
    properties: { records: { items: { type: 'object', description: 'Like those of entries_list' } } },
  })
})
