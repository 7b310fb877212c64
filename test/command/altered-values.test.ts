import { expect, test } from 'vitest'
import { type Fault, noFault, type ProxiedRequest, startProxy } from '../support/proxy.js'
import { createCliAtServiceTime, loginWithPassword, startService } from './login-fixtures.js'

/** Sets up an entry and an expense at a service behind a proxy. */
async function setUpProxy() {
  const service = await startService()
  const proxy = await startProxy(service.url)
  const cli = createCliAtServiceTime()
  await loginWithPassword(cli, service.url, '--base-url', proxy.url)
  const times = ['--from', '2024-05-07 09:00', '--for', '1h']
  const { id } = await cli.json<{ id: number }>('add', 'Website/Design', ...times, '-n', 'first')
  const expense = await cli.json<{ id: number }>('expenses', 'add', '12.50', '--currency', 'EUR')
  const notes = async () => (await cli.json<{ notes: string }[]>('api', 'GET', `/timesheets/${id}`))[0]?.notes
  proxy.requests.length = 0
  const changesSent = () => proxy.requests.filter(({ method }) => method === 'PATCH').length
  return { service, cli, proxy, id: String(id), expense: String(expense.id), notes, changesSent }
}

/** Accepts this number of changes with an empty response, without forwarding them. */
function acceptWithoutStoring(times: number): Fault {
  let remaining = times
  return ({ method }: ProxiedRequest, forward) =>
    method === 'PATCH' && remaining-- > 0 ? { status: 200, headers: {}, body: '' } : forward()
}

test('a change that the service accepted without storing it is sent again', async () => {
  const { cli, proxy, id, expense, notes, changesSent } = await setUpProxy()
  proxy.fault = acceptWithoutStoring(1)
  expect(await cli.json('edit', id, '--notes', 'second')).toMatchObject({ notes: 'second', pending: false })
  expect(await notes()).toBe('second')
  expect(changesSent()).toBe(2)
  proxy.fault = acceptWithoutStoring(2)
  expect(await cli.json('expenses', 'edit', expense, '--amount', '13.20')).toMatchObject({ amount: '13.20' })
  expect(changesSent()).toBe(5)
})

test.each([
  ['whole minutes', '10:00:40'],
  ['minutes and seconds', '09:00:21', '09:01:07'],
])(
  'a change by seconds that the service accepted without storing it is sent again: %s',
  async (_, ...ends) => {
    const { cli, proxy, id, changesSent } = await setUpProxy()
    const [last] = ends.slice(-1)
    for (const end of ends.slice(0, -1)) await cli.json('edit', id, '--to', `2024-05-07 ${end}`)
    proxy.requests.length = 0
    proxy.fault = acceptWithoutStoring(1)
    await cli.json('edit', id, '--to', `2024-05-07 ${last}`)
    expect(changesSent()).toBe(2)
    expect(await cli.json('show', id)).toMatchObject({ time_end: `2024-05-07T${last}+02:00` })
  },
)

test('a timer that ended elsewhere fails no command when its end cannot be read', async () => {
  const { cli, proxy } = await setUpProxy()
  const { id } = await cli.json<{ id: number }>('start', 'Website/Design')
  await cli.json('api', 'DELETE', `/timesheets/${id}`)
  proxy.fault = ({ method, path }, forward) =>
    method === 'GET' && path.endsWith(`/timesheets/${id}`) ? undefined : forward()
  expect(await cli.run('status', '--json')).toMatchObject({
    status: 0,
    stdout: 'null\n',
    stderr: expect.stringContaining('Website / Design, which ran here, has ended elsewhere.'),
  })
})

test('a delivered deletion is undone offline, and delivered again', { tags: 'slow' }, async () => {
  const { cli, proxy, id } = await setUpProxy()
  await cli.json('rm', id, '--yes')
  proxy.fault = () => undefined
  expect(await cli.run('undo')).toMatchObject({ status: 0, stderr: expect.stringContaining('Saved locally') })
  expect(await cli.json('log')).toMatchObject([{ notes: 'first', pending: true }])
  proxy.fault = noFault
  expect(await cli.run('sync')).toMatchObject({ status: 0 })
  expect(await cli.json('log')).toMatchObject([{ notes: 'first', pending: false, duration_seconds: 3600 }])
})

test('tt login warns about a pending change that the service stores differently', {
  tags: 'slow',
}, async () => {
  const { service, cli, proxy, id } = await setUpProxy()
  proxy.fault = () => undefined
  await cli.run('edit', id, '--notes', 'second')
  proxy.fault = async (_request, forward) => {
    const response = await forward()
    const body = response.body.replace('"notes":"second"', '"notes":"fourth"')
    return { ...response, body }
  }
  expect(await loginWithPassword(cli, service.url, '--base-url', proxy.url)).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/^Sent 1 change\..*\nThe service did not store entry/ms),
  })
})
