import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { pathsFor, workspacePath } from '../../src/config/paths.js'
import { createProgram, everyCommand } from '../../src/program/program.js'
import { preparedCli } from '../support/prepared-cli.js'
import { insertQueuedChanges } from '../support/queued-changes.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

type Row = Record<string, unknown>

const ESC = '\u001b'
const sgr = new RegExp(`${ESC}\\[\\d+m`, 'g')

const tree = await createProgram({ invoke: async () => {}, writeOut: () => {}, writeErr: () => {} })

/** Every command that prints rows; `createTrackedCli` creates some for each. */
const lists = [
  'log',
  'projects list',
  'clients list',
  'tasks list',
  'assignments',
  'frequent',
  'tags list',
  'expenses list',
  'expenses types list',
  'invoice list',
  'profiles list',
  'config list',
  'alias list',
  'sync list',
  'admin user list',
  'admin token list',
  'admin assignments',
  'admin audit',
  'admin app list',
  'admin projects list',
  'admin clients list',
  'admin tasks list',
  'admin expense-types list',
]
/**
 * Further commands with formats: they print the rows of `sync list`, checks, or totals, which are one object in
 * JSON, or need an argument.
 */
const otherCommands = [
  'sync now',
  'sync retry',
  'sync adopt',
  'doctor',
  'report',
  'check',
  'timesheet',
  'expenses report',
  'invoice show',
  'admin user sessions',
  'admin report',
  'admin import-users',
]
const invoiceSettings = [
  ['rate', '95 EUR'],
  ['invoice.sender.name', 'Ada'],
  ['invoice.tax', '19'],
] as const

const notes = 'a | b, "c"\tand\nthe =rest #logo'

const createTrackedCli = preparedCli('2024-05-03T18:00:00', async (cli) => {
  await cli.json('add', 'Acme/Website/Design', '--from', '9:00', '--for', '1h', '-n', notes)
  await cli.json('add', 'Internal/Support', '--from', '10:00', '--for', '1h')
  await cli.json('admin', 'assign', 'you@localhost', 'Website')
  await cli.json('alias', 'set', 'standup', 'log yesterday')
  await cli.json('admin', 'expense-types', 'add', 'Travel')
  await cli.json('admin', 'user', 'token', 'you@localhost')
  await cli.json('admin', 'app', 'add', 'Desktop', '--redirect-uri', 'http://127.0.0.1/callback')
  await cli.json('expenses', 'add', '12.50', '--type', 'Travel', '-n', notes)
})

/** Creates a `TestCli` with rows in that list. Only `sync list` gets pending changes, which affect other commands. */
async function createCliFor(list: string): Promise<TestCli> {
  const cli = await createTrackedCli()
  if (list === 'sync list')
    await insertQueuedChanges(workspacePath(pathsFor(cli.env)), { refused: 1, waiting: 1 })
  if (list === 'invoice list') {
    for (const [name, value] of invoiceSettings) await cli.json('config', 'set', name, value)
    await cli.json('invoice', 'Acme', 'today', '--yes', '-o', 'invoice.json')
  }
  return cli
}

