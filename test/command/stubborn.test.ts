import { expect, test } from 'vitest'
import { openOffice } from './at-service.js'

test('a change that the service fails on again and again is set aside, and what waits behind it goes on', async () => {
  const { desk, proxy, entries } = await openOffice()
  proxy.fate = (request, forward) =>
    request.method === 'POST' && request.body.includes('poison')
      ? { status: 500, headers: {}, body: 'Something went wrong.' }
      : forward()
  await desk.json('add', 'Design', '--from', '9:00', '--for', '10m', '-n', 'poison')
  await desk.json('add', 'Design', '--from', '9:30', '--for', '10m', '-n', 'good')
  let listed: Record<string, unknown>[] = []
  for (let round = 0; round < 20 && !listed.some(({ state }) => state === 'refused'); round++) {
    await desk.tt('status')
    listed = await desk.json('sync', 'list')
  }
  expect(listed).toMatchObject([
    { state: 'refused', notes: 'poison', in_doubt: true, message: expect.stringContaining('15 times') },
  ])
  await desk.tt('status')
  expect(await entries()).toMatchObject([{ notes: 'good' }])
  proxy.fate = (_, forward) => forward()
  expect((await desk.tt('sync', 'retry', String(listed[0]?.id))).status).toBe(0)
  expect((await entries()).map(({ notes }) => notes)).toEqual(['good', 'poison'])
})

test('a deletion that is answered with text and never done is rejected, and the changes behind it go on', async () => {
  const { desk, proxy, entries } = await openOffice()
  const { id } = await desk.json('add', 'design', '--from', '8:00', '--for', '1h')
  proxy.fate = ({ method }, forward) =>
    method === 'DELETE' ? { status: 200, headers: { 'content-type': 'text/plain' }, body: 'OK' } : forward()
  desk.at('2024-05-08T12:01:00Z')
  await desk.json('rm', String(id), '--yes')
  await desk.json('add', 'review', '--from', '9:00', '--for', '1h')
  for (let minute = 10; minute < 25; minute++) {
    desk.at(`2024-05-08T12:${minute}:00Z`)
    await desk.tt('status')
  }
  expect(await entries()).toMatchObject([{ id }, { task_link_id: 2 }])
  expect(await desk.json('sync', 'list')).toMatchObject([
    { op: 'delete', state: 'refused', message: expect.stringContaining('The record was not deleted.') },
  ])
})
