import { describe, expect, test } from 'vitest'
import type { ServiceVariant } from '../support/foreign-service.js'
import {
  design,
  type ForeignServiceSetup,
  preparedForeignService,
  runAt,
} from '../support/foreign-service-setup.js'
import { dropResponse, jsonResponse, noFault } from '../support/proxy.js'
import { setUpService } from './service-fixtures.js'

const pageHeaders = (total: number) => ({ 'X-Total-Count': String(total), 'X-Per-Page': '2' })
const paged: ServiceVariant = { pages: { size: 2, headers: pageHeaders } }
/** Announces all records and sends the first page only. */
const incomplete: ServiceVariant = { pages: { size: 2, headers: pageHeaders, ignoresPage: true } }

/** Creates 9 entries and 9 expenses at a service without pages. `cli` has cached none of them. */
const setUpPrepared = preparedForeignService(async ({ otherCli }) => {
  for (let hour = 1; hour <= 9; hour++) {
    await runAt(otherCli, '18:00:00', 'add', 'design', `${hour}:00-${hour}:30`, '-n', `${hour}`)
    await runAt(otherCli, '18:00:00', 'expenses', 'add', `${hour}.00`, '--type', 'Travel', '-n', `${hour}`)
  }
})

async function setUpRecords(): Promise<ForeignServiceSetup> {
  const setup = await setUpPrepared()
  setup.cli.setTime('2024-05-08T18:00:00')
  setup.otherCli.setTime('2024-05-08T18:00:00')
  return setup
}

const lists = [
  ['log', ['log', '--json']],
  ['log --ndjson', ['log', '--ndjson']],
  ['expenses', ['expenses', '--json']],
] as const

const numbers = (text: string) => [...text.matchAll(/"notes": ?"(\d)"/g)].map(([, notes]) => Number(notes))

describe('a service whose lists cannot be read completely', () => {
  test.each(lists)('shows an incomplete list in `tt %s`, with a warning', async (_, argv) => {
    const { cli, service } = await setUpRecords()
    service.variant = incomplete
    const { status, stdout, stderr } = await cli.run(...argv)
    expect(status).toBe(0)
    expect(numbers(stdout)).toEqual([1, 2])
    expect(stderr).toMatch(
      /The list of (time entries|expenses) is incomplete: the service announces 9 records, and 2 could be read\./,
    )
  })

  test.each([
    ['log', ['log', '--json']],
    ['report', ['report', 'today', '--json']],
  ])('leaves the cache complete for `tt %s` offline', async (_, argv) => {
    const { cli, service, proxy } = await setUpRecords()
    const before = await cli.run('log', '--json')
    service.variant = incomplete
    await cli.run(...argv)
    proxy.fault = () => undefined
    expect(numbers((await cli.run('log', '--json')).stdout)).toEqual(numbers(before.stdout))
  })

  test('leaves the cache incomplete', async () => {
    const { cli, service, proxy } = await setUpRecords()
    service.variant = incomplete
    await cli.run('log', '--json')
    proxy.fault = () => undefined
    const { stdout, stderr } = await cli.run('log', '--json')
    expect(numbers(stdout)).toEqual([1, 2])
    expect(stderr).toContain('Some records may be missing')
  })

  /** Starts a timer whose entry is on a page that cannot be read. */
  async function startUnlisted(): Promise<ForeignServiceSetup> {
    const setup = await setUpRecords()
    setup.service.variant = incomplete
    await setup.cli.json('start', 'Website/Design', '-n', 'unlisted')
    setup.cli.setTime('2024-05-08T18:30:00')
    return setup
  }

  test('finds the running timer', async () => {
    const { cli, entries } = await startUnlisted()
    expect(await cli.json('status')).toMatchObject({ notes: 'unlisted', running: true })
    await cli.json('edit', '@', '--notes', 'edited')
    await cli.json('stop')
    expect((await entries()).at(-1)).toEqual(design('edited', '18:00', '18:30'))
  })

  test('finds the running timer when its entry cannot be read either', async () => {
    const { cli, proxy, entries } = await startUnlisted()
    proxy.fault = ({ method, path }, forward) =>
      method === 'GET' && /\d$/.test(path) ? jsonResponse(502, '') : forward()
    await cli.json('stop')
    proxy.fault = noFault
    await cli.run('sync')
    expect((await entries()).at(-1)).toEqual(design('unlisted', '18:00', '18:30'))
  })

  test('stops the running timer with the next start', async () => {
    const { cli, entries } = await startUnlisted()
    await cli.json('start', 'Website/Design', '-n', 'next')
    expect((await entries()).at(-2)).toEqual(design('unlisted', '18:00', '18:30'))
  })

  test('keeps the state of the running timer after a change of another entry', async () => {
    const { cli } = await startUnlisted()
    await cli.json('edit', '@', '--notes', 'edited')
    expect(await cli.json('status', '--cached')).toMatchObject({ notes: 'edited' })
    await cli.json('add', 'Website/Design', '--from', '17:00', '--for', '10m')
    await cli.json('undo')
    expect(await cli.json('status', '--cached')).toMatchObject({ notes: 'edited' })
  })

  test('reports a timer that another client has stopped or deleted', async () => {
    const { cli, otherCli, service } = await startUnlisted()
    const change = async (...argv: string[]) => {
      service.variant = {}
      await runAt(otherCli, '18:20:00', ...argv)
      service.variant = incomplete
    }
    await change('stop')
    const stopped = await cli.run('status')
    expect(stopped.stderr).toContain('which ran here, was stopped elsewhere (18:00–18:20).')
    const { id } = await cli.json<{ id: number }>('start', 'Website/Design')
    await change('rm', String(id), '--yes')
    expect((await cli.run('stop')).stderr).toContain('which ran here, was deleted elsewhere.')
  })
})

test('`tt log` requests each list from `tt serve` in a single page', async () => {
  const { cli, proxy, sendAsOtherClient } = await setUpService()
  for (let minute = 10; minute < 35; minute++) {
    const time = `2024-05-08T08:${minute}`
    const times = { time_start: `${time}:00Z`, time_end: `${time}:30Z` }
    await sendAsOtherClient('POST', '/timesheets', { ...times, task_link_id: 1, notes: 'one of many' })
  }
  proxy.requests.length = 0
  expect(await cli.json('log')).toHaveLength(25)
  // The entries that start in the period, and older ones that reach into it.
  expect(proxy.count('/api/v1/timesheets')).toBe(2)
})

test('a create whose response is lost is found on a later page', async () => {
  const setup = await setUpRecords()
  const { cli, service, proxy } = setup
  service.variant = { ...paged, ignores: ['keys'] }
  await runAt(cli, '18:00:00', 'tasks')
  proxy.fault = dropResponse
  await runAt(cli, '18:00:00', 'add', 'design', '--from', '10:00', '--for', '30m', '-n', 'once')
  proxy.fault = noFault
  // The clock of the service stands still.
  await runAt(cli, '18:01:02', 'sync')
  expect((await setup.entries()).filter(({ notes }) => notes === 'once')).toHaveLength(1)
})
