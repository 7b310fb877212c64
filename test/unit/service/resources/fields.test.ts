import { expect, test } from 'vitest'
import type { Field } from '../../../../src/records/records.js'
import * as records from '../../../../src/records/records.js'
import { FieldProblem, readField } from '../../../../src/service/resources/fields.js'

// The compiler checks these fields (npm run types): `@ts-expect-error` is an error where the next line compiles.

test('users can write fields whose type has a reader', () => {
  const fields: Field[] = [{ type: 'text', write: 'optional' }, { type: 'name' }]
  // @ts-expect-error: The service cannot read a name in a request.
  fields.push({ type: 'name', write: 'optional' })
  expect(fields.map((field) => readField(field, 'x'))).toEqual(['x', undefined, undefined])
})

const written = Object.values(records).flatMap(({ noun, fields }: records.RecordDeclaration) =>
  Object.entries(fields).flatMap(([name, field]) => (field.write ? [{ noun, name, field }] : [])),
)

test.each(written)('null is a problem for the $name of a $noun unless it is nullable', ({ field }) => {
  const value = readField(field, null)
  if (field.isNullable) expect(value).toBeNull()
  else expect(value).toBeInstanceOf(FieldProblem)
})
