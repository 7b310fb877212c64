import { spawn } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { main } from '../../src/main.js'
import { openClientState } from '../../src/outbox/cache/client-state.js'
import { listExamples, parseCommandLine, splitCommandLine } from '../support/examples.js'
import {
  bin,
  cleanEnvironment,
  isInstalled,
  type ProcessResult,
  temporaryDirectory,
  waitForExit,
  zoneWithHour,
} from '../support/process.js'
import { insertQueuedChanges } from '../support/queued-changes.js'
import { share } from '../support/share.js'
import { expectSuccess, loginWithPassword, startTestService } from '../support/sign-in.js'
import { collector } from '../support/test-cli.js'
import { createTestHost } from '../support/test-host.js'

/** Examples that are only parsed, with the reason. */
const parsedOnly: Record<string, string> = {
  'tt login --base-url https://acme.example.com/api/v1 --client-id ID': 'the address does not exist',
  'tt login --no-browser --profile acme': 'waits for a browser: login-terminal.test.ts',
  'tt login --key --email ada@example.com --password-stdin < password.txt':
    'needs a keychain: keychain.test.ts',
  'tt edit @1 @2': 'opens an editor: editor.test.ts',
  'tt invoice --setup': 'prompts for texts: invoice-terminal.test.ts',
  'tt invoice --setup Acme': 'as above',
  'tt sync adopt 7 1234': 'needs a change whose outcome is unknown: equal-records.test.ts',
  'tt sync adopt 7 1234 --json': 'as well',
  'tt admin app rm app_5f0c1e9b7a3d4c2e8f6a1b0d': 'IDs of applications are random',
  'tt admin app rm app_5f0c1e9b7a3d4c2e8f6a1b0d --database sqlite:team.db': 'as above',
  'tt admin token revoke t12': 'IDs of tokens depend on earlier ones: admin-access.test.ts',
  'tt admin token revoke t12 g5 --yes --database sqlite:team.db': 'as above',
}

/** Examples that run in a terminal: their prompt is answered with yes, and the editor changes nothing. */
const atTerminal = [
  'tt tags rename logo branding',
  'tt edit @1 @2',
  'tt cancel',
  'tt rm @1',
  'tt join 12 @ --task Website/Review',
  'tt expenses rm 3',
  'tt profiles rm acme',
  'tt sync discard 7',
  'tt restore tt-backup-2024-05-03-180000.tar.gz',
  'tt invoice Acme',
  'tt invoice create Acme may --by task --round 15m:up --annex days -o may.pdf',
  'tt invoice void 2024-001',
  'tt invoice void 2024-001 --date yesterday -o void.pdf',
  'tt import toggl.csv',
  'tt import timew.json --task Work/Tracked',
  'tt import frames --map-template map.csv',
  'tt import frames --map map.csv',
  'tt import calendar.ics --since 2024-01-01 --task Acme/Meetings/Calls',
  'tt admin user revoke ada@example.com',
  'tt admin user rm ada@example.com --keep-time',
  'tt admin user rm ada@example.com --delete-time --database sqlite:team.db',
]

/** Examples contain times of today: between 18:00 and 20:00, they have passed. */
const zone = zoneWithHour(18)
process.env.TZ = zone

type HomeName = 'empty' | 'local' | 'timer' | 'undone' | 'assigned' | 'invoiced' | 'acme' | 'rejected'

/** Returns the home directory that contains the records which an example names. */
function homeFor(line: string): HomeName {
  if (/^tt sync (retry|discard)/.test(line)) return 'rejected'
  if (/\bacme\b|^tt logout/.test(line)) return 'acme'
  if (/^tt admin (user|app) add/.test(line)) return 'empty'
  if (/^tt (stop|cancel)|^tt edit --from|@(?!\w)/.test(line)) return 'timer'
  if (/^tt redo/.test(line)) return 'undone'
  if (/^tt invoice/.test(line)) return 'invoiced'
  if (/^tt admin unassign/.test(line)) return 'assigned'
  return 'local'
}

test('every example of the help texts succeeds', async ({ skip }) => {
  skip(!isInstalled('jq'), 'jq is not installed')
  skip(!isInstalled('script'), 'script, of util-linux, is not installed')
  const homes = await createHomes()
  const lines = new Set((await listExamples()).flatMap((one) => one.lines))
  expect(lines.size).toBeGreaterThan(150)
  expect([...Object.keys(parsedOnly), ...atTerminal].filter((line) => !lines.has(line))).toEqual([])
  for (const line of lines) await parseCommandLine(line)
  const failed: string[] = []
  // These revoke the key that the homes have in common.
  const isSignOut = (line: string) => Number(/^tt (logout|profiles rm)/.test(line))
  // serve and watch run until they are stopped: serve.test.ts, team.test.ts, watch.test.ts.
  const completed = [...lines]
    .filter((line) => !(line in parsedOnly || /^tt (serve|watch)\b/.test(line)))
    .sort((one, other) => isSignOut(one) - isSignOut(other))
  for (const line of share('examples', completed)) {
    const { status, stdout, stderr } = await runIn(homes, homeFor(line), line)
    if (status !== 0) failed.push(`${line}\n${stdout}${stderr}`)
  }
  expect(failed).toEqual([])
}, 1_200_000)

