import { type ErrorCode, TtError } from '../lib/errors.js'
import { dayMs } from '../lib/time-units.js'
import {
  readAssignment,
  readCompany,
  readExpense,
  readExpenseType,
  readNamed,
  readProject,
  readTaskLink,
  readTimeEntry,
  readUsedTaskLink,
} from './decode/records.js'
import { asList, asRecord, findObject, readId } from './decode/shapes.js'
import { asSent, InvalidResponseError, UnreachableError } from './errors.js'
import type { ExpenseDateField, ExpenseDateMemory } from './expense-date-field.js'
import { encodeQuery, type Predicates } from './filter/query.js'
import { type Http, type HttpResponse, percentEncoded, type RequestOptions } from './http.js'
import type { IdSet } from './paging/id-set.js'
import {
  type ListOptions,
  type ListSource,
  listAll,
  listInBatches,
  type RecordList,
} from './paging/paging.js'
import type { HeadersLike } from './transport.js'
import type {
  Assignment,
  Client,
  Company,
  Expense,
  ExpenseFields,
  ExpenseType,
  Id,
  Project,
  Task,
  TaskLink,
  TimeEntry,
  TimeEntryFields,
  WireRecord,
} from './types.js'

export interface CreateOptions {
  /**
   * Sent as Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a service that honours it does a create with
   * the same key once, however often it is sent. 1 to 255 visible ASCII characters.
   */
  key?: string
}

/**
 * One function for each endpoint of service-api-v1.md section 4. Lists come with all their pages; one that could not be
 * read completely is marked (`RecordList.incomplete`). Each throws the TtErrors of `Http.request`, and NonsenseError for
 * an answer that makes no sense.
 */
export interface Api {
  listTimeEntries(q?: Predicates): Promise<RecordList<TimeEntry>>
  /**
   * The same list in batches as they come in: a long one is never whole in memory. The last batch of an incomplete list
   * is marked so. Adds the ids of the entries to `ids`. Throws at any batch.
   */
  timeEntriesInBatches(q?: Predicates, ids?: IdSet): AsyncGenerator<RecordList<TimeEntry>>
  /** Throws TtError `not_found` for a 404 that is empty or JSON, for 204 and for an empty list. */
  getTimeEntry(id: Id): Promise<TimeEntry>
  /** NonsenseError with a 2xx status means: the service took the entry, but its answer does not say which it is. */
  createTimeEntry(fields: TimeEntryFields, options?: CreateOptions): Promise<TimeEntry>
  updateTimeEntry(id: Id, fields: TimeEntryFields): Promise<TimeEntry>
  /** NonsenseError means: whether the entry was deleted is unknown. Throws TtError `not_found` like `getTimeEntry`. */
  deleteTimeEntry(id: Id): Promise<void>
  /** The task links used most in the last 7 days, in the order of the service. */
  mostUsedTasks(): Promise<RecordList<TaskLink>>
  /** The entry with that external id; undefined where there is none. */
  findTimeEntryByExternalId(externalId: string): Promise<TimeEntry | undefined>
  listProjects(q?: Predicates): Promise<RecordList<Project>>
  listClients(q?: Predicates): Promise<RecordList<Client>>
  listTasks(q?: Predicates): Promise<RecordList<Task>>
  listTaskLinks(q?: Predicates): Promise<RecordList<TaskLink>>
  listAssignments(q?: Predicates): Promise<RecordList<Assignment>>
  getCompany(): Promise<Company>
  listExpenseTypes(q?: Predicates): Promise<RecordList<ExpenseType>>
  listExpenses(q?: Predicates): Promise<RecordList<Expense>>
  /**
   * The expense with that id, looked for in the lists: no endpoint answers a single one. `on` is the day (YYYY-MM-DD)
   * on which it was probably spent. Throws TtError `not_found` where there is none, and NonsenseError where the list is
   * incomplete and does not have it.
   */
  getExpense(id: Id, on?: string): Promise<Expense>
  /** NonsenseError with a 2xx status means what it means for `createTimeEntry`. */
  createExpense(fields: ExpenseFields, options?: CreateOptions): Promise<Expense>
  updateExpense(id: Id, fields: ExpenseFields): Promise<Expense>
  /** Throws what `deleteTimeEntry` throws. */
  deleteExpense(id: Id): Promise<void>
  /** The date field of expenses, which is `spent_on` in everything that goes in and comes out here. */
  expenseDate(): Promise<ExpenseDateField>
  /** Any request, answered as it comes. */
  raw(method: string, path: string, options?: RequestOptions): Promise<HttpResponse>
}

