import { describe, expect, test } from 'vitest'
import { answering, cut, lost, type Office, openOffice, passOn, type Row } from './service-fixtures.js'

const entry = ['add', 'design', '--from', '9:00', '--for', '1h', '-n', 'phone']
const expense = ['expenses', 'add', '12.50', '--type', 'Travel', '-n', 'train']
const rowsOf = ({ entries, expenses }: Office, [word]: string[]) =>
  word === 'expenses' ? expenses() : entries()

/** Failures after which the service has what was sent. */
const losses = {
  'was lost': lost,
  'was a web page': page,
  'was empty': empty,
}

async function page(...[request, forward]: Parameters<typeof lost>) {
  const answer = await forward()
  return request.method === 'GET' ? answer : { status: 200, headers: {}, body: '<html></html>' }
}

async function empty(...[request, forward]: Parameters<typeof lost>) {
  const answer = await forward()
  return request.method === 'GET' ? answer : { status: 200, headers: {}, body: '' }
}

const lines: [string, string[]][] = [
  ['an entry', entry],
  ['an entry without notes', entry.slice(0, -2)],
  ['an entry with an external id', [...entry, '--external-id', 'T-1']],
  ['a timer', ['start', 'design', '--at', '13:00']],
  ['an expense', expense],
  ['an expense with an external id', [...expense, '--external-id', 'T-1']],
  ['an expense of another day', [...expense, '--on', 'yesterday']],
]

describe.each(Object.entries(losses))('a create whose answer %s', (_, fate) => {
  test.each(lines)('is found and not sent again: %s', async (_name, line) => {
    const office = await openOffice()
    const { desk, proxy, sent } = office
    proxy.fate = fate
    expect(await desk.json(...line)).toMatchObject({ pending: true, local_id: '~1' })
    const made = await rowsOf(office, line)
    expect(made).toHaveLength(1)
    proxy.fate = passOn
    sent()
    expect(await desk.tt('sync')).toMatchObject({ status: 0 })
    expect(sent()).toEqual([])
    expect(await rowsOf(office, line)).toEqual(made)
  })
})

