import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** How a service of another make differs from this one, within service-api-v1.md; what is left out is as it is here. */
export interface ServiceVariant {
  /** What it answers to an entry without an end. */
  openEntryResponse?: { status: number; body: string }
  /** Seconds are not kept. */
  wholeMinutes?: 'down' | 'nearest'
  /** How it writes an instant, which is given in UTC with milliseconds. */
  formatTime?(instant: string): unknown
  /** Ids are no numbers. */
  hasTextIds?: boolean
  /** A single record; the service here answers a list of one to GET, and an object otherwise. */
  recordShape?: 'list' | 'object' | 'named'
  /** What a change is answered with instead of the record. */
  updateResponse?: 'nothing' | 'an empty body' | 'the id'
  /** A create is answered with the id alone. */
  returnsIdOnCreate?: boolean
  /** A deletion is answered with this. */
  deleteResponse?: { type: string; body: string }
  /** A record that is not there is an empty list, and no 404. */
  returnsEmptyListForMissing?: boolean
  /** A decimal comes without the zeros that say nothing. */
  trimsAmounts?: boolean
  ignores?: ('q' | 'null' | 'keys')[]
  /** It sends lists in pages of that many records, with or without headers that say so. */
  pages?: { size: number; headers?: (total: number) => Record<string, string>; ignoresPage?: boolean }
  /** A key stands for its first request and the answer to that, a refusal as well. */
  hasStrictKeys?: boolean
  /** The date of an expense has another name than `spent_on`, which is an unknown field then. */
  expenseDate?: ExpenseDate
  /** Fields that an expense also has; a create or an update that sends one of them is rejected (422). */
  readOnlyFields?: Record<string, unknown>
}

export interface ExpenseDate {
  name: string
  /** Response to a create without the date: 422 that names the field, or the date of `today`. */
  missing: 'named' | 'ignored'
  /** Filters by an unknown field are rejected (400) or ignored; `none` rejects those by the date as well. */
  filters: 'rejected' | 'ignored' | 'none'
}

/** The date of an expense that is created without one, where that is allowed. */
const today = '2024-05-08'

export interface ForeignService {
  origin: string
  /** The requests that were meant for the service, refused ones as well: method, path and number of the page. */
  requests: string[]
  /** It may become another one while the test runs. */
  variant: ServiceVariant
}

interface ForeignRequest {
  method: string
  url: URL
  headers: Record<string, string>
  body: Record<string, unknown> | undefined
}

interface Reply {
  status: number
  type: string
  body: string
  headers?: Record<string, string>
}

