import { expect, test, vi } from 'vitest'
import { type Desk, newDesk } from '../support/test-cli.js'
import { cut, openOffice, passOn } from './service-fixtures.js'

/** At a desk where a timer was started at 09:30:20 by a command that had its turn first. */
async function started(): Promise<Desk> {
  const desk = newDesk('2024-05-01T09:30:20')
  await desk.json('start', 'Website/Design', '-n', 'typed last')
  desk.at('2024-05-01T09:30:05')
  return desk
}

test('a start that was typed before another, and has its turn after it, succeeds', async () => {
  const desk = await started()
  expect(await desk.tt('start', 'Website/Design', '-n', 'typed first')).toMatchObject({ status: 0 })
  desk.at('2024-05-01T09:40:00')
  expect(await desk.json('log')).toMatchObject([
    { notes: 'typed first', running: true },
    { notes: 'typed last', running: false, duration_seconds: 0 },
  ])
})

test('a stop that was typed before a start, and has its turn after it, succeeds', async () => {
  const desk = await started()
  expect(await desk.json('stop')).toMatchObject({ notes: 'typed last', running: false, duration_seconds: 0 })
})

test('an end that was typed, or lies further back, is not before the start', async () => {
  const desk = await started()
  expect(await desk.tt('stop', '--at', '09:30')).toMatchObject({ status: 2 })
  desk.at('2024-05-01T09:29:00')
  const refused = await desk.tt('stop')
  expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('began at 09:30') })
})

test.each([
  ['changed again', ['edit', '1', '--notes', 'second'], [{ notes: 'second' }]],
  ['deleted', ['rm', '1', '--yes'], []],
])(
  'a change that another process is about to deliver is %s: that is what the service gets',
  async (_, line, left) => {
    const { desk, proxy, entries } = await openOffice()
    await desk.json('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'zero')
    proxy.fate = cut
    await desk.json('edit', '1', '--notes', 'first')
    let stalled = () => {}
    const isStalled = new Promise<void>((resolve) => {
      stalled = resolve
    })
    const released = new Promise<void>((resolve) => {
      proxy.fate = async (_request, forward) => {
        const answer = await forward()
        proxy.fate = passOn
        // The process that delivers has read the change and the entry, and has not sent it yet.
        stalled()
        await vi.waitFor(async () => expect(await queued()).not.toContain('first'), 20_000)
        resolve()
        return answer
      }
    })
    const queued = async () => JSON.stringify(await desk.json('sync', 'list'))
    const delivering = desk.tt('sync')
    await isStalled
    expect(await desk.tt(...line)).toMatchObject({ status: 0 })
    await released
    expect(await delivering).toMatchObject({ status: 0 })
    expect(await desk.tt('sync')).toMatchObject({ status: 0 })
    expect(await entries()).toMatchObject(left)
  },
)
