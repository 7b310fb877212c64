import { expect, test } from 'vitest'
import { FailingDriver } from '../support/failing-driver.js'
import { newDesk } from '../support/test-cli.js'

test('tt stop stops a timer whose start was interrupted, or says that nothing is saved', async () => {
  const desk = newDesk('2024-05-08T12:00:00Z')
  await desk.json('start', 'Acme/Website/Design')
  await desk.json('stop')
  const driver = await FailingDriver.install(desk.home)
  let minute = 0
  const at = () => desk.at(new Date(Date.parse('2024-05-08T12:00:00Z') + ++minute * 60_000).toISOString())
  const running = async () => {
    const entries = await desk.json<{ running: boolean }[]>('log')
    return entries.filter((entry) => entry.running).length
  }
  let interrupted = 0
  for (let nth = 1, isHit = true; isHit; nth++) {
    for (let later = 1, isStopHit = true; isStopHit; later++) {
      at()
      driver.set({ nth, when: 'before', isLasting: false, error: 'EIO' })
      const started = await desk.tt('start', 'design', '-n', `${nth} ${later}`)
      isHit = driver.isHit
      driver.set()
      if (started.status !== 0) break
      if (started.stderr.includes('disk')) interrupted++
      at()
      driver.set({ nth: later, when: 'before', isLasting: true, error: 'ENOSPC' })
      const stopped = await desk.tt('stop')
      isStopHit = driver.isHit
      driver.set()
      const outcome = { nth, later, stderr: stopped.stderr, status: stopped.status }
      expect({ ...outcome, running: await running() }).toEqual({
        ...outcome,
        running: stopped.status === 0 ? 0 : 1,
      })
      if (stopped.status === 0) continue
      expect(outcome).toMatchObject({ status: 1, stderr: expect.stringContaining('Nothing was saved') })
      at()
      expect(await desk.tt('stop')).toMatchObject({ status: 0 })
      expect(await running()).toBe(0)
    }
  }
  expect(interrupted).toBeGreaterThan(0)
})
