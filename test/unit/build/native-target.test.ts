import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

const require = createRequire(import.meta.url)
const target = require('../../../src/build/native-target.cjs')

test('currentTarget names the same driver build as @neon-rs/load', () => {
  expect(target.currentTarget()).toBe(require('@neon-rs/load').currentTarget())
  expect(() => require.resolve(`@libsql/${target.currentTarget()}`)).not.toThrow()
})
