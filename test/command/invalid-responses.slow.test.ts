import { describe, expect, test } from 'vitest'
import { noFault } from '../support/proxy.js'
import { type Row, type ServiceSetup, setUpService } from './service-fixtures.js'

const page = '<!doctype html><title>Not Found</title>'
const html = { 'content-type': 'text/html' }
const json = { 'content-type': 'application/json' }

/** Responses to DELETE that do not show whether the record was deleted. */
const invalid: [string, { status: number; headers: Record<string, string>; body: string }][] = [
  ['a web page', { status: 200, headers: html, body: page }],
  ['text', { status: 200, headers: { 'content-type': 'text/plain' }, body: 'OK' }],
  ['damaged JSON', { status: 200, headers: json, body: '{"id":' }],
  ['404 with a web page', { status: 404, headers: html, body: page }],
  ['404 with text', { status: 404, headers: { 'content-type': 'text/plain' }, body: '404 page not found' }],
]

const kinds = [
  {
    kind: 'entry',
    add: ['add', 'design', '--from', '9:00', '--for', '1h', '-n', 'phone'],
    rm: ['rm'],
    list: 'log',
    rows: ({ entries }: ServiceSetup) => entries(),
  },
  {
    kind: 'expense',
    add: ['expenses', 'add', '12.50', '--type', 'Travel', '-n', 'train'],
    rm: ['expenses', 'rm'],
    list: 'expenses',
    rows: ({ expenses }: ServiceSetup) => expenses(),
  },
]

describe.each(kinds)('the deletion of an $kind', ({ add, rm, list, rows }) => {
  test.each(invalid)('that gets %s and is not executed is sent again', async (_, response) => {
    const setup = await setUpService()
    const { cli, proxy } = setup
    const { id } = await cli.json(...add)
    proxy.fault = ({ method }, forward) => (method === 'DELETE' ? response : forward())
    expect(await cli.run(...rm, String(id), '--yes')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('Saved locally: '),
    })
    expect(await rows(setup)).toHaveLength(1)
    expect(await cli.json('sync', 'list')).toMatchObject([{ op: 'delete', state: 'waiting' }])
    proxy.fault = noFault
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await rows(setup)).toEqual([])
  })

  test.each(invalid)('that gets %s and is executed is complete', async (_, invalidResponse) => {
    const setup = await setUpService()
    const { cli, proxy } = setup
    const { id } = await cli.json(...add)
    proxy.fault = async ({ method }, forward) => {
      const response = await forward()
      return method === 'DELETE' ? invalidResponse : response
    }
    const removed = await cli.run(...rm, String(id), '--yes')
    expect(removed).toMatchObject({ status: 0, stderr: expect.not.stringContaining('Saved locally') })
    expect(await cli.json('sync', 'list')).toEqual([])
    expect(await cli.json(list)).toEqual([])
  })
})

test.each([
  ['valid JSON', 200, '"deleted"', json],
  ['JSON null', 200, 'null', json],
  ['an empty body', 200, '', {}],
])('a deletion that gets %s is complete without another request', async (_, status, body, headers) => {
  const { cli, proxy, entries } = await setUpService()
  const { id } = await cli.json(...(kinds[0]?.add ?? []))
  const requests: string[] = []
  proxy.fault = async ({ method, path }, forward) => {
    const response = await forward()
    if (requests.length > 0 || method === 'DELETE') requests.push(`${method} ${path}`)
    return method === 'DELETE' ? { status, headers, body } : response
  }
  await cli.json('rm', String(id), '--yes')
  expect(requests).toEqual([`DELETE /api/v1/timesheets/${id}`])
  expect(await entries()).toEqual([])
})

test.each([
  ['JSON', '{"error":"not_found"}', json],
  ['an empty body', '', {}],
])(
  'a deletion that gets 404 and %s is complete when the list of its day shows it',
  async (_, body, headers) => {
    const { cli, proxy, entries } = await setUpService()
    const { id } = await cli.json(...(kinds[0]?.add ?? []))
    proxy.fault = async ({ method }, forward) => {
      const response = await forward()
      return method === 'DELETE' ? { status: 404, headers, body } : response
    }
    expect(await cli.run('rm', String(id), '--yes')).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining('Saved locally'),
    })
    expect(await cli.json('sync', 'list')).toEqual([])
    expect(await entries()).toEqual([])
  },
)

