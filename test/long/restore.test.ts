import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RestoredRecord } from '../../src/commands/restore.js'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { openClientState } from '../../src/outbox/cache/client-state.js'
import { schemaVersion } from '../../src/service/storage/schema.js'
import {
  createCliAtServiceTime,
  loginWithPassword,
  password,
  readProfiles,
  startService,
} from '../command/login-fixtures.js'
import { readRows, runSql } from '../support/database-files.js'
import { FailingDriver } from '../support/failing-driver.js'
import { preparedCli } from '../support/prepared-cli.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

type Row = Record<string, unknown>

const log = (cli: TestCli) => cli.json<Row[]>('log', '--since', '2024-01-01', '--profile', 'local')
const notes = async (cli: TestCli) => (await log(cli)).map((entry) => entry.notes)
const add = (cli: TestCli, hour: number, text: string) =>
  cli.json('add', 'Website/Design', '--from', `${hour}:00`, '--for', '30m', '-n', text, '--profile', 'local')
const restore = (cli: TestCli, file: string) => cli.json<RestoredRecord>('restore', file, '--yes')

/** Creates a home with the entry "one", and a backup of it. */
const createCliWithBackup = preparedCli('2024-05-03T18:00:00', async (cli) => {
  await add(cli, 9, 'one')
  await cli.run('config', 'set', 'week_start', 'sunday')
  await cli.json('backup', 'copy.tar.gz')
})

/** Rewrites a backup after a change of its extracted files, as another program could. */
async function rewrite(cli: TestCli, change: (directory: string) => Promise<void>) {
  const directory = join(cli.home, 'rewritten')
  mkdirSync(directory)
  execFileSync('tar', ['-xzf', join(cli.home, 'copy.tar.gz'), '-C', directory])
  await change(directory)
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }))
    if (/-(wal|shm)$/.test(name)) rmSync(join(directory, name))
  const names = readFileSync(join(directory, 'SHA256SUMS'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.slice(66))
  // The size of the files has changed. Earlier versions did not declare it.
  const { bytes: _, ...manifest } = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'))
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest))
  writeFileSync(join(directory, 'SHA256SUMS'), execFileSync('sha256sum', names, { cwd: directory }))
  const archive = join(cli.home, 'copy.tar.gz')
  execFileSync('tar', ['--format=ustar', '-czf', archive, '-C', directory, ...names, 'SHA256SUMS'])
}

/** Executes SQL in the workspace of the backup. */
const changeWorkspace = (sql: string) => (cli: TestCli) =>
  rewrite(cli, (directory) => runSql(join(directory, 'workspace.db'), sql))