describe('each list', () => {
  test.each(lists)(
    'tt %s prints the same rows in every format, and the keys of --fields in order',
    async (name) => {
      const cli = await createCliFor(name)
      const list = async (...options: string[]) => {
        const outcome = await cli.run(...name.split(' '), ...options)
        expect(outcome).toMatchObject({ status: 0, stderr: '' })
        return outcome.stdout
      }
      const rows: Row[] = JSON.parse(await list('--json'))
      expect(rows.length).toBeGreaterThan(0)
      for (const row of rows) for (const key of Object.keys(row)) expect(key).toMatch(/^[a-z]+(_[a-z]+)*$/)

      const ndjson = (await list('--ndjson')).trimEnd().split('\n')
      expect(ndjson.map((line) => JSON.parse(line))).toEqual(rows)

      const [keys = [], ...records] = readCsv(await list('--csv'))
      expect(records).toEqual(rows.map((row) => keys.map((key) => asText(row[key]))))

      // CSV has further columns at the end.
      const tsv = (await list()).replace(/\n$/, '').split('\n')
      const cells = tsv.map((line) => line.split('\t').map(unescapeTsv))
      const shared = keys.slice(0, cells[0]?.length)
      expect(cells).toEqual(rows.map((row) => shared.map((key) => asText(row[key]))))

      const selected = Object.keys(rows[0] ?? {}).reverse()
      const fields = ['--fields', selected.join(',')]
      const [chosen = {}]: Row[] = JSON.parse(await list('--json', ...fields))
      expect(Object.entries(chosen)).toEqual(selected.map((key) => [key, rows[0]?.[key]]))
      expect(readCsv(await list('--csv', ...fields))[0]).toEqual(selected)

      const [titles = '', rule = '', ...lines] = (await list('--markdown')).trimEnd().split('\n')
      expect(lines).toHaveLength(rows.length)
      expect(rule).toMatch(/^\|( -{2,3}:? \|)+$/)
      for (const line of [titles, rule, ...lines])
        expect(line.split(/(?<!\\)\|/)).toHaveLength(shared.length + 2)

      const table = (await cli.runInTerminal(200, ...name.split(' '))).stdout
      for (const title of titles.split('|').map((cell) => cell.trim())) expect(table).toContain(title)
    },
  )

  test('is tested: no other command accepts --csv', () => {
    const csvCommands = leaves().filter((command) => longOptions(command).includes('--csv'))
    expect(csvCommands.map(pathOf).sort()).toEqual([...lists, ...otherCommands].sort())
  })
})

test('--raw prints a formula in CSV unchanged, and requires --csv', async () => {
  const cli = createTestCli()
  await cli.json('expenses', 'add', '1', '-n', '=HYPERLINK("x")')
  const { stdout } = await cli.run('expenses', '--fields', 'notes', '--csv', '--raw')
  expect(stdout).toBe('notes\r\n"=HYPERLINK(""x"")"\r\n')
  for (const format of [[], ['--json'], ['--markdown']]) {
    const { status, stderr } = await cli.run('expenses', '--raw', ...format)
    expect(status).toBe(2)
    expect(stderr).toContain('--raw requires --csv.')
  }
})