describe('a deletion with an invalid response where the record cannot be read either', () => {
  /** Sets up a service with a damaged response to DELETE and a web page with 404 for the record. */
  async function setUpUnreadable(isDone: boolean, isListReadable = true) {
    const setup = await setUpService()
    const { id } = await setup.cli.json(...(kinds[0]?.add ?? []))
    setup.proxy.fault = async ({ method, path }, forward) => {
      if (method === 'GET' && path.endsWith(`/timesheets/${id}`))
        return { status: 404, headers: html, body: page }
      if (method === 'GET' && path.endsWith('/timesheets') && !isListReadable)
        return { status: 200, headers: html, body: page }
      if (method !== 'DELETE') return forward()
      if (isDone) await forward()
      return { status: 200, headers: json, body: '{"id":' }
    }
    return { ...setup, id: String(id) }
  }

  test('is complete when the list of its day does not contain it', async () => {
    const { cli, id } = await setUpUnreadable(true)
    expect(await cli.run('rm', id, '--yes')).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining('Saved locally'),
    })
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('is sent again when the list of its day contains it', async () => {
    const { cli, proxy, id, entries } = await setUpUnreadable(false)
    await cli.json('rm', id, '--yes')
    expect(await entries()).toHaveLength(1)
    proxy.fault = noFault
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await entries()).toEqual([])
  })

  test('stays pending when the list is invalid too', async () => {
    const { cli, id } = await setUpUnreadable(true, false)
    await cli.run('rm', id, '--yes')
    expect(await cli.json('sync', 'list')).toMatchObject([{ op: 'delete', state: 'waiting' }])
  })
})

describe('reading an entry', () => {
  async function setUpResponse(status: number, body: string, headers: Record<string, string>) {
    const { cli, proxy, sendAsOtherClient } = await setUpService()
    const { id } = await cli.json<Row>(...(kinds[0]?.add ?? []))
    proxy.fault = ({ path }, forward) =>
      path.endsWith(`/timesheets/${id}`) ? { status, headers, body } : forward()
    return { cli, proxy, sendAsOtherClient, id: String(id) }
  }

  test.each([
    ['200 and null', 200, 'null', json],
    ['200 and an empty body', 200, '', {}],
    ['404 and a web page', 404, page, html],
    ['404 and text', 404, '404 page not found', { 'content-type': 'text/plain' }],
  ])('that gets %s uses the cache', async (_, status, body, headers) => {
    const { cli, id } = await setUpResponse(status, body, headers)
    expect(await cli.json('show', id)).toMatchObject({ notes: 'phone' })
  })

  test.each([
    ['404 and an empty body', 404, '', {}],
    ['404 and JSON', 404, '{"error":"not_found"}', json],
    ['204', 204, '', {}],
    ['an empty list', 200, '[]', json],
  ])('that gets %s means that the entry is deleted', async (_, status, body, headers) => {
    const { cli, id, sendAsOtherClient } = await setUpResponse(status, body, headers)
    await sendAsOtherClient('DELETE', `/timesheets/${id}`)
    expect(await cli.run('show', id)).toMatchObject({ status: 3 })
  })

  test.each([
    ['null', 200, 'null', json],
    ['404 and a web page', 404, page, html],
  ])('that gets %s does not reject a pending edit as "Deleted elsewhere"', async (_, ...response) => {
    const { cli, proxy, id } = await setUpResponse(...response)
    const { fault } = proxy
    proxy.fault = () => undefined
    await cli.json('edit', id, '-n', 'other')
    proxy.fault = fault
    const { stderr } = await cli.run('sync')
    expect(stderr).not.toContain('Deleted elsewhere')
    proxy.fault = noFault
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await cli.json('show', id)).toMatchObject({ notes: 'other', pending: false })
  })
})
