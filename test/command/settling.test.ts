import { describe, expect, test } from 'vitest'
import type { Fault } from '../support/proxy.js'
import { loginWithPassword } from './login-fixtures.js'
import { forwardWithoutKey, type Row, type ServiceSetup, setUpService } from './service-fixtures.js'

const entry = ['add', 'design', '--from', '9:00', '--for', '1h', '-n', 'phone']
const other = ['add', 'review', '--from', '11:00', '--for', '1h', '-n', 'letter']
const expense = ['expenses', 'add', '12.50', '--type', 'Travel', '-n', 'train']

/** Cuts the connection of creates, and adds a function to `late` that forwards the request. */
function delayCreates(late: (() => Promise<unknown>)[]): Fault {
  return (request, forward) => {
    if (request.method !== 'POST') return forwardWithoutKey(request, forward)
    late.push(() => forwardWithoutKey(request, forward))
    return undefined
  }
}

/** Announces more records than the lists have. */
const announceMore: Fault = async (request, forward) => {
  const { headers, ...response } = await forwardWithoutKey(request, forward)
  return { ...response, headers: { ...headers, 'x-total-count': '7' } }
}

/** Sets up a service that ignores Idempotency-Key and loses the connection of creates; `late` has their requests. */
async function setUpLateCreates() {
  const setup = await setUpService()
  const late: (() => Promise<unknown>)[] = []
  const { cli, proxy } = setup
  proxy.fault = delayCreates(late)
  return {
    ...setup,
    late,
    /** Lets all later requests pass. */
    recover: () => {
      proxy.fault = forwardWithoutKey
      setup.clearRequests()
    },
    at: (time: string) => cli.setTime(`2024-05-08T${time}Z`),
    posts: () => proxy.requests.filter(({ method }) => method === 'POST').length,
  }
}

const kinds: [string, string[], (setup: ServiceSetup) => Promise<Row[]>][] = [
  ['an entry', entry, ({ entries }) => entries()],
  ['an expense', expense, ({ expenses }) => expenses()],
]

describe.each(kinds)('%s whose create has an unknown outcome', (_, line, rows) => {
  test('is found and not sent again when the request arrives late', async () => {
    const setup = await setUpLateCreates()
    const { cli, late, recover, at, posts } = setup
    expect(await cli.json(...line)).toMatchObject({ pending: true, local_id: '~1' })
    recover()
    at('12:00:20')
    expect(await cli.run('sync')).toMatchObject({ status: 0, stderr: expect.stringContaining('in 40 s') })
    expect(await rows(setup)).toEqual([])
    await late[0]?.()
    expect(await cli.json(line === entry ? 'log' : 'expenses')).toHaveLength(1)
    at('12:00:30')
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(posts()).toBe(0)
    expect(await rows(setup)).toHaveLength(1)
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('is sent again when it has not arrived after the settling time', { tags: 'slow' }, async () => {
    const setup = await setUpLateCreates()
    const { cli, recover, at, posts } = setup
    await cli.json(...line)
    recover()
    for (const time of ['12:00:01', '12:00:59']) {
      at(time)
      for (const command of [['status'], ['log'], other])
        expect(await cli.run(...command)).toMatchObject({ status: 0 })
    }
    expect(await rows(setup)).toHaveLength(line === entry ? 2 : 0)
    const before = posts()
    at('12:01:00')
    await cli.run('status')
    expect(posts()).toBe(before + 1)
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('is not sent again as long as the list is incomplete', async () => {
    const setup = await setUpLateCreates()
    const { cli, proxy, at, recover, posts } = setup
    await cli.json(...line)
    recover()
    proxy.fault = announceMore
    at('12:05:00')
    expect(await cli.run('sync')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('complete list'),
    })
    expect(posts()).toBe(0)
    recover()
    await cli.run('sync')
    expect(await rows(setup)).toHaveLength(1)
  })

  test('is reported as a duplicate with the command that removes it when both requests arrive', async () => {
    const setup = await setUpLateCreates()
    const { cli, late, recover, at } = setup
    await cli.json(...line)
    recover()
    at('12:02:00')
    expect(await cli.run('sync')).toMatchObject({ stderr: expect.not.stringContaining('duplicate') })
    await late[0]?.()
    const [original, duplicate] = await rows(setup)
    const words = [...(line === entry ? ['rm'] : ['expenses', 'rm']), String(duplicate?.id)]
    for (const command of ['sync', 'log']) {
      at(command === 'sync' ? '12:02:30' : '12:05:00')
      const { status, stderr } = await cli.run(command)
      expect({ status, stderr }).toEqual({
        status: 0,
        stderr: expect.stringContaining(
          `duplicate of ${original?.id}: it was sent twice, and both requests arrived`,
        ),
      })
      expect(stderr).toContain(`Run \`tt ${words.join(' ')}\` to remove it.`)
    }
    expect(await cli.run(...words, '--yes')).toMatchObject({ status: 0 })
    expect(await cli.run('sync')).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining('duplicate'),
    })
  })
})

test('the settling time of a create counts from its last request', async () => {
  const { cli, at, recover, posts } = await setUpLateCreates()
  await cli.json(...entry)
  at('12:02:00')
  await cli.run('status')
  recover()
  at('12:02:59')
  await cli.run('sync')
  expect(posts()).toBe(0)
  at('12:03:00')
  await cli.run('sync')
  expect(posts()).toBe(1)
})

test('tt sync --wait waits until the entry is sent again', async () => {
  const setup = await setUpService({ ticking: true })
  const { cli, proxy, entries } = setup
  proxy.fault = delayCreates([])
  await cli.json(...entry)
  proxy.fault = forwardWithoutKey
  cli.setTime('2024-05-08T12:00:59Z')
  expect(await cli.run('sync', '--wait')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('Sent 1'),
  })
  expect(await entries()).toHaveLength(1)
})

