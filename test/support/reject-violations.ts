import { afterEach, expect } from 'vitest'
import { violations } from './response-violations.js'

// Fails each test in which a response of the service differs from the OpenAPI document.
afterEach(() => {
  expect(violations.splice(0), 'differences from the OpenAPI document').toEqual([])
})
