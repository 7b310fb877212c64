import type { SeededRandom } from '../support/seeded-random.js'

/** A request that refers to records by their number, because their IDs differ between databases. */
export interface FuzzRequest {
  method: string
  /** Path and query after /api/v1. `{record}` stands for the ID of the record, `{link}` for a task link. */
  path: string
  /** The number of a record that a request has created; undefined for a request without one. */
  record: number | undefined
  /** Values contain `{tag}` for the last known entity tag of the record. */
  headers: Record<string, string>
  /** JSON text with the same placeholders, or any other text. */
  body: string | undefined
  /** 0 or 1: the user who sends it. */
  user: number
}

const writable = ['/timesheets', '/expenses'] as const
const readable = [
  ...['/projects', '/clients', '/tasks', '/task_links', '/assignments', '/companies', '/expense_types'],
  ...['/timesheets/most_used_tasks', '/timesheets/find_by_external_id', '/nonesuch', '/timesheets/'],
]
const fields = {
  '/timesheets': ['time_start', 'time_end', 'notes', 'task_link_id', 'external_id'],
  '/expenses': ['spent_on', 'amount', 'currency', 'notes', 'external_id', 'expense_type_id', 'project_id'],
}
/** Not the times of creation and of the last change, which are by the clocks of the databases. */
const filterFields = ['id', 'name', 'etag', 'active', 'user_id', 'idempotency_key', 'nonesuch']

/** Values of every type, with those that databases treat differently: case, accents, wildcards, NUL, large numbers. */
const values: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    1e308,
    2 ** 53,
    '9223372036854775808',
    -0,
    '12',
    '012',
    ' 1',
    '',
    ' ',
  ],
  ...['a', 'A', 'ä', 'a\u0308', 'İ', 'ß', '%', '_', '\\', "'", '"', '; drop table users', '\0', 'a\0b'],
  ...[
    '\ud800',
    '🎉',
    '\u202e',
    'x'.repeat(300),
    'x'.repeat(100_000),
    'line\nbreak',
    'EUR',
    'CHF',
    'XXX',
    '1e3',
  ],
  ...[
    '2024-05-08',
    '2024-5-8',
    '2024-02-30',
    '0000-01-01',
    '9999-12-31',
    '10000-01-01',
    '-0001-01-01',
    'today',
  ],
  ...['2024-05-08T09:30:00Z', '2024-05-08T09:30:00.123456+02:00', '2024-03-31T02:30', '2024-05-08 09:30'],
  ...['2024-05-08T24:00:00Z', '2024-05-08T09:30:60Z', '9999-12-31T23:59:59.999Z', '0001-01-01T00:00:00Z'],
  ...[
    '0.1',
    '-0.0001',
    '999999999999.9999',
    '1000000000000',
    '0.00001',
    '+5',
    '1,5',
    'NaN',
    'Infinity',
    '0x10',
  ],
  ...[[], [1], {}, { a: 1 }, [[[[]]]], '{record}', '{link}', '99999999999999999999'],
]

/** Creates structured requests: most are valid or nearly valid, so that they reach the database. */
export class RequestGenerator {
  readonly #random: SeededRandom
  #count = 0

  constructor(random: SeededRandom) {
    this.#random = random
  }

  /** @param records the number of records that exist so far */
  next(records: number): FuzzRequest {
    const random = this.#random
    const kind = random.weighted({ list: 30, create: 30, update: 14, show: 6, remove: 5, read: 10, odd: 5 })
    const resource = random.pick(writable)
    const record =
      records === 0 || random.chance(0.05)
        ? undefined
        : random.between(Math.max(0, records - 200), records - 1)
    const base = {
      record,
      headers: this.#headers(kind),
      body: undefined,
      user: random.chance(0.9) ? 0 : 1,
    }
    const one = `${resource}/${record === undefined ? this.#text(values).slice(0, 40) : '{record}'}`
    switch (kind) {
      case 'list':
        return { ...base, method: 'GET', path: `${resource}${this.#query(resource)}` }
      case 'create':
        return { ...base, method: 'POST', path: resource, body: this.#body(resource, true) }
      case 'update':
        return { ...base, method: 'PATCH', path: one, body: this.#body(resource, false) }
      case 'show':
        return { ...base, method: 'GET', path: one }
      case 'remove':
        return { ...base, method: 'DELETE', path: one }
      case 'read':
        return { ...base, method: random.pick(['GET', 'HEAD']), path: this.#readablePath(resource) }
      default:
        return {
          ...base,
          method: random.pick(['PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS']),
          path: random.pick([...readable, ...writable, one]),
          body: this.#body(resource, true),
        }
    }
  }

  #headers(kind: string): Record<string, string> {
    const random = this.#random
    const headers: Record<string, string> = {}
    if (['update', 'remove'].includes(kind) && random.chance(0.4))
      headers['If-Match'] = random.pick(['{tag}', '{tag}', '"1", {tag}', '*', 'W/{tag}', '"1"', '1', ''])
    if (kind === 'create' && random.chance(0.3)) headers['Idempotency-Key'] = `k-${random.between(0, 60)}`
    if (random.chance(0.02)) headers['Idempotency-Key'] = random.pick(['', 'x'.repeat(256), 'two words'])
    if (random.chance(0.05)) headers.Accept = 'application/vnd.tt.entry-times+json, application/json;q=0.9'
    return headers
  }

  #body(resource: (typeof writable)[number], isCreate: boolean): string {
    const random = this.#random
    if (random.chance(0.03))
      return random.pick(['', '{', '[]', 'null', '"text"', '{"a":1}x', '['.repeat(50_000)])
    const valid = this.#validFields(resource)
    // An external ID of another record is the only reason for 409.
    const chosen = Object.entries(valid).filter(
      ([name]) => isCreate || name === 'notes' || name === 'external_id' || random.chance(0.4),
    )
    const record = Object.fromEntries(chosen)
    if (random.chance(0.35)) record[random.pick(fields[resource])] = random.pick(values)
    if (random.chance(0.05)) delete record[random.pick(fields[resource])]
    if (random.chance(0.03))
      record[random.pick(['id', 'user_id', '__proto__', 'constructor', 'unknown'])] = random.pick(values)
    const isNested = (resource === '/expenses') !== random.chance(0.02)
    return JSON.stringify(isNested ? { expense: record } : record)
  }

  #validFields(resource: (typeof writable)[number]): Record<string, unknown> {
    const random = this.#random
    const notes = random.pick([`note ${this.#count++}`, 'Größe', 'GRÖSSE', '100%', 'a_b', '🎉', null])
    const external = random.chance(0.35) ? { external_id: `X-${random.between(0, 40)}` } : {}
    const day = `2024-05-${String(random.between(1, 28)).padStart(2, '0')}`
    if (resource === '/expenses')
      return {
        spent_on: day,
        amount: random.pick(['12.50', 3, '0.1', -4.25]),
        currency: 'EUR',
        notes,
        ...external,
      }
    const hour = random.between(10, 20)
    const end = random.chance(0.8) ? { time_end: `${day}T${hour + 1}:00:00+02:00` } : {}
    return { time_start: `${day}T${hour}:00:00+02:00`, task_link_id: '{link}', notes, ...end, ...external }
  }

