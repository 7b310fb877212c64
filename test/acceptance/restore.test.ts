import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { restoreBackup } from '../../src/backup/restore.js'
import type { RestoredRecord } from '../../src/commands/restore.js'
import { pathsFor } from '../../src/config/paths.js'
import { readRows } from '../support/database-files.js'
import { checkIntegrity } from '../support/integrity.js'
import { preparedCli } from '../support/prepared-cli.js'
import {
  bin,
  cleanEnvironment,
  copyDirectory,
  root,
  startServeProcess,
  temporaryDirectory,
  tt,
  ttJson,
  waitForExit,
} from '../support/process.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

const killCount = Number(process.env.TT_RESTORE_KILLS ?? 12)
const writingSeconds = Number(process.env.TT_RESTORE_SECONDS ?? 8)

const addition = (day: string, notes: string) => [
  'add',
  'Website/Design',
  '--from',
  `${day} 9:00`,
  '--for',
  '1h',
  '-n',
  notes,
  '--yes',
]

/** Creates a home whose data differs in every file from that of its backup `copy.tar.gz`. */
const createCli = preparedCli(new Date().toISOString(), async (cli) => {
  const change = async (day: string, notes: string, weekStart: string, alias: string) => {
    await cli.json(...addition(day, notes))
    await cli.json('config', 'set', 'week_start', weekStart)
    await cli.json('alias', 'set', 'standup', alias)
  }
  await change('2024-05-01', 'saved', 'sunday', 'log --since 2024-01-01')
  await cli.json('backup', 'copy.tar.gz')
  await change('2024-05-02', 'later', 'monday', 'status')
})

const createHome = async () => (await createCli()).home

/** Reads the data of every file; each part tells which data it is. */
async function readData(home: string): Promise<Record<string, unknown>> {
  const entries = await ttJson<{ notes: string }[]>(home, 'log', '--since', '2024-01-01')
  return {
    notes: entries.map(({ notes }) => notes),
    history: (await cliIn(home).json<unknown[]>('undo', '--list')).length,
    settings: JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')),
    aliases: JSON.parse(readFileSync(join(home, 'aliases.json'), 'utf8')),
  }
}

/** Runs commands in this process. */
function cliIn(home: string): TestCli {
  const cli = createTestCli(new Date().toISOString())
  cli.env.TT_HOME = home
  return cli
}

const saved = {
  ...{ notes: ['saved'], history: 1, settings: { week_start: 'sunday' } },
  aliases: { standup: 'log --since 2024-01-01' },
}
const current = {
  ...{ notes: ['saved', 'later'], history: 2, settings: { week_start: 'monday' } },
  aliases: { standup: 'status' },
}

