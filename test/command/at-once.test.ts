import { expect, test } from 'vitest'
import { type Desk, newDesk } from '../support/desk.js'

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
