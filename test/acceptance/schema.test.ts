import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { commandShapes } from '../../src/records/shapes/commands.js'
import { differences } from '../support/described-output.js'
import {
  bin,
  cleanEnvironment,
  startServeProcess,
  temporaryDirectory,
  ttJson,
  waitForExit,
} from '../support/process.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

/** The name of a schema, and a command line without --json. */
type Line = [name: string, argv: string[], details?: Details]

interface Details {
  input?: string
  /** The exit code; 0 by default. */
  status?: number
  /** Whether its list may be empty. */
  canBeEmpty?: true
  /** Whether it also runs with --ndjson. */
  ndjson?: true
}

const always = ['--since', '1990-01-01']
const ada = 'ada@example.com'

/** Command lines that change names, in this order. */
const nameLines = (path: readonly string[], types: readonly string[]): Line[] => {
  const lines: string[][] = [
    ...[
      ['clients', 'add', 'Initech'],
      ['clients', 'rename', 'Initech', 'Globex'],
      ['clients', 'add', 'Hooli'],
    ],
    ...[
      ['clients', 'merge', 'Hooli', 'Globex'],
      ['clients', 'archive', 'Globex'],
      ['clients', 'restore', 'Globex'],
    ],
    ...[
      ['projects', 'add', 'Globex/App'],
      ['projects', 'rename', 'App', 'Tool'],
      ['projects', 'add', 'Copy'],
    ],
    ...[
      ['projects', 'merge', 'Copy', 'Tool'],
      ['projects', 'archive', 'Tool'],
      ['projects', 'restore', 'Tool'],
    ],
    ...[
      ['tasks', 'add', 'Tool/Tests'],
      ['tasks', 'rename', 'Tool/Tests', 'Quality'],
      ['tasks', 'add', 'Tool/Tests'],
    ],
    ...[
      ['tasks', 'merge', 'Tool/Tests', 'Tool/Quality'],
      ['tasks', 'archive', 'Tool/Quality'],
    ],
    ...[
      ['tasks', 'restore', 'Tool/Quality'],
      ['tasks', 'rm', 'Tool/Quality'],
      ['projects', 'rm', 'Tool'],
    ],
    ...[
      ['clients', 'rm', 'Globex'],
      [...types, 'add', 'Snacks'],
      [...types, 'rename', 'Snacks', 'Treats'],
    ],
    [...types, 'archive', 'Treats'],
  ]
  return lines.map((line) => {
    const words = line.slice(0, line.indexOf(types.at(-1) ?? '') >= 0 ? types.length + 1 : 2)
    return [[...path, ...words].join(' '), [...path, ...line]]
  })
}

