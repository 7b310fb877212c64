import { expect, test } from 'vitest'
import { type Fate, type Passing, passOn, proxyTo } from '../support/proxy.js'
import { deskThere, loginByKey, newService } from './signed-in.js'

/** Ada has an entry and an expense at a service behind a proxy. */
async function behindProxy() {
  const service = await newService()
  const proxy = await proxyTo(service.url)
  const desk = deskThere()
  await loginByKey(desk, service.url, '--base-url', proxy.url)
  const times = ['--from', '2024-05-07 09:00', '--for', '1h']
  const { id } = await desk.json<{ id: number }>('add', 'Website/Design', ...times, '-n', 'first')
  const expense = await desk.json<{ id: number }>('expenses', 'add', '12.50', '--currency', 'EUR')
  const notes = async () =>
    (await desk.json<{ notes: string }[]>('api', 'GET', `/timesheets/${id}`))[0]?.notes
  proxy.seen.length = 0
  const changesSent = () => proxy.seen.filter(({ method }) => method === 'PATCH').length
  return { desk, proxy, id: String(id), expense: String(expense.id), notes, changesSent }
}

/** Says of so many changes that they are done, without a word, and does not pass them on. */
function saysYes(times: number): Fate {
  let left = times
  return ({ method }: Passing, forward) =>
    method === 'PATCH' && left-- > 0 ? { status: 200, headers: {}, body: '' } : forward()
}

test('a change that was taken without a word and not done is sent again', async () => {
  const { desk, proxy, id, expense, notes, changesSent } = await behindProxy()
  proxy.fate = saysYes(1)
  expect(await desk.json('edit', id, '--notes', 'second')).toMatchObject({ notes: 'second', pending: false })
  expect(await notes()).toBe('second')
  expect(changesSent()).toBe(2)
  proxy.fate = saysYes(2)
  expect(await desk.json('expenses', 'edit', expense, '--amount', '13.20')).toMatchObject({ amount: '13.20' })
  expect(changesSent()).toBe(5)
})

test('a change that is never done is set aside, and not lost', async () => {
  const { desk, proxy, id, notes, changesSent } = await behindProxy()
  proxy.fate = saysYes(99)
  const refused = await desk.tt('edit', id, '--notes', 'second')
  expect(refused).toMatchObject({
    status: 7,
    stdout: '',
    stderr: expect.stringContaining('has it as it was before'),
  })
  expect(changesSent()).toBe(3)
  expect(await notes()).toBe('first')
  expect((await desk.tt('sync')).status).toBe(7)
  proxy.fate = saysYes(0)
  const [, seq] = /tt sync retry (\d+)/.exec(refused.stderr) ?? []
  expect(await desk.tt('sync', 'retry', seq ?? '')).toMatchObject({ status: 0 })
  expect(await notes()).toBe('second')
})

test('a timer that has ended elsewhere is no trouble where how it ended cannot be asked', async () => {
  const { desk, proxy } = await behindProxy()
  const { id } = await desk.json<{ id: number }>('start', 'Website/Design')
  await desk.json('api', 'DELETE', `/timesheets/${id}`)
  proxy.fate = ({ method, path }, forward) =>
    method === 'GET' && path.endsWith(`/timesheets/${id}`) ? undefined : forward()
  expect(await desk.tt('status', '--json')).toMatchObject({
    status: 0,
    stdout: 'null\n',
    stderr: expect.stringContaining('Website / Design, which ran here, has ended elsewhere.'),
  })
})

test('a deletion that was delivered is undone without the service, and delivered again', async () => {
  const { desk, proxy, id } = await behindProxy()
  await desk.json('rm', id, '--yes')
  proxy.fate = () => undefined
  expect(await desk.tt('undo')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('Saved locally'),
  })
  expect(await desk.json('log')).toMatchObject([{ notes: 'first', pending: true }])
  proxy.fate = passOn
  expect(await desk.tt('sync')).toMatchObject({ status: 0 })
  expect(await desk.json('log')).toMatchObject([{ notes: 'first', pending: false, duration_seconds: 3600 }])
})
