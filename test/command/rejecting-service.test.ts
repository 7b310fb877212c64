// @module-tag slow

import { expect, test } from 'vitest'
import { noFault, respondToAll } from '../support/proxy.js'
import { setUpService } from './service-fixtures.js'

test.each([
  [500, 'Something went wrong.', 'The service has failed on it 15 times.'],
  [403, '<html><title>Blocked</title></html>', 'The request was blocked 15 times.'],
])(
  'a change that always gets the response %i with %s is rejected, and the next ones are sent',
  async (status, body, message) => {
    const { cli, proxy, entries } = await setUpService()
    proxy.fault = (request, forward) =>
      request.method === 'POST' && request.body.includes('poison') ? { status, headers: {}, body } : forward()
    await cli.json('add', 'Design', '--from', '9:00', '--for', '10m', '-n', 'poison')
    await cli.json('add', 'Design', '--from', '9:30', '--for', '10m', '-n', 'good')
    let changes: Record<string, unknown>[] = []
    for (let round = 0; round < 20 && !changes.some(({ state }) => state === 'refused'); round++) {
      await cli.run('status')
      changes = await cli.json('sync', 'list')
    }
    await cli.run('status')
    expect(await cli.json('sync', 'list')).toMatchObject([
      { state: 'refused', notes: 'poison', in_doubt: true, message: expect.stringContaining(message) },
    ])
    expect(await entries()).toMatchObject([{ notes: 'good' }])
    proxy.fault = (_, forward) => forward()
    expect((await cli.run('sync', 'retry', String(changes[0]?.id))).status).toBe(0)
    expect((await entries()).map(({ notes }) => notes)).toEqual(['good', 'poison'])
  },
)

test('a proxy that responds with 403 and a page stops delivery and rejects no change', async () => {
  const { cli, proxy, entries } = await setUpService()
  proxy.fault = respondToAll(403, '<html><title>Blocked</title></html>')
  expect(await cli.run('start', 'design', '--at', '9:00')).toMatchObject({ status: 0 })
  expect(await cli.run('add', 'design', '--from', '7:00', '--for', '10m')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('(403), with a web page titled "Blocked"'),
  })
  for (let round = 0; round < 20; round++) await cli.run('status')
  const changes = await cli.json<{ state: string }[]>('sync', 'list')
  expect(changes.map(({ state }) => state)).toEqual(['waiting', 'waiting'])
  expect(await cli.run('sync')).toMatchObject({ status: 6 })
  proxy.fault = noFault
  expect(await cli.run('sync')).toMatchObject({ status: 0 })
  expect(await entries()).toHaveLength(2)
})

test('a deletion that gets a text response and is never done is rejected, and later changes are sent', async () => {
  const { cli, proxy, entries } = await setUpService()
  const { id } = await cli.json('add', 'design', '--from', '8:00', '--for', '1h')
  proxy.fault = ({ method }, forward) =>
    method === 'DELETE' ? { status: 200, headers: { 'content-type': 'text/plain' }, body: 'OK' } : forward()
  cli.setTime('2024-05-08T12:01:00Z')
  await cli.json('rm', String(id), '--yes')
  await cli.json('add', 'review', '--from', '9:00', '--for', '1h')
  for (let minute = 10; minute < 25; minute++) {
    cli.setTime(`2024-05-08T12:${minute}:00Z`)
    await cli.run('status')
  }
  expect(await entries()).toMatchObject([{ id }, { task_link_id: 2 }])
  expect(await cli.json('sync', 'list')).toMatchObject([
    { op: 'delete', state: 'refused', message: expect.stringContaining('The record was not deleted.') },
  ])
})
