import { describe, expect, test } from 'vitest'
import { type ForeignServiceSetup, runAt, setUpForeignService } from '../support/foreign-service-setup.js'

/** Sets up a service that ignores filters, with three entries and two expenses. */
async function setUpWithoutFilters(): Promise<ForeignServiceSetup> {
  const setup = await setUpForeignService({ ignores: ['q'] })
  const { cli } = setup
  const entries = [
    ['design', '8:00', 'Stand-up'],
    ['review', '9:00', 'stand-up 50%'],
    ['design', '10:00', 'Planning'],
  ]
  for (const [task = '', from = '', notes = ''] of entries)
    await runAt(cli, '12:00:00', 'add', task, '--from', from, '--for', '30m', '-n', notes)
  for (const amount of ['7.00', '12.50'])
    await runAt(cli, '12:00:00', 'expenses', 'add', amount, '--type', 'Travel', '-n', `for ${amount}`)
  return setup
}

const rows = (text: string) =>
  text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('--where at a service that ignores filters', () => {
  test.each<[string, string[], unknown[]]>([
    ['a part of the notes in any case, with a trailing space', ['notes_cont=Stand-up '], ['stand-up 50%']],
    ['two conditions', ['notes_cont=stand', 'time_start_lt=2024-05-08T09:00'], ['Stand-up']],
  ])('finds entries by %s, whole and as they arrive', async (_, where, notes) => {
    const { cli } = await setUpWithoutFilters()
    const options = where.flatMap((condition) => ['--where', condition])
    const log = await cli.json<Record<string, unknown>[]>('log', ...options)
    expect(log.map((entry) => entry.notes)).toEqual(notes)
    const { stdout } = await cli.run('log', '--ndjson', ...options)
    expect(rows(stdout).map((entry) => entry.notes)).toEqual(notes)
    expect(await cli.json('report', 'today', ...options)).toMatchObject({ count: notes.length })
  })

  test('counts --limit after the filter', async () => {
    const { cli } = await setUpWithoutFilters()
    const log = await cli.json('log', '--where', 'notes_cont=stand', '--limit', '1')
    expect(log).toMatchObject([{ notes: 'stand-up 50%' }])
  })

  test.each<[string[], string, number]>([
    [['expenses'], 'amount_gteq=10', 1],
    [['expenses', 'report'], 'amount_gteq=10', 1],
    [['expenses', 'types'], 'name_eq=Food', 0],
    [['projects'], 'name_cont=app', 1],
    [['clients'], 'name_eq=acme', 0],
    [['tasks'], 'id_lt=2', 1],
    [['assignments'], 'starts_on_lt=2024-05-01', 0],
  ])('filters %j by %s', async (argv, where, count) => {
    const { cli } = await setUpWithoutFilters()
    const result = await cli.json<unknown[] | { count: number }>(...argv, '--where', where)
    expect(Array.isArray(result) ? result.length : result.count).toBe(count)
  })
})

test('--where with a day that does not exist is a usage error, and nothing is sent', async () => {
  const { cli, service } = await setUpWithoutFilters()
  service.requests.length = 0
  expect(await cli.run('log', '--where', 'time_start_gteq=2026-02-30')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('"2026-02-30" does not exist'),
  })
  expect(service.requests).toEqual([])
})
