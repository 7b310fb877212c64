import type { ExpenseDateField } from './expenses/expense-date-field.js'
import type { Predicates } from './filter/query.js'
import type { HttpResponse, RequestOptions } from './http/http.js'
import type { RecordList, StreamOptions } from './paging/record-list.js'
import type {
  Assignment,
  Client,
  Company,
  EntryTimes,
  Expense,
  ExpenseType,
  Id,
  Project,
  Task,
  TaskLink,
  TimeEntry,
  WireFields,
} from './types.js'

export interface CreateOptions {
  /**
   * Sent as Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a service that supports it performs a create
   * with the same key once, however often it is sent. 1 to 255 visible ASCII characters.
   */
  key?: string
}

export interface ChangeOptions {
  /**
   * The strong entity tag of the record, sent as If-Match (RFC 9110 section 13.1.1): a service that honours it responds 412
   * if the record has changed since.
   */
  ifMatch?: string
}

/** The record after an update. */
export interface Updated<Value> {
  record: Value
  /** Whether it was read after the update, whose response had no record: then it may be as another client has changed it. */
  isRead: boolean
}

/**
 * One function for each endpoint of service-api-v1.md section 4. Lists contain the records of all pages; an incomplete
 * list is marked (`RecordList.incomplete`). Each function throws the TtErrors of `Http.request`, and
 * InvalidResponseError for a response that cannot be decoded.
 */
export interface Api {
  listTimeEntries(q?: Predicates): Promise<RecordList<TimeEntry>>
  /**
   * Yields the same list in batches as they arrive, so that a long list is never in memory as a whole. The last batch of
   * an incomplete list is marked. May throw at any batch.
   */
  streamTimeEntries(q?: Predicates, options?: StreamOptions): AsyncGenerator<RecordList<TimeEntry>>
  /**
   * Yields the same list; from the service of this program only the times and task links, which the API document does not
   * provide for.
   */
  streamEntryTimes(
    q?: Predicates,
    options?: StreamOptions,
  ): AsyncGenerator<RecordList<EntryTimes | TimeEntry>>
  /** Throws TtError `not_found` for a 404 that is empty or JSON, for 204 and for an empty list. */
  getTimeEntry(id: Id): Promise<TimeEntry>
  /**
   * Creates a time entry. An InvalidResponseError with a 2xx status means that the service accepted the entry, but its
   * response does not identify the record.
   */
  createTimeEntry(fields: WireFields, options?: CreateOptions): Promise<TimeEntry>
  updateTimeEntry(id: Id, fields: WireFields, options?: ChangeOptions): Promise<Updated<TimeEntry>>
  /**
   * Deletes a time entry. An InvalidResponseError means that the outcome is unknown. Throws TtError `not_found` like
   * `getTimeEntry`.
   */
  deleteTimeEntry(id: Id, options?: ChangeOptions): Promise<void>
  /** Returns the task links used most in the last 7 days, in the order of the service. */
  mostUsedTasks(): Promise<RecordList<TaskLink>>
  /** Returns the entry with that external ID; undefined if there is none. */
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
   * Finds the expense with that ID in the lists: no endpoint returns a single expense. `on` is its probable date
   * (YYYY-MM-DD). Throws TtError `not_found` if it does not exist, and InvalidResponseError if it is not in an
   * incomplete list.
   */
  getExpense(id: Id, on?: string): Promise<Expense>
  /** Creates an expense; for InvalidResponseError see `createTimeEntry`. */
  createExpense(fields: WireFields, options?: CreateOptions): Promise<Expense>
  updateExpense(id: Id, fields: WireFields, options?: ChangeOptions): Promise<Updated<Expense>>
  /** Deletes an expense; throws like `deleteTimeEntry`. */
  deleteExpense(id: Id, options?: ChangeOptions): Promise<void>
  /** Returns the date field of expenses. Its name is `spent_on` in every argument and result of these functions. */
  expenseDateField(): Promise<ExpenseDateField>
  /** Sends any request and returns the response undecoded. */
  raw(method: string, path: string, options?: RequestOptions): Promise<HttpResponse>
}
