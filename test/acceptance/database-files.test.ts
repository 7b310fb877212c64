import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readFiles, writeFiles } from '../support/home-files.js'
import { bin, cleanEnvironment, root, run, temporaryDirectory, tt } from '../support/process.js'
import { canInjectFaults } from '../support/strace.js'

const notesIn = (stdout: string) => (JSON.parse(stdout) as { notes: string }[]).map(({ notes }) => notes)

async function createTrackedHome(): Promise<string> {
  const home = temporaryDirectory()
  expect(await tt(home, ['start', 'Acme/Website/Design', '-n', 'dear'])).toMatchObject({ status: 0 })
  expect(await tt(home, ['stop'])).toMatchObject({ status: 0 })
  return home
}

let trackedFiles: Promise<ReadonlyMap<string, Buffer>> | undefined

/** Does the same with a copy of the first such home. */
async function copyTrackedHome(): Promise<string> {
  trackedFiles ??= createTrackedHome().then(readFiles)
  const home = temporaryDirectory()
  writeFiles(home, await trackedFiles)
  return home
}

/** Copies only these files of a home into a new one. */
function copyFiles(home: string, files: string[]): string {
  const copy = temporaryDirectory()
  for (const file of files) {
    mkdirSync(join(copy, file, '..'), { recursive: true })
    copyFileSync(join(home, file), join(copy, file))
  }
  return copy
}

test('workspace.db copied with its log contains every entry after a command', async () => {
  const copy = copyFiles(await createTrackedHome(), ['workspace.db', 'workspace.db-wal'])
  const { stdout, stderr } = await tt(copy, ['log', '--json'])
  expect(stderr).toBe('')
  expect(notesIn(stdout)).toEqual(['dear'])
})

test('the target of a symlinked workspace.db copied with its log contains every entry after a command', async () => {
  const [home, disk] = [temporaryDirectory(), temporaryDirectory()]
  expect(await tt(home, ['tasks'])).toMatchObject({ status: 0 })
  for (const name of ['workspace.db', 'workspace.db-wal']) renameSync(join(home, name), join(disk, name))
  symlinkSync(join(disk, 'workspace.db'), join(home, 'workspace.db'))
  const add = ['add', 'Acme/Website/Design', '--from', '-2h', '--for', '1h', '-n', 'linked']
  expect(await tt(home, add)).toMatchObject({ status: 0 })
  const { stdout } = await tt(copyFiles(disk, ['workspace.db', 'workspace.db-wal']), ['log', '--json'])
  expect(notesIn(stdout)).toEqual(['linked'])
})

test('the log beside workspace.db stays, and below 1 MB', async () => {
  const home = await copyTrackedHome()
  const logBytes = () => statSync(join(home, 'workspace.db-wal')).size
  expect(logBytes()).toBeGreaterThan(0)
  const sizes: number[] = []
  for (let count = 1; count <= 25; count++) {
    const add = ['add', 'Design', '--from', '-2h', '--for', `${count}m`, '-n', 'long '.repeat(10_000)]
    expect(await tt(home, add)).toMatchObject({ status: 0 })
    sizes.push(logBytes())
  }
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1_100_000)
  // It is moved into the file once it is long, and begins anew.
  expect(statSync(join(home, 'workspace.db')).size).toBeGreaterThan(1_000_000)
})

test('state.db of a service copied alone contains pending changes after a command', async () => {
  const env = { TT_BASE_URL: 'http://127.0.0.1:9/api/v1', TT_TOKEN: 'unused' }
  const offline = temporaryDirectory()
  expect(await tt(offline, ['add', '1', '--from', '-2h', '--for', '1h', '-n', 'pending'], env)).toMatchObject(
    { status: 0 },
  )
  const [key = ''] = readdirSync(join(offline, 'profiles'))
  const other = copyFiles(offline, [join('profiles', key, 'state.db')])
  expect((await tt(other, ['sync', 'list', '--json'], env)).stdout).toContain('pending')
})

