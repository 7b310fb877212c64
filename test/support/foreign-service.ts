import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'
import { listenOnFreePort } from './ports.js'

/**
 * Differences of another implementation from this service, within service-api-v1.md. Omitted fields mean no difference,
 * except that no other implementation announces Idempotency-Key or If-Match: it ignores If-Match, sends no versions of
 * records, and has weak ETags like Rails.
 */
export interface ServiceVariant {
  /** Response to a write of an entry without an end. */
  openEntryResponse?: { status: number; body: string }
  /** Rounds times to minutes. */
  wholeMinutes?: 'down' | 'nearest'
  /** Formats a time, given in UTC with milliseconds. */
  formatTime?(instant: string): unknown
  /** Whether IDs are UUIDs instead of numbers. */
  hasTextIds?: boolean
  /** Shape of a single record; this service returns a list of one to GET, and an object otherwise. */
  recordShape?: 'list' | 'object' | 'named'
  /** Response to an update, instead of the record. */
  updateResponse?: 'nothing' | 'an empty body' | 'the id'
  /** Whether the response to a create contains only the ID. */
  returnsIdOnCreate?: boolean
  /** Response to a deletion. */
  deleteResponse?: { type: string; body: string }
  /** Whether a missing record is an empty list instead of 404. */
  returnsEmptyListForMissing?: boolean
  /** Whether decimals have no trailing zeros. */
  trimsAmounts?: boolean
  ignores?: ('q' | 'null' | 'keys')[]
  /** Fields that its records do not have. */
  omits?: 'created_at'[]
  /** What the service does with `time_end_gteq`: an error with this status, or all entries as without it. */
  timeEndFilter?: 'ignored' | { status: number; headers?: Record<string, string> }
  /** Whether it rejects (406) a request that accepts a media type other than JSON as well. */
  rejectsOtherMediaTypes?: boolean
  /** Sends lists in pages of `size` records, with these headers. */
  pages?: { size: number; headers?: (total: number) => Record<string, string>; ignoresPage?: boolean }
  /** Whether a key replays the response to its first request, errors included, and rejects other requests. */
  hasStrictKeys?: boolean
  /** Another name for the date of an expense; `spent_on` is then an unknown field. */
  expenseDate?: ExpenseDate
  /** More fields of an expense; a create or update that sends one of them is rejected (422). */
  readOnlyFields?: Record<string, unknown>
}

export interface ExpenseDate {
  name: string
  /** Response to a create without the date: 422 that names the field, or the date of `today`. */
  missing: 'named' | 'ignored'
  /** Filters by an unknown field are rejected (400), fail (500) or ignored; `none` rejects those by the date as well. */
  filters: 'rejected' | 'failing' | 'ignored' | 'none'
}

/** Default date of an expense. */
const today = '2024-05-08'

export interface ForeignService {
  origin: string
  /** Method, path and page of all requests, rejected ones included. */
  requests: string[]
  /** The `q` of all requests. */
  filters: string[]
  /** The current implementation; a test may change it. */
  variant: ServiceVariant
}

interface ForeignRequest {
  method: string
  url: URL
  headers: Record<string, string>
  body: Record<string, unknown> | undefined
  /** The time of the service, once it has responded. */
  date?: string
}

interface Reply {
  status: number
  type: string
  body: string
  headers?: Record<string, string>
}