/** Command lines in a workspace with generated entries and expenses, in this order. */
const localLines: Line[] = [
  ...['8:00', '9:00', '11:00'].map(
    (from): Line => [
      'add',
      ['add', 'Website/Design', '--from', `2024-06-03 ${from}`, '--for', '1h', '-n', '#logo'],
    ],
  ),
  ['edit', ['edit', '201', '--notes', 'first page']],
  ['edit', ['edit', '201', '202', '--notes', 'both']],
  ['show', ['show', '201']],
  ['split', ['split', '201', '--at', '8:30']],
  ['join', ['join', '201', '202']],
  ['fill', ['fill', '203']],
  ['start', ['start', 'Website/Design', '--at', '-5m']],
  ['status', ['status']],
  ['cancel', ['cancel']],
  ['continue', ['continue']],
  ['stop', ['stop']],
  ['rm', ['rm', '203']],
  ['undo', ['undo']],
  ['redo', ['redo']],
  ['log', ['log', ...always], { ndjson: true }],
  ['report', ['report', ...always, '--by', 'client,project,month'], { ndjson: true }],
  [
    'report',
    ['report', '--since', '2024-05-01', '--until', '2024-05-31', '--compare', 'year'],
    { ndjson: true },
  ],
  ['check', ['check', ...always, '--until', '2024-05-31'], { ndjson: true }],
  ['timesheet', ['timesheet', ...always, '--until', '2024-05-31'], { ndjson: true }],
  ['add', ['add', '1', '--from', '3:00', '--for', '10m', '-n', 'Call #brand']],
  ['tags list', ['tags', ...always], { ndjson: true }],
  ['tags rename', ['tags', 'rename', 'brand', 'mark']],
  ['export', ['export']],
  ['export', ['export', '--format', 'csv', '--output', 'entries.csv']],
  ['import', ['import', 'entries.csv', '--dry-run']],
  ['import', ['import', 'other.csv']],
  ['projects list', ['projects'], { ndjson: true }],
  ['clients list', ['clients'], { ndjson: true }],
  ['tasks list', ['tasks'], { ndjson: true }],
  ['frequent', ['frequent'], { ndjson: true }],
  ['company', ['company']],
  ...nameLines([], ['expenses', 'types']),
  ['expenses types list', ['expenses', 'types'], { ndjson: true }],
  ['expenses list', ['expenses', 'list', ...always], { ndjson: true }],
  ['expenses report', ['expenses', 'report', ...always, '--by', 'type,month'], { ndjson: true }],
  ['expenses add', ['expenses', 'add', '12.50', '--currency', 'EUR', '--type', 'Travel']],
  ['expenses edit', ['expenses', 'edit', '1', '--notes', 'train']],
  ['expenses rm', ['expenses', 'rm', '1']],
  ['whoami', ['whoami']],
  ['profiles list', ['profiles'], { ndjson: true }],
  ['config set', ['config', 'set', 'target.daily', '8h']],
  ['config get', ['config', 'get', 'target.daily']],
  ['config list', ['config', 'list'], { ndjson: true }],
  ['config unset', ['config', 'unset', 'target.daily']],
  ['config path', ['config', 'path']],
  ['config set', ['config', 'set', 'rate.Acme', '95EUR']],
  ['config set', ['config', 'set', 'invoice.sender.name', 'Ada Lovelace']],
  ['config set', ['config', 'set', 'invoice.tax', '19']],
  ['add', ['add', 'Acme/Website/Design', '--from', '2024-06-04 9:00', '--for', '1h']],
  [
    'invoice create',
    ['invoice', 'create', 'Acme', '2024-06', '--number', '2024-001', '-o', 'invoice.html', '--yes'],
  ],
  ['invoice list', ['invoice', 'list'], { ndjson: true }],
  ['invoice show', ['invoice', 'show', '2024-001'], { ndjson: true }],
  ['invoice open', ['invoice', 'open', '2024-001', '-o', 'again.html']],
  ['invoice void', ['invoice', 'void', '2024-001', '-o', 'void.html', '--yes']],
  ['sync now', ['sync'], { canBeEmpty: true }],
  ['alias set', ['alias', 'set', 'standup', 'log yesterday']],
  ['alias import', ['alias', 'import', '-', '--shell'], { input: '{"both": "standup", "sh": "!echo"}' }],
  ['alias list', ['alias'], { ndjson: true }],
  ['alias rm', ['alias', 'rm', 'sh']],
  ['remind check', ['remind', 'check'], { canBeEmpty: true }],
  ['remind status', ['remind', 'status']],
  ['remind install', ['remind', 'install', '--print', 'launchd']],
  ['remind remove', ['remind', 'remove']],
  ['backup', ['backup', 'backup.tar.gz']],
  ['restore', ['restore', 'backup.tar.gz']],
  ['doctor', ['doctor'], { ndjson: true }],
  ['completion', ['completion', 'bash']],
  ['help', ['help', 'log']],
  ['schema', ['schema']],
  ['api', ['api', 'GET', '/projects']],
]