export interface ApiOptions extends ListOptions {
  /** Remembers the name of the date field of expenses; without it, that is `spent_on`. */
  expenseDate?: ExpenseDateMemory
}

/** Makes the functions of the endpoints; `options` says how lists are read, and what is remembered of the service. */
export function createApi(http: Http, options: ApiOptions = {}): Api {
  const { pagingMemory, hasExactFilters } = options
  const warn = oncePerPath(options.warn)
  let dateField: Promise<ExpenseDateField> | undefined
  const source = <Item extends WireRecord>(
    path: string,
    what: string,
    read: (value: unknown) => Item,
    q: Predicates | undefined,
  ): ListSource<Item> => ({
    ...{ http, path, query: { q: q && encodeQuery(q) }, what, read, predicates: q },
    ...{ pagingMemory, hasExactFilters, warn: (text) => warn?.(path, text) },
  })
  const list = <Item extends WireRecord>(
    path: string,
    what: string,
    read: (value: unknown) => Item,
    q?: Predicates,
  ) => listAll(source(path, what, read, q))

  const api: Api = {
    listTimeEntries: (q) => list('/timesheets', 'time entries', readTimeEntry, q),

    timeEntriesInBatches: (q, ids) =>
      listInBatches(source('/timesheets', 'time entries', readTimeEntry, q), ids),

    async getTimeEntry(id) {
      const { value, status } = await http.request('GET', pathOf('/timesheets', id))
      // The answer is a list of one (service-api-v1.md section 4): some services have an empty one, and no 404.
      if (status === 204 || (Array.isArray(value) && value.length === 0))
        throw new TtError('not_found', `The service has no time entry ${id}.`)
      return readTimeEntry(value)
    },

    async createTimeEntry(fields, options) {
      const answer = await http.request('POST', '/timesheets', { body: fields, ...keyed(options) })
      return taken(answer, 'time entry', (record) => readOrFetch(api, record))
    },

    async updateTimeEntry(id, fields) {
      const { value } = await http.request('PATCH', pathOf('/timesheets', id), { body: fields })
      const record = findObject(value)
      return afterwards(record?.id === undefined ? api.getTimeEntry(id) : readOrFetch(api, record))
    },

    deleteTimeEntry: async (id) => remove(http, pathOf('/timesheets', id)),

    mostUsedTasks: () => list('/timesheets/most_used_tasks', 'task links', readUsedTaskLink),
    findTimeEntryByExternalId: (externalId) => findByExternalId(http, externalId),

    listProjects: (q) => list('/projects', 'projects', readProject, q),
    listClients: (q) => list('/clients', 'clients', (value) => readNamed(value, 'client'), q),
    listTasks: (q) => list('/tasks', 'tasks', (value) => readNamed(value, 'task'), q),
    listTaskLinks: (q) => list('/task_links', 'task links', readTaskLink, q),
    listAssignments: (q) => list('/assignments', 'assignments', readAssignment, q),

    async getCompany() {
      return readCompany((await http.request('GET', '/companies')).value)
    },

    listExpenseTypes: (q) => list('/expense_types', 'expense types', readExpenseType, q),
    async listExpenses(q) {
      const date = await api.expenseDate()
      return date.list(q, (asked) => list('/expenses', 'expenses', readUnnamedExpense, asked))
    },

    async getExpense(id, on) {
      const isIt = (listed: Expense) => String(listed.id) === String(id)
      const near = on === undefined ? undefined : around(on)
      const found = near && (await api.listExpenses(near)).find(isIt)
      if (found) return found
      const expenses = await api.listExpenses()
      const expense = expenses.find(isIt)
      if (expense) return expense
      if (expenses.incomplete !== undefined) throw createdExpenseUnknown(id, expenses.incomplete)
      throw new TtError('not_found', `There is no expense ${id}.`, { hint: '`tt expenses` shows the ids.' })
    },

    async createExpense(fields, options) {
      const date = await api.expenseDate()
      let sentAs = date.name
      const answer = await date.send(fields, (expense, name) => {
        sentAs = name
        return http.request('POST', '/expenses', { body: { expense }, ...keyed(keyFor(name, options)) })
      })
      const made = await taken(answer, 'expense', (record) =>
        isIdAlone(record)
          ? api.getExpense(readId(record.id, 'expense'), textOrUndefined(fields.spent_on))
          : readOne(date, record),
      )
      const isIgnored = date.name !== sentAs && !(date.name in fields) && typeof fields.spent_on === 'string'
      if (!isIgnored || made.spent_on === fields.spent_on) return made
      // The response shows the name that the service gives to the date, and that it ignored the one that was sent. What
      // fails here leaves an expense with another date, which the caller sees.
      return api.updateExpense(made.id, { spent_on: fields.spent_on }).catch(() => made)
    },

    async updateExpense(id, fields) {
      const date = await api.expenseDate()
      const { value, status } = await date.send(fields, (expense) =>
        http.request('PATCH', pathOf('/expenses', id), { body: { expense } }),
      )
      const record = findObject(value)
      if (record?.id !== undefined && !isIdAlone(record)) return readOne(date, record)
      // No endpoint answers a single expense.
      const expenses = await afterwards(api.listExpenses())
      const expense = expenses.find((listed) => String(listed.id) === String(id))
      if (expense) return expense
      if (expenses.incomplete !== undefined) throw createdExpenseUnknown(id, expenses.incomplete)
      throw new InvalidResponseError(`The service took the change of expense ${id}, but does not list it.`, {
        status,
      })
    },

    deleteExpense: async (id) => remove(http, pathOf('/expenses', id)),

    expenseDate() {
      dateField ??= import('./expense-date-field.js').then(
        (loaded) => new loaded.ExpenseDateField(options.expenseDate),
      )
      return dateField
    },

    raw: (method, path, options) => http.request(method, path, options),
  }
  return api
}