/** Runs a command line in a copy of a home directory. */
function runIn(homes: string, name: HomeName, line: string): Promise<ProcessResult> {
  const directory = temporaryDirectory()
  cpSync(join(homes, name), directory, { recursive: true })
  if (atTerminal.includes(line)) return runInTerminal(directory, line)
  const repository = 'git init -q && git config user.email ada@example.com'
  if (line.includes('--git')) return runInShell(directory, `${repository} && ${line}`)
  return runLine(directory, line)
}

/** Runs a line without syntax of a shell in this process, which is faster. */
const runLine = (directory: string, line: string) =>
  needsShell(line) ? runInShell(directory, line) : runHere(directory, line)

async function runLines(directory: string, lines: readonly string[]) {
  for (const line of lines) await expectSuccess(runLine(directory, line))
}

/** Whether a line does more than to run `tt` with arguments. */
const needsShell = (line: string) =>
  !line.startsWith('tt ') || /[$~*]/.test(line) || splitCommandLine(`${line} end`).at(-1) !== 'end'

async function runHere(directory: string, line: string): Promise<ProcessResult> {
  process.chdir(directory)
  const [stdout, stderr] = [collector(), collector()]
  const host = createTestHost({
    ...{ stdin: new PassThrough().end(), stdout: stdout.stream, stderr: stderr.stream },
    ...{ promptOutput: stderr.stream, env: environmentOf(directory) },
    ...{ cwd: () => directory, now: () => new Date() },
  })
  const status = await main(splitCommandLine(line).slice(1), host)
  return { status, signal: null, stdout: stdout.text(), stderr: stderr.text() }
}

/** An example that takes longer fails; `timeout` also ends the processes that it started. */
const limitSeconds = '300'

function runInShell(directory: string, script: string): Promise<ProcessResult> {
  const options = { cwd: directory, env: environmentOf(directory) }
  return waitForExit(
    spawn('timeout', [limitSeconds, 'bash', '-o', 'pipefail', '-ec', script], {
      ...{ ...options, stdio: ['ignore', 'pipe', 'pipe'] },
    }),
  )
}

/** Runs a command line in a terminal and answers its prompt with yes. */
function runInTerminal(directory: string, line: string): Promise<ProcessResult> {
  const child = spawn('timeout', [limitSeconds, 'script', '-qec', line, '/dev/null'], {
    cwd: directory,
    env: environmentOf(directory),
  })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  // Again while the prompt waits: what is typed before it reads the terminal can be lost.
  const timer = setInterval(() => {
    if (output.includes('(y/N)') && child.stdin.writable) child.stdin.write('y\r')
  }, 300)
  child.stdin.on('error', () => {})
  return waitForExit(child).finally(() => clearInterval(timer))
}

function environmentOf(directory: string): NodeJS.ProcessEnv {
  const programs = join(directory, 'programs')
  mkdirSync(programs, { recursive: true })
  writeFileSync(join(programs, 'tt'), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, {
    mode: 0o755,
  })
  return cleanEnvironment({
    HOME: directory,
    TT_HOME: join(directory, 'home'),
    TZ: zone,
    TERM: 'xterm',
    BROWSER: 'none',
    EDITOR: 'true',
    PATH: `${programs}:${process.env.PATH}`,
  })
}

/** The files that examples name. */
const files = {
  'users.csv': 'Email,Name\nben@example.com,Ben\n',
  'password.txt': 'correct horse battery staple',
  'toggl.csv': 'Project,Task,Start date,Start time,Duration\nWebsite,Design,2024-05-01,09:00:00,01:00:00\n',
  'timew.json': '[{"id":1,"start":"20240501T070000Z","end":"20240501T080000Z","tags":["work"]}]',
  'shared-aliases.json': '{"week": "report week"}',
  frames: '[[1714546800, 1714550400, "Website", "5f0c1e9b", ["logo"], 1714550400]]',
  'map.csv': 'client,project,task,tags,tt_task\n,Website,,,Acme/Website/Design\n',
  'calendar.ics': [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//test//EN', 'BEGIN:VEVENT', 'UID:1@example.com'],
    ...['DTSTAMP:20240501T070000Z', 'DTSTART:20240501T070000Z', 'DTEND:20240501T080000Z', 'SUMMARY:Call'],
    ...['END:VEVENT', 'END:VCALENDAR', ''],
  ].join('\r\n'),
}

