import { TtError } from '../lib/errors.js'
import type { Api } from './api.js'
import { afterChange, deleteRecord, readCreated, recordPath, sendChange } from './changed-records.js'
import {
  entryTimesList,
  readAssignment,
  readClient,
  readCompany,
  readExpenseType,
  readProject,
  readTask,
  readTaskLink,
  readTimeEntry,
  readUsedTaskLink,
} from './decode/records.js'
import { findObject, readId, toList } from './decode/shapes.js'
import { createExpenseEndpoints, readExpenseWithoutDate } from './expenses/expense-endpoints.js'
import { encodeQuery, type Predicates } from './filter/query.js'
import type { Http } from './http/http.js'
import { withKey } from './http/request.js'
import { listAll, streamList } from './paging/paging.js'
import type { ListOptions, ListSource } from './paging/record-list.js'
import type { EntryTimes, TimeEntry, WireRecord } from './types.js'

/** Creates the functions of all endpoints. `options` sets how lists are read and what is remembered about the service. */
export function createApi(http: Http, options: ListOptions = {}): Api {
  const { capabilities, hasExactFilters } = options
  const warn = oncePerPath(options.warn)
  const source = <Item extends WireRecord>(
    path: string,
    kind: string,
    read: (value: unknown) => Item,
    q: Predicates | undefined,
  ): ListSource<Item> => ({
    ...{ http, path, query: { q: q && encodeQuery(q) }, kind, read, predicates: q },
    ...{ capabilities, hasExactFilters, warn: (text) => warn?.(path, text) },
  })
  const list = <Item extends WireRecord>(
    path: string,
    kind: string,
    read: (value: unknown) => Item,
    q?: Predicates,
  ) => listAll(source(path, kind, read, q))
  // A service in this process returns the records as they are decoded.
  const readListedEntry = hasExactFilters ? (value: unknown) => value as TimeEntry : readTimeEntry
  const entries = (q?: Predicates) => source('/timesheets', 'time entries', readListedEntry, q)
  const listExpenses = (q?: Predicates) => list('/expenses', 'expenses', readExpenseWithoutDate, q)

  const api: Api = {
    listTimeEntries: (q) => listAll(entries(q)),

    streamTimeEntries: (q, options) => streamList(entries(q), options),

    streamEntryTimes: (q, options) =>
      streamList<EntryTimes | TimeEntry>({ ...entries(q), compact: entryTimesList }, options),

    async getTimeEntry(id) {
      const { value, status } = await http.request('GET', recordPath('/timesheets', id))
      // The response is a list of one (service-api-v1.md section 4). Some services return an empty list instead of 404.
      if (status === 204 || (Array.isArray(value) && value.length === 0))
        throw new TtError('not_found', `The service has no time entry ${id}.`)
      return readTimeEntry(value)
    },

    async createTimeEntry(fields, options) {
      const response = await http.request('POST', '/timesheets', { body: fields, ...withKey(options) })
      return readCreated(response, 'time entry', (record) => readOrFetchEntry(api, record))
    },

    async updateTimeEntry(id, fields, options) {
      const { value } = await sendChange(http, recordPath('/timesheets', id), fields, options)
      const record = findObject(value)
      const isRead = record?.id === undefined || record.time_start === undefined
      return { record: await afterChange(isRead ? api.getTimeEntry(id) : readTimeEntry(record)), isRead }
    },

    deleteTimeEntry: async (id, options) => deleteRecord(http, recordPath('/timesheets', id), options),

    mostUsedTasks: () => list('/timesheets/most_used_tasks', 'task links', readUsedTaskLink),
    findTimeEntryByExternalId: (externalId) => findEntryByExternalId(http, externalId),

    listProjects: (q) => list('/projects', 'projects', readProject, q),
    listClients: (q) => list('/clients', 'clients', readClient, q),
    listTasks: (q) => list('/tasks', 'tasks', readTask, q),
    listTaskLinks: (q) => list('/task_links', 'task links', readTaskLink, q),
    listAssignments: (q) => list('/assignments', 'assignments', readAssignment, q),

    async getCompany() {
      return readCompany((await http.request('GET', '/companies')).value)
    },

    listExpenseTypes: (q) => list('/expense_types', 'expense types', readExpenseType, q),
    ...createExpenseEndpoints(http, listExpenses, capabilities),

    raw: (method, path, options) => http.request(method, path, options),
  }
  return api
}

/** Returns a `warn` that passes on only the first warning about each path. */
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

/** Reads the entry in the response to a create, or requests it when the response contains only its ID. */
async function readOrFetchEntry(api: Api, record: Record<string, unknown>): Promise<TimeEntry> {
  return record.time_start === undefined
    ? api.getTimeEntry(readId(record.id, 'time entry'))
    : readTimeEntry(record)
}

/**
 * Finds an entry by its external ID. The document shows neither the name of the parameter nor the response for "none"
 * (service-api-v1.md section 4, "Gaps"): assumed are `external_id`, and 404, an empty list, null or 204. A service that
 * ignores the parameter may return another entry, so the external ID of the record is compared.
 */
async function findEntryByExternalId(http: Http, externalId: string): Promise<TimeEntry | undefined> {
  const query = { external_id: externalId }
  const response = await http
    .request('GET', '/timesheets/find_by_external_id', { query })
    .catch((error: unknown) => {
      if (error instanceof TtError && error.code === 'not_found') return undefined
      throw error
    })
  if (!response || response.status === 204 || response.value === null) return undefined
  const record = findObject(response.value)
  const entries = (record ? [record] : toList(response.value, 'time entries')).map((value) =>
    readTimeEntry(value),
  )
  const match = entries.find((entry) => entry.external_id === externalId)
  return match ?? entries.find((entry) => entries.length === 1 && entry.external_id === undefined)
}
