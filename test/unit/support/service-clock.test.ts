import { expect, test } from 'vitest'
import { ServiceClock } from '../../support/service-clock.js'

test('responses have the times of the user, with the difference between the clocks', async () => {
  let nowMs = Date.parse('2024-05-08T10:00:00Z')
  const clock = new ServiceClock(() => nowMs, 60_000)
  const respond = async (createdMs: number, atMs?: number) => {
    const record = { time_start: '2024-05-07T08:00:00Z', created_at: new Date(createdMs).toISOString() }
    const body = JSON.stringify([record])
    const response = await clock.execute(
      async () => ({ status: 200, headers: { 'content-length': '9' }, body }),
      atMs,
    )
    expect(response.body).toContain('"time_start":"2024-05-07T08:00:00Z"')
    expect(response.headers).not.toHaveProperty('content-length')
    return [response.headers.date, /"created_at":"([^"]+)"/.exec(response.body)?.[1]]
  }
  const [first, second, old] = [Date.now() + 1, Date.now() + 2, Date.now() - 10_000]
  expect(await respond(first)).toEqual(['Wed, 08 May 2024 10:01:00 GMT', '2024-05-08T10:01:00.000Z'])
  nowMs += 3_600_000
  // A record stays as old as it is, a request may be executed late, and other records are years old.
  expect(await respond(first)).toEqual(['Wed, 08 May 2024 11:01:00 GMT', '2024-05-08T10:01:00.000Z'])
  expect((await respond(second, nowMs - 30_000))[1]).toBe('2024-05-08T11:00:30.000Z')
  expect(Date.parse(String((await respond(old))[1]))).toBeLessThan(Date.now() - 9 * 365 * 24 * 3_600_000)
})
