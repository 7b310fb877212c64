import { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomState } from 'oauth4webapi'
import { expect, test } from 'vitest'

// The library on which a sign-in relies, in the installed version.

test('creates the challenge of the example in RFC 7636 appendix B', async () => {
  expect(await calculatePKCECodeChallenge('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  )
})

test('a secret is 32 bytes in base64url and differs from all others', () => {
  const secrets = Array.from({ length: 100 }, () => [
    generateRandomCodeVerifier(),
    generateRandomState(),
  ]).flat()
  for (const secret of secrets) {
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  }
  expect(new Set(secrets).size).toBe(secrets.length)
})

test('every position of a secret varies independently of the others', () => {
  const secrets = Array.from({ length: 2000 }, () => Buffer.from(generateRandomCodeVerifier(), 'base64url'))
  const columns = Array.from({ length: 32 }, (_, position) => secrets.map((secret) => secret[position]))
  // In 2,000 random bytes all 256 values occur with probability 0.9, and 200 of them almost always.
  for (const column of columns) expect(new Set(column).size).toBeGreaterThan(200)
  expect(new Set(columns.map((column) => column.join())).size).toBe(columns.length)
})
