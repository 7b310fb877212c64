import { expect, test } from 'vitest'
import { errorText } from '../../../../src/api-client/http/error-body.js'

test.each([
  [
    '{"message":"x is required; y is odd.","errors":{"x":["is required"],"y":["is odd"]}}',
    ': x is required; y is odd.',
  ],
  ['{"message":"Invalid","errors":{"x":["is required"]}}', ': Invalid: x is required.'],
  ['{"message":"It is archived.","errors":{"x":["is invalid"]}}', ': It is archived: x is invalid.'],
  ['{"errors":{"x":["is required"]}}', ': x is required.'],
  ['', '.'],
])('the body %s gives each error text once', (body, words) => {
  expect(errorText(body)).toBe(words)
})