/** Command lines of the administrator of a team, in this order. */
const adminLines: Line[] = [
  [
    'admin user add',
    ['admin', 'user', 'add', ada, '--name', 'Ada', '--password-stdin'],
    { input: 'a long secret' },
  ],
  ['admin user add', ['admin', 'user', 'add', 'bob@example.com']],
  ['admin user token', ['admin', 'user', 'token', ada]],
  ['admin user list', ['admin', 'user', 'list'], { ndjson: true }],
  ['admin projects add', ['admin', 'projects', 'add', 'Acme/Website']],
  ['admin projects add', ['admin', 'projects', 'add', 'Shop']],
  ...nameLines(['admin'], ['expense-types']),
  ['admin projects list', ['admin', 'projects', 'list'], { ndjson: true }],
  ['admin clients list', ['admin', 'clients', 'list'], { ndjson: true }],
  ['admin projects archive', ['admin', 'projects', 'archive', 'Shop']],
  ['admin projects restore', ['admin', 'projects', 'restore', 'Shop']],
  ['admin tasks add', ['admin', 'tasks', 'add', 'Acme/Website/Design']],
  ['admin tasks list', ['admin', 'tasks', 'list'], { ndjson: true }],
  ['admin assign', ['admin', 'assign', ada, 'Website', '--from', '2024-05-01']],
  ['admin assignments', ['admin', 'assignments'], { ndjson: true }],
  ['admin unassign', ['admin', 'unassign', ada, 'Website']],
  [
    'admin import-users',
    ['admin', 'import-users', '-', '--tokens', '-'],
    { input: 'email,name\neve@example.com,Eve\n' },
  ],
  ['admin expense-types add', ['admin', 'expense-types', 'add', 'Travel']],
  ['admin expense-types list', ['admin', 'expense-types', 'list'], { ndjson: true }],
  ['admin expense-types archive', ['admin', 'expense-types', 'archive', 'Travel']],
  ['admin app add', ['admin', 'app', 'add', 'Desktop', '--redirect-uri', 'http://127.0.0.1/callback']],
  ['admin app list', ['admin', 'app', 'list'], { ndjson: true }],
  ['admin company', ['admin', 'company', '--legacy-keys', 'on']],
  ['admin seed', ['admin', 'seed', '--entries', '20', '--user', ada]],
  ['admin report', ['admin', 'report', ...always], { ndjson: true }],
  ['admin token list', ['admin', 'token', 'list'], { ndjson: true }],
  ['admin user sessions', ['admin', 'user', 'sessions', ada], { canBeEmpty: true }],
  ['admin user deactivate', ['admin', 'user', 'deactivate', 'bob@example.com']],
  ['admin user activate', ['admin', 'user', 'activate', 'bob@example.com']],
  ['admin user rm', ['admin', 'user', 'rm', 'bob@example.com']],
  ['admin audit', ['admin', 'audit'], { ndjson: true }],
  ['admin backup', ['admin', 'backup', 'team-backup.db']],
  ['admin openapi', ['admin', 'openapi']],
]

/** Command lines of a user who is signed in to that team, in this order. */
const userLines = (url: string): Line[] => [
  [
    'login',
    ['login', '--key', '--base-url', url, '--email', ada, '--password-stdin', '--insecure-storage'],
    { input: 'a long secret' },
  ],
  ['whoami', ['whoami']],
  ['assignments', ['assignments'], { ndjson: true }],
  ['log', ['log', ...always], { ndjson: true }],
]

/** Command lines of that user while the service does not run, in this order. */
const offlineLines: Line[] = [
  ['add', ['add', 'Acme/Website/Design', '--from', '8:00', '--to', '9:00']],
  ['sync now', ['sync'], { status: 6 }],
  ['sync list', ['sync', 'list'], { ndjson: true }],
  ['sync discard', ['sync', 'discard', '1']],
]

/** Command lines that remove access, at last. */
const revokingLines = (clientId = '', tokenId = ''): Line[] => [
  ['admin token revoke', ['admin', 'token', 'revoke', tokenId]],
  [
    'admin user password',
    ['admin', 'user', 'password', ada, '--password-stdin'],
    { input: 'another secret' },
  ],
  ['admin user revoke', ['admin', 'user', 'revoke', ada]],
  ['admin app rm', ['admin', 'app', 'rm', clientId]],
]

/** Commands without a line, with the reason. The tests of commands compare their output in process. */
const withoutLine: Record<string, string> = {
  'sync retry': 'needs a change that the service has rejected',
  'sync adopt': 'needs a change whose outcome is unknown',
  'admin user unlink': 'needs a sign-in at an OpenID Connect provider',
}

