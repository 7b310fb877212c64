import { describe, expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'

const createTwoEntryCli = preparedCli('2024-05-08T12:00:00', async (cli) => {
  await cli.json('add', 'Acme/Website/Design', '--from', '9:00', '--for', '1h')
  await cli.json('add', 'Acme/Website/Review', '--from', '10:00', '--for', '1h')
})

test('an error under --json contains no question and no candidates without a name', {
  tags: 'slow',
}, async () => {
  const cli = await createTwoEntryCli()
  for (const line of [
    ...['start', 'show', 'rm 1', 'rm --pick', 'edit --pick -n x', 'edit', 'edit 1', 'split 1', 'join 1 2'],
    ...['cancel', 'undo 2', 'login --base-url https://a.example/api/v1 --insecure-storage'],
  ] as const) {
    if (line === 'cancel') await cli.json('start', 'design')
    const { status, stderr } = await cli.run(...line.split(' '), '--json')
    expect(status).not.toBe(0)
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
    expect(`${error.message} ${error.hint}`).not.toContain('?')
    expect(error).not.toHaveProperty('candidates')
  }
})

test('a time without a date ends an added entry on the following day', async () => {
  const cli = await createTwoEntryCli()
  const entry = await cli.json('add', 'design', '--from', 'yesterday 22:00', '--to', '1:00')
  expect(entry).toMatchObject({
    time_start: '2024-05-07T22:00:00+02:00',
    time_end: '2024-05-08T01:00:00+02:00',
    duration_seconds: 3 * 3600,
  })
  expect(await cli.json('edit', String(entry.id), '--to', '2:00')).toMatchObject({
    time_end: '2024-05-08T02:00:00+02:00',
  })
})

describe('a time in the future', () => {
  test.each([
    [['--from', '13:00', '--to', '14:00'], 'The start, 13:00, is in the future.'],
    [['--from', '11:30', '--to', '14:00'], 'The end, 14:00, is in the future.'],
  ])('%j is reported by tt add and tt edit', async (times, warning) => {
    const cli = await createTwoEntryCli()
    const added = await cli.run('add', 'design', ...times, '--yes')
    expect(added).toMatchObject({ status: 0, stderr: expect.stringContaining(warning) })
    const edited = await cli.run('edit', '1', ...times, '--yes')
    expect(edited).toMatchObject({ status: 0, stderr: expect.stringContaining(warning) })
    const notes = await cli.run('edit', '1', '-n', 'x')
    expect(notes.stderr).not.toContain('future')
  })

  test('is not reported for an entry that ends now', async () => {
    const outcome = await (await createTwoEntryCli()).run('add', 'design', '--from', '11:30', '--to', 'now')
    expect(outcome.stderr).not.toContain('future')
  })
})