describe('tt restore', () => {
  test('restores entries, expenses, history and settings, and can go back', async () => {
    const cli = await createCliWithBackup()
    await add(cli, 10, 'two')
    await cli.json('admin', 'expense-types', 'add', 'Travel')
    await cli.json('expenses', 'add', '12.50', '--type', 'Travel')
    await cli.json('rm', '1', '--yes')
    await cli.run('config', 'set', 'week_start', 'monday')
    const restored = await restore(cli, 'copy.tar.gz')
    expect(restored).toMatchObject({ entries: 1, expenses: 0, settings: true })
    expect(await notes(cli)).toEqual(['one'])
    expect(await cli.json('expenses', '--since', '2024-01-01')).toEqual([])
    expect((await cli.run('config', 'get', 'week_start')).stdout).toBe('sunday\n')
    expect(await cli.json('undo', '--list')).toHaveLength(1)
    const { saved_as: saved } = restored
    expect(saved).toBe(join(cli.home, 'before-restore-2024-05-03-180000.tar.gz'))
    expect(statSync(saved ?? '').mode & 0o777).toBe(0o600)
    const back = await restore(cli, saved ?? '')
    expect(back).toMatchObject({ entries: 1, expenses: 1 })
    expect(back.saved_as).toBe(join(cli.home, 'before-restore-2024-05-03-180000-2.tar.gz'))
    expect(await notes(cli)).toEqual(['two'])
    expect((await cli.run('config', 'get', 'week_start')).stdout).toBe('monday\n')
    await cli.json('undo')
    expect(await notes(cli)).toEqual(['one', 'two'])
  })

  test('shows what it replaces, and changes nothing without a confirmation', async () => {
    const cli = await createCliWithBackup()
    await add(cli, 10, 'two')
    // A lock may still be closing its database.
    const files = () => readdirSync(cli.home).filter((name) => !/\.lock-(shm|wal)$/.test(name))
    const before = files()
    const refused = await cli.run('restore', 'copy.tar.gz')
    expect(refused.status).toBe(2)
    expect(refused.stderr.split('\n')).toEqual([
      `error: Confirmation required: Restore ${join(cli.home, 'copy.tar.gz')}. Cannot prompt: not running in a terminal.`,
      'The backup was saved at 18:00 by tt 0.1.0: 1 entry on 1 day (2024-05-03), settings.',
      'The current local workspace (2 entries on 1 day, 2024-05-03) is replaced.',
      'The current settings are replaced.',
      'Add --yes to confirm.',
      '',
    ])
    expect(await notes(cli)).toEqual(['one', 'two'])
    expect(files()).toEqual(before)
  })

  test('prints what it replaces under --yes, and no messages under --json', async () => {
    const cli = await createCliWithBackup()
    const shown = await cli.run('restore', 'copy.tar.gz', '--yes')
    expect(shown.stderr).toContain(
      'The current local workspace (1 entry on 1 day, 2024-05-03) is replaced.\n',
    )
    expect(await cli.run('restore', 'copy.tar.gz', '--yes', '--json')).toMatchObject({
      status: 0,
      stderr: '',
    })
  })

  test('restores an empty home, without a backup of nothing', async () => {
    const [source, cli] = [await createCliWithBackup(), createTestCli('2024-05-04T18:00:00')]
    expect(await restore(cli, join(source.home, 'copy.tar.gz'))).toMatchObject({ entries: 1, saved_as: null })
    expect(await notes(cli)).toEqual(['one'])
    await add(cli, 10, 'two')
    expect(await notes(cli)).toEqual(['one', 'two'])
  })

  test('never reuses the ID of an entry that it removes', async () => {
    const cli = await createCliWithBackup()
    const removed = await add(cli, 10, 'two')
    await restore(cli, 'copy.tar.gz')
    const added = await add(cli, 11, 'three')
    expect(Number(added.id)).toBeGreaterThan(Number(removed.id))
  })

  test('a timer of the backup runs again, and the prompt file is not that of the previous one', async () => {
    const cli = createTestCli('2024-05-03T18:00:00')
    await cli.json('start', 'Website/Design')
    await cli.json('backup', 'copy.tar.gz')
    await cli.json('start', 'Website/Review', '--create')
    await restore(cli, 'copy.tar.gz')
    expect(existsSync(join(cli.home, 'timer'))).toBe(false)
    expect(await cli.json('status')).toMatchObject({ task: 'Design', running: true })
    expect(readFileSync(join(cli.home, 'timer'), 'utf8')).toContain('Design')
  })

  test('keeps the users of a served workspace signed in, and the secrets of applications', async () => {
    const cli = await createCliWithBackup()
    await cli.runWithInput(`${password}\n`, 'admin', 'user', 'add', 'ada@example.com', '--password-stdin')
    await cli.json('admin', 'user', 'token', 'ada@example.com')
    await cli.json('admin', 'app', 'add', 'x', '--redirect-uri', 'http://127.0.0.1/')
    await cli.json('backup', 'later.tar.gz')
    await cli.json('admin', 'user', 'add', 'bob@example.com')
    const workspace = join(cli.home, 'workspace.db')
    const read = (sql: string) => readRows(workspace, sql)
    const users = 'SELECT email, password FROM users ORDER BY id'
    const [before, tokens] = [await read(users), await read('SELECT hash FROM tokens ORDER BY id')]
    expect([before.length, tokens.length]).toEqual([3, 2])
    await restore(cli, 'later.tar.gz')
    expect(await read(users)).toEqual(before.slice(0, 2))
    expect(await read('SELECT hash FROM tokens')).toEqual(tokens.slice(0, 1))
    expect(await read('SELECT name FROM applications')).toEqual([{ name: 'x' }])
    expect(await read('PRAGMA foreign_key_check')).toEqual([])
  })

  test('restores a workspace and settings behind symbolic links', async () => {
    const cli = await createCliWithBackup()
    for (const name of ['workspace.db', 'config.json']) {
      execFileSync('mv', [join(cli.home, name), join(cli.home, `moved-${name}`)])
      symlinkSync(join(cli.home, `moved-${name}`), join(cli.home, name))
    }
    await add(cli, 10, 'two')
    await restore(cli, 'copy.tar.gz')
    expect(await notes(cli)).toEqual(['one'])
    const links = readdirSync(cli.home, { withFileTypes: true }).filter((file) => file.isSymbolicLink())
    expect(links.map(({ name }) => name).sort()).toEqual(['config.json', 'workspace.db'])
  })

  test('replaces a damaged workspace.db, which it renames', async () => {
    const cli = await createCliWithBackup()
    writeFileSync(join(cli.home, 'workspace.db'), 'no database '.repeat(1000))
    const outcome = await cli.run('restore', 'copy.tar.gz', '--yes')
    const [, announced] = /is damaged; it will be renamed to (.*)\.\n/.exec(outcome.stderr) ?? []
    const [, renamed = ''] = /The damaged database is now (.*)\.\n/.exec(outcome.stderr) ?? []
    expect([outcome.status, announced]).toEqual([0, renamed])
    expect(readFileSync(renamed, 'utf8')).toContain('no database')
    expect(await notes(cli)).toEqual(['one'])
    await add(cli, 10, 'two')
    expect(await notes(cli)).toEqual(['one', 'two'])
  })

  test('restores a workspace that is missing, and settings that cannot be read', async () => {
    const cli = await createCliWithBackup()
    rmSync(join(cli.home, 'workspace.db'))
    writeFileSync(join(cli.home, 'config.json'), 'no JSON')
    await restore(cli, 'copy.tar.gz')
    expect(await notes(cli)).toEqual(['one'])
    expect((await cli.run('config', 'get', 'week_start')).stdout).toBe('sunday\n')
  })
})

