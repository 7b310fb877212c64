import { isDeepStrictEqual } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { describedApp } from '../support/described-responses.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import {
  createServiceFixture,
  type Database,
  databases,
  type ServiceFixture,
} from '../unit/service/fixtures.js'
import { type FuzzRequest, RequestGenerator } from './fuzz-requests.js'

const requestCount = Number(process.env.TT_REQUESTS ?? 3000)

/** After that many differences, the test ends: the records of the databases differ. */
const maxFailures = 10

/** A service over one database, with the IDs of the records by their number, and the numbers by ID. */
interface Target {
  at: ServiceFixture
  ids: number[]
  numbers: Map<unknown, number>
  /** The last known entity tags of the records, by their number. */
  tags: string[]
  /** The numbers of all entity tags in responses, which are random. */
  tagNumbers: Map<string, number>
}

/** Requests to the same records. With more, lists of all records take most of the time. */
const requestsPerWorkspace = 5000

const opened: Database[] = []
afterAll(async () => {
  for (const database of opened) await database.close()
})

/** Replaces all records of a database by a new workspace. */
async function createTarget({ storage }: Database): Promise<Target> {
  const at = await createServiceFixture(storage)
  return { at, ids: [], numbers: new Map(), tags: [], tagNumbers: new Map() }
}

/** Sends the request; returns its response with the numbers of records and tags instead of their IDs and values. */
async function send(target: Target, { method, path, record, headers, body, user }: FuzzRequest) {
  const { at, ids, tags } = target
  const id = record === undefined ? 'none' : String(ids[record])
  const withIds = (text: string) =>
    text
      .replaceAll('"{link}"', String(at.link))
      .replaceAll('{link}', String(at.link))
      .replaceAll('{record}', id)
  const response = await describedApp(at.app).fetch(
    new Request(`http://local/api/v1${withIds(path)}`, {
      method,
      headers: { ...withTag(headers, tags[record ?? -1]), Authorization: `Bearer ${at.users[user]}` },
      body: body === undefined ? null : withIds(body),
    }),
  )
  const text = await response.text()
  const isJson = text !== '' && /json/.test(response.headers.get('Content-Type') ?? '')
  const content: unknown = isJson ? JSON.parse(text) : text
  if (response.status === 201) addRecord(target, content)
  const changed = response.status === 201 ? ids.length - 1 : method === 'PATCH' ? record : undefined
  const tag = response.headers.get('ETag')
  if (changed !== undefined && tag !== null) tags[changed] = tag
  const compared = ['Link', 'X-Total-Count', 'Allow', 'Content-Type']
  return {
    status: response.status,
    headers: compared.map((name) => response.headers.get(name)?.replaceAll(`%22${id}%22`, '#') ?? null),
    body: withNumbers(content, target),
  }
}

/** Replaces the placeholder of the entity tag in headers. */
function withTag(headers: Record<string, string>, tag = '"none"'): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace('{tag}', tag)]),
  )
}

/** Gives a created record the next number. */
function addRecord({ ids, numbers }: Target, content: unknown): void {
  const { id } = content as { id: number }
  numbers.set(id, ids.length)
  ids.push(id)
}

/** Replaces IDs of records, and those within messages, by their numbers, and the times of the databases. */
function withNumbers(content: unknown, target: Target): unknown {
  const { at, numbers, tagNumbers } = target
  return JSON.parse(JSON.stringify(content), function (this: { id?: unknown }, key, value) {
    if (key === 'etag' && typeof value === 'string') {
      const tag = `${this.id} ${value}`
      if (!tagNumbers.has(tag)) tagNumbers.set(tag, tagNumbers.size)
      return `tag ${tagNumbers.get(tag)}`
    }
    if (key === 'id' && numbers.has(value)) return `#${numbers.get(value)}`
    if (['created_at', 'updated_at'].includes(key)) return 'time'
    if (key === 'task_link_id' && value === at.link) return 'link'
    if (typeof value !== 'string') return value
    return value.replace(
      /\b(time entry|expense) (\d+)/g,
      (_, noun, id) => `${noun} #${numbers.get(Number(id)) ?? id}`,
    )
  })
}

test(`SQLite and PostgreSQL respond alike to ${requestCount} requests, and never with a server error`, async () => {
  const seed = chooseSeed('fuzz')
  const generator = new RequestGenerator(new SeededRandom(seed))
  for (const [, open] of databases) opened.push(await open())
  const statuses = new Map<number, number>()
  const failures: object[] = []
  const errors: string[] = []
  for (let first = 0; first < requestCount && failures.length < maxFailures; first += requestsPerWorkspace) {
    const targets = await Promise.all(opened.map(createTarget))
    const end = Math.min(first + requestsPerWorkspace, requestCount)
    for (let number = first; number < end && failures.length < maxFailures; number++) {
      const request = generator.next(targets[0]?.ids.length ?? 0)
      const responses = []
      for (const target of targets) responses.push(await send(target, request))
      const [one, other] = responses
      for (const { status } of responses) statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (isDeepStrictEqual(one, other) && responses.every(({ status }) => status < 500)) continue
      failures.push({ number, request: shorten(request), responses: responses.map(shorten) })
    }
    errors.push(...targets.flatMap(({ at }) => at.errors.map(String)))
  }
  process.stdout.write(`Responses by status: ${JSON.stringify(Object.fromEntries(statuses))}\n`)
  expect({ seed, failures, errors }).toEqual({ seed, failures: [], errors: [] })
  for (const status of [200, 201, 204, 400, 404, 405, 409, 412, 422])
    expect(statuses.get(status)).toBeGreaterThan(0)
})

function shorten(value: object): string {
  const text = JSON.stringify(value)
  return text.length > 1500 ? `${text.slice(0, 1500)}…` : text
}
