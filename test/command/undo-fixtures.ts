import { expect } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import { createSampleRecords } from '../support/team.js'
import type { TestCli } from '../support/test-cli.js'
import { type Row, setUpService } from './service-fixtures.js'

const stamps = new Set(['updated_at', 'created_at', 'etag'])

/** Returns the rows without the fields that change with every write. */
const withoutStamps = (rows: readonly Row[]) =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !stamps.has(name))))

/** Returns the rows without IDs and such fields, to compare rows that were created again. */
export const contents = (rows: readonly Row[]) => withoutStamps(rows).map(({ id: _, ...rest }) => rest)

/** A `tt` with its workspace or service, and ways to read the records and to cut the connection. */
export interface TestSetup {
  cli: TestCli
  entries(): Promise<Row[]>
  expenses(): Promise<Row[]>
  /** Stops the delivery of changes. */
  goOffline(): Promise<void>
  /** Restores the connection and delivers the pending changes. */
  goOnline(): Promise<void>
}

async function setUpAtService(): Promise<TestSetup> {
  const { cli, proxy, entries, expenses } = await setUpService()
  return {
    cli,
    entries,
    expenses,
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
  const rows = (path: string) => cli.json<Row[]>('api', 'GET', path)
  const nothing = async () => {}
  return {
    cli,
    entries: () => rows('/timesheets'),
    expenses: () => rows('/expenses'),
    goOffline: nothing,
    goOnline: nothing,
  }
}

/** Each command that changes records, with the commands before it. */
export const changes: [name: string, before: string[][], line: string[]][] = [
  ['start', [], ['start', 'design', '--at', '13:00']],
  [
    'start that stopped a timer',
    [['start', 'design', '--at', '12:00']],
    ['start', 'review', '--at', '13:00'],
  ],
  [
    'start that trimmed an entry and stopped a timer',
    [
      ['add', 'design', '--from', '12:00', '--to', '13:30', '-n', 'a'],
      ['start', 'design', '--at', '12:30'],
    ],
    ['start', 'review', '--at', '13:00', '--trim'],
  ],
  ['stop', [['start', 'design', '--at', '13:00', '-n', 'a']], ['stop', '-n', 'b']],
  ['add', [], ['add', 'design', '--from', '9:00', '--for', '1h', '-n', 'x', '--external-id', 'T-1']],
  [
    'edit',
    [['add', 'design', '--from', '9:00', '--for', '1h']],
    ['edit', '@1', '-n', 'x', '--task', 'review', '--for', '2h'],
  ],
  [
    'edit of a running timer',
    [['start', 'design', '--at', '13:00', '-n', 'a']],
    ['edit', '@', '-n', 'b', '--from', '12:00'],
  ],
  [
    'rm',
    [['add', 'design', '--from', '9:00', '--for', '1h', '-n', 'x', '--external-id', 'T-1']],
    ['rm', '@1', '--yes'],
  ],
  [
    'rm of several entries',
    [
      ['add', 'design', '--from', '9:00', '--for', '1h', '-n', 'x'],
      ['add', 'review', '--from', '10:00', '--for', '1h'],
      ['add', 'review', '--from', '11:00', '--for', '1h'],
    ],
    ['rm', '@1', '@3', '--yes'],
  ],
  [
    'split',
    [['add', 'design', '--from', '9:00', '--for', '3h', '-n', 'x', '--external-id', 'T-1']],
    ['split', '@1', '--at', '10:00', '--at', '11:00'],
  ],
  [
    'split of a running timer',
    [['start', 'design', '--at', '9:00']],
    ['split', '@', '--at', '10:00', '--at', '11:00'],
  ],
  [
    'join',
    [
      ['add', 'design', '--from', '9:00', '--for', '1h', '-n', 'x'],
      ['add', 'design', '--from', '10:00', '--for', '1h', '-n', 'y'],
    ],
    ['join', '@1', '@2'],
  ],
  [
    'join with a running timer',
    [
      ['add', 'design', '--from', '9:00', '--for', '1h', '-n', 'x'],
      ['start', 'design', '--at', '10:00'],
    ],
    ['join', '@1', '@'],
  ],
  ['fill', [['add', 'design', '--from', '12:00', '--for', '1h']], ['fill', '@1', '--yes']],
  ['continue', [['add', 'design', '--from', '9:00', '--for', '1h', '-n', 'x']], ['continue']],
  ['cancel', [['start', 'design', '--at', '13:00', '-n', 'a']], ['cancel', '--yes']],
  ['expenses add', [], ['expenses', 'add', '5', '-n', 'x']],
  [
    'expenses edit',
    [['expenses', 'add', '5', '-n', 'x']],
    ['expenses', 'edit', 'ID', '--amount', '6', '-n', 'y', '--type', 'Travel'],
  ],
  [
    'expenses rm',
    [['expenses', 'add', '5', '-n', 'x', '--external-id', 'T-1']],
    ['expenses', 'rm', 'ID', '--yes'],
  ],
]

/** Returns a function that runs a command, each one minute later; `ID` stands for the last created record. */
export function commandRunner({ cli }: TestSetup) {
  let last = ''
  let minute = 0
  return async (...line: string[]) => {
    minute++
    cli.setTime(`2024-05-08T12:${String(minute).padStart(2, '0')}:00Z`)
    const value = await cli.json<Row | Row[]>(...line.map((word) => (word === 'ID' ? last : word)))
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

export const scenarios: Scenario[] = [
  { name: 'in the local workspace', open: setUpInWorkspace, offline: [] },
  { name: 'offline after an offline change', open: setUpAtService, offline: ['change', 'undo'] },
]

/** Scenarios with a connection during the change, its undo, or both. */
export const changingScenarios: Scenario[] = [
  { name: 'at the service', open: setUpAtService, offline: [] },
  { name: 'offline after delivery', open: setUpAtService, offline: ['undo'] },
  { name: 'online after an offline change', open: setUpAtService, offline: ['change'] },
]
