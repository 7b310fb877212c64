import { expect, test } from 'vitest'
import { generateToken, hashToken } from '../../../../src/service/accounts/tokens.js'

test.each(['tt', 'ttc', 'ttr'] as const)(
  'the hash of a token of the type %s begins with its time',
  (type) => {
    const now = Date.UTC(2024, 4, 8)
    const token = generateToken(now, type)
    expect(token).toMatch(new RegExp(`^${type}_[0-9a-f]{12}_[\\w-]{43}$`))
    expect(hashToken(token)).toMatch(new RegExp(`^${now.toString(16).padStart(12, '0')}[0-9a-f]{64}$`))
    expect(hashToken(token.replace(`${type}_`, 'xx_'))).toMatch(/^[0-9a-f]{64}$/)
  },
)
