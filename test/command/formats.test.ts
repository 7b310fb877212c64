import type { Command } from 'commander'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { pathsFor, workspacePath } from '../../src/config/paths.js'
import { createProgram, everyCommand } from '../../src/program/program.js'
import { splitCommandLine } from '../support/examples.js'
import { preparedCli } from '../support/prepared-cli.js'
import { insertQueuedChanges } from '../support/queued-changes.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import { unescapeField } from '../unit/ui/special-texts.js'

type Row = Record<string, unknown>

const ESC = '\u001b'
const sgr = new RegExp(`${ESC}\\[\\d+m`, 'g')

const tree = await createProgram({ invoke: async () => {}, writeOut: () => {}, writeErr: () => {} })

/** Every command that prints rows; `createTrackedCli` creates some for each. */
const lists = [
  'log; projects list; clients list; tasks list; assignments; frequent; tags list',
  'expenses list; expenses types list; invoice list; profiles list; config list; alias list; sync list',
  'admin user list; admin token list; admin assignments; admin audit; admin app list; admin projects list',
  'admin clients list; admin tasks list; admin expense-types list',
].flatMap((names) => names.split('; '))

/**
 * Further commands with formats: they print the rows of `sync list`, checks, or totals, which are one object in
 * JSON, or need an argument.
 */
const otherCommands = [
  'sync now; sync retry; sync adopt; doctor; report; check; timesheet; expenses report; invoice show',
  'admin user sessions; admin report; admin import-users',
].flatMap((names) => names.split('; '))

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

      const [keys = [], ...records] = parse(await list('--csv'))
      expect(records).toEqual(rows.map((row) => keys.map((key) => asText(row[key]))))

      // CSV has further columns at the end.
      const tsv = (await list()).replace(/\n$/, '').split('\n')
      const cells = tsv.map((line) => line.split('\t').map(unescapeField))
      const shared = keys.slice(0, cells[0]?.length)
      expect(cells).toEqual(rows.map((row) => shared.map((key) => asText(row[key]))))

      const selected = Object.keys(rows[0] ?? {}).reverse()
      expect(parse(await list('--csv', '--fields', selected.join(',')))[0]).toEqual(selected)

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
    const csvCommands = leaves().filter(({ options }) => options.some(({ long }) => long === '--csv'))
    expect(csvCommands.map(pathOf).sort()).toEqual([...lists, ...otherCommands].sort())
  })
})

test('--raw prints a formula in CSV unchanged, and requires --csv', async () => {
  const cli = createTestCli()
  await cli.json('expenses', 'add', '1', '-n', '=HYPERLINK("x")')
  const { stdout } = await cli.run('expenses', '--fields', 'notes', '--csv', '--raw')
  expect(stdout).toBe('notes\r\n"=HYPERLINK(""x"")"\r\n')
  const { status, stderr } = await cli.run('expenses', '--raw', '--json')
  expect(status).toBe(2)
  expect(stderr).toContain('--raw requires --csv.')
})

