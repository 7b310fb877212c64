import { expect } from 'vitest'
import { scopes } from '../../src/api/types.js'
import * as administration from '../../src/service/admin/administration.js'
import { email, startService } from '../command/login-fixtures.js'
import { type ForeignService, type ServiceVariant, startForeignService } from './foreign-service.js'
import { type ServiceProxy, startProxy } from './proxy.js'
import { createTestCli, type TestCli } from './test-cli.js'

/** Somebody who tracks time with a service of some make; time is in Berlin, on 8 May 2024. */
export interface ForeignServiceSetup {
  cli: TestCli
  /** Another client of the same account, in a home of its own. */
  otherCli: TestCli
  service: ForeignService
  /** Between the desk and the service; nothing is between the other client and the service. */
  proxy: ServiceProxy
  /** What the service has, oldest first. */
  entries(): Promise<EntrySummary[]>
  expenses(): Promise<Record<string, unknown>[]>
}

/** An entry, without what differs from make to make. */
export interface EntrySummary {
  task: string
  notes: string
  from: string
  to: string
}

export async function setUpForeignService(
  variant: ServiceVariant = {},
  begin = '08:00:00',
): Promise<ForeignServiceSetup> {
  const service = await startService()
  const { storage } = service
  await administration.addLink(storage, { client: 'Acme', project: 'App', task: 'Review' })
  await administration.addExpenseType(storage, 'Travel')
  await administration.assign(storage, { email, project: 'App', startsOn: '2024-05-01' })
  const foreign = await startForeignService(service.origin, variant)
  const proxy = await startProxy(foreign.origin)
  const token = await administration.issueToken(storage, email, {
    scopes,
    name: 'test',
    clock: () => new Date(),
  })
  const [cli, otherCli] = [createTestCli(localTime(begin)), createTestCli(localTime(begin))]
  Object.assign(cli.env, { TT_BASE_URL: proxy.url, TT_TOKEN: token })
  Object.assign(otherCli.env, { TT_BASE_URL: `${foreign.origin}/api/v1`, TT_TOKEN: token })
  const auditor = createTestCli(localTime('23:59:00'))
  Object.assign(auditor.env, { TT_BASE_URL: service.url, TT_TOKEN: token })
  return {
    cli,
    otherCli,
    service: foreign,
    proxy,
    entries: () => readLog(auditor),
    expenses: () => auditor.json<Record<string, unknown>[]>('expenses', '--since', '2024-05-01'),
  }
}

/** Local time of that day. */
export const localTime = (time: string) => `2024-05-08T${time}`

/** What `tt log` shows, to the minute. */
export async function readLog(cli: TestCli): Promise<EntrySummary[]> {
  const entries = await cli.json<Record<string, unknown>[]>('log', '--since', '2024-05-08')
  return entries.map(({ task, notes, time_start: start, time_end: end }) => ({
    task: String(task),
    notes: String(notes ?? ''),
    from: String(start).slice(11, 16),
    to: end === null ? '' : String(end).slice(11, 16),
  }))
}

/** Types it at that time of the day, expects exit 0, and answers the words on stderr. */
export async function runAt(cli: TestCli, time: string, ...argv: string[]): Promise<string> {
  cli.setTime(localTime(time))
  const { status, stderr } = await cli.run(...argv)
  expect(status, `${argv.join(' ')}: ${stderr}`).toBe(0)
  return stderr
}
