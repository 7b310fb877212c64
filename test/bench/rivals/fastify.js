// A minimal Fastify service with the same responses as `tt serve`. Argument: the location of the database.
import { createHash, randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { openStatements } from './statements.js'

const requireModule = createRequire(import.meta.url)
const fastify = requireModule('fastify')

const statements = await openStatements(process.argv[2] ?? '')

const app = fastify({
  logger: {
    base: null,
    stream: { write: (/** @type {string} */ line) => void process.stderr.write(line) },
  },
  disableRequestLogging: true,
  genReqId: () => randomUUID(),
})

const nullableText = { type: ['string', 'null'] }
const record = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    time_start: { type: 'string' },
    time_end: nullableText,
    notes: nullableText,
    task_link_id: { type: 'integer' },
    external_id: nullableText,
    created_at: { type: 'string' },
    updated_at: { type: 'string' },
    etag: { type: 'string' },
  },
}
const list = { type: 'array', items: record }

app.decorateRequest('userId', 0)
app.addHook('onRequest', async (/** @type {any} */ request, /** @type {any} */ reply) => {
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  const [, time = ''] = /^tt_([0-9a-f]{12})_[\w-]{43}$/.exec(token) ?? []
  const [row] = await statements.token(time + createHash('sha256').update(token).digest('hex'))
  const isExpired = row?.expires_at !== null && row?.expires_at <= Date.now()
  if (!row || isExpired || row.legacy_keys === 0) return reply.code(401).send()
  const scope = request.method === 'GET' ? 'service:read' : 'service:write'
  if (!row.scopes.split(' ').includes(scope)) return reply.code(403).send({ error: 'insufficient_scope' })
  request.userId = row.user_id
  reply.header('X-Request-Id', request.id)
})
app.addHook('onResponse', async (/** @type {any} */ request, /** @type {any} */ reply) => {
  request.log.info(
    {
      ...{ request_id: request.id, method: request.method, route: request.routeOptions.url },
      ...{ status: reply.statusCode, duration_ms: Math.round(reply.elapsedTime * 10) / 10 },
      user_id: request.userId,
    },
    'Request',
  )
})

/** @param {any} row */
function toRecord(row) {
  return {
    ...row,
    time_start: toTime(row.time_start),
    time_end: toTime(row.time_end),
    created_at: toTime(row.created_at),
    updated_at: toTime(row.updated_at),
    etag: `"${row.etag}"`,
  }
}

/** Returns a random version, or the step to the next one. */
const versionStep = () => 1 + Math.floor(Math.random() * 1_000_000_000)

/** Returns a record, and sends its entity tag. @param {any} reply @param {any} row */
function withTag(reply, row) {
  const found = toRecord(row)
  reply.header('ETag', found.etag)
  return found
}

/** @param {number | null} ms */
const toTime = (ms) => (ms === null ? null : new Date(ms).toISOString())

app.get(
  '/api/v1/timesheets',
  { schema: { response: { 200: list } } },
  async (/** @type {any} */ { query, userId }) => {
    if (query.q === undefined) {
      const perPage = Number(query.per_page)
      return (await statements.page(userId, perPage, (Number(query.page ?? 1) - 1) * perPage)).map(toRecord)
    }
    const { time_start_gteq: from, time_start_lt: until } = JSON.parse(query.q)
    return (await statements.week(userId, Date.parse(from), Date.parse(until))).map(toRecord)
  },
)

app.get(
  '/api/v1/timesheets/:id',
  { schema: { response: { 200: list } } },
  async (/** @type {any} */ { params, userId }, /** @type {any} */ reply) => {
    const rows = await statements.entry(userId, Number(params.id))
    if (rows.length === 0) return reply.code(404).send({ error: 'not_found' })
    return [withTag(reply, rows[0])]
  },
)

const fields = {
  type: 'object',
  properties: {
    time_start: { type: 'string', format: 'date-time' },
    time_end: { type: ['string', 'null'], format: 'date-time' },
    notes: { type: ['string', 'null'], maxLength: 65_536 },
    task_link_id: { type: 'integer' },
  },
}

app.post(
  '/api/v1/timesheets',
  { schema: { body: { ...fields, required: ['time_start', 'task_link_id'] }, response: { 201: record } } },
  async (/** @type {any} */ { body, userId }, /** @type {any} */ reply) => {
    const [start, end, now] = [Date.parse(body.time_start), toMs(body.time_end), Date.now()]
    if (end !== null && end < start) return reply.code(422).send({ error: 'invalid' })
    const values = [userId, start, end, body.notes ?? null, now, now, versionStep(), body.task_link_id]
    const [row] = await statements.insert(...values)
    if (!row) return reply.code(422).send({ error: 'invalid' })
    return reply.code(201).send(withTag(reply, row))
  },
)

app.patch(
  '/api/v1/timesheets/:id',
  { schema: { body: fields, response: { 200: record } } },
  async (/** @type {any} */ { body, params, userId }, /** @type {any} */ reply) => {
    const end = toMs(body.time_end)
    const latestStart = end ?? Number.MAX_SAFE_INTEGER
    const changes = [body.notes, end, Date.now(), versionStep()]
    const [row] = await statements.update(...changes, userId, Number(params.id), latestStart)
    if (!row) return reply.code(404).send({ error: 'not_found' })
    return withTag(reply, row)
  },
)

/** @param {string | null | undefined} text */
const toMs = (text) => (text === null || text === undefined ? null : Date.parse(text))

const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`{"url": "${url}/api/v1"}\n`)