async function createHomes(): Promise<string> {
  const homes = temporaryDirectory()
  const home = (name: HomeName) => join(homes, name)
  for (const name of ['home', '.config/fish/completions', '.local/share/bash-completion/completions'])
    mkdirSync(join(home('empty'), name), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home('empty'), name), text)

  cpSync(home('empty'), home('local'), { recursive: true })
  await runLines(home('local'), setupLines())
  copyFileSync(join(home('local'), backupName), join(home('local'), 'backup.tar.gz'))
  cpSync(home('local'), home('timer'), { recursive: true })
  await runLines(home('timer'), ['tt start design --at 9:00'])
  cpSync(home('local'), home('undone'), { recursive: true })
  await runLines(home('undone'), ['tt undo 2 --yes'])

  cpSync(home('local'), home('invoiced'), { recursive: true })
  await runLines(home('invoiced'), invoiceLines())

  cpSync(home('local'), home('assigned'), { recursive: true })
  await runLines(home('assigned'), ['tt admin assign ada@example.com Acme/Website Internal'])

  const service = await startTestService()
  await expectSuccess(
    runInShell(
      home('empty'),
      `export TT_HOME=${service.home}; tt admin projects add Website; tt admin tasks add Website/Design`,
    ),
  )
  cpSync(home('local'), home('acme'), { recursive: true })
  await expectSuccess(loginWithPassword(join(home('acme'), 'home'), service, '--profile', 'acme'))
  cpSync(home('acme'), home('rejected'), { recursive: true })
  await addRejectedChange(join(home('rejected'), 'home'))
  return homes
}

const backupName = 'tt-backup-2024-05-03-180000.tar.gz'

/** Returns command lines that create the projects, tasks, entries, expenses and users that examples name. */
function setupLines(): string[] {
  const day = (daysAgo: number) =>
    new Intl.DateTimeFormat('sv', { timeZone: zone }).format(Date.now() - daysAgo * 86_400_000)
  const add = (link: number, from: string, length: string, more = '') =>
    `tt add ${link} --from "${from}" --for ${length} ${more}`
  return [
    ...setupNames(''),
    'tt admin projects add Internal',
    ...[4, 5, 6, 7, 8, 9, 10, 11, 12].map((number) => `tt admin tasks add "Acme/App/Part ${number}"`),
    'tt admin assign you@localhost Website',
    add(1, `${day(20)} 9:00`, '1h', '--external-id TICKET-7'),
    ...[19, 18, 17, 16, 15, 14, 13, 12, 11, 10].map((daysAgo) => add(2, `${day(daysAgo)} 9:00`, '1h')),
    add(1, `${day(2)} 9:00`, '3h'),
    add(1, `${day(2)} 13:00`, '1h'),
    add(1, `${day(2)} 14:00`, '1h'),
    add(1, 'yesterday 8:00', '1h', '-n "Call #logo"'),
    add(1, 'yesterday 9:00', '4h'),
    ...[1, 2, 3, 4].map((amount) => `tt expenses add ${amount} --type Travel`),
    "tt alias set standup 'log yesterday'",
    'tt config set rate.Acme 95',
    'tt config set target.daily 8h',
    'tt admin user add ada@example.com --password-stdin < password.txt',
    'tt admin user add ada@example.com --password-stdin --database sqlite:team.db < password.txt',
    ...setupNames(' --database sqlite:team.db'),
    'tt admin projects archive Acme/App',
    'tt admin projects restore Acme/App',
    `tt backup ${backupName}`,
  ]
}

/** Returns command lines that add what the invoices of examples bill, and the invoice that they name. */
function invoiceLines(): string[] {
  const fifthOf = (month: number) => {
    const now = new Date()
    const year = month > now.getMonth() ? now.getFullYear() - 1 : now.getFullYear()
    return `${year}-${String(month + 1).padStart(2, '0')}-05`
  }
  const [may, lastMonth] = [4, (new Date().getMonth() + 11) % 12]
  return [
    'tt config set rate.Acme 95EUR',
    'tt config set invoice.sender.name "Ada Lovelace"',
    'tt config set invoice.tax 19',
    ...['2024-04-05', fifthOf(may), fifthOf(lastMonth)].map(
      (day) => `tt add 1 --from "${day} 9:00" --for 1h`,
    ),
    'tt invoice create Acme 2024-04 --number 2024-001 --date 2024-05-02 -o april.html --yes',
  ]
}

/** Returns command lines that add clients, projects, tasks and expense types, also some that nothing uses. */
function setupNames(options: string): string[] {
  return [
    ...['Acme/Website', 'Acme/App', 'Drafts'].map((name) => `tt admin projects add ${name}${options}`),
    ...['Design', 'Review', 'Ideas'].map((name) => `tt admin tasks add Acme/Website/${name}${options}`),
    ...['Travel', 'Meals'].map((name) => `tt admin expense-types add ${name}${options}`),
    `tt admin clients add Initech${options}`,
  ]
}

/** Adds a rejected change with the number 7, which the service now accepts. */
async function addRejectedChange(home: string): Promise<void> {
  const { acme } = JSON.parse(readFileSync(join(home, 'profiles.json'), 'utf8')).profiles
  const path = join(home, 'profiles', acme.state, 'state.db')
  await insertQueuedChanges(path, { refused: 7 })
  const { database, close } = await openClientState(path)
  const fields = { time_start: '2024-05-01T09:00:00Z', time_end: '2024-05-01T10:00:00Z', task_link_id: 1 }
  database.exec('DELETE FROM outbox WHERE seq < 7')
  database.prepare('UPDATE outbox SET fields = ? WHERE seq = 7').run([JSON.stringify(fields)])
  close()
}
