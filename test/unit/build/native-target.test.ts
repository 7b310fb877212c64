import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

const require = createRequire(import.meta.url)
const target = require('../../../src/build/native-target.cjs')

test('the stand-in names the same build of the driver as what it stands in for', () => {
  expect(target.currentTarget()).toBe(require('@neon-rs/load').currentTarget())
  expect(() => require.resolve(`@libsql/${target.currentTarget()}`)).not.toThrow()
})
