import { expect, test } from 'vitest'
import { FailingDriver } from '../support/failing-driver.js'
import { createTestCli } from '../support/test-cli.js'

test('tt stop ends the timer, or says that nothing is saved, whichever write fails', async () => {
  const cli = createTestCli('2024-05-08T12:00:00Z')
  await cli.json('start', 'Acme/Website/Design')
  await cli.json('stop')
  const driver = await FailingDriver.install(cli.home)
  let minute = 0
  const at = () => cli.setTime(new Date(Date.parse('2024-05-08T12:00:00Z') + ++minute * 60_000).toISOString())
  const running = async () => {
    const entries = await cli.json<{ running: boolean }[]>('log')
    return entries.filter((entry) => entry.running).length
  }
  let failed = 0
  for (let nth = 1, isHit = true; isHit; nth++) {
    at()
    await cli.json('start', 'design', '-n', `${nth}`)
    at()
    driver.setFault({ nth, when: 'before', isLasting: true, error: 'ENOSPC' })
    const stopped = await cli.run('stop')
    isHit = driver.isHit
    driver.setFault()
    const outcome = { nth, stderr: stopped.stderr, status: stopped.status }
    expect({ ...outcome, running: await running() }).toEqual({
      ...outcome,
      running: stopped.status === 0 ? 0 : 1,
    })
    if (stopped.status === 0) continue
    failed++
    expect(outcome).toMatchObject({ status: 1, stderr: expect.stringContaining('Nothing was saved') })
    at()
    expect(await cli.run('stop')).toMatchObject({ status: 0 })
    expect(await running()).toBe(0)
  }
  expect(failed).toBeGreaterThan(0)
})
