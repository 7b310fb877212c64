import { beforeEach, describe, expect, it } from 'vitest'
import { deactivateUser } from '../../../../src/service/admin/administration.js'
import { findLinkedUser } from '../../../../src/service/oauth/identity-provider/provider-sign-in.js'
import { databases, useDatabase } from '../fixtures.js'
import { createOAuthTestService, type OAuthTestService } from './test-service.js'

describe.each(databases)('the identities of users over %s', (_, open) => {
  const database = useDatabase(open)
  let service: OAuthTestService
  beforeEach(async () => {
    service = await createOAuthTestService(database.storage)
  })

  const ada = { issuer: 'https://one.example', subject: '1', email: 'ada@example.com', emailVerified: true }
  const find = (identity: Partial<typeof ada>) =>
    findLinkedUser(database.storage, { ...ada, ...identity }, { address: '127.0.0.1', now: 1 })
  const unverified = { email: 'eve@example.com', emailVerified: false }

  it('are issuer and subject, not one of them', async () => {
    const linked = await find({})
    expect(linked).toEqual({ userId: expect.any(Number) })
    expect(await find(unverified)).toEqual(linked)
    expect(await find({ ...unverified, issuer: 'https://two.example' })).toBe('email-unverified')
    expect(await find({ ...unverified, subject: '2' })).toBe('email-unverified')
  })

  it('do not sign in an inactive user', async () => {
    await find({})
    await deactivateUser(service.storage, 'ada@example.com', () => new Date())
    expect(await find({})).toBe('inactive')
    expect(await find({ subject: '2' })).toBe('inactive')
  })
})