  #query(resource: (typeof writable)[number], path: string = resource): string {
    const random = this.#random
    const names = [...fields[resource], ...filterFields]
    const parameters = new URLSearchParams()
    if (random.chance(0.7)) {
      const predicates = Array.from({ length: random.between(0, 3) }, (): [string, unknown] => {
        if (random.chance(0.4)) return this.#textPredicate()
        const name = random.pick(random.chance(0.8) ? fields[resource] : names)
        const value = random.chance(0.5)
          ? random.pick(Object.values(this.#validFields(resource)))
          : random.pick(values)
        return [`${name}_${random.weighted({ eq: 3, gteq: 3, lt: 3, cont: 3, in: 1, '': 1 })}`, value]
      })
      const hasBrackets = random.chance(0.35)
      if (hasBrackets)
        for (const [key, value] of predicates) parameters.append(`q[${key}]`, this.#bracketValue(value))
      if (!hasBrackets || random.chance(0.05))
        parameters.set(
          'q',
          random.chance(0.95) ? JSON.stringify(Object.fromEntries(predicates)) : this.#text(values),
        )
    }
    if (random.chance(0.02))
      parameters.append(
        random.pick(['q[s]', 'q[g][0][notes_eq]', 'q[]', 'q[notes_eq', 'q', 'notes_eq', 'notes', 'id_lt']),
        this.#bracketValue(random.pick(values)),
      )
    if (random.chance(0.3))
      parameters.set(
        'per_page',
        random.pick(['1', '7', '50', '100', '1000', random.pick(['0', '-1', 'x', '1001', ''])]),
      )
    if (random.chance(0.2))
      parameters.set('page', random.pick(['1', '2', '3', '999', random.pick(['0', '9007199254740993', 'x'])]))
    if (random.chance(0.1))
      parameters.set('fields', random.pick(['id', 'notes,id', '', 'nonesuch', names.join(',')]))
    if (random.chance(0.1)) parameters.set('times', random.pick(['ms', 's', '']))
    if (path.endsWith('external_id') && random.chance(0.8))
      parameters.set('external_id', random.pick([`X-${random.between(0, 40)}`, this.#text(values)]))
    if (random.chance(0.05)) parameters.set('after', this.#position(resource))
    const text = parameters.toString()
    return text === '' ? '' : `?${text.replaceAll('%7B', '{').replaceAll('%7D', '}')}`
  }

  #readablePath(resource: (typeof writable)[number]): string {
    const path = this.#random.pick(readable)
    return `${path}${this.#query(resource, path)}`
  }

  /** The text of a value without the ID of a record, which differs between databases. */
  #bracketValue(value: unknown): string {
    const text = String(value)
    return text.startsWith('{') ? '1' : text
  }

  /** A position as in a Link header, or almost. */
  #position(resource: (typeof writable)[number]): string {
    const random = this.#random
    const day = `2024-05-${random.between(10, 28)}`
    const first = resource === '/expenses' ? day : Date.parse(`${day}T10:00:00Z`)
    const positions = [[first, 0], [first, 2 ** 53 - 1], [first], [null, 1], ['a\0', 0], random.pick(values)]
    return Buffer.from(JSON.stringify(random.pick(positions))).toString('base64url')
  }

  /** A filter that is valid unless its text cannot be stored. */
  #textPredicate(): [key: string, value: unknown] {
    const random = this.#random
    const matcher = random.weighted({ cont: 5, eq: 2, gteq: 2, lt: 2 })
    const texts = ['NOTE 1', 'note', 'größe', 'GRÖSSE', '100%', 'a_b', '🎉', ...values.filter(isText)]
    return [`${random.pick(['notes', 'external_id'])}_${matcher}`, random.pick(texts)]
  }

  #text(from: readonly unknown[]): string {
    return encodeURIComponent(String(this.#random.pick(from)).replace(/\p{Surrogate}/gu, '?'))
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}