/** Creates a database as copied without its write-ahead log: a header without tables. Returns its path. */
function createHeaderOnly(): string {
  const path = join(temporaryDirectory(), 'header.db')
  const created = spawnSync(
    process.execPath,
    [
      '-e',
      `
    const database = new (require('libsql'))(${JSON.stringify(path)})
    database.exec('PRAGMA journal_mode = WAL')
    process.exit()`,
    ],
    { cwd: root, encoding: 'utf8' },
  )
  expect(created).toMatchObject({ status: 0 })
  expect(statSync(path).size).toBe(4096)
  return path
}

/** Creates a workspace without entries, and returns its path. */
function createWorkspace(): string {
  const home = temporaryDirectory()
  const { status } = spawnSync(process.execPath, [bin, 'tasks'], { env: cleanEnvironment({ TT_HOME: home }) })
  expect(status).toBe(0)
  return join(home, 'workspace.db')
}

describe.each([
  ['missing', (path: string) => rmSync(path)],
  ['empty', (path: string) => truncateSync(path)],
  ['without tables', (path: string) => copyFileSync(createHeaderOnly(), path)],
  [
    'replaced by a new one',
    (path: string) => {
      rmSync(`${path}-wal`, { force: true })
      copyFileSync(createWorkspace(), path)
    },
  ],
])('a workspace.db that is %s', (_, damage) => {
  test('fails commands, and can be replaced on purpose by an empty workspace or a backup', async () => {
    const home = await copyTrackedHome()
    const path = join(home, 'workspace.db')
    const backup = join(temporaryDirectory(), 'backup.tar.gz')
    expect(await tt(home, ['backup', backup])).toMatchObject({ status: 0 })
    damage(path)
    let hint = ''
    for (const argv of [['log'], ['start', 'Acme/Website/Design'], ['stop'], ['serve', '--port', '0']]) {
      const rejected = await tt(home, argv)
      expect(rejected).toMatchObject({ status: 1, stdout: '' })
      expect(rejected.stderr).toContain(`${path} is `)
      expect(rejected.stderr).toContain('Run `tt restore FILE`')
      hint ||= rejected.stderr
    }
    const [, directory = ''] =
      /start over with an empty workspace, move the directory (.*) away/.exec(hint) ?? []
    const damaged = `${directory}.old`
    renameSync(directory, damaged)
    expect(await tt(home, ['log', '--json'])).toMatchObject({ status: 0, stdout: '[]\n' })
    expect(await tt(home, ['start', 'Acme/Website/Design'])).toMatchObject({ status: 0 })

    rmSync(directory, { recursive: true })
    renameSync(damaged, directory)
    expect(await tt(home, ['restore', backup, '--yes'])).toMatchObject({ status: 0 })
    expect(notesIn((await tt(home, ['log', '--json'])).stdout)).toEqual(['dear'])
  })
})

test.runIf(canInjectFaults)('database files are created for their owner alone', async () => {
  const home = temporaryDirectory()
  const trace = join(temporaryDirectory(), 'trace')
  const outcome = await run(
    'sh',
    [
      '-c',
      'umask 0; exec "$@"',
      'sh',
      'strace',
      '-f',
      '-qq',
      '-o',
      trace,
      '-e',
      'trace=openat',
      process.execPath,
      bin,
      'start',
      'Acme/Website/Design',
    ],
    { env: cleanEnvironment({ TT_HOME: home }) },
  )
  expect(outcome).toMatchObject({ status: 0 })
  const creations = readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => line.includes(home) && line.includes('O_CREAT'))
  const first = new Map<string, string>()
  for (const line of creations) {
    const [, file = '', mode = ''] = /"([^"]+)".*, (0\d+)\)/.exec(line) ?? []
    if (!first.has(file)) first.set(file, mode)
  }
  const databases = [...first].filter(([file]) => /\.db(-wal|-shm)?$/.test(file))
  expect(databases.length).toBeGreaterThanOrEqual(3)
  expect(databases.filter(([, mode]) => mode !== '0600')).toEqual([])
  const remaining = databases.filter(([file]) => existsSync(file))
  expect(remaining.length).toBeGreaterThanOrEqual(2)
  for (const [file] of remaining) expect(statSync(file).mode & 0o077).toBe(0)
})
