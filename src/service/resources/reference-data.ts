import { notFound } from '../http/http-error.js'
import { respondWithList } from '../http/lists/list.js'
import type { Handler, RequestContext } from '../http/request-context.js'
import { type HttpResponse, jsonResponse } from '../http/response.js'
import { sql } from '../storage/sql.js'
import { assignments, clients, projects, taskLinks, tasks } from './resources.js'
import { visibleClients, visibleProjects, visibleTaskLinks, visibleTasks } from './visibility.js'

export const listProjects: Handler = (context) => respondWithList(context, projects, visibleProjects(context))
export const listClients: Handler = (context) => respondWithList(context, clients, visibleClients(context))
export const listTasks: Handler = (context) => respondWithList(context, tasks, visibleTasks(context))
export const listTaskLinks: Handler = (context) =>
  respondWithList(context, taskLinks, visibleTaskLinks(context))
export const listAssignments: Handler = (context) =>
  respondWithList(context, assignments, [sql`assignments.user_id = ${context.userId}`])

/** Responds with the company: one object, not a list (service-api-v1.md section 4). */
export async function showCompany({ queries }: RequestContext): Promise<HttpResponse> {
  const [company] = await queries.all<object>(
    sql`select id, name, currency, time_zone, closed_until from company`,
  )
  if (!company) throw notFound('This database has no company yet.')
  return jsonResponse(company)
}
