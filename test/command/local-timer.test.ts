import { describe, expect, test } from 'vitest'
import { type Abroad, abroad, answerLost, cut, logOf, typed } from '../support/foreign-service-setup.js'
import { passOn } from '../support/proxy.js'

const refused = { status: 422, body: '{"errors":{"time_end":["must be given"]}}' }

/** A service that takes no entry without an end, and a timer since 08:00 that is therefore held here. */
async function held(openEntries = refused): Promise<Abroad> {
  const there = await abroad({ openEntries })
  await typed(there.desk, '08:00:00', 'start', 'design', '-n', 'one')
  return there
}

/** The requests since the last time that were to change something. */
const changes = ({ foreign }: Abroad) =>
  foreign.seen.splice(0).filter((request) => !request.startsWith('GET'))

const design = (notes: string, from: string, to: string) => ({ task: 'Design', notes, from, to })

describe('a timer that is held here', () => {
  test('is started without a word about it, and shown like any other', async () => {
    const there = await abroad({ openEntries: refused })
    const words = await typed(there.desk, '08:00:00', 'start', 'design', '-n', 'one')
    expect(words).toBe('Started Website / Design at 08:00.\n')
    expect((await there.desk.tt('status')).stderr).toBe('')
    expect(await there.desk.json('status')).toMatchObject({
      id: '~1',
      local_id: '~1',
      running: true,
      pending: true,
      time_end: null,
    })
    expect(await there.desk.json('status', '--cached')).toMatchObject({ id: '~1', notes: 'one' })
    expect(await logOf(there.desk)).toEqual([design('one', '08:00', '')])
    expect(await there.entries()).toEqual([])
  })

  test('is no failure of tt sync, which leaves it where it is', async () => {
    const there = await held()
    changes(there)
    expect(await typed(there.desk, '08:10:00', 'sync')).not.toMatch(/still wait|set aside/)
    expect(await there.desk.json('sync', 'list')).toMatchObject([{ state: 'held', record: '~1' }])
    expect(changes(there)).toEqual([])
  })

  test('is delivered whole at its stop, in one request, and its local id goes on meaning it', async () => {
    const there = await held()
    changes(there)
    await typed(there.desk, '08:20:00', 'edit', '@', '--from', '07:50', '-n', 'two')
    await typed(there.desk, '08:25:00', 'edit', '~1', '--task', 'review')
    expect(await typed(there.desk, '08:30:00', 'stop', '-n', 'three')).toContain('40m (07:50–08:30)')
    expect(changes(there)).toEqual(['POST /timesheets'])
    expect(await there.entries()).toEqual([{ task: 'Review', notes: 'three', from: '07:50', to: '08:30' }])
    expect(await there.desk.json('show', '~1')).toMatchObject({ notes: 'three', pending: false })
    expect(await there.desk.json('sync', 'list')).toEqual([])
  })

  test('is remembered for the next: one request less', async () => {
    const there = await held()
    await typed(there.desk, '08:30:00', 'stop')
    changes(there)
    await typed(there.desk, '08:40:00', 'start', 'review')
    expect(changes(there)).toEqual([])
    await typed(there.desk, '08:50:00', 'start', 'design')
    await typed(there.desk, '08:55:00', 'stop')
    expect(changes(there)).toEqual(['POST /timesheets', 'POST /timesheets'])
  })

  test('is gone when it is cancelled, comes back with undo, and the service hears of nothing', async () => {
    const there = await held()
    changes(there)
    expect(await typed(there.desk, '08:10:00', 'cancel', '--yes')).toContain(
      'Cancelled Website / Design (10m)',
    )
    expect(await there.desk.json('status')).toBeNull()
    expect(await there.desk.json('sync', 'list')).toEqual([])
    await typed(there.desk, '08:11:00', 'undo')
    expect(await there.desk.json('status')).toMatchObject({ notes: 'one', running: true })
    await typed(there.desk, '08:12:00', 'undo')
    expect(await there.desk.json('status')).toBeNull()
    expect(changes(there)).toEqual([])
    expect(await there.entries()).toEqual([])
  })

  test('runs again after its stop is taken back, without a service as well', async () => {
    const there = await held()
    await typed(there.desk, '08:30:00', 'stop')
    there.line.fate = cut
    await typed(there.desk, '08:40:00', 'undo')
    expect(await there.desk.json('status')).toMatchObject({ notes: 'one', running: true })
    expect(await logOf(there.desk)).toEqual([design('one', '08:00', '')])
    await typed(there.desk, '08:50:00', 'stop')
    there.line.fate = passOn
    await typed(there.desk, '08:55:00', 'sync')
    expect(await there.entries()).toEqual([design('one', '08:00', '08:50')])
    expect(await there.desk.json('sync', 'list')).toEqual([])
  })

  test('is found once when the answer to its only request is lost', async () => {
    const there = await held()
    there.line.fate = answerLost
    await typed(there.desk, '08:30:00', 'stop')
    there.line.fate = passOn
    await typed(there.desk, '08:40:00', 'sync')
    expect(await there.entries()).toEqual([design('one', '08:00', '08:30')])
  })

  test('takes in what was typed behind it while it was in doubt', async () => {
    const there = await abroad({ openEntries: refused })
    await typed(there.desk, '07:59:00', 'links')
    there.line.fate = answerLost
    await typed(there.desk, '08:00:00', 'start', 'design', '-n', 'one')
    await typed(there.desk, '08:10:00', 'edit', '@', '-n', 'two')
    there.line.fate = passOn
    expect(await there.desk.json('status')).toMatchObject({ notes: 'two', running: true })
    await typed(there.desk, '08:30:00', 'stop')
    expect(await there.entries()).toEqual([design('two', '08:00', '08:30')])
  })
})