/** Passes on the first warning about each path. */
function oncePerPath(warn: ListOptions['warn']): ((path: string, text: string) => void) | undefined {
  const warned = new Set<string>()
  return (
    warn &&
    ((path, text) => {
      if (warned.has(path)) return
      warned.add(path)
      warn(text)
    })
  )
}

/** The error for an expense that is not in an incomplete list; `reason` is why the list is incomplete. */
export function createdExpenseUnknown(id: Id, reason: string): InvalidResponseError {
  return new InvalidResponseError(
    `Whether there is an expense ${id} is not known: the list is incomplete (${reason}).`,
    {
      hint: 'Repeat the command later.',
    },
  )
}

/** Whether a response is of a service that creates nothing twice for one Idempotency-Key, however late a request arrives. */
export function supportsIdempotencyKeys(headers: HeadersLike): boolean {
  return headers.get('Idempotency-Key-Supported') === '?1'
}

function keyed({ key }: CreateOptions = {}): RequestOptions {
  return key === undefined ? {} : { headers: { 'Idempotency-Key': key } }
}

/** A key stands for one body: under another name of the date it is another one. */
function keyFor(dateName: string, { key }: CreateOptions = {}): CreateOptions {
  if (key === undefined || dateName === 'spent_on') return key === undefined ? {} : { key }
  return { key: `${key}-${percentEncoded(dateName)}`.slice(0, 255) }
}

/** Reads an expense whose date may have another name; it has `spent_on` only where the service sends that. */
function readUnnamedExpense(value: unknown): WireRecord {
  const record = asRecord(value, 'expense')
  const hasDate = Object.hasOwn(record, 'spent_on')
  const expense = readExpense(record)
  if (!hasDate) delete expense.spent_on
  return expense
}