/** Starts `tt restore` and returns the process. */
function startRestore(home: string, env: Record<string, string> = {}, node: string[] = []) {
  const argv = [...node, bin, 'restore', join(home, 'copy.tar.gz'), '--yes']
  return spawn(process.execPath, argv, {
    env: cleanEnvironment({ TT_HOME: home, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

test(`the data is either the previous or that of the backup after each of ${killCount} kills of tt restore`, async () => {
  const random = new SeededRandom(chooseSeed('killed restore'))
  const original = await createHome()
  const complete = copyDirectory(original)
  const start = performance.now()
  expect(await waitForExit(startRestore(complete))).toMatchObject({ status: 0 })
  const durationMs = performance.now() - start
  expect(await readData(complete)).toEqual(saved)
  const seen = { previous: 0, restored: 0 }
  for (let kill = 0; kill < killCount; kill++) {
    const home = copyDirectory(original)
    const child = startRestore(home)
    const delayMs = random.between(0, Math.ceil(durationMs))
    const timer = setTimeout(() => child.kill('SIGKILL'), delayMs)
    await waitForExit(child)
    clearTimeout(timer)
    const data = await readData(home)
    const isRestored = JSON.stringify(data) === JSON.stringify(saved)
    seen[isRestored ? 'restored' : 'previous']++
    expect(data, `after ${delayMs} ms`).toEqual(isRestored ? saved : current)
    expect(await checkIntegrity(home)).toMatchObject({ findings: [] })
    expect(existsSync(join(home, 'restore.work', 'plan.json'))).toBe(false)
    // A later restore succeeds, and removes what the killed one has left.
    expect(await tt(home, ['restore', join(home, 'copy.tar.gz'), '--yes'])).toMatchObject({ status: 0 })
    expect(readdirSync(home).filter((name) => /\.work$|\.tmp$/.test(name))).toEqual([])
  }
  process.stdout.write(`${seen.previous} previous, ${seen.restored} restored\n`)
})

test.each([
  ['before', current, /^$/],
  [
    'after',
    saved,
    /^Completed a restore that was interrupted\.\nThe previous data is saved in .*\.tar\.gz\. .*\n$/,
  ],
  ['removal', saved, /^Completed a restore that was interrupted\.\n$/],
])(
  'a restore that is killed at its plan (%s) is undone or completed by the next command',
  async (step, data, message) => {
    const home = await createHome()
    await killRestore(home, step)
    expect(await tt(home, ['log', '--since', '2024-01-01'])).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(message),
    })
    expect(await readData(home)).toEqual(data)
    expect(existsSync(join(home, 'restore.work'))).toBe(false)
  },
)

test.each([
  ['the name of an alias', ['standup']],
  ['tt alias set', ['alias', 'set', 'now', 'status']],
])('%s completes an interrupted restore, and uses the aliases of the backup', async (_, argv) => {
  const home = await createHome()
  await killRestore(home, 'after')
  const { status, stdout, stderr } = await tt(home, argv)
  expect([status, stderr]).toEqual([0, expect.stringContaining('Completed a restore that was interrupted.')])
  if (argv[0] === 'standup') expect(stdout).toContain('saved')
  expect(stdout).not.toContain('later')
  expect((await readData(home)).aliases).toMatchObject(saved.aliases)
})

test('an entry that tt serve accepts after a restore is killed is in a second backup', async () => {
  const home = await createHome()
  const { token } = await cliIn(home).json<{ token: string }>('admin', 'user', 'add', 'ada@example.com')
  const { url } = await startServeProcess(home)
  await killRestore(home, 'after')
  expect((await postEntry(url, token, { at: Date.UTC(2022, 0, 1), notes: 'accepted' })).status).toBe(201)
  const { stderr } = await tt(home, ['log'])
  const [, file = ''] = /The previous data is saved in (.*\.tar\.gz)\./.exec(stderr) ?? []
  expect(await readNotes(home)).toEqual(['saved'])
  const extracted = temporaryDirectory()
  expect(await tt(extracted, ['restore', file, '--yes'])).toMatchObject({ status: 0 })
  expect(await readNotes(extracted)).toEqual(['saved', 'later', 'accepted'])
})

test('a restore that waited for one that is killed does not discard its plan', async () => {
  const home = await createHome()
  await killRestore(home, 'after')
  const confirm = () => Promise.resolve(true)
  const waiting = restoreBackup(pathsFor({ TT_HOME: home }), join(home, 'copy.tar.gz'), {
    now: new Date(),
    confirm,
    confirmCommands: async () => false,
  })
  await expect(waiting).rejects.toThrow('Another restore was interrupted.')
  expect(await readData(home)).toEqual(saved)
})

test.each(['no JSON', '{"id": 1, "suffix": "../x"}'])(
  'a damaged plan (%s) is an error that names the directory, and changes nothing',
  async (text) => {
    const home = await createHome()
    await killRestore(home, 'after')
    writeFileSync(join(home, 'restore.work', 'plan.json'), text)
    const { status, stderr } = await tt(home, ['log'])
    expect([status, stderr]).toEqual([1, expect.stringContaining(`Remove ${join(home, 'restore.work')}`)])
    expect(await readNotes(home)).toEqual(['saved', 'later'])
  },
)

/** Starts a restore and kills it at a step of `kill-at-plan.cjs`. */
async function killRestore(home: string, step: string) {
  const preload = ['--require', join(root, 'test/acceptance/kill-at-plan.cjs')]
  const { signal } = await waitForExit(startRestore(home, { TT_KILL_AT: step }, preload))
  expect(signal).toBe('SIGKILL')
}

/** Adds an entry of one minute through the service. `at` is in milliseconds since 1970. */
function postEntry(url: string, token: string, { at, notes }: { at: number; notes: string }) {
  const [start, end] = [at, at + 60_000].map((time) => new Date(time).toISOString())
  return fetch(`${url}/timesheets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ time_start: start, time_end: end, task_link_id: 1, notes }),
  })
}

test('tt and tt serve that write during restores continue, and their changes are in a backup or in the data', async () => {
  const home = await createHome()
  const { token } = await cliIn(home).json<{ token: string }>('admin', 'user', 'add', 'ada@example.com')
  await cliIn(home).json('backup', join(home, 'copy.tar.gz'), '--yes')
  const { url } = await startServeProcess(home)
  const deadlineMs = performance.now() + writingSeconds * 1000
  const written: string[] = []
  const backups: string[] = []

  async function addEntries() {
    for (let index = 0; performance.now() < deadlineMs; index++) {
      const notes = `command ${index}`
      await ttJson(home, ...addition(`2023-01-${String((index % 28) + 1).padStart(2, '0')}`, notes))
      written.push(notes)
    }
  }

  async function postEntries() {
    for (let index = 0; performance.now() < deadlineMs; index++) {
      const notes = `request ${index}`
      const at = Date.UTC(2022, 0, 1) + index * 60_000
      const response = await postEntry(url, token, { at, notes })
      expect([response.status, notes]).toEqual([201, notes])
      written.push(notes)
    }
  }

  async function restoreBackups() {
    while (performance.now() < deadlineMs || backups.length < 2) {
      const restored = await ttJson<RestoredRecord>(home, 'restore', join(home, 'copy.tar.gz'), '--yes')
      backups.push(restored.saved_as ?? '')
    }
  }

  await Promise.all([addEntries(), postEntries(), restoreBackups()])
  const found = new Set(await readNotes(home))
  for (const file of backups) {
    const extracted = temporaryDirectory()
    await cliIn(extracted).json('restore', file, '--yes')
    for (const notes of await readNotes(extracted)) found.add(notes)
  }
  process.stdout.write(`${written.length} entries, ${backups.length} restores\n`)
  expect(backups.length).toBeGreaterThan(1)
  expect(written.filter((notes) => !found.has(notes))).toEqual([])
  expect(await checkIntegrity(home)).toMatchObject({ findings: [] })
})

/** Returns the notes of all users of a workspace. */
async function readNotes(home: string): Promise<string[]> {
  const rows = await readRows<{ notes: string }>(join(home, 'workspace.db'), 'SELECT notes FROM time_entries')
  return rows.map(({ notes }) => notes)
}

test('prompts for paths and shell aliases of a backup on their own', async ({ skip }) => {
  skip(isTmuxMissing, 'tmux is not installed')
  const [home, other] = [temporaryDirectory(), temporaryDirectory()]
  await cliIn(other).json('config', 'set', 'prompt_file', '/tmp/nonesuch/line')
  await cliIn(other).json('alias', 'set', 'l', '!touch pwned')
  await cliIn(other).json('backup', join(home, 'copy.tar.gz'))
  const terminal = openTerminal(home)
  terminal.runTt('restore copy.tar.gz')
  await terminal.waitForText('copy.tar.gz? (y/N)')
  terminal.type('n', 'Enter')
  await terminal.waitForText('exit=')
  expect(existsSync(join(home, 'aliases.json'))).toBe(false)
  for (const answer of ['n', 'y']) {
    terminal.runTt('restore copy.tar.gz')
    await terminal.waitForText('copy.tar.gz? (y/N)')
    terminal.type('y', 'Enter')
    await terminal.waitForText('? Restore these paths and commands too? (y/N)')
    expect(terminal.screen()).toContain('alias l: !touch pwned (not set now)')
    terminal.type(answer, 'Enter')
    await terminal.waitForText('exit=0')
    expect(JSON.parse(readFileSync(join(home, 'aliases.json'), 'utf8'))).toEqual(
      answer === 'y' ? { l: '!touch pwned' } : {},
    )
  }
})
