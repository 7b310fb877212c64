import { describe, expect, test } from 'vitest'
import { type Office, openOffice, passOn, type Row } from './service-fixtures.js'

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
    rows: ({ entries }: Office) => entries(),
  },
  {
    kind: 'expense',
    add: ['expenses', 'add', '12.50', '--type', 'Travel', '-n', 'train'],
    rm: ['expenses', 'rm'],
    list: 'expenses',
    rows: ({ expenses }: Office) => expenses(),
  },
]

describe.each(kinds)('the deletion of an $kind', ({ add, rm, list, rows }) => {
  test.each(invalid)('answered with %s, and not done, is sent again', async (_, answer) => {
    const office = await openOffice()
    const { desk, proxy } = office
    const { id } = await desk.json(...add)
    proxy.fate = ({ method }, forward) => (method === 'DELETE' ? answer : forward())
    expect(await desk.tt(...rm, String(id), '--yes')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('Saved locally: '),
    })
    expect(await rows(office)).toHaveLength(1)
    expect(await desk.json('sync', 'list')).toMatchObject([{ op: 'delete', state: 'waiting' }])
    proxy.fate = passOn
    expect(await desk.tt('sync')).toMatchObject({ status: 0 })
    expect(await rows(office)).toEqual([])
  })

  test.each(invalid)('answered with %s, and done, is seen to be done', async (_, answer) => {
    const office = await openOffice()
    const { desk, proxy } = office
    const { id } = await desk.json(...add)
    proxy.fate = async ({ method }, forward) => {
      const response = await forward()
      return method === 'DELETE' ? answer : response
    }
    const removed = await desk.tt(...rm, String(id), '--yes')
    expect(removed).toMatchObject({ status: 0, stderr: expect.not.stringContaining('Saved locally') })
    expect(await desk.json('sync', 'list')).toEqual([])
    expect(await desk.json(list)).toEqual([])
  })
})

test.each([
  ['valid JSON', 200, '"deleted"', json],
  ['JSON null', 200, 'null', json],
  ['an empty body', 200, '', {}],
  ['404 and JSON', 404, '{"error":"not_found"}', json],
  ['404 and an empty body', 404, '', {}],
])(
  'a deletion answered with %s is done, and nothing is read to prove it',
  async (_, status, body, headers) => {
    const { desk, proxy, entries } = await openOffice()
    const { id } = await desk.json(...(kinds[0]?.add ?? []))
    const requests: string[] = []
    proxy.fate = async ({ method, path }, forward) => {
      const response = await forward()
      if (requests.length > 0 || method === 'DELETE') requests.push(`${method} ${path}`)
      return method === 'DELETE' ? { status, headers, body } : response
    }
    await desk.json('rm', String(id), '--yes')
    expect(requests).toEqual([`DELETE /api/v1/timesheets/${id}`])
    expect(await entries()).toEqual([])
  },
)

describe('a deletion with an invalid response where the record cannot be read either', () => {
  /** The response to DELETE is damaged, and the record itself is a web page with 404. */
  async function office(isDone: boolean, listed = true) {
    const opened = await openOffice()
    const { id } = await opened.desk.json(...(kinds[0]?.add ?? []))
    opened.proxy.fate = async ({ method, path }, forward) => {
      if (method === 'GET' && path.endsWith(`/timesheets/${id}`))
        return { status: 404, headers: html, body: page }
      if (method === 'GET' && path.endsWith('/timesheets') && !listed)
        return { status: 200, headers: html, body: page }
      if (method !== 'DELETE') return forward()
      if (isDone) await forward()
      return { status: 200, headers: json, body: '{"id":' }
    }
    return { ...opened, id: String(id) }
  }

  test('is done when the list of its day does not have it', async () => {
    const { desk, id } = await office(true)
    expect(await desk.tt('rm', id, '--yes')).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining('Saved locally'),
    })
    expect(await desk.json('sync', 'list')).toEqual([])
  })

  test('is sent again when the list of its day has it', async () => {
    const { desk, proxy, id, entries } = await office(false)
    await desk.json('rm', id, '--yes')
    expect(await entries()).toHaveLength(1)
    proxy.fate = passOn
    expect(await desk.tt('sync')).toMatchObject({ status: 0 })
    expect(await entries()).toEqual([])
  })

  test('stays pending when the list is invalid too', async () => {
    const { desk, id } = await office(true, false)
    await desk.tt('rm', id, '--yes')
    expect(await desk.json('sync', 'list')).toMatchObject([{ op: 'delete', state: 'waiting' }])
  })
})

describe('reading an entry', () => {
  async function shown(status: number, body: string, headers: Record<string, string>) {
    const { desk, proxy } = await openOffice()
    const { id } = await desk.json<Row>(...(kinds[0]?.add ?? []))
    proxy.fate = ({ path }, forward) =>
      path.endsWith(`/timesheets/${id}`) ? { status, headers, body } : forward()
    return { desk, proxy, id: String(id) }
  }

  test.each([
    ['200 and null', 200, 'null', json],
    ['200 and an empty body', 200, '', {}],
    ['404 and a web page', 404, page, html],
    ['404 and text', 404, '404 page not found', { 'content-type': 'text/plain' }],
  ])('answered with %s uses the cache', async (_, status, body, headers) => {
    const { desk, id } = await shown(status, body, headers)
    expect(await desk.json('show', id)).toMatchObject({ notes: 'phone' })
  })

  test.each([
    ['404 and an empty body', 404, '', {}],
    ['404 and JSON', 404, '{"error":"not_found"}', json],
    ['204', 204, '', {}],
    ['an empty list', 200, '[]', json],
  ])('answered with %s means that it is deleted', async (_, status, body, headers) => {
    const { desk, id } = await shown(status, body, headers)
    expect(await desk.tt('show', id)).toMatchObject({ status: 3 })
  })

  test.each([
    ['null', 200, 'null', json],
    ['404 and a web page', 404, page, html],
  ])('answered with %s is no reason to call a pending edit "deleted elsewhere"', async (_, ...answer) => {
    const { desk, proxy, id } = await shown(...answer)
    const { fate } = proxy
    proxy.fate = () => undefined
    await desk.json('edit', id, '-n', 'other')
    proxy.fate = fate
    const { stderr } = await desk.tt('sync')
    expect(stderr).not.toContain('Deleted elsewhere')
    proxy.fate = passOn
    expect(await desk.tt('sync')).toMatchObject({ status: 0 })
    expect(await desk.json('show', id)).toMatchObject({ notes: 'other', pending: false })
  })
})
