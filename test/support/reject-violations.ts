import { afterEach, expect } from 'vitest'
import { violations } from './response-violations.js'

// Fails each test in which a response of the service differs from the OpenAPI document, or JSON of a command from its shape.
afterEach(() => {
  expect(violations.splice(0), 'differences from the OpenAPI document and the declared shapes').toEqual([])
})
