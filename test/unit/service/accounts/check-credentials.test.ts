import { describe, expect, test } from 'vitest'
import { maxWaitingSignIns, waitForTurn } from '../../../../src/service/accounts/check-credentials.js'
import { temporarySqlite, useDatabase } from '../fixtures.js'
import { password, useOAuthTestService } from '../oauth/test-service.js'

const database = useDatabase(temporarySqlite)
const service = useOAuthTestService(database)

/** Takes all turns, so that further sign-ins wait; returns the function that ends the turns. */
async function takeAllTurns(): Promise<() => void> {
  const turns = await Promise.all([waitForTurn(), waitForTurn(), waitForTurn()])
  return () => {
    for (const end of turns) end()
  }
}

describe('sign-ins that wait for the hash of their password', () => {
  test('are limited: others get 503 with Retry-After, and none of them counts as a failure', {
    tags: 'slow',
  }, async () => {
    const endTurns = await takeAllTurns()
    const count = maxWaitingSignIns + 40
    const statuses: number[] = []
    const all = Promise.all(
      Array.from({ length: count }, async () => {
        const response = await service.requestKey()
        statuses.push(response.status)
        return response
      }),
    )
    // Only the rejected ones have a response before a turn ends.
    await expect.poll(() => statuses.length).toBe(40)
    expect(new Set(statuses)).toEqual(new Set([503]))
    const page = await service.browser().open(service.authorization())
    expect(page.status).toBe(200)
    endTurns()
    const responses = await all
    const rejected = responses.filter(({ status }) => status === 503)
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(maxWaitingSignIns)
    expect(rejected).toHaveLength(40)
    for (const response of rejected) {
      expect(response.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/)
      expect(await response.json()).toMatchObject({ error: 'unavailable', errors: {} })
    }
    expect((await service.requestKey()).status).toBe(200)
    expect(service.errors).toEqual([])
  })

  test('get a page with Retry-After in a browser', async () => {
    const endTurns = await takeAllTurns()
    const browser = service.browser()
    const fields = { email: 'ada@example.com', password }
    const page = await browser.open(service.authorization())
    const waiting = Array.from({ length: maxWaitingSignIns }, () => waitForTurn())
    const rejected = await browser.press(page, 'sign-in', fields)
    expect([rejected.status, rejected.headers.get('Retry-After')]).toEqual([503, '5'])
    expect(rejected.text).toContain('Too many people are signing in')
    endTurns()
    for (const turn of waiting) (await turn)()
    expect((await browser.press(page, 'sign-in', fields)).status).toBe(303)
  })
})