describe('--json', () => {
  /** Every command with output, in an order in which each succeeds. */
  const session: [line: string[], value: 'object' | 'array' | 'null'][] = [
    [['status'], 'null'],
    [['status', '--cached'], 'null'],
    [['start', 'Acme/Website/Design'], 'object'],
    [['status'], 'object'],
    [['status', '--cached'], 'object'],
    [['stop'], 'object'],
    [['continue'], 'object'],
    [['cancel', '--yes'], 'object'],
    [['add', 'design', '--from', '9:00', '--for', '5m'], 'object'],
    [['edit', '@1', '-n', 'x'], 'object'],
    [['show', '@1'], 'object'],
    [['split', '3', '--at', '9:02'], 'array'],
    [['join', '3', '4'], 'object'],
    [['fill', '3', '--yes'], 'object'],
    [['help', 'time'], 'object'],
    [['alias', 'set', 'standup', 'log'], 'object'],
    [['alias'], 'array'],
    [['alias', 'list'], 'array'],
    [['alias', 'rm', 'standup'], 'object'],
    [['completion', 'bash'], 'object'],
    [['log'], 'array'],
    [['export'], 'array'],
    [['report'], 'object'],
    [['timesheet'], 'object'],
    [['rm', '@1', '--yes'], 'array'],
    [['projects', 'list'], 'array'],
    [['clients', 'list'], 'array'],
    [['tasks', 'list'], 'array'],
    [['assignments'], 'array'],
    [['frequent'], 'array'],
    [['tags', 'list'], 'array'],
    [['add', 'Website/Design', '--from', '3:00', '--for', '10m', '-n', 'Call #logo', '--create'], 'object'],
    [['tags', 'rename', 'logo', 'mark', '--yes'], 'array'],
    [['company'], 'object'],
    [['expenses', 'add', '1'], 'object'],
    [['expenses', 'edit', '1', '--amount', '2'], 'object'],
    [['expenses', 'list'], 'array'],
    [['expenses'], 'array'],
    [['expenses', 'types', 'list'], 'array'],
    [['expenses', 'report'], 'object'],
    [['expenses', 'rm', '1', '--yes'], 'array'],
    [['undo', '--list'], 'array'],
    [['undo'], 'array'],
    [['redo', '--list'], 'array'],
    [['redo'], 'array'],
    [['sync'], 'array'],
    [['sync', 'now'], 'array'],
    [['sync', 'list'], 'array'],
    [['whoami'], 'object'],
    [['profiles', 'list'], 'array'],
    [['config'], 'array'],
    [['config', 'list'], 'array'],
    [['config', 'set', 'week_start', 'sunday'], 'object'],
    [['config', 'get', 'week_start'], 'object'],
    [['config', 'unset', 'week_start'], 'object'],
    [['config', 'path'], 'object'],
    ...invoiceSettings.map(([name, value]): [string[], 'object'] => [
      ['config', 'set', name, value],
      'object',
    ]),
    [['invoice', 'create', 'Acme', 'today', '--dry-run', '-o', 'draft.json'], 'object'],
    [['invoice', 'create', 'Acme', 'today', '--yes', '-o', 'invoice.json', '--number', 'A-1'], 'object'],
    [['invoice', 'list'], 'array'],
    [['invoice', 'show', 'A-1'], 'object'],
    [['invoice', 'open', 'A-1', '-o', 'open.json'], 'object'],
    [['invoice', 'void', 'A-1', '--yes', '-o', 'void.json'], 'object'],
    ...invoiceSettings.map(([name]): [string[], 'object'] => [['config', 'unset', name], 'object']),
    [['remind', 'check'], 'array'],
    [['remind', 'install', '--print', 'launchd'], 'object'],
    [['remind', 'status'], 'object'],
    [['completion', 'bash'], 'object'],
    [['api', 'GET', '/companies'], 'object'],
    [['api', 'GET', '/timesheets'], 'array'],
    [['admin', 'user', 'add', 'ada@example.com'], 'object'],
    [['admin', 'user', 'list'], 'array'],
    [['admin', 'user', 'token', 'ada@example.com'], 'object'],
    [['admin', 'token', 'list'], 'array'],
    [['admin', 'token', 'revoke', 't1', '--yes'], 'array'],
    [['admin', 'user', 'sessions', 'ada@example.com'], 'array'],
    [['admin', 'user', 'revoke', 'ada@example.com', '--yes'], 'object'],
    [['admin', 'user', 'unlink', 'ada@example.com'], 'object'],
    [['admin', 'user', 'deactivate', 'ada@example.com'], 'object'],
    [['admin', 'user', 'activate', 'ada@example.com'], 'object'],
    [['admin', 'app', 'add', 'Desktop', '--redirect-uri', 'http://127.0.0.1/'], 'object'],
    [['admin', 'app', 'list'], 'array'],
    [['admin', 'projects', 'add', 'App'], 'object'],
    [['admin', 'projects', 'list'], 'array'],
    [['admin', 'assign', 'ada@example.com', 'App'], 'array'],
    [['admin', 'unassign', 'ada@example.com', 'App'], 'array'],
    [['admin', 'assign', 'ada@example.com', 'App', '--from', '2030-01-01'], 'array'],
    [['admin', 'assignments'], 'array'],
    [['admin', 'clients', 'add', 'Initech'], 'object'],
    [['admin', 'clients', 'list'], 'array'],
    [['admin', 'clients', 'rename', 'Initech', 'Globex'], 'object'],
    [['admin', 'projects', 'rename', 'App', 'Initech/App'], 'object'],
    [['admin', 'clients', 'merge', 'Globex', 'Initech'], 'object'],
    [['admin', 'clients', 'archive', 'Initech'], 'object'],
    [['admin', 'clients', 'restore', 'Initech'], 'object'],
    [['admin', 'clients', 'add', 'Unused'], 'object'],
    [['admin', 'clients', 'rm', 'Unused'], 'object'],
    [['admin', 'projects', 'archive', 'App'], 'object'],
    [['admin', 'projects', 'restore', 'App'], 'object'],
    [['admin', 'tasks', 'add', 'App/Testing'], 'object'],
    [['admin', 'tasks', 'list'], 'array'],
    [['admin', 'tasks', 'rename', 'Testing', 'Tests'], 'array'],
    [['admin', 'tasks', 'add', 'App/Quality'], 'object'],
    [['admin', 'tasks', 'merge', 'App/Quality', 'App/Tests'], 'array'],
    [['admin', 'tasks', 'archive', 'App/Tests'], 'object'],
    [['admin', 'tasks', 'restore', 'App/Tests'], 'object'],
    [['admin', 'tasks', 'rm', 'App/Tests'], 'object'],
    [['admin', 'projects', 'add', 'Copy'], 'object'],
    [['admin', 'projects', 'merge', 'Copy', 'App'], 'object'],
    [['admin', 'projects', 'add', 'Drafts'], 'object'],
    [['admin', 'projects', 'rm', 'Drafts'], 'object'],
    [['admin', 'expense-types', 'add', 'Travel'], 'object'],
    [['admin', 'expense-types', 'list'], 'array'],
    [['admin', 'expense-types', 'rename', 'Travel', 'Trips'], 'object'],
    [['admin', 'expense-types', 'archive', 'Trips'], 'object'],
    [['expenses', 'types', 'add', 'Meals'], 'object'],
    [['expenses', 'types', 'rename', 'Meals', 'Food'], 'object'],
    [['expenses', 'types', 'archive', 'Food'], 'object'],
    [['clients', 'add', 'Umbrella'], 'object'],
    [['clients', 'rename', 'Umbrella', 'Wayne'], 'object'],
    [['clients', 'archive', 'Wayne'], 'object'],
    [['clients', 'restore', 'Wayne'], 'object'],
    [['clients', 'add', 'Stark'], 'object'],
    [['clients', 'merge', 'Stark', 'Wayne'], 'object'],
    [['projects', 'add', 'Wayne/Cave'], 'object'],
    [['projects', 'rename', 'Cave', 'Wayne/Garage'], 'object'],
    [['projects', 'archive', 'Garage'], 'object'],
    [['projects', 'restore', 'Garage'], 'object'],
    [['projects', 'add', 'Wayne/Tower'], 'object'],
    [['projects', 'merge', 'Tower', 'Garage'], 'object'],
    [['tasks', 'add', 'Garage/Oil'], 'object'],
    [['tasks', 'rename', 'Garage/Oil', 'Grease'], 'array'],
    [['tasks', 'add', 'Garage/Paint'], 'object'],
    [['tasks', 'merge', 'Garage/Paint', 'Garage/Grease'], 'array'],
    [['tasks', 'archive', 'Garage/Grease'], 'object'],
    [['tasks', 'restore', 'Garage/Grease'], 'object'],
    [['tasks', 'rm', 'Garage/Grease'], 'object'],
    [['projects', 'rm', 'Garage'], 'object'],
    [['clients', 'rm', 'Wayne'], 'object'],
    [['admin', 'user', 'rm', 'ada@example.com', '--yes'], 'object'],
    [['admin', 'company'], 'object'],
    [['admin', 'audit'], 'array'],
    [['admin', 'openapi'], 'object'],
    [['admin', 'report'], 'object'],
    [['admin', 'seed', '--entries', '5'], 'object'],
    [['schema', 'log'], 'object'],
    [['check'], 'array'],
  ]

  test('prints one value on stdout and nothing on stderr, for every command', async () => {
    const cli = createTestCli()
    await cli.run('tasks') // The first command prints where the data is stored.
    for (const [line, kind] of session) {
      const outcome = await cli.run(...line, '--json')
      expect({ line, ...outcome }).toMatchObject({ line, status: 0, stderr: '' })
      expect({ line, stdout: outcome.stdout }).toMatchObject({ line, stdout: expect.stringMatching(/./) })
      expect({ line, kind: kindOf(outcome.json()) }).toEqual({ line, kind })
    }
    const tested = new Set(session.map(([line]) => line.join(' ')))
    const untested = leaves()
      .map(pathOf)
      .filter((path) => ![...tested].some((line) => `${line} `.startsWith(`${path} `)))
    expect(untested).toEqual([
      'watch', // test/acceptance/watch.test.ts has it.
      'import', // import.test.ts has it.
      'login', // These need a service to sign in to: login.test.ts has them.
      'logout',
      'profiles use',
      'profiles rm',
      'alias import', // It reads a file: alias.test.ts has it.
      'sync retry',
      'sync adopt', // These need a rejected change: sync.test.ts has them.
      'sync discard',
      'remind remove', // It deletes files of the user: remind.slow.test.ts has it.
      'backup', // These write and read files: their own tests have them.
      'restore',
      'doctor', // Its exit code depends on its checks: doctor.test.ts has it.
      'serve', // It runs until a signal: the acceptance tests have it.
      'mcp', // Its output is a protocol: mcp.test.ts has it.
      'admin user password', // It reads standard input, and the next one needs a generated ID:
      'admin app rm', // admin-sign-in.test.ts has both.
      'admin import-users', // It reads a file: import-users.slow.test.ts has it.
      'admin backup', // admin-backup.test.ts has it.
    ])
  })

  test('is also accepted before the command', async () => {
    expect((await createTestCli().run('--json', 'projects')).stdout).toBe('[]\n')
  })

  test.each([
    [['show', '99'], 3, 'not_found', 404],
    [['show', '@1'], 3, 'not_found', null],
    [['stop'], 3, 'not_found', null],
    [['nonesuch'], 2, 'usage', null],
    [['log', '--nonesuch'], 2, 'usage', null],
    [['show'], 2, 'usage', null],
  ])('prints the error of %j as one object on stderr', async (line, exit, code, status) => {
    const cli = createTestCli()
    await cli.run('tasks')
    const rejected = await cli.run(...line, '--json')
    expect(rejected).toMatchObject({ status: exit, stdout: '' })
    expect(JSON.parse(rejected.stderr)).toEqual({
      error: { code, message: expect.stringMatching(/\.$/), hint: expect.any(String), status },
    })
  })
})

