import { describe, expect, test, vi } from 'vitest'
import type { Desk } from '../support/test-cli.js'
import { answering, cut, openOffice, passOn } from './service-fixtures.js'

interface Row {
  notes: string | null
  duration_seconds: number
}

/** What `tt report`, which reads in batches, counts under each note. */
async function reported(desk: Desk, ...options: string[]): Promise<Record<string, number>> {
  const { groups } = await desk.json<{ groups: { key: string | null; seconds: number }[] }>(
    'report',
    ...['--since', '2024-01-01', '--by', 'notes', ...options],
  )
  return Object.fromEntries(groups.map(({ key, seconds }) => [key ?? '', seconds]))
}

/** The same of what `tt log` lists. */
async function logged(desk: Desk, ...options: string[]): Promise<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const { notes, duration_seconds: seconds } of await desk.json<Row[]>(
    'log',
    ...['--since', '2024-01-01', ...options],
  ))
    sums[notes ?? ''] = (sums[notes ?? ''] ?? 0) + seconds
  return sums
}

const add = (desk: Desk, notes: string, from: string, length = '1h') =>
  desk.tt('add', 'Website/Design', '--from', `2024-05-07 ${from}`, '--for', length, '-n', notes, '-q')

/** Three entries at the service that the desk knows. */
async function office() {
  const there = await openOffice()
  for (const [notes, from] of [
    ['one', '7:00'],
    ['two', '8:00'],
    ['three', '9:00'],
  ] as const)
    await add(there.desk, notes, from)
  await there.desk.tt('log', '--since', '2024-01-01')
  there.forget()
  return there
}

type Office = Awaited<ReturnType<typeof office>>

/** Types an edit, a deletion and a create while nobody answers. */
async function typeOffline({ desk, proxy }: Office) {
  await proxy.close()
  await desk.tt('edit', '1', '--notes', 'one, longer', '--for', '2h')
  await desk.tt('rm', '2', '--yes')
  await add(desk, 'four', '10:00', '30m')
}

const expected = { 'one, longer': 7200, three: 3600, four: 1800 }

test('what waits is laid over what this machine knows, without a service', async () => {
  const there = await office()
  await typeOffline(there)
  expect(await reported(there.desk)).toEqual(expected)
  expect(await logged(there.desk)).toEqual(expected)
  const { stderr } = await there.desk.tt('report', '--since', '2024-01-01')
  expect(stderr).toContain('This is what was known at')
  expect(await reported(there.desk, '--where', 'notes_cont=one')).toEqual({ 'one, longer': 7200 })
})

test('without a service, and nothing known, there is no report', async () => {
  const { desk, proxy } = await openOffice({ known: false })
  proxy.fate = cut
  expect(await desk.tt('report')).toMatchObject({ status: 6, stdout: '' })
})

test('what was set aside is shown as in the log', async () => {
  const there = await office()
  const { desk, proxy } = there
  proxy.fate = answering(422, { message: 'No.' })
  await desk.tt('edit', '1', '--notes', 'refused')
  await add(desk, 'four', '10:00')
  proxy.fate = passOn
  expect(await reported(desk)).toEqual({ one: 3600, two: 3600, three: 3600, four: 3600 })
  expect(await logged(desk)).toEqual(await reported(desk))
})

describe('another process that delivers while the list comes', () => {
  test.each(['before the service reads it', 'after the service has read it'])(
    '%s: nothing is lost, and nothing counts twice',
    async (when) => {
      const there = await office()
      const { desk, proxy } = there
      await typeOffline(there)
      await proxy.open()
      desk.at('2024-05-08T12:05:00Z')
      // The other process holds the lock until the list is asked for, so that this one does not deliver itself.
      let listed = () => {}
      const isListed = new Promise<void>((resolve) => {
        listed = resolve
      })
      let released = () => {}
      const isReleased = new Promise<void>((resolve) => {
        released = resolve
      })
      proxy.fate = async ({ method, path }, forward) => {
        if (method !== 'GET') await isListed
        if (path !== '/api/v1/timesheets' || method !== 'GET') return forward()
        const early = when.startsWith('after') ? await forward() : undefined
        listed()
        await isReleased
        return early ?? forward()
      }
      const delivering = desk.tt('sync').finally(() => released())
      await vi.waitFor(() => expect(proxy.seen.length).toBeGreaterThan(0), 20_000)
      const found = await reported(desk)
      await delivering
      expect(found).toEqual(expected)
      proxy.fate = passOn
      expect(await logged(desk)).toEqual(expected)
      expect(there.sent().filter(({ method }) => method !== 'GET')).not.toEqual([])
      expect(await there.entries()).toHaveLength(3)
    },
  )
})

test('a list that breaks off half-way is no report, and what was known is not counted with it', async () => {
  const there = await office()
  const { desk, proxy } = there
  const many = Array.from({ length: 5000 }, (_, index) => ({
    id: 100 + index,
    time_start: '2024-05-07T12:00:00Z',
    time_end: '2024-05-07T12:01:00Z',
  }))
  const body = JSON.stringify(many)
  let lists = 0
  // What runs is asked for before the list.
  proxy.fate = (request, forward) =>
    request.path !== '/api/v1/timesheets' || ++lists === 1
      ? forward()
      : {
          status: 200,
          headers: { 'content-type': 'application/json', 'content-length': String(body.length) },
          body: body.slice(0, -1000),
          torn: true,
        }
  expect(await desk.tt('report', '--since', '2024-01-01')).toMatchObject({
    status: 6,
    stdout: '',
    stderr: expect.stringContaining('connection lost'),
  })
  proxy.fate = cut
  // Nothing that was known is forgotten.
  expect(Object.keys(await logged(desk))).toEqual(expect.arrayContaining(['one', 'two', 'three']))
})

test('a list that breaks off before anything of it is read leaves the answer to what is known', async () => {
  const { desk, proxy } = await office()
  proxy.fate = (request, forward) =>
    request.path !== '/api/v1/timesheets'
      ? forward()
      : { status: 200, headers: { 'content-length': '100' }, body: '[{"id":1,', torn: true }
  expect(await reported(desk)).toEqual({ one: 3600, two: 3600, three: 3600 })
})

test('a report keeps what came for when there is no service, and forgets what is gone', async () => {
  const { desk, proxy, elsewhere } = await office()
  await elsewhere('DELETE', '/timesheets/2')
  await elsewhere('PATCH', '/timesheets/3', { notes: 'changed there' })
  await reported(desk)
  proxy.fate = cut
  desk.at('2024-05-08T12:30:00Z')
  expect(await logged(desk)).toEqual({ one: 3600, 'changed there': 3600 })
  const { stderr } = await desk.tt('log', '--since', '2024-01-01')
  expect(stderr).not.toContain('Some of it may be missing')
})

test('an entry that the service lists twice counts once', async () => {
  const { desk, proxy } = await office()
  const entry = { id: 9, time_start: '2024-05-07T12:00:00Z', time_end: '2024-05-07T13:00:00Z', notes: 'nine' }
  proxy.fate = (request, forward) =>
    request.path !== '/api/v1/timesheets'
      ? forward()
      : { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify([entry, entry]) }
  expect(await reported(desk)).toEqual({ nine: 3600 })
})