/** Starts a proxy on 127.0.0.1 that makes this service behave like another implementation. It stops with the test. */
export async function startForeignService(origin: string, variant: ServiceVariant): Promise<ForeignService> {
  const replies = new Map<string, { body: string; reply: Reply }>()
  const server = createServer(async (incoming, outgoing) => {
    let text = ''
    for await (const chunk of incoming.setEncoding('utf8')) text += chunk
    const { method = '', url = '', headers } = incoming
    const { 'content-type': type = '' } = headers
    if (type.includes('form')) {
      const response = await fetch(new URL(url, origin), {
        method,
        headers: { 'content-type': type },
        body: text,
      })
      return outgoing
        .writeHead(response.status, { 'content-type': 'application/json' })
        .end(await response.text())
    }
    const request: ForeignRequest = {
      method,
      url: new URL(url, origin),
      headers: { 'content-type': 'application/json', authorization: headers.authorization ?? '' },
      body: text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>),
    }
    const page = request.url.searchParams.get('page')
    const path = request.url.pathname.replace('/api/v1', '')
    service.requests.push(`${method} ${path}${page === null ? '' : `?page=${page}`}`)
    service.filters.push(request.url.searchParams.get('q') ?? '')
    const key = service.variant.ignores?.includes('keys') ? undefined : headers['idempotency-key']
    if (typeof key === 'string' && !service.variant.hasStrictKeys) request.headers['idempotency-key'] = key
    const replayed = service.variant.hasStrictKeys ? replies.get(String(key)) : undefined
    const isRejected = service.variant.rejectsOtherMediaTypes && headers.accept?.includes('/vnd.')
    const reply = !replayed
      ? isRejected
        ? jsonReply(406, '')
        : await replyTo(request, service.variant)
      : replayed.body === text
        ? replayed.reply
        : jsonReply(422, '{"error":"idempotency_key_reused"}')
    if (service.variant.hasStrictKeys && key !== undefined && !replayed)
      replies.set(String(key), { body: text, reply })
    const date = request.date === undefined ? {} : { date: request.date }
    const etag = reply.status < 300 ? { etag: weakEtag(reply.body) } : {}
    outgoing
      .writeHead(reply.status, { 'content-type': reply.type, ...date, ...etag, ...reply.headers })
      .end(reply.body)
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const port = await listenOnFreePort(server)
  const service: ForeignService = { origin: `http://127.0.0.1:${port}`, requests: [], filters: [], variant }
  return service
}

async function replyTo(request: ForeignRequest, variant: ServiceVariant): Promise<Reply> {
  const { method, url, body } = request
  if (variant.openEntryResponse && isWithoutEnd(request))
    return jsonReply(variant.openEntryResponse.status, variant.openEntryResponse.body)
  url.pathname = url.pathname.split('/').map(numberOf).join('/')
  const q = url.searchParams.get('q')
  if (q !== null && variant.ignores?.includes('q')) url.searchParams.delete('q')
  else if (q !== null && variant.ignores?.includes('null'))
    removePredicates(url, (_, value) => value === null)
  if (variant.timeEndFilter && q?.includes('time_end_gteq')) {
    if (variant.timeEndFilter !== 'ignored')
      return { ...jsonReply(422, '{"error":"unknown filter"}'), ...variant.timeEndFilter }
    removePredicates(url, (key) => key === 'time_end_gteq')
  }
  const page = Number(url.searchParams.get('page') ?? 1)
  if (variant.pages) for (const name of ['page', 'per_page']) url.searchParams.delete(name)
  const isExpense = /\/expenses(\/|$)/.test(url.pathname)
  const rejected = isExpense ? convertExpenseRequest(request, variant) : undefined
  if (rejected) return rejected
  const response = await fetch(url, {
    method,
    headers: request.headers,
    body: body === undefined ? null : JSON.stringify(incomingOf(body, variant)),
  })
  request.date = response.headers.get('date') ?? ''
  const name = variant.expenseDate?.name ?? 'spent_on'
  const text = (await response.text()).replaceAll('"spent_on"', JSON.stringify(name))
  const type = response.headers.get('content-type') ?? 'text/plain'
  if (response.status === 404 && variant.returnsEmptyListForMissing && method === 'GET')
    return jsonReply(200, '[]')
  if (!response.ok) return { status: response.status, type, body: text }
  if (method === 'DELETE' && variant.deleteResponse) return { status: 200, ...variant.deleteResponse }
  const owned = isExpense ? variant.readOnlyFields : undefined
  const value: unknown = text === '' ? undefined : withFields(outgoingOf(JSON.parse(text), variant), owned)
  const isList = Array.isArray(value) && !/\/\d+$/.test(url.pathname)
  if (isList && variant.pages) return pageOf(value, page, variant.pages)
  return shapeReply(value, request, response.status, variant)
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
function convertExpenseRequest(
  { method, url, body }: ForeignRequest,
  variant: ServiceVariant,
): Reply | undefined {
  const { expenseDate, readOnlyFields = {} } = variant
  const expense = body?.expense as Record<string, unknown> | undefined
  const owned = Object.keys(expense ?? {}).find((field) => field in readOnlyFields)
  if (owned) return jsonReply(422, JSON.stringify({ errors: { [owned]: ['is not permitted'] } }))
  if (!expenseDate) return undefined
  const { name, missing, filters } = expenseDate
  if (expense && name !== 'spent_on') {
    delete expense.spent_on
    if (name in expense) expense.spent_on = expense[name]
    else if (method === 'POST' && missing === 'named')
      return jsonReply(422, JSON.stringify({ errors: { [name]: ["can't be blank"] } }))
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
    return filters === 'failing' ? jsonReply(500, '') : jsonReply(400, '{"error":"invalid_query"}')
  const supported = predicates
    .filter(([key]) => !isUnknown(key))
    .map(([key, value]) => [isDate(key) ? key.replace(name, 'spent_on') : key, value])
  url.searchParams.set('q', JSON.stringify(Object.fromEntries(supported)))
  return undefined
}

function withFields(value: unknown, fields: Record<string, unknown> | undefined): unknown {
  if (Array.isArray(value)) return value.map((record) => withFields(record, fields))
  return typeof value === 'object' ? { ...value, ...fields } : value
}

/** Returns the response in the shape of the variant. */
function shapeReply(
  value: unknown,
  { method, url }: ForeignRequest,
  status: number,
  variant: ServiceVariant,
): Reply {
  const type = 'application/json'
  const isSingle = /\/(timesheets|expenses)(\/\d+)?$/.test(url.pathname) && isSingleRecord(value, url)
  if (value === undefined || !isSingle)
    return { status, type, body: value === undefined ? '' : JSON.stringify(value) }
  const record = (Array.isArray(value) ? value[0] : value) as Record<string, unknown>
  if (method === 'PATCH' && variant.updateResponse === 'nothing') return { status: 204, type, body: '' }
  if (method === 'PATCH' && variant.updateResponse === 'an empty body') return { status: 200, type, body: '' }
  const body =
    (method === 'PATCH' && variant.updateResponse === 'the id') ||
    (method === 'POST' && variant.returnsIdOnCreate)
      ? { id: record.id }
      : record
  const named = url.pathname.includes('/expenses') ? { expense: body } : { timesheet: body }
  const shapes = { list: [body], object: body, named }
  const shape = variant.recordShape ?? (Array.isArray(value) ? 'list' : 'object')
  return { status, type, body: JSON.stringify(shapes[shape]) }
}

function isSingleRecord(value: unknown, url: URL): boolean {
  return !Array.isArray(value) || /\/\d+$/.test(url.pathname)
}

function isWithoutEnd({ method, url, body }: ForeignRequest): boolean {
  if (!body || !url.pathname.includes('/timesheets')) return false
  if (method === 'POST') return (body.time_end ?? null) === null
  return method === 'PATCH' && body.time_end === null
}

function jsonReply(status: number, body: string): Reply {
  return { status, type: 'application/json', body }
}

/** Converts a request body to the format of this service. */
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
  const round = wholeMinutes === 'down' ? Math.floor : Math.round
  return new Date(round(Date.parse(time) / 60_000) * 60_000).toISOString()
}

/** Converts a response body to the format of the variant. */
function outgoingOf(value: unknown, variant: ServiceVariant): unknown {
  if (Array.isArray(value)) return value.map((part) => outgoingOf(part, variant))
  if (typeof value !== 'object' || value === null) return value
  const omitted: readonly string[] = ['etag', ...(variant.omits ?? [])]
  const fields = Object.entries(value).filter(([name]) => !omitted.includes(name))
  return Object.fromEntries(
    fields.map(([name, part]) => {
      if (typeof part === 'object') return [name, outgoingOf(part, variant)]
      if (variant.hasTextIds && isIdName(name)) return [name, textIdOf(Number(part))]
      if (variant.formatTime && /^time_(start|end)$|_at$/.test(name))
        return [name, variant.formatTime(new Date(String(part)).toISOString())]
      if (variant.trimsAmounts && name === 'amount') return [name, String(Number(part))]
      return [name, part]
    }),
  )
}

/** A validator that stays the same for the same body, as Rails sends it. */
function weakEtag(body: string): string {
  return `W/"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`
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

function removePredicates(url: URL, isRemoved: (key: string, value: unknown) => boolean) {
  const predicates = Object.entries(JSON.parse(url.searchParams.get('q') ?? '{}'))
  const kept = predicates.filter(([key, value]) => !isRemoved(key, value))
  url.searchParams.set('q', JSON.stringify(Object.fromEntries(kept)))
}