test.each([
  [1, 'the response to a new record was lost. It is sent again', 'it'],
  [2, 'the responses to 2 new records were lost. They are sent again', 'them'],
])(
  'tt sync --wait ends and prints why when %i entries wait for a complete list',
  async (count, start, what) => {
    const { cli, proxy } = await setUpService({ ticking: true })
    proxy.fault = delayCreates([])
    await cli.json(...entry)
    cli.setTime('2024-05-08T12:00:40Z')
    if (count === 2) await cli.json(...other)
    proxy.fault = announceMore
    cli.setTime('2024-05-08T12:05:00Z')
    expect(await cli.run('sync', '--wait')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(
        `Saved locally: ${start} when the service sends a complete list that does not have ${what}. Run \`tt sync\` to send it.`,
      ),
    })
  },
)

test('tt login prints how long an entry with an unknown outcome waits', { tags: 'slow' }, async () => {
  const { cli, proxy, late, recover, at } = await setUpLateCreates()
  recover()
  delete cli.env.TT_TOKEN
  delete cli.env.TT_BASE_URL
  const signIn = () =>
    loginWithPassword(cli, proxy.url, '--auth-url', proxy.origin, '--profile', 'acme', '--yes')
  expect(await signIn()).toMatchObject({ status: 0 })
  for (const words of [['tasks'], ['log'], ['status']]) await cli.run(...words)
  proxy.fault = delayCreates(late)
  expect(await cli.json(...entry)).toMatchObject({ pending: true })
  recover()
  at('12:00:20')
  expect(await signIn()).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('the response to a new record was lost. It is sent again in 40 s'),
  })
})

describe('behind a create with an unknown outcome', () => {
  test('other entries are delivered while its own changes stay pending', { tags: 'slow' }, async () => {
    const { cli, recover, at, entries } = await setUpLateCreates()
    await cli.json(...entry)
    recover()
    at('12:00:20')
    expect(await cli.json(...other)).toMatchObject({ pending: false })
    const edited = await cli.run('edit', '~1', '-n', 'mail', '--json')
    expect(edited).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('Saved locally: the response'),
    })
    expect(await entries()).toMatchObject([{ notes: 'letter' }])
    at('12:01:00')
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await entries()).toMatchObject([{ notes: 'letter' }, { notes: 'mail' }])
  })

  test('a stopped timer never overlaps the next one', async () => {
    const { cli, proxy, at, entries } = await setUpLateCreates()
    await cli.json('start', 'design', '-n', 'one')
    let open = 0
    proxy.fault = async (request, forward) => {
      // The service rejects a second open entry.
      if (request.method === 'POST' && !(JSON.parse(request.body) as Row).time_end) {
        const isFirst = (await entries()).every(({ time_end: end }) => end !== null)
        if (!isFirst) {
          open++
          return { status: 422, headers: {}, body: '{"errors":{"time_end":["another timer runs"]}}' }
        }
      }
      return forwardWithoutKey(request, forward)
    }
    at('12:00:10')
    expect(await cli.json('start', 'review', '-n', 'two')).toMatchObject({ pending: true })
    expect(await entries()).toEqual([])
    expect(await cli.json('add', 'design', '--from', '8:00', '--for', '1h')).toMatchObject({
      pending: false,
    })
    at('12:01:10')
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await entries()).toMatchObject([
      {},
      { notes: 'one', time_end: '2024-05-08T12:00:10.000Z' },
      { notes: 'two', time_end: null },
    ])
    expect(open).toBe(0)
  })
})