test('tt restore refuses standard input', async () => {
  const cli = await createCliWithBackup()
  expect(await cli.run('restore', '-', '--yes')).toMatchObject({
    status: 2,
    stderr:
      'error: A backup cannot be read from standard input.\nSave it to a file first. Run `tt restore FILE` to restore a backup of `tt backup`.\n',
  })
})

describe('tt restore refuses, and changes nothing,', () => {
  const replaceBackup = (content: (home: string) => string | Buffer) => (cli: TestCli) =>
    writeFileSync(join(cli.home, 'copy.tar.gz'), content(cli.home))
  const [damaged, newer] = ['is damaged or incomplete', 'was written by a newer tt']
  const refusesComputedValues = 'is refused: workspace.db computes the values of '
  type Preparation = (cli: TestCli) => Promise<void> | void
  const cases: [what: string, prepare: Preparation, status: number, message: string][] = [
    ['a missing file', ({ home }) => rmSync(join(home, 'copy.tar.gz')), 3, 'There is no file'],
    ['a text', replaceBackup(() => 'text'), 2, 'is not a backup of tt.'],
    [
      'a database',
      replaceBackup((home) => readFileSync(join(home, 'workspace.db'))),
      2,
      'is a SQLite database, not a backup',
    ],
    [
      'a damaged database',
      (cli) =>
        rewrite(cli, async (directory) => {
          const path = join(directory, 'workspace.db')
          const bytes = readFileSync(path)
          bytes.fill(0xa5, 8192, 20_000)
          writeFileSync(path, bytes)
        }),
      1,
      damaged,
    ],
    ['missing entries', changeWorkspace('DELETE FROM time_entries'), 1, damaged],
    ['a workspace of a newer version', changeWorkspace('PRAGMA user_version = 99'), 1, newer],
    [
      'a state of a newer version',
      (cli) =>
        rewrite(cli, async (directory) => runSql(await addState(directory), 'PRAGMA user_version = 99')),
      1,
      newer,
    ],
    [
      'a workspace whose tables of the client are of a newer version',
      changeWorkspace('UPDATE client_schema SET version = 99'),
      1,
      newer,
    ],
    ...[
      ['a computed column', 'ALTER TABLE projects ADD COLUMN huge AS (zeroblob(400000000))'],
      ['a checked column', 'ALTER TABLE projects ADD COLUMN huge CHECK (length(zeroblob(400000000)) > 0)'],
      ['an index of computed values', 'CREATE INDEX huge ON projects (length(zeroblob(100000000)))'],
      [
        'an index of a computed part',
        'CREATE INDEX huge ON projects (id) WHERE length(zeroblob(100000000)) > 0',
      ],
      ['a view', 'ALTER TABLE imports RENAME TO i; CREATE VIEW imports AS SELECT * FROM i'],
    ].map(([what = '', sql = '']): (typeof cases)[number] => [
      what,
      changeWorkspace(sql),
      1,
      refusesComputedValues,
    ]),
    [
      'profiles without addresses',
      (cli) =>
        rewrite(cli, async (directory) => {
          writeFileSync(join(directory, 'profiles.json'), '{"profiles": {"acme": {}}}')
          writeFileSync(join(directory, 'SHA256SUMS'), `${' '.repeat(66)}profiles.json\n`, { flag: 'a' })
        }),
      1,
      damaged,
    ],
    [
      'a current workspace of a newer version',
      ({ home }) => runSql(join(home, 'workspace.db'), 'PRAGMA user_version = 99'),
      1,
      `has schema version 99; this version of tt supports up to ${schemaVersion}.`,
    ],
  ]

  test.each(cases)('%s', async (_, prepare, status, message) => {
    const cli = await createCliWithBackup()
    await add(cli, 10, 'two')
    await prepare(cli)
    // Moves its log into the file.
    ;(await openSqlite(join(cli.home, 'workspace.db'))).close()
    const list = () =>
      readdirSync(cli.home)
        .filter((name) => !/-(wal|shm)$|\.lock$/.test(name))
        .sort()
    const [before, workspace] = [list(), readFileSync(join(cli.home, 'workspace.db'))]
    const refused = await cli.run('restore', 'copy.tar.gz', '--yes')
    expect(refused).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(message) })
    expect(list()).toEqual(before)
    expect(readFileSync(join(cli.home, 'workspace.db')).equals(workspace)).toBe(true)
  })
})