describe('a create in doubt', () => {
  test.each([
    ['an entry', entry],
    ['an expense', expense],
  ])('that never arrived is sent again: %s', async (_, line) => {
    const office = await openOffice()
    office.proxy.fate = cut
    await office.desk.json(...line)
    office.proxy.fate = passOn
    expect(await office.desk.tt('sync')).toMatchObject({ status: 0 })
    expect(await rowsOf(office, line)).toHaveLength(1)
  })

  test.each([
    ['an entry', entry],
    ['an expense', expense],
  ])('is not taken for the same that was typed before, however the answers are lost: %s', async (_, line) => {
    for (const fates of [
      [passOn, lost],
      [passOn, cut],
      [lost, lost],
      [lost, cut],
      [cut, lost],
      [cut, cut],
    ]) {
      const office = await openOffice()
      const { desk, proxy } = office
      let minute = 0
      for (const fate of fates) {
        proxy.fate = fate
        desk.at(`2024-05-08T12:${10 + minute++}:00Z`)
        expect(await desk.tt(...line)).toMatchObject({ status: 0 })
      }
      proxy.fate = passOn
      desk.at('2024-05-08T12:30:00Z')
      expect(await desk.tt('sync')).toMatchObject({ status: 0 })
      expect(await rowsOf(office, line)).toHaveLength(2)
      expect(await desk.json(...(line === entry ? ['log'] : ['expenses']))).toHaveLength(2)
    }
  })

  test.each([
    ['an entry', entry, '/timesheets', 'log'],
    ['an expense', expense, '/expenses', 'expenses'],
  ])('is not taken for %s of the same content that was known before', async (_, line, path, list) => {
    const office = await openOffice()
    const { desk, proxy, elsewhere } = office
    await desk.json(...line)
    const [{ id: __, ...same } = {}] = await rowsOf(office, line)
    await elsewhere('POST', path, path === '/expenses' ? { expense: same } : same)
    expect(await desk.json(list)).toHaveLength(2)
    for (const [fate, count] of [
      [cut, 3],
      [lost, 4],
    ] as const) {
      proxy.fate = fate
      await desk.json(...line)
      proxy.fate = passOn
      expect(await desk.tt('sync')).toMatchObject({ status: 0 })
      expect(await rowsOf(office, line)).toHaveLength(count)
    }
  })

  test('is not changed: what is typed next for it follows it', async () => {
    const { desk, proxy, entries, sent } = await openOffice()
    proxy.fate = lost
    await desk.json(...entry)
    proxy.fate = cut
    await desk.json('edit', '~1', '-n', 'other', '--for', '2h')
    expect(await desk.json('show', '~1')).toMatchObject({
      notes: 'other',
      duration_seconds: 7200,
      pending: true,
    })
    proxy.fate = passOn
    sent()
    expect(await desk.tt('sync')).toMatchObject({ status: 0 })
    expect(sent().map(({ method }) => method)).toEqual(['PATCH'])
    expect(await entries()).toMatchObject([{ notes: 'other', time_end: '2024-05-08T09:00:00.000Z' }])
  })

  test('is deleted where it was deleted meanwhile', async () => {
    const { desk, proxy, entries, sent } = await openOffice()
    proxy.fate = lost
    await desk.json(...entry)
    proxy.fate = cut
    await desk.json('rm', '~1', '--yes')
    expect(await desk.json('log')).toEqual([])
    proxy.fate = passOn
    sent()
    expect(await desk.tt('sync')).toMatchObject({ status: 0 })
    expect(sent().map(({ method }) => method)).toEqual(['DELETE'])
    expect(await entries()).toEqual([])
  })

  test('as a timer that somebody has stopped meanwhile is found', async () => {
    const { desk, proxy, entries, elsewhere } = await openOffice()
    proxy.fate = lost
    await desk.json('start', 'design', '--at', '13:00')
    const [{ id } = {}] = await entries()
    await elsewhere('PATCH', `/timesheets/${id}`, { time_end: '2024-05-08T11:30:00Z' })
    proxy.fate = passOn
    expect(await desk.tt('sync')).toMatchObject({ status: 0 })
    expect(await entries()).toMatchObject([{ id, time_end: '2024-05-08T11:30:00.000Z' }])
  })

  test('says that the service may have it when it is dropped', async () => {
    const { desk, proxy } = await openOffice()
    proxy.fate = lost
    await desk.json(...entry)
    expect(await desk.tt('sync', 'discard', '1', '--yes')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('Change 1 was sent before: the service may have it.'),
    })
  })
})

describe.each(Object.entries(losses))('what was changed and whose answer %s', (_, fate) => {
  test.each([
    ['an edit', entry, (id: string) => ['edit', id, '-n', 'x', '--for', '2h']],
    ['an edit of an expense', expense, (id: string) => ['expenses', 'edit', id, '--amount', '13', '-n', 'x']],
  ])('is so once: %s', async (_name, line, change) => {
    const office = await openOffice()
    const { desk, proxy } = office
    const { id } = await desk.json(...line)
    proxy.fate = fate
    expect(await desk.tt(...change(String(id)))).toMatchObject({ status: 0 })
    const there = await rowsOf(office, line)
    proxy.fate = passOn
    expect(await desk.tt('sync')).toMatchObject({ status: 0 })
    expect(await rowsOf(office, line)).toEqual(there)
    expect(there).toMatchObject([{ notes: 'x' }])
  })

  test.each([
    ['an entry', entry, ['rm']],
    ['an expense', expense, ['expenses', 'rm']],
  ])('is gone: %s', async (_name, line, words) => {
    const office = await openOffice()
    const { desk, proxy } = office
    const { id } = await desk.json(...line)
    proxy.fate = fate
    expect(await desk.tt(...words, String(id), '--yes')).toMatchObject({ status: 0 })
    proxy.fate = passOn
    expect(await desk.tt('sync')).toMatchObject({ status: 0 })
    expect(await rowsOf(office, line)).toEqual([])
    expect(await desk.json(words[0] === 'rm' ? 'log' : 'expenses')).toEqual([])
  })
})

