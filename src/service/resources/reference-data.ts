import { notFound } from '../http/errors.js'
import { respondWithList } from '../http/list-response.js'
import type { Handler, RequestContext } from '../http/request-context.js'
import { type HttpResponse, jsonResponse } from '../http/response.js'
import { sql } from '../storage/sql.js'
import { assignments, clients, projects, taskLinks, tasks } from './resources.js'

export const listProjects: Handler = (call) => respondWithList(call, projects, [])
export const listClients: Handler = (call) => respondWithList(call, clients, [])
export const listTasks: Handler = (call) => respondWithList(call, tasks, [])
export const listTaskLinks: Handler = (call) => respondWithList(call, taskLinks, [])
export const listAssignments: Handler = (call) =>
  respondWithList(call, assignments, [sql`assignments.user_id = ${call.userId}`])

/** The company: one object, not a list (service-api-v1.md section 4). */
export async function showCompany({ queries }: RequestContext): Promise<HttpResponse> {
  const [company] = await queries.all<object>(sql`select id, name, currency, time_zone from company`)
  if (!company) throw notFound('This database has no company yet.')
  return jsonResponse(company)
}
