import { join } from 'node:path'
import { expect } from 'vitest'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { rawSql } from '../../src/service/storage/sql.js'
import { preparedCli } from '../support/prepared-cli.js'
import { createSampleRecords } from '../support/team.js'
import type { TestCli } from '../support/test-cli.js'
import { type Row, setUpService } from './service-fixtures.js'

export interface Rows {
  entries: Row[]
  expenses: Row[]
}

/** A `tt` with its workspace or service, and ways to read the records and to cut the connection. */
export interface TestSetup {
  cli: TestCli
  /** Reads the fields that undo and redo restore from the database. */
  rows(): Promise<Rows>
  /** Stops the delivery of changes. */
  goOffline(): Promise<void>
  /** Restores the connection and delivers the pending changes. */
  goOnline(): Promise<void>
}

/** Reads the rows with a function that executes SQL, in an order that does not depend on their IDs. */
async function readRows(select: (text: string) => unknown[] | Promise<unknown[]>): Promise<Rows> {
  const entryFields = 'user_id, time_start, time_end, task_link_id, notes, external_id'
  const expenseFields = 'user_id, spent_on, amount, currency, expense_type_id, project_id, notes, external_id'
  return {
    entries: (await select(`select ${entryFields} from time_entries order by ${entryFields}`)) as Row[],
    expenses: (await select(`select ${expenseFields} from expenses order by ${expenseFields}`)) as Row[],
  }
}

async function setUpAtService(): Promise<TestSetup> {
  const { cli, proxy, storage } = await setUpService()
  return {
    cli,
    rows: () => readRows((text) => storage.queries.all(rawSql(text))),
    goOffline: () => proxy.close(),
    async goOnline() {
      await proxy.open()
      expect(await cli.run('sync')).toMatchObject({ status: 0 })
    },
  }
}

const createSampleCli = preparedCli('2024-05-08T12:00:00Z', createSampleRecords)

async function setUpInWorkspace(): Promise<TestSetup> {
  const cli = await createSampleCli()
  const nothing = async () => {}
  return {
    cli,
    async rows() {
      const database = await openSqlite(join(cli.home, 'workspace.db'))
      const rows = await readRows((text) => database.prepare(text).all())
      database.close()
      return rows
    },
    goOffline: nothing,
    goOnline: nothing,
  }
}

/** A command that changes records, and the commands before it. */
export type Change = [name: string, before: string[], line: string]

const addHour = 'add design --from 9:00 --for 1h'
const addMarked = `${addHour} -n x --external-id T-1`

/** Each command that changes records. */
export const changes: Change[] = [
  ['start', [], 'start design --at 13:00'],
  ['start that stopped a timer', ['start design --at 12:00'], 'start review --at 13:00'],
  [
    'start that trimmed an entry and stopped a timer',
    ['add design --from 12:00 --to 13:30 -n a', 'start design --at 12:30'],
    'start review --at 13:00 --trim',
  ],
  ['stop', ['start design --at 13:00 -n a'], 'stop -n b'],
  ['add', [], addMarked],
  ['edit', [addHour], 'edit @1 -n x --task review --for 2h'],
  ['edit of a running timer', ['start design --at 13:00 -n a'], 'edit @ -n b --from 12:00'],
  ['rm', [addMarked], 'rm @1 --yes'],
  [
    'rm of several entries',
    [`${addHour} -n x`, 'add review --from 10:00 --for 1h', 'add review --from 11:00 --for 1h'],
    'rm @1 @3 --yes',
  ],
  ['split', ['add design --from 9:00 --for 3h -n x --external-id T-1'], 'split @1 --at 10:00 --at 11:00'],
  ['split of a running timer', ['start design --at 9:00'], 'split @ --at 10:00 --at 11:00'],
  ['join', [`${addHour} -n x`, 'add design --from 10:00 --for 1h -n y'], 'join @1 @2'],
  ['join with a running timer', [`${addHour} -n x`, 'start design --at 10:00'], 'join @1 @'],
  ['fill', ['add design --from 12:00 --for 1h'], 'fill @1 --yes'],
  ['continue', [`${addHour} -n x`], 'continue'],
  ['cancel', ['start design --at 13:00 -n a'], 'cancel --yes'],
  ['expenses add', [], 'expenses add 5 -n x'],
  ['expenses edit', ['expenses add 5 -n x'], 'expenses edit ID --amount 6 -n y --type Travel'],
  ['expenses rm', ['expenses add 5 -n x --external-id T-1'], 'expenses rm ID --yes'],
]

/** Returns a function that runs a command, each one minute later; `ID` stands for the last created record. */
export function commandRunner({ cli }: TestSetup) {
  let last = ''
  let minute = 0
  return async (line: string) => {
    minute++
    cli.setTime(`2024-05-08T12:${String(minute).padStart(2, '0')}:00Z`)
    const value = await cli.json<Row | Row[]>(...line.replace('ID', last).split(' '))
    if (!Array.isArray(value)) last = String(value.id)
    return value
  }
}

/** A kind of workspace, and which commands run without a connection. */
export interface Scenario {
  name: string
  open(): Promise<TestSetup>
  offline: ('change' | 'undo')[]
}

export const localScenario: Scenario = {
  name: 'in the local workspace',
  open: setUpInWorkspace,
  offline: [],
}

export const offlineScenario: Scenario = {
  name: 'offline after an offline change',
  open: setUpAtService,
  offline: ['change', 'undo'],
}

/** Scenarios with a connection during the change, its undo, or both. */
export const changingScenarios: Scenario[] = [
  { name: 'at the service', open: setUpAtService, offline: [] },
  { name: 'offline after delivery', open: setUpAtService, offline: ['undo'] },
  { name: 'online after an offline change', open: setUpAtService, offline: ['change'] },
]
