import { expect, it } from 'vitest'
import { violationsOf } from '../../support/described-responses.js'

const url = 'http://local/api/v1/companies'
const company = { id: 1, name: 'Acme', currency: 'EUR', time_zone: 'UTC', closed_until: null }
const headers = {
  'Content-Type': 'application/json; charset=utf-8',
  'Idempotency-Key-Supported': '?1',
  'If-Match-Supported': '?1',
}

const check = (body: unknown, { status = 200, method = 'GET', at = url, more = {} } = {}) =>
  violationsOf(
    { url: at, method },
    { status, headers: new Headers({ ...headers, ...more }) },
    typeof body === 'string' ? body : JSON.stringify(body),
  )

it('accepts a described response', () => {
  expect(check(company)).toEqual([])
})

it.each([
  ['a missing field', [{ ...company, currency: undefined }], /required property 'currency'/],
  ['an unknown status', [company, { status: 202 }], /202 to GET .* is not described/],
  ['an unknown path', [company, { at: 'http://local/api/v1/nothing' }], /is not described/],
  ['an unknown method', [company, { method: 'POST' }], /200 to POST .* is not described/],
  ['an unknown header', [company, { more: { 'X-New': '1' } }], /the header x-new is not described/],
  ['a missing header', ['', { status: 401 }], /the header WWW-Authenticate is missing/],
  ['another type', ['', { more: { 'Content-Type': 'text/html' } }], /the type text\/html is not described/],
  ['another code', [{ error: 'x', message: '', errors: {} }, { status: 404 }], /allowed values/],
  ['a body after HEAD', [company, { method: 'HEAD' }], /a body/],
] as [string, Parameters<typeof check>, RegExp][])('rejects %s', (_, [body, options], problem) => {
  expect(check(body, options).join()).toMatch(problem)
})