/** Adds the client state of an account to the files of a backup; returns its path. */
async function addState(directory: string): Promise<string> {
  const name = 'profiles/acme/state.db'
  ;(await openClientState(join(directory, name))).close()
  writeFileSync(join(directory, 'SHA256SUMS'), `${' '.repeat(66)}${name}\n`, { flag: 'a' })
  return join(directory, name)
}

test('tt restore runs no trigger of a backup', async () => {
  const cli = await createCliWithBackup()
  await rewrite(cli, async (directory) => {
    await runSql(
      await addState(directory),
      `INSERT INTO attempt VALUES (1, 'entry', '1', 'update', '{}', 0, NULL, NULL);
       CREATE TRIGGER endless BEFORE DELETE ON attempt BEGIN SELECT raise(abort, 'endless'); END`,
    )
  })
  expect(await restore(cli, 'copy.tar.gz')).toMatchObject({ entries: 1 })
})

describe('profiles', () => {
  test('of the backup return and need a new sign-in; the others stay', async () => {
    const [cli, service] = [createCliAtServiceTime(), await startService()]
    await loginWithPassword(cli, service.url, '--profile', 'acme')
    await cli.json('log')
    await cli.json('backup', 'copy.tar.gz')
    const acme = readProfiles(cli).profiles.acme
    await cli.run('logout')
    await loginWithPassword(cli, service.url, '--profile', 'other')
    await restore(cli, 'copy.tar.gz')
    expect(readProfiles(cli)).toMatchObject({
      current: 'acme',
      profiles: { acme, other: { base_url: service.url } },
    })
    const signedOut = await cli.run('whoami')
    expect(signedOut).toMatchObject({ stderr: expect.stringContaining('tt login') })
    expect((await cli.run('log', '--profile', 'other')).status).toBe(0)
    await loginWithPassword(cli, service.url, '--profile', 'acme')
    expect(readProfiles(cli).profiles.acme?.state).toBe(acme?.state)
    expect((await cli.run('log')).status).toBe(0)
  })

  test('with the same name and another sign-in are refused, because the account may be another one', async () => {
    const [cli, service] = [createCliAtServiceTime(), await startService()]
    await loginWithPassword(cli, service.url, '--profile', 'acme')
    await cli.json('backup', 'copy.tar.gz')
    await cli.run('logout')
    await loginWithPassword(cli, service.url, '--profile', 'acme')
    const refused = await cli.run('restore', 'copy.tar.gz', '--yes')
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /another sign-in than "acme" in the backup\.\n.*`tt logout --profile acme`/,
      ),
    })
  })
})

test('tt restore that fails at any write changes nothing, or says that the next command completes it', async () => {
  const cli = await createCliWithBackup()
  await add(cli, 10, 'two')
  await cli.json('backup', 'both.tar.gz')
  const driver = await FailingDriver.install(cli.home)
  const outcomes = new Set<string>()
  let files = ['copy.tar.gz', 'both.tar.gz']
  for (let nth = 1, isHit = true; isHit; nth += outcomes.has('incomplete') ? 1 : 3) {
    const [file = ''] = files
    const before = await notes(cli)
    driver.setFault({ nth, when: 'before', isLasting: true, error: 'ENOSPC' })
    const { status, stderr } = await cli.run('restore', file, '--yes')
    isHit = driver.isHit
    driver.setFault()
    const isIncomplete = stderr.includes('is not complete yet')
    const expected = file === 'copy.tar.gz' ? ['one'] : ['one', 'two']
    const after = await notes(cli)
    if (status === 0 || isIncomplete) expect({ nth, stderr, after }).toEqual({ nth, stderr, after: expected })
    else expect({ nth, stderr, after }).toEqual({ nth, stderr, after: before })
    if (isIncomplete) {
      expect(stderr).toContain('The next command completes the restore.')
      expect(stderr).not.toMatch(/Nothing was|unchanged/)
    }
    outcomes.add(status === 0 ? 'complete' : isIncomplete ? 'incomplete' : 'unchanged')
    if (after.length === expected.length) files = files.reverse()
  }
  expect([...outcomes].sort()).toEqual(['complete', 'incomplete', 'unchanged'])
})
