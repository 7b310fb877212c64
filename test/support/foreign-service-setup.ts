import { expect } from 'vitest'
import * as administration from '../../src/service/admin/administration.js'
import type { Storage } from '../../src/service/storage/storage.js'
import { createServiceRecords, email, type Service, startService } from '../command/login-fixtures.js'
import { issueToken, readState, withoutClosing, writeState } from '../command/service-fixtures.js'
import { preparedSqlite } from '../unit/service/fixtures.js'
import { type ForeignService, type ServiceVariant, startForeignService } from './foreign-service.js'
import { type ServiceProxy, startProxy } from './proxy.js'
import { createTestCli, type TestCli } from './test-cli.js'

/** A `tt` that uses a service of another implementation; the local date is 8 May 2024, in Berlin. */
export interface ForeignServiceSetup {
  cli: TestCli
  /** Another client of the same account, with a separate home. */
  otherCli: TestCli
  service: ForeignService
  /** The proxy between `cli` and the service; `otherCli` connects directly. */
  proxy: ServiceProxy
  /** Returns the entries at the service, oldest first. */
  entries(): Promise<EntrySummary[]>
  expenses(): Promise<Record<string, unknown>[]>
}

/** The fields of an entry that are the same for every implementation. */
export interface EntrySummary {
  task: string
  notes: string
  from: string
  to: string
}

const openDatabase = preparedSqlite(createRecords)

async function createRecords(storage: Storage) {
  const { client } = await createServiceRecords(storage)
  await administration.addLink(storage, { client: 'Acme', project: 'App', task: 'Review' })
  await administration.addExpenseType(storage, 'Travel')
  await administration.assign(storage, { email, project: 'App', startsOn: '2024-05-01' })
  return { client, token: await issueToken(storage) }
}

export async function setUpForeignService(
  variant: ServiceVariant = {},
  startTime = '08:00:00',
): Promise<ForeignServiceSetup> {
  return connect(await startService(openDatabase), variant, startTime)
}

/**
 * Returns a function that sets up copies of the service and of both clients after `prepare`, which runs once per worker.
 * The clock is that of `setUpForeignService`.
 */
export function preparedForeignService<Result>(
  prepare: (setup: ForeignServiceSetup) => Promise<Result>,
): () => Promise<ForeignServiceSetup & { prepared: Result }> {
  const openPrepared = preparedSqlite(async (storage) => {
    const records = await createRecords(storage)
    const service = await startService(withoutClosing(storage, records))
    const setup = await connect(service)
    const result = await prepare(setup)
    await service.close()
    return { ...records, result, state: readState(setup.cli), otherState: readState(setup.otherCli) }
  })
  return async () => {
    const service = await startService(openPrepared)
    const setup = await connect(service)
    writeState(setup.cli, service.state)
    writeState(setup.otherCli, service.otherState)
    return { ...setup, prepared: service.result }
  }
}

async function connect(
  service: Service & { token: string },
  variant: ServiceVariant = {},
  startTime = '08:00:00',
): Promise<ForeignServiceSetup> {
  const { token } = service
  const foreignService = await startForeignService(service.origin, variant)
  const proxy = await startProxy(foreignService.origin)
  const [cli, otherCli] = [createTestCli(localTime(startTime)), createTestCli(localTime(startTime))]
  Object.assign(cli.env, { TT_BASE_URL: proxy.url, TT_TOKEN: token })
  Object.assign(otherCli.env, { TT_BASE_URL: `${foreignService.origin}/api/v1`, TT_TOKEN: token })
  const auditor = createTestCli(localTime('23:59:00'))
  Object.assign(auditor.env, { TT_BASE_URL: service.url, TT_TOKEN: token })
  return {
    cli,
    otherCli,
    service: foreignService,
    proxy,
    entries: () => readLog(auditor),
    expenses: () => auditor.json<Record<string, unknown>[]>('expenses', '--since', '2024-05-01'),
  }
}

/** Returns an entry of the task Design as `readLog` does; `to` is empty for a running one. */
export const design = (notes: string, from: string, to: string) => ({ task: 'Design', notes, from, to })

/** Returns a local time of that date. */
export const localTime = (time: string) => `2024-05-08T${time}`

/** Returns the entries of `tt log`, to the minute. */
export async function readLog(cli: TestCli): Promise<EntrySummary[]> {
  const entries = await cli.json<Record<string, unknown>[]>('log', '--since', '2024-05-08')
  return entries.map(({ task, notes, time_start: start, time_end: end }) => ({
    task: String(task),
    notes: String(notes ?? ''),
    from: String(start).slice(11, 16),
    to: end === null ? '' : String(end).slice(11, 16),
  }))
}

/** Runs a command at a time of that date, expects exit 0, and returns stderr. */
export async function runAt(cli: TestCli, time: string, ...argv: string[]): Promise<string> {
  cli.setTime(localTime(time))
  const { status, stderr } = await cli.run(...argv)
  expect(status, `${argv.join(' ')}: ${stderr}`).toBe(0)
  return stderr
}