/** Stands in front of a service of this make on 127.0.0.1 and behaves like one of another make, until the test is over. */
export async function startForeignService(origin: string, variant: ServiceVariant): Promise<ForeignService> {
  const answers = new Map<string, { asked: string; reply: Reply }>()
  const server = createServer(async (incoming, outgoing) => {
    let text = ''
    for await (const chunk of incoming.setEncoding('utf8')) text += chunk
    const { method = '', url = '', headers } = incoming
    const request: ForeignRequest = {
      method,
      url: new URL(url, origin),
      headers: { 'content-type': 'application/json', authorization: headers.authorization ?? '' },
      body: text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>),
    }
    const page = request.url.searchParams.get('page')
    const path = request.url.pathname.replace('/api/v1', '')
    service.requests.push(`${method} ${path}${page === null ? '' : `?page=${page}`}`)
    const key = service.variant.ignores?.includes('keys') ? undefined : headers['idempotency-key']
    if (typeof key === 'string' && !service.variant.hasStrictKeys) request.headers['idempotency-key'] = key
    const known = service.variant.hasStrictKeys ? answers.get(String(key)) : undefined
    const reply = !known
      ? await replyTo(request, service.variant)
      : known.asked === text
        ? known.reply
        : refusal(422, '{"error":"idempotency_key_reused"}')
    if (service.variant.hasStrictKeys && key !== undefined && !known)
      answers.set(String(key), { asked: text, reply })
    outgoing.writeHead(reply.status, { 'content-type': reply.type, ...reply.headers }).end(reply.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const { port } = server.address() as AddressInfo
  const service: ForeignService = { origin: `http://127.0.0.1:${port}`, requests: [], variant }
  return service
}

async function replyTo(request: ForeignRequest, variant: ServiceVariant): Promise<Reply> {
  const { method, url, body } = request
  if (variant.openEntryResponse && isWithoutEnd(request))
    return refusal(variant.openEntryResponse.status, variant.openEntryResponse.body)
  url.pathname = url.pathname.split('/').map(numberOf).join('/')
  const q = url.searchParams.get('q')
  if (q !== null && variant.ignores?.includes('q')) url.searchParams.delete('q')
  else if (q !== null && variant.ignores?.includes('null')) url.searchParams.set('q', withoutNulls(q))
  const page = Number(url.searchParams.get('page') ?? 1)
  if (variant.pages) for (const name of ['page', 'per_page']) url.searchParams.delete(name)
  const isExpense = /\/expenses(\/|$)/.test(url.pathname)
  const rejected = isExpense ? asOwnExpense(request, variant) : undefined
  if (rejected) return rejected
  const response = await fetch(url, {
    method,
    headers: request.headers,
    body: body === undefined ? null : JSON.stringify(incomingOf(body, variant)),
  })
  const name = variant.expenseDate?.name ?? 'spent_on'
  const text = (await response.text()).replaceAll('"spent_on"', JSON.stringify(name))
  const type = response.headers.get('content-type') ?? 'text/plain'
  if (response.status === 404 && variant.returnsEmptyListForMissing && method === 'GET')
    return refusal(200, '[]')
  if (!response.ok) return { status: response.status, type, body: text }
  if (method === 'DELETE' && variant.deleteResponse) return { status: 200, ...variant.deleteResponse }
  const owned = isExpense ? variant.readOnlyFields : undefined
  const value: unknown = text === '' ? undefined : withFields(outgoingOf(JSON.parse(text), variant), owned)
  const isList = Array.isArray(value) && !/\/\d+$/.test(url.pathname)
  if (isList && variant.pages) return pageOf(value, page, variant.pages)
  return shaped(value, request, response.status, variant)
}

function pageOf(
  records: unknown[],
  page: number,
  { size, headers, ignoresPage }: Required<ServiceVariant>['pages'],
): Reply {
  const end = (ignoresPage ? 1 : page) * size
  return {
    status: 200,
    type: 'application/json',
    body: JSON.stringify(records.slice(end - size, end)),
    ...(headers ? { headers: headers(records.length) } : {}),
  }
}

/** Turns a request about expenses into one of the service here; returns the response where it is rejected. */
function asOwnExpense({ method, url, body }: ForeignRequest, variant: ServiceVariant): Reply | undefined {
  const { expenseDate, readOnlyFields = {} } = variant
  const expense = body?.expense as Record<string, unknown> | undefined
  const owned = Object.keys(expense ?? {}).find((field) => field in readOnlyFields)
  if (owned) return refusal(422, JSON.stringify({ errors: { [owned]: ['is not permitted'] } }))
  if (!expenseDate) return undefined
  const { name, missing, filters } = expenseDate
  if (expense && name !== 'spent_on') {
    delete expense.spent_on
    if (name in expense) expense.spent_on = expense[name]
    else if (method === 'POST' && missing === 'named')
      return refusal(422, JSON.stringify({ errors: { [name]: ["can't be blank"] } }))
    else if (method === 'POST') expense.spent_on = today
    delete expense[name]
  }
  const q = url.searchParams.get('q')
  if (q === null) return undefined
  const predicates = Object.entries(JSON.parse(q) as Record<string, unknown>)
  const isUnknown = (key: string) => /^spent_on_[a-z]+$/.test(key) && name !== 'spent_on'
  const isDate = (key: string) => key.replace(/_[a-z]+$/, '') === name
  if (
    predicates.some(
      ([key]) => (isUnknown(key) && filters !== 'ignored') || (isDate(key) && filters === 'none'),
    )
  )
    return refusal(400, '{"error":"invalid_query"}')
  const known = predicates
    .filter(([key]) => !isUnknown(key))
    .map(([key, value]) => [isDate(key) ? key.replace(name, 'spent_on') : key, value])
  url.searchParams.set('q', JSON.stringify(Object.fromEntries(known)))
  return undefined
}

function withFields(value: unknown, fields: Record<string, unknown> | undefined): unknown {
  if (Array.isArray(value)) return value.map((record) => withFields(record, fields))
  return typeof value === 'object' ? { ...value, ...fields } : value
}

/** The answer as this make gives it. */
function shaped(
  value: unknown,
  { method, url }: ForeignRequest,
  status: number,
  variant: ServiceVariant,
): Reply {
  const type = 'application/json'
  const isSingle = /\/(timesheets|expenses)(\/\d+)?$/.test(url.pathname) && isOne(value, url)
  if (value === undefined || !isSingle)
    return { status, type, body: value === undefined ? '' : JSON.stringify(value) }
  const record = (Array.isArray(value) ? value[0] : value) as Record<string, unknown>
  if (method === 'PATCH' && variant.updateResponse === 'nothing') return { status: 204, type, body: '' }
  if (method === 'PATCH' && variant.updateResponse === 'an empty body') return { status: 200, type, body: '' }
  const bare =
    (method === 'PATCH' && variant.updateResponse === 'the id') ||
    (method === 'POST' && variant.returnsIdOnCreate)
      ? { id: record.id }
      : record
  const named = url.pathname.includes('/expenses') ? { expense: bare } : { timesheet: bare }
  const shapes = { list: [bare], object: bare, named }
  return {
    status,
    type,
    body: JSON.stringify(
      variant.recordShape ? shapes[variant.recordShape] : Array.isArray(value) ? [bare] : bare,
    ),
  }
}

function isOne(value: unknown, url: URL): boolean {
  return !Array.isArray(value) || /\/\d+$/.test(url.pathname)
}

function isWithoutEnd({ method, url, body }: ForeignRequest): boolean {
  if (!body || !url.pathname.includes('/timesheets')) return false
  if (method === 'POST') return (body.time_end ?? null) === null
  return method === 'PATCH' && body.time_end === null
}

function refusal(status: number, body: string): Reply {
  return { status, type: 'application/json', body }
}

/** What is sent, as the service here takes it. */
function incomingOf(body: Record<string, unknown>, variant: ServiceVariant): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (typeof value === 'object' && value !== null)
        return [name, incomingOf(value as Record<string, unknown>, variant)]
      if (isIdName(name) && typeof value === 'string') return [name, Number(numberOf(value))]
      if (name.startsWith('time_') && typeof value === 'string') return [name, rounded(value, variant)]
      return [name, value]
    }),
  )
}