describe('what is remembered', () => {
  test('is forgotten when the entry is refused with its end too', async () => {
    const there = await held({ status: 422, body: '' })
    // It was the task link: the service refuses whatever is sent now.
    there.line.fate = ({ method }, forward) =>
      method === 'POST' ? { status: 422, headers: {}, body: '{"errors":["Not today."]}' } : forward()
    there.desk.at('2024-05-08T08:30:00')
    const stopped = await there.desk.tt('stop')
    expect(stopped).toMatchObject({ status: 7, stderr: expect.stringContaining('Not today.') })
    expect(await logOf(there.desk)).toEqual([design('one', '08:00', '08:30')])
    there.line.fate = passOn
    there.foreign.make = {}
    changes(there)
    await typed(there.desk, '08:40:00', 'start', 'review', '-n', 'open')
    expect(changes(there)).toEqual(['POST /timesheets'])
    expect(await there.entries()).toEqual([{ task: 'Review', notes: 'open', from: '08:40', to: '' }])
    await typed(there.desk, '08:41:00', 'sync', 'retry', '1')
    expect(await there.desk.json('sync', 'list')).toEqual([])
    expect(await there.entries()).toHaveLength(2)
  })

  test('is nothing when the refusal names something else: the start fails, and says why', async () => {
    const body = '{"errors":{"task_link_id":["is closed"]}}'
    const there = await abroad({ openEntries: { status: 422, body } })
    there.desk.at('2024-05-08T08:00:00')
    const started = await there.desk.tt('start', 'design')
    expect(started).toMatchObject({ status: 7, stderr: expect.stringContaining('is closed') })
    there.foreign.make = {}
    changes(there)
    // What was refused ends where the next begins, and is sent again with it: no minute is lost.
    await typed(there.desk, '08:10:00', 'start', 'review')
    expect(changes(there)).toEqual(['POST /timesheets', 'POST /timesheets'])
    expect(await there.entries()).toEqual([
      design('', '08:00', '08:10'),
      { task: 'Review', notes: '', from: '08:10', to: '' },
    ])
  })
})
