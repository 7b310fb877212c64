// @module-tag slow

import { describe, expect, test } from 'vitest'
import { noFault } from '../support/proxy.js'
import { type Row, type ServiceSetup, setUpService } from './service-fixtures.js'

const page = '<!doctype html><title>Not Found</title>'
const html = { 'content-type': 'text/html' }
const json = { 'content-type': 'application/json' }

const webPage = { status: 200, headers: html, body: page }
const entry = ['add', 'design', '--from', '9:00', '--for', '1h', '-n', 'phone']

const kinds = [
  { kind: 'entry', add: entry, rm: ['rm'], list: 'log', rows: ({ entries }: ServiceSetup) => entries() },
  {
    kind: 'expense',
    add: ['expenses', 'add', '12.50', '--type', 'Travel', '-n', 'train'],
    rm: ['expenses', 'rm'],
    list: 'expenses',
    rows: ({ expenses }: ServiceSetup) => expenses(),
  },
]

describe.each(kinds)('the deletion of an $kind', ({ add, rm, list, rows }) => {
  test('that gets a web page and is not executed is sent again', async () => {
    const setup = await setUpService()
    const { cli, proxy } = setup
    const { id } = await cli.json(...add)
    proxy.fault = ({ method }, forward) => (method === 'DELETE' ? webPage : forward())
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

  test('that gets a web page and is executed is complete', async () => {
    const { cli, proxy } = await setUpService()
    const { id } = await cli.json(...add)
    proxy.fault = async ({ method }, forward) => {
      const response = await forward()
      return method === 'DELETE' ? webPage : response
    }
    const removed = await cli.run(...rm, String(id), '--yes')
    expect(removed).toMatchObject({ status: 0, stderr: expect.not.stringContaining('Saved locally') })
    expect(await cli.json('sync', 'list')).toEqual([])
    expect(await cli.json(list)).toEqual([])
  })
})

test('a deletion that gets an empty body is complete without another request', async () => {
  const { cli, proxy, entries } = await setUpService()
  const { id } = await cli.json(...entry)
  const requests: string[] = []
  proxy.fault = async ({ method, path }, forward) => {
    const response = await forward()
    if (requests.length > 0 || method === 'DELETE') requests.push(`${method} ${path}`)
    return method === 'DELETE' ? { status: 200, headers: {}, body: '' } : response
  }
  await cli.json('rm', String(id), '--yes')
  expect(requests).toEqual([`DELETE /api/v1/timesheets/${id}`])
  expect(await entries()).toEqual([])
})

test('a deletion that gets 404 is complete when the list of its day shows it', async () => {
  const { cli, proxy, entries } = await setUpService()
  const { id } = await cli.json(...entry)
  proxy.fault = async ({ method }, forward) => {
    const response = await forward()
    return method === 'DELETE' ? { status: 404, headers: json, body: '{"error":"not_found"}' } : response
  }
  expect(await cli.run('rm', String(id), '--yes')).toMatchObject({
    status: 0,
    stderr: expect.not.stringContaining('Saved locally'),
  })
  expect(await cli.json('sync', 'list')).toEqual([])
  expect(await entries()).toEqual([])
})

describe('a deletion with an invalid response where the record cannot be read either', () => {
  /** Sets up a service with a damaged response to DELETE and a web page with 404 for the record. */
  async function setUpUnreadable({ isListReadable = true } = {}) {
    const setup = await setUpService()
    const { id } = await setup.cli.json(...entry)
    setup.proxy.fault = async ({ method, path }, forward) => {
      if (method === 'GET' && path.endsWith(`/timesheets/${id}`)) return { ...webPage, status: 404 }
      if (method === 'GET' && path.endsWith('/timesheets') && !isListReadable) return webPage
      const response = await forward()
      return method !== 'DELETE' ? response : { status: 200, headers: json, body: '{"id":' }
    }
    return { ...setup, id: String(id) }
  }

  test('is complete when the list of its day does not contain it', async () => {
    const { cli, id } = await setUpUnreadable()
    expect(await cli.run('rm', id, '--yes')).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining('Saved locally'),
    })
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('stays pending when the list is invalid too', async () => {
    const { cli, id } = await setUpUnreadable({ isListReadable: false })
    await cli.run('rm', id, '--yes')
    expect(await cli.json('sync', 'list')).toMatchObject([{ op: 'delete', state: 'waiting' }])
  })
})

describe('reading an entry', () => {
  async function setUpResponse(status: number, body: string, headers: Record<string, string>) {
    const { cli, proxy, sendAsOtherClient } = await setUpService()
    const { id } = await cli.json<Row>(...entry)
    proxy.fault = ({ path }, forward) =>
      path.endsWith(`/timesheets/${id}`) ? { status, headers, body } : forward()
    return { cli, sendAsOtherClient, id: String(id) }
  }

  test.each([
    ['200 and null', 200, 'null', json],
    ['200 and an empty body', 200, '', {}],
    ['404 and a web page', 404, page, html],
  ])('that gets %s uses the cache', async (_, status, body, headers) => {
    const { cli, id } = await setUpResponse(status, body, headers)
    expect(await cli.json('show', id)).toMatchObject({ notes: 'phone' })
  })

  test.each([
    ['404 and an empty body', 404, '', {}],
    ['204', 204, '', {}],
    ['an empty list', 200, '[]', json],
  ])('that gets %s means that the entry is deleted', async (_, status, body, headers) => {
    const { cli, id, sendAsOtherClient } = await setUpResponse(status, body, headers)
    await sendAsOtherClient('DELETE', `/timesheets/${id}`)
    expect(await cli.run('show', id)).toMatchObject({ status: 3 })
  })
})