describe('--json', () => {
  /** Every command with output, in an order in which each succeeds. */
  const session = [
    'status; status --cached; start Acme/Website/Design; status; status --cached; stop',
    'continue; cancel --yes; add design --from 9:00 --for 5m; edit @1 -n x; show @1',
    'split 3 --at 9:02; join 3 4; fill 3 --yes; log; export; report; timesheet; check; rm @1 --yes',
    'undo --list; undo; redo --list; redo; sync; sync now; sync list',
    'help time; schema log; completion bash',
    'alias set standup log; alias; alias list; alias rm standup',
    'projects list; clients list; tasks list; assignments; frequent; company; whoami; profiles list',
    "add Website/Design --from 3:00 --for 10m -n '#logo' --create; tags list; tags rename logo mark --yes",
    'expenses add 1; expenses edit 1 --amount 2; expenses list; expenses; expenses types list',
    'expenses report; expenses rm 1 --yes',
    'config; config list; config path',
    'config set week_start sunday; config get week_start; config unset week_start',
    "config set rate '95 EUR'; config set invoice.sender.name Ada; config set invoice.tax 19",
    'invoice create Acme today --dry-run -o draft.json',
    'invoice create Acme today --yes -o invoice.json --number A-1; invoice list; invoice show A-1',
    'invoice open A-1 -o open.json; invoice void A-1 --yes -o void.json',
    'remind check; remind install --print launchd; remind status',
    'api GET /companies; api GET /timesheets',
    'admin user add ada@example.com; admin user list; admin user token ada@example.com; admin token list',
    'admin token revoke t1 --yes; admin user sessions ada@example.com',
    'admin user revoke ada@example.com --yes; admin user unlink ada@example.com',
    'admin user deactivate ada@example.com; admin user activate ada@example.com',
    'admin app add Desktop --redirect-uri http://127.0.0.1/; admin app list',
    'admin projects add App; admin projects list',
    'admin assign ada@example.com App; admin unassign ada@example.com App',
    'admin assign ada@example.com App --from 2030-01-01; admin assignments',
    'admin clients add Initech; admin clients list; admin clients rename Initech Globex',
    'admin projects rename App Initech/App; admin clients merge Globex Initech',
    'admin clients archive Initech; admin clients restore Initech',
    'admin clients add Unused; admin clients rm Unused',
    'admin projects archive App; admin projects restore App',
    'admin tasks add App/Testing; admin tasks list; admin tasks rename Testing Tests',
    'admin tasks add App/Quality; admin tasks merge App/Quality App/Tests',
    'admin tasks archive App/Tests; admin tasks restore App/Tests; admin tasks rm App/Tests',
    'admin projects add Copy; admin projects merge Copy App',
    'admin projects add Drafts; admin projects rm Drafts',
    'admin expense-types add Travel; admin expense-types list',
    'admin expense-types rename Travel Trips; admin expense-types archive Trips',
    'expenses types add Meals; expenses types rename Meals Food; expenses types archive Food',
    'clients add Umbrella; clients rename Umbrella Wayne; clients archive Wayne; clients restore Wayne',
    'clients add Stark; clients merge Stark Wayne',
    'projects add Wayne/Cave; projects rename Cave Wayne/Garage',
    'projects archive Garage; projects restore Garage',
    'projects add Wayne/Tower; projects merge Tower Garage',
    'tasks add Garage/Oil; tasks rename Garage/Oil Grease',
    'tasks add Garage/Paint; tasks merge Garage/Paint Garage/Grease',
    'tasks archive Garage/Grease; tasks restore Garage/Grease; tasks rm Garage/Grease',
    'projects rm Garage; clients rm Wayne',
    'admin user rm ada@example.com --yes; admin company; admin audit; admin openapi; admin report',
    'admin seed --entries 5',
  ].flatMap((lines) => lines.split('; '))

  test('prints one value on stdout and nothing on stderr, for every command', { tags: 'slow' }, async () => {
    const cli = createTestCli()
    await cli.run('tasks') // The first command prints where the data is stored.
    // Every `TestCli` compares the JSON with the shape that the command declares.
    for (const line of session) {
      const outcome = await cli.run(...splitCommandLine(line), '--json')
      expect({ line, ...outcome }).toMatchObject({
        line,
        status: 0,
        stdout: expect.stringMatching(/./),
        stderr: '',
      })
    }
    const untested = leaves()
      .map(pathOf)
      .filter((path) => !session.some((line) => `${line} `.startsWith(`${path} `)))
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
      'remind remove', // It deletes files of the user: remind.test.ts has it.
      'backup', // These write and read files: their own tests have them.
      'restore',
      'doctor', // Its exit code depends on its checks: doctor.test.ts has it.
      'serve', // It runs until a signal: the acceptance tests have it.
      'mcp', // Its output is a protocol: mcp.test.ts has it.
      'admin user password', // It reads standard input, and the next one needs a generated ID:
      'admin app rm', // admin-sign-in.test.ts has both.
      'admin import-users', // It reads a file: import-users.test.ts has it.
      'admin backup', // admin-backup.test.ts has it.
    ])
  })
})

test('every command has descriptions of itself, its options and its arguments', () => {
  for (const command of everyCommand(tree)) {
    const described = [command, ...command.options, ...command.registeredArguments]
    for (const part of described) {
      const text = typeof part.description === 'function' ? part.description() : part.description
      expect(text, pathOf(command)).toMatch(/^[^\s!](?:[^!]|prefix with !)*[^\s!.]$/)
    }
  }
})

function leaves(): Command[] {
  return everyCommand(tree).filter((command) => command.commands.length === 0)
}

/** Returns the path of the command after `tt`. */
function pathOf(command: Command): string {
  const { parent } = command
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name()
}

function asText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

test('JSON has colours on a terminal, unless they are disabled', { tags: 'slow' }, async () => {
  const cli = await createTrackedCli()
  for (const line of ['log --json', 'log --ndjson', 'show @1 --json', 'report --json', 'api GET /projects']) {
    const argv = line.split(' ')
    cli.env.NO_COLOR = '1'
    const plain = (await cli.runInTerminal(80, ...argv)).stdout
    expect(plain).not.toContain(ESC)
    cli.env.NO_COLOR = undefined
    const { stdout } = await cli.runInTerminal(80, ...argv)
    expect(stdout, line).not.toBe(plain)
    expect(stdout.replaceAll(sgr, '')).toBe(plain)
    cli.env.FORCE_COLOR = '1'
    expect((await cli.run(...argv)).stdout).toBe(plain)
    cli.env.FORCE_COLOR = undefined
  }
})