function rounded(time: string, { wholeMinutes }: ServiceVariant): string {
  if (!wholeMinutes) return time
  const minutes = Date.parse(time) / 60_000
  return new Date(
    (wholeMinutes === 'down' ? Math.floor(minutes) : Math.round(minutes)) * 60_000,
  ).toISOString()
}

/** What the service here answers, as this make writes it. */
function outgoingOf(value: unknown, variant: ServiceVariant): unknown {
  if (Array.isArray(value)) return value.map((part) => outgoingOf(part, variant))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      if (typeof part === 'object') return [name, outgoingOf(part, variant)]
      if (variant.hasTextIds && isIdName(name)) return [name, textIdOf(Number(part))]
      if (variant.formatTime && /^time_(start|end)$|_at$/.test(name))
        return [name, variant.formatTime(new Date(String(part)).toISOString())]
      if (variant.trimsAmounts && name === 'amount') return [name, String(Number(part))]
      return [name, part]
    }),
  )
}

const isIdName = (name: string) => name === 'id' || (name.endsWith('_id') && name !== 'external_id')

/** `7` as `00000000-0000-4000-8000-000000000007`. */
function textIdOf(id: number): string {
  return `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`
}

function numberOf(id: string): string {
  const digits = /^00000000-0000-4000-8000-(\d{12})$/.exec(id)?.[1]
  return digits === undefined ? id : String(Number(digits))
}

function withoutNulls(q: string): string {
  const predicates = Object.entries(JSON.parse(q) as Record<string, unknown>)
  return JSON.stringify(Object.fromEntries(predicates.filter(([, value]) => value !== null)))
}
