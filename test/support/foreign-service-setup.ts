import { expect } from 'vitest'
import { scopes } from '../../src/api/types.js'
import * as administration from '../../src/service/admin/administration.js'
import { email, newService } from '../command/signed-in.js'
import { type ForeignService, foreignService, type Make } from './foreign-service.js'
import { type Fate, proxyTo, type ServiceProxy } from './proxy.js'
import { type Desk, newDesk } from './test-cli.js'

/** The connection is cut before the service hears of it. */
export const cut: Fate = () => undefined

/** The service does what it is told, and its answer is lost. */
export const answerLost: Fate = async ({ method }, forward) => {
  const answer = await forward()
  return method === 'GET' ? answer : undefined
}

/** Somebody who tracks time with a service of some make; time is in Berlin, on 8 May 2024. */
export interface Abroad {
  desk: Desk
  /** Another client of the same account, in a home of its own. */
  elsewhere: Desk
  foreign: ForeignService
  /** Between the desk and the service; nothing is between the other client and the service. */
  line: ServiceProxy
  /** What the service has, oldest first. */
  entries(): Promise<Told[]>
  expenses(): Promise<Record<string, unknown>[]>
}

/** An entry, without what differs from make to make. */
export interface Told {
  task: string
  notes: string
  from: string
  to: string
}

export async function abroad(make: Make = {}, begin = '08:00:00'): Promise<Abroad> {
  const service = await newService()
  const { storage } = service
  await administration.addLink(storage, { client: 'Acme', project: 'App', task: 'Review' })
  await administration.addExpenseType(storage, 'Travel')
  await administration.assign(storage, { email, project: 'App', startsOn: '2024-05-01' })
  const foreign = await foreignService(service.origin, make)
  const line = await proxyTo(foreign.origin)
  const token = await administration.issueToken(storage, email, {
    scopes,
    name: 'test',
    clock: () => new Date(),
  })
  const [desk, elsewhere] = [newDesk(moment(begin)), newDesk(moment(begin))]
  Object.assign(desk.env, { TT_BASE_URL: line.url, TT_TOKEN: token })
  Object.assign(elsewhere.env, { TT_BASE_URL: `${foreign.origin}/api/v1`, TT_TOKEN: token })
  const auditor = newDesk(moment('23:59:00'))
  Object.assign(auditor.env, { TT_BASE_URL: service.url, TT_TOKEN: token })
  return {
    desk,
    elsewhere,
    foreign,
    line,
    entries: () => logOf(auditor),
    expenses: () => auditor.json<Record<string, unknown>[]>('expenses', '--since', '2024-05-01'),
  }
}

/** Local time of that day. */
export const moment = (time: string) => `2024-05-08T${time}`

/** What `tt log` shows, to the minute. */
export async function logOf(desk: Desk): Promise<Told[]> {
  const entries = await desk.json<Record<string, unknown>[]>('log', '--since', '2024-05-08')
  return entries.map(({ task, notes, time_start: start, time_end: end }) => ({
    task: String(task),
    notes: String(notes ?? ''),
    from: String(start).slice(11, 16),
    to: end === null ? '' : String(end).slice(11, 16),
  }))
}

/** Types it at that time of the day, expects exit 0, and answers the words on stderr. */
export async function typed(desk: Desk, time: string, ...argv: string[]): Promise<string> {
  desk.at(moment(time))
  const { status, stderr } = await desk.tt(...argv)
  expect(status, `${argv.join(' ')}: ${stderr}`).toBe(0)
  return stderr
}