describe('an entry whose response was lost and whose notes another client has changed', () => {
  /** Sets up an entry whose notes are "phone" here and "call" at the service, which has the ID of the result. */
  async function setUpEdited() {
    const setup = await setUpService()
    const { cli, proxy, entries, sendAsOtherClient } = setup
    proxy.fault = async (request, forward) => {
      const response = await forwardWithoutKey(request, forward)
      return request.method === 'GET' ? response : undefined
    }
    await cli.json(...entry)
    const [{ id } = {}] = await entries()
    await sendAsOtherClient('PATCH', `/timesheets/${id}`, { notes: 'call' })
    return { ...setup, id: String(id) }
  }

  /** Runs commands without a connection, and then `tt sync`. */
  async function edited(...then: string[][]) {
    const setup = await setUpEdited()
    const { cli, proxy } = setup
    proxy.fault = () => undefined
    for (const line of then) await cli.json(...line)
    proxy.fault = forwardWithoutKey
    cli.setTime('2024-05-08T12:05:00Z')
    return { ...setup, synced: await cli.run('sync') }
  }

  test('is one entry with a conflict that shows both values', async () => {
    const { cli, synced, entries, id } = await edited()
    expect(synced.status).toBe(7)
    expect(await entries()).toMatchObject([{ notes: 'call' }])
    expect(await cli.json('sync', 'list')).toMatchObject([
      {
        state: 'conflict',
        record: id,
        message: expect.stringMatching(/"call" at the service.*"phone" here/),
      },
    ])
    expect(await cli.json('log')).toMatchObject([{ notes: 'call' }])
    expect(await cli.json('show', '~1')).toMatchObject({ notes: 'call' })
  })

  test('has the conflict with the latest local notes', async () => {
    const { cli, entries } = await edited(['edit', '~1', '-n', 'mail', '--for', '2h'])
    const [conflict] = await cli.json<Row[]>('sync', 'list')
    expect(conflict).toMatchObject({ state: 'conflict', message: expect.stringMatching(/"call".*"mail"/) })
    expect(await entries()).toMatchObject([{ notes: 'call', time_end: '2024-05-08T09:00:00.000Z' }])
    await cli.run('sync', 'retry', String(conflict?.id))
    expect(await entries()).toMatchObject([{ notes: 'mail' }])
  })

  test('is not deleted by a deletion from before the edit was known', async () => {
    const { cli, entries } = await edited(['rm', '~1', '--yes'])
    expect(await entries()).toMatchObject([{ notes: 'call' }])
    const [conflict] = await cli.json<Row[]>('sync', 'list')
    expect(conflict).toMatchObject({ op: 'delete', state: 'conflict' })
    await cli.run('sync', 'retry', String(conflict?.id))
    expect(await entries()).toEqual([])
  })

  test('gets the notes of another edit, which prints both values', async () => {
    const { cli, proxy, entries } = await setUpEdited()
    proxy.fault = forwardWithoutKey
    cli.setTime('2024-05-08T12:05:00Z')
    const { stderr } = await cli.run('edit', '~1', '-n', 'mail')
    expect(stderr).toMatch(/"call" at the service.*"phone" here/)
    expect(await entries()).toMatchObject([{ notes: 'mail' }])
    expect(await cli.json('sync', 'list')).toEqual([])
  })
})
