import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openClientState } from '../../src/cache/client-state.js'
import { listExamples, parseCommandLine } from '../support/examples.js'
import {
  bin,
  cleanEnvironment,
  type ProcessResult,
  temporaryDirectory,
  waitForExit,
} from '../support/process.js'
import { insertQueuedChanges } from '../support/queued-changes.js'
import { expectSuccess, loginWithPassword, startTestService } from '../support/sign-in.js'

const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

/** What does not run here, and why: it is parsed. */
const parsedOnly: Record<string, string> = {
  'tt login --base-url https://acme.example.com/api/v1 --client-id ID': 'nobody is at that address',
  'tt login --no-browser --profile acme': 'it waits for somebody at a browser: login-terminal.test.ts',
  'tt login --key --email ada@example.com --password-stdin < password.txt':
    'it needs a keychain: keychain.test.ts',
  'tt edit @1 @2': 'it opens an editor: editor.test.ts',
  'tt serve': 'it serves until it is stopped: team.test.ts',
  'tt serve --port 0 --database sqlite:team.db --json': 'the same',
  'tt admin app rm app_5f0c1e9b7a3d4c2e8f6a1b0d': 'ids of applications are made up at random',
  'tt admin app rm app_5f0c1e9b7a3d4c2e8f6a1b0d --database sqlite:team.db': 'the same',
}

/** What needs somebody at a terminal, who says yes, and whose editor leaves things as they are. */
const atTerminal = [
  'tt edit @1 @2',
  'tt cancel',
  'tt rm @1',
  'tt join 12 @ --task Website/Review',
  'tt expenses rm 3',
  'tt profiles rm acme',
  'tt sync discard 7',
]

/** A zone in which it is between 18:00 and 20:00 while this runs: examples name times of today. */
const offsetHours = ((18 - new Date().getUTCHours() + 12) % 24) - 12
const zone = `Etc/GMT${offsetHours > 0 ? '-' : '+'}${Math.abs(offsetHours)}`

type Place = 'bare' | 'project' | 'local' | 'timer' | 'undone' | 'acme' | 'aside'

/** Where an example has what it names. */
function placeFor(line: string): Place {
  if (/^tt sync (retry|discard)/.test(line)) return 'aside'
  if (/\bacme\b|^tt logout/.test(line)) return 'acme'
  if (/^tt admin task add/.test(line)) return 'project'
  if (/^tt admin (user|app|project|expense-type) add/.test(line)) return 'bare'
  if (/^tt (stop|cancel)|^tt edit --from|@(?!\w)/.test(line)) return 'timer'
  if (/^tt redo/.test(line)) return 'undone'
  return 'local'
}

test('every example of the help runs as it is written', async ({ skip }) => {
  skip(!has('jq'), 'jq is not installed')
  skip(!has('script'), 'script, of util-linux, is not installed')
  const places = await makePlaces()
  const lines = new Set((await listExamples()).flatMap((one) => one.lines))
  expect(lines.size).toBeGreaterThan(150)
  expect([...Object.keys(parsedOnly), ...atTerminal].filter((line) => !lines.has(line))).toEqual([])
  const failed: string[] = []
  for (const line of lines) {
    await parseCommandLine(line)
    if (line in parsedOnly) continue
    const { status, stdout, stderr } = await at(places, placeFor(line), line)
    if (status !== 0) failed.push(`${line}\n${stdout}${stderr}`)
  }
  expect(failed).toEqual([])
})

/** Runs the line in a copy of that place, as somebody types it there. */
function at(places: string, place: Place, line: string): Promise<ProcessResult> {
  const here = temporaryDirectory()
  cpSync(join(places, place), here, { recursive: true })
  return atTerminal.includes(line) ? answered(here, line) : inShell(here, line)
}

function inShell(here: string, script: string): Promise<ProcessResult> {
  const options = { cwd: here, env: environmentIn(here) }
  return waitForExit(
    spawn('bash', ['-o', 'pipefail', '-ec', script], { ...options, stdio: ['ignore', 'pipe', 'pipe'] }),
  )
}

/** At a terminal, where the question is answered with yes. */
function answered(here: string, line: string): Promise<ProcessResult> {
  const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: here, env: environmentIn(here) })
  let said = ''
  child.stdout.on('data', (text) => {
    const isAsked = said.includes('(y/N)')
    said += text
    if (!isAsked && said.includes('(y/N)')) child.stdin.write('y\r')
  })
  return waitForExit(child)
}