describe('typed without the service', () => {
  /** What is sent in the end, each as method and body. */
  async function comesTo(...typed: string[][]) {
    const { desk, proxy, sent } = await openOffice()
    const { id } = await desk.json(...entry)
    sent()
    await proxy.close()
    for (const line of typed) await desk.json(...line.map((word) => (word === 'ID' ? String(id) : word)))
    await proxy.open()
    expect(await desk.tt('sync')).toMatchObject({ status: 0 })
    return sent().map(({ method, body }): [string, unknown] => [method, body])
  }

  test('what is made, changed and deleted sends nothing', async () => {
    const lines = [
      ['start', 'review'],
      ['edit', '@', '-n', 'x'],
      ['edit', '@', '-n', 'y'],
      ['cancel', '--yes'],
    ]
    expect(await comesTo(...lines)).toEqual([])
    expect(
      await comesTo(
        ['expenses', 'add', '1'],
        ['expenses', 'edit', '~2', '-n', 'x'],
        ['expenses', 'rm', '~2', '--yes'],
      ),
    ).toEqual([])
  })

  test('what is started and stopped is one create', async () => {
    const [only, ...others] = await comesTo(['start', 'review', '--at', '13:00'], ['stop', '-n', 'done'])
    expect(only).toMatchObject([
      'POST',
      { time_start: '2024-05-08T11:00:00.000Z', time_end: '2024-05-08T12:00:00.000Z', notes: 'done' },
    ])
    expect(others).toEqual([])
  })

  test('two changes of an entry are one', async () => {
    expect(await comesTo(['edit', 'ID', '-n', 'x', '--for', '2h'], ['edit', 'ID', '-n', 'y'])).toEqual([
      ['PATCH', { notes: 'y', time_end: '2024-05-08T09:00:00.000Z' }],
    ])
  })

  test('what is changed back sends nothing, and what is changed and deleted one deletion', async () => {
    expect(await comesTo(['edit', 'ID', '-n', 'x'], ['edit', 'ID', '-n', 'phone'])).toEqual([])
    expect(await comesTo(['edit', 'ID', '-n', 'x'], ['rm', 'ID', '--yes'])).toEqual([['DELETE', undefined]])
    expect(await comesTo(['rm', 'ID', '--yes'], ['undo'])).toEqual([])
    expect(await comesTo(['edit', 'ID', '-n', 'x'], ['rm', 'ID', '--yes'], ['undo'])).toEqual([
      ['PATCH', { notes: 'x' }],
    ])
  })
})

test('a timer that the service does not take open is held here, and made whole when it stops', async () => {
  const { desk, proxy, entries, sent } = await openOffice()
  proxy.fate = (request, forward) => {
    const isOpen = request.method === 'POST' && !(JSON.parse(request.body) as Row).time_end
    return isOpen ? answering(422, { errors: { time_end: ["can't be blank"] } })(request, forward) : forward()
  }
  const started = await desk.tt('start', 'design', '--at', '13:00', '--json')
  expect(started).toMatchObject({ status: 0, stderr: '' })
  expect(started.json()).toMatchObject({ running: true, pending: true, local_id: '~1' })
  expect(await desk.json('sync')).toMatchObject([{ state: 'held' }])
  sent()
  await desk.json('edit', '@', '-n', 'x')
  expect(await desk.json('status')).toMatchObject({ id: '~1', notes: 'x' })
  await desk.json('start', 'review', '--at', '13:30')
  await desk.json('stop')
  expect(sent().map(({ method }) => method)).toEqual(['POST', 'POST'])
  expect(await entries()).toMatchObject([
    { notes: 'x', time_end: '2024-05-08T11:30:00.000Z' },
    { task_link_id: 2, time_end: '2024-05-08T12:00:00.000Z' },
  ])
  expect(await desk.json('sync', 'list')).toEqual([])
})
