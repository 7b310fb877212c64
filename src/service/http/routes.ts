import type { Scope } from '../../api-client/types.js'
import * as expenses from '../resources/expenses.js'
import * as referenceData from '../resources/reference-data.js'
import * as entries from '../resources/time-entries.js'
import type { Handler } from './request-context.js'

/** The handler of each method of a path. */
export type Methods = Readonly<Record<string, Handler>>

/**
 * The paths of the API (service-api-v1.md, section 4) without `/api/v1`, with their handlers. The compiler requires a
 * description of each in `openapi/api-operations.ts`.
 */
export const collectionRoutes = {
  '/timesheets': { GET: entries.listEntries, POST: entries.createEntry },
  '/timesheets/most_used_tasks': { GET: entries.mostUsedTasks },
  '/timesheets/find_by_external_id': { GET: entries.findEntry },
  '/projects': { GET: referenceData.listProjects },
  '/clients': { GET: referenceData.listClients },
  '/tasks': { GET: referenceData.listTasks },
  '/task_links': { GET: referenceData.listTaskLinks },
  '/assignments': { GET: referenceData.listAssignments },
  '/companies': { GET: referenceData.showCompany },
  '/expense_types': { GET: expenses.listExpenseTypes },
  '/expenses': { GET: expenses.listExpenses, POST: expenses.createExpense },
} satisfies Readonly<Record<string, Methods>>

/** The methods of single records, `COLLECTION/ID`. */
export const recordRoutes = {
  '/timesheets': { GET: entries.showEntry, PATCH: entries.updateEntry, DELETE: entries.removeEntry },
  '/expenses': { PATCH: expenses.updateExpense, DELETE: expenses.removeExpense },
} satisfies Readonly<Record<string, Methods>>

/** What an application with each scope may do, as the consent page and the OpenAPI document say it. */
export const scopeDescriptions: Readonly<Record<Scope, string>> = {
  'service:read': 'View your time entries and expenses, and the projects, clients and tasks of the company',
  'service:write': 'Add, change and delete your time entries and expenses',
}

/** Returns the scope that requests with this method need (service-api-v1.md section 4). */
export const scopeOf = (method: string): Scope => (method === 'GET' ? 'service:read' : 'service:write')

/** The part of a path after /api/v1, its record ID, and the handlers of its methods. */
export interface Route {
  collection: string
  id: string | undefined
  methods: Methods
}

/** Returns the route of an absolute path; undefined if there is none. */
export function findRoute(pathname: string): Route | undefined {
  const [, collection = '', id] = /^\/api\/v1(\/.*?)(?:\/([0-9]+))?$/.exec(pathname) ?? []
  const routes: Readonly<Record<string, Methods>> = id === undefined ? collectionRoutes : recordRoutes
  const methods = Object.hasOwn(routes, collection) ? routes[collection] : undefined
  return methods && { collection, id, methods }
}