function environmentIn(here: string): NodeJS.ProcessEnv {
  const programs = join(here, 'programs')
  mkdirSync(programs, { recursive: true })
  writeFileSync(join(programs, 'tt'), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, {
    mode: 0o755,
  })
  return cleanEnvironment({
    HOME: here,
    TT_HOME: join(here, 'home'),
    TZ: zone,
    TERM: 'xterm',
    BROWSER: 'none',
    EDITOR: 'true',
    PATH: `${programs}:${process.env.PATH}`,
  })
}

async function makePlaces(): Promise<string> {
  const places = temporaryDirectory()
  const place = (name: Place) => join(places, name)
  for (const name of ['home', '.config/fish/completions', '.local/share/bash-completion/completions'])
    mkdirSync(join(place('bare'), name), { recursive: true })
  writeFileSync(join(place('bare'), 'password.txt'), 'correct horse battery staple')

  cpSync(place('bare'), place('project'), { recursive: true })
  await expectSuccess(inShell(place('project'), 'tt admin project add Website --client Acme'))
  cpSync(place('bare'), place('local'), { recursive: true })
  await expectSuccess(inShell(place('local'), furnishing()))
  cpSync(place('local'), place('timer'), { recursive: true })
  await expectSuccess(inShell(place('timer'), 'tt start design --at 9:00'))
  cpSync(place('local'), place('undone'), { recursive: true })
  await expectSuccess(inShell(place('undone'), 'tt undo 2 --yes'))

  const service = await startTestService()
  await expectSuccess(
    inShell(
      place('bare'),
      `export TT_HOME=${service.home}; tt admin project add Website; tt admin task add Design --project Website`,
    ),
  )
  cpSync(place('local'), place('acme'), { recursive: true })
  await expectSuccess(loginWithPassword(join(place('acme'), 'home'), service, '--profile', 'acme'))
  cpSync(place('acme'), place('aside'), { recursive: true })
  await setAside(join(place('aside'), 'home'))
  return places
}

/** Projects, tasks, entries, expenses and people with the names and ids that examples have. */
function furnishing(): string {
  const day = (before: number) =>
    new Date(Date.now() + (offsetHours - 24 * before) * 3600_000).toISOString().slice(0, 10)
  const add = (link: number, from: string, length: string, more = '') =>
    `tt add ${link} --from "${from}" --for ${length} ${more}`
  return [
    'for project in Website App; do tt admin project add "$project" --client Acme; done',
    'tt admin task add Design --project Acme/Website',
    'tt admin task add Review --project Acme/Website',
    'for n in 3 4 5 6 7 8 9 10 11 12; do tt admin task add "Part $n" --project Acme/App; done',
    'for type in Travel Meals; do tt admin expense-type add "$type"; done',
    'tt admin project assign Website you@localhost',
    add(1, `${day(20)} 9:00`, '1h', '--external-id TICKET-7'),
    ...[19, 18, 17, 16, 15, 14, 13, 12, 11, 10].map((before) => add(2, `${day(before)} 9:00`, '1h')),
    add(1, `${day(2)} 9:00`, '3h'),
    add(1, `${day(2)} 13:00`, '1h'),
    add(1, `${day(2)} 14:00`, '1h'),
    add(1, 'yesterday 8:00', '1h'),
    add(1, 'yesterday 9:00', '4h'),
    'for n in 1 2 3 4; do tt expenses add $n --type Travel; done',
    'tt config set rate.Acme 95',
    'tt config set target.daily 8h',
    'tt admin user add ada@example.com --password-stdin < password.txt',
    'tt admin user add ada@example.com --password-stdin --database sqlite:team.db < password.txt',
    'tt admin project add Website --database sqlite:team.db',
    'tt admin expense-type add Meals --database sqlite:team.db',
    'tt admin project archive Acme/App && tt admin project restore Acme/App',
  ].join('\n')
}

/** One change that the service has refused, the seventh; now it would be taken. */
async function setAside(home: string): Promise<void> {
  const { acme } = JSON.parse(readFileSync(join(home, 'profiles.json'), 'utf8')).profiles
  const path = join(home, 'profiles', acme.state, 'state.db')
  await insertQueuedChanges(path, { refused: 7 })
  const { database, close } = await openClientState(path, { durability: 'normal' })
  const fields = { time_start: '2024-05-01T09:00:00Z', time_end: '2024-05-01T10:00:00Z', task_link_id: 1 }
  database.exec('DELETE FROM outbox WHERE seq < 7')
  database.prepare('UPDATE outbox SET fields = ? WHERE seq = 7').run([JSON.stringify(fields)])
  close()
}
