import * as expenses from '../resources/expenses.js'
import * as referenceData from '../resources/reference-data.js'
import * as entries from '../resources/time-entries.js'
import type { Handler } from './request-context.js'

/** The handler of each method of a path. */
export type Methods = Readonly<Record<string, Handler>>

/** The paths of the API (service-api-v1.md, section 4) without `/api/v1`, with their handlers. */
const collections: Readonly<Record<string, Methods>> = {
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
}

/** The methods of single records, `COLLECTION/ID`. */
const records: Readonly<Record<string, Methods>> = {
  '/timesheets': { GET: entries.showEntry, PATCH: entries.updateEntry, DELETE: entries.removeEntry },
  '/expenses': { PATCH: expenses.updateExpense, DELETE: expenses.removeExpense },
}

/** The part of a path after /api/v1, its record ID, and the handlers of its methods. */
export interface Route {
  collection: string
  id: string | undefined
  methods: Methods
}

/** Returns the route of an absolute path; undefined if there is none. */
export function findRoute(pathname: string): Route | undefined {
  const [, collection = '', id] = /^\/api\/v1(\/.*?)(?:\/([0-9]+))?$/.exec(pathname) ?? []
  const routes = id === undefined ? collections : records
  const methods = Object.hasOwn(routes, collection) ? routes[collection] : undefined
  return methods && { collection, id, methods }
}