describe('the command tree', () => {
  const commands = everyCommand(tree)

  test.each(commands.map((command) => [pathOf(command), command] as const))(
    'tt %s has descriptions of itself, its options and its arguments',
    (_, command) => {
      const tested = [
        command.description(),
        ...command.options.map(({ description }) => description),
        ...command.registeredArguments.map(({ description }) => description),
      ]
      for (const text of tested) expect(text).toMatch(/^[^\s!](?:[^!]|prefix with !)*[^\s!.]$/)
    },
  )
})

function leaves(): Command[] {
  return everyCommand(tree).filter((command) => command.commands.length === 0)
}

/** Returns the path of the command after `tt`. */
function pathOf(command: Command): string {
  const { parent } = command
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name()
}

function longOptions(command: Command): string[] {
  return command.options.flatMap(({ long }) => long ?? [])
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function asText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function unescapeTsv(cell: string): string {
  return cell.replace(/\\(.)/g, (_, letter: string) => ({ t: '\t', n: '\n', r: '\r' })[letter] ?? letter)
}

/** Parses CSV according to RFC 4180. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    if (end === '') break
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === '\r\n') rows.push([])
  }
  return rows.slice(0, -1)
}

test.each([
  ['a list', ['log', '--json']],
  ['lines', ['log', '--ndjson']],
  ['a record', ['show', '@1', '--json']],
  ['no record', ['status', '--json']],
  ['a summary', ['report', '--json']],
  ['a value without a view', ['api', 'GET', '/projects']],
])('JSON of %s has colours on a terminal, unless they are disabled', async (_, argv) => {
  const cli = await createTrackedCli()
  const plain = (await cli.runInTerminal(80, ...argv)).stdout
  expect(plain).not.toContain('\u001b')
  cli.env.NO_COLOR = undefined
  const { stdout } = await cli.runInTerminal(80, ...argv)
  expect(stdout).not.toBe(plain)
  expect(stdout.replaceAll(sgr, '')).toBe(plain)
  cli.env.FORCE_COLOR = '1'
  expect((await cli.run(...argv)).stdout).toBe(plain)
})