function readOne(date: ExpenseDateField, record: Record<string, unknown>): Expense {
  const [expense] = date.read([record])
  if (expense) return expense
  throw new Error('An expense was lost.')
}

/** Predicates for the expenses of a day and of its neighbours; undefined for what is no day. */
function around(day: string): Predicates | undefined {
  const midnightMs = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(midnightMs)) return undefined
  const dayAfter = (days: number) => new Date(midnightMs + days * dayMs).toISOString().slice(0, 10)
  return { spent_on_gteq: dayAfter(-1), spent_on_lt: dayAfter(2) }
}

/** The path of one record. An id that would make it the path of the list is the id of nothing. */
function pathOf(list: string, id: Id): string {
  const text = String(id)
  if (['', '.', '..'].includes(text))
    throw new TtError('not_found', `There is nothing with the id "${text}".`)
  return `${list}/${percentEncoded(text)}`
}

/** The entry in the answer to a write, asked for again where the answer is only its id. */
async function readOrFetch(api: Api, record: Record<string, unknown>): Promise<TimeEntry> {
  return record.time_start === undefined
    ? api.getTimeEntry(readId(record.id, 'time entry'))
    : readTimeEntry(record)
}

/**
 * The record that a create answered with. Throws NonsenseError with the 2xx status when it is not there: whatever
 * goes wrong from here on, a failure must not say that the service refused the create, or that it was never sent.
 */
async function taken<Made>(
  answer: HttpResponse,
  what: string,
  read: (record: Record<string, unknown>) => Made | Promise<Made>,
): Promise<Made> {
  const record = findObject(answer.value)
  let cause: unknown
  try {
    if (record?.id !== undefined) return await afterwards(read(record))
  } catch (error) {
    if (!(error instanceof TtError) || !saysNoMore.has(error.code)) throw error
    cause = error
  }
  const came = answer.value === undefined ? 'was empty' : `is no ${what}`
  throw new InvalidResponseError(
    `The service took the ${what}, but its answer ${came}. The ${what} may exist.`,
    {
      status: answer.status,
      hint: 'Look for it before you send it again.',
      cause,
    },
  )
}

/** What the service may answer to the question after the record that it took. */
const saysNoMore: ReadonlySet<ErrorCode> = new Set([
  'rejected',
  'not_found',
  'unauthenticated',
  'insufficient_scope',
])

/** Sends a DELETE, which is done on 2xx with an empty body or JSON. An invalid body does not stop the command's next requests. */
async function remove(http: Http, path: string): Promise<void> {
  const { invalid } = await http.request('DELETE', path, { returnsInvalid: true })
  if (invalid) throw invalid
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isIdAlone({ id: _, ...others }: Record<string, unknown>): boolean {
  return Object.keys(others).length === 0
}

/** What is asked once the service took a change: where that fails, the change was sent all the same. */
async function afterwards<Read>(reading: Read | Promise<Read>): Promise<Read> {
  try {
    return await reading
  } catch (error) {
    throw error instanceof UnreachableError ? asSent(error) : error
  }
}

/**
 * The name of the parameter and the answer for "none" are not shown (service-api-v1.md section 4, "Gaps"): `external_id`,
 * and 404, an empty list, null or 204. A service that does not know the parameter may answer some other entry, which
 * is told by its external id.
 */
async function findByExternalId(http: Http, externalId: string): Promise<TimeEntry | undefined> {
  const query = { external_id: externalId }
  const answer = await http
    .request('GET', '/timesheets/find_by_external_id', { query })
    .catch((error: unknown) => {
      if (error instanceof TtError && error.code === 'not_found') return undefined
      throw error
    })
  if (!answer || answer.status === 204 || answer.value === null) return undefined
  const found = findObject(answer.value)
  const entries = (found ? [found] : asList(answer.value, 'time entries')).map((value) =>
    readTimeEntry(value),
  )
  const named = entries.find((entry) => entry.external_id === externalId)
  return named ?? entries.find((entry) => entries.length === 1 && entry.external_id === undefined)
}
