import { assignment, client, company, project, task, taskLink } from '../../records/records.js'
import { respondWithList } from '../http/list.js'
import type { Handler, RequestContext } from '../http/request-context.js'
import { type HttpResponse, jsonResponse, notFound } from '../http/response.js'
import { sql } from '../storage/sql.js'
import { columnsOf } from './fields.js'
import { visibleClients, visibleProjects, visibleTaskLinks, visibleTasks } from './visibility.js'

export const listProjects: Handler = (context) => respondWithList(context, project, visibleProjects(context))
export const listClients: Handler = (context) => respondWithList(context, client, visibleClients(context))
export const listTasks: Handler = (context) => respondWithList(context, task, visibleTasks(context))
export const listTaskLinks: Handler = (context) =>
  respondWithList(context, taskLink, visibleTaskLinks(context))
export const listAssignments: Handler = (context) =>
  respondWithList(context, assignment, [sql`assignments.user_id = ${context.userId}`])

/** Responds with the company: one object, not a list (service-api-v1.md section 4). */
export async function showCompany({ queries }: RequestContext): Promise<HttpResponse> {
  const [row] = await queries.all<object>(sql`select ${columnsOf(company)} from company`)
  if (!row) throw notFound('This database has no company yet.')
  return jsonResponse(row)
}