test('every command with JSON has a line here, or a reason for having none', () => {
  const lines = [...localLines, ...adminLines, ...userLines(''), ...offlineLines, ...revokingLines()]
  const names = new Set(lines.map(([name]) => name))
  expect([...names, ...streamingCommands, ...Object.keys(withoutLine)].sort()).toEqual(
    Object.keys(commandShapes).sort(),
  )
})

test('commands of the local workspace print what their schemas describe', async () => {
  const cli = createCli('2024-06-10T12:00:00')
  await cli.json('admin', 'seed', '--entries', '200', '--until', '2024-05-31')
  writeFileSync(
    join(cli.home, 'other.csv'),
    'Client,Project,Task,Start,End\nAcme,Website,Design,2023-05-01 09:00,2023-05-01 10:00\n',
  )
  await check(cli, localLines)
  const { stderr } = await cli.run('show', '999999', '--json')
  const { error = {} } = await readSchemas()
  expect(ajv.validate(error, JSON.parse(stderr))).toBe(true)
  expect(ajv.validate(error, { error: { code: 'other' } })).toBe(false)
})

test('commands of administrators and of users of a service print what their schemas describe', async () => {
  const [server, cli] = [createCli(), createCli()]
  await check(server, adminLines)
  const { url, child, exit } = await startServeProcess(server.home)
  await check(cli, userLines(url))
  child.kill('SIGTERM')
  await exit
  await check(cli, offlineLines)
  const [app] = await server.json<{ client_id: string }[]>('admin', 'app', 'list')
  const [token] = await server.json<{ id: string }[]>('admin', 'token', 'list')
  await check(server, revokingLines(app?.client_id, token?.id))
})

/** Commands that print JSON until they are ended. */
const streamingCommands = ['watch', 'serve']

test.each(streamingCommands)('the first output of tt %s is what its schema describes', async (name) => {
  const home = temporaryDirectory()
  const options = name === 'serve' ? ['--port', '0'] : []
  const child = spawn(process.execPath, [bin, name, '--json', ...options], {
    env: cleanEnvironment({ TT_HOME: home }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = waitForExit(child)
  child.stdout.once('data', () => child.kill('SIGTERM'))
  const { stdout } = await exit
  for (const line of name === 'watch' ? stdout.trimEnd().split('\n') : [stdout]) await expectValid(name, line)
})

/** Creates a `TestCli` whose own directory is also that of its user. */
function createCli(time = new Date().toISOString()): TestCli {
  const cli = createTestCli(time)
  cli.env.HOME = cli.home
  return cli
}

async function check(cli: TestCli, lines: readonly Line[]) {
  for (const [name, argv, { input = '', status = 0, canBeEmpty, ndjson } = {}] of lines) {
    const outcome = await cli.runWithInput(input, ...argv, '--yes', '--json')
    const { stdout, stderr } = outcome
    expect(outcome, `${argv.join(' ')}: ${stderr}`).toMatchObject({ status })
    if (!canBeEmpty) expect(stdout, argv.join(' ')).not.toBe('[]\n')
    await expectValid(name, stdout)
    if (!ndjson) continue
    const { stdout: text } = await cli.runWithInput(input, ...argv, '--ndjson')
    const line = commandShapes[name]?.line
    if (!line) throw new Error(`${name} has no schema of a line.`)
    for (const each of text.trimEnd().split('\n')) expect(differences(name, line, each)).toEqual([])
  }
}

let schemas: Promise<Record<string, object>> | undefined

/** Returns the schemas that the built program prints. */
function readSchemas(): Promise<Record<string, object>> {
  schemas ??= ttJson<Record<string, object>>(temporaryDirectory(), 'schema')
  return schemas
}

/** Keeps the schemas that it has compiled. */
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
addFormats.default(ajv)

/** Expects that the published schema accepts a text, and that its strict form does. */
async function expectValid(name: string, text: string) {
  const isValid = ajv.validate((await readSchemas())[name] ?? false, JSON.parse(text))
  expect({ name, isValid, errors: ajv.errors }).toEqual({ name, isValid: true, errors: null })
  const shape = commandShapes[name]
  expect(shape && differences(name, shape.json, text)).toEqual([])
}
