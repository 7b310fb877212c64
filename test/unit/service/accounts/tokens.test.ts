import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import {
  generateSecret,
  generateToken,
  hashSecret,
  hashToken,
} from '../../../../src/service/accounts/tokens.js'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const time = Date.UTC(2026, 0, 1)
const random = 'A-z0_9'.repeat(8).slice(0, 43)

it('generates tokens of a prefix, the time and 32 random bytes', () => {
  expect(generateToken(time)).toMatch(/^tt_019b76daa800_[\w-]{43}$/)
  expect(generateToken(time, 'ttr')).toMatch(/^ttr_019b76daa800_[\w-]{43}$/)
  expect(generateToken(time)).not.toBe(generateToken(time))
  expect(generateSecret('tts')).toMatch(/^tts_[\w-]{43}$/)
})

it('hashes the whole token, after its time', () => {
  for (const prefix of ['tt', 'ttr', 'ttc'] as const) {
    const token = generateToken(time, prefix)
    expect(hashToken(token)).toBe(`019b76daa800${sha256(token)}`)
  }
})

it('puts the hashes of tokens into the order of their times', () => {
  const times = [0, 15, 16, 2 ** 40 - 1, 2 ** 40, time, time + 1, Date.UTC(2999, 0)]
  const hashes = times.map((each) => hashToken(generateToken(each)))
  expect(hashes.toSorted()).toEqual(hashes)
  expect(new Set(hashes.map((hash) => hash.length))).toEqual(new Set([76]))
})

it.each([
  ['a token of an earlier release', `tt_${random}`],
  ['a secret of an application', `tts_${random}`],
  ['another prefix', `x_019b76daa800_${random}`],
  ['a short time', `tt_19b76daa800_${random}`],
  ['a long time', `tt_0019b76daa800_${random}`],
  ['a time in upper case', `tt_019B76DAA800_${random}`],
  ['a time that is not hexadecimal', `tt_019b76daa80g_${random}`],
  ['too few characters', `tt_019b76daa800_${random.slice(1)}`],
  ['too many characters', `tt_019b76daa800_${random}0`],
  ['another character', `tt_019b76daa800_${random.slice(1)}.`],
  ['a line end', `tt_019b76daa800_${random}\n`],
  ['an empty text', ''],
])('hashes %s without a time', (_, text) => {
  expect(hashToken(text)).toBe(sha256(text))
  expect(hashSecret(text)).toBe(sha256(text))
})
