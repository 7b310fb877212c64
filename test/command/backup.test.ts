import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { writeArchive } from '../../src/backup/archive/archive.js'
import type { BackupRecord } from '../../src/commands/views/backup.js'
import { clientStatePath, pathsFor } from '../../src/config/paths.js'
import { extractBackup } from '../support/backup-content.js'
import { readRows } from '../support/database-files.js'
import { findLeaks } from '../support/leaks.js'
import { preparedCli } from '../support/prepared-cli.js'
import { rejection } from '../support/rejection.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import {
  createCliAtServiceTime,
  email,
  loginWithOAuth,
  loginWithPassword,
  password,
  readCredentials,
  readProfiles,
  startService,
} from './login-fixtures.js'

const backup = (cli: TestCli, ...argv: string[]) => cli.json<BackupRecord>('backup', ...argv)

/** Creates a `TestCli` with two entries on two days, an expense, and a setting. */
const createCliWithData = preparedCli('2024-05-03T18:00:00', async (cli) => {
  await cli.json('add', 'Website/Design', '--from', '9:00', '--for', '1h', '-n', 'Logo')
  await cli.json('add', 'Website/Design', '--from', 'yesterday 9:00', '--for', '2h')
  await cli.json('admin', 'expense-types', 'add', 'Travel')
  await cli.json('expenses', 'add', '12.50', '--type', 'Travel')
  await cli.run('config', 'set', 'week_start', 'sunday')
})

describe('tt backup', () => {
  test('saves workspace, state and settings in one private file that tar and sha256sum can check', async () => {
    const cli = await createCliWithData()
    const before = readdirSync(cli.home)
    const saved = await backup(cli, 'copy.tar.gz')
    expect(statSync(join(cli.home, 'copy.tar.gz')).mode & 0o777).toBe(0o600)
    const added = readdirSync(cli.home).filter((name) => !before.includes(name))
    // The second one has the path of the first, for errors of damaged databases.
    expect(added.filter((name) => !name.startsWith('backup.lock'))).toEqual(['copy.tar.gz', 'last-backup'])
    expect(saved).toMatchObject({
      file: join(cli.home, 'copy.tar.gz'),
      bytes: statSync(join(cli.home, 'copy.tar.gz')).size,
      created_at: new Date('2024-05-03T18:00:00').toISOString(),
      entries: 2,
      days: 2,
      first_day: '2024-05-02',
      last_day: '2024-05-03',
      expenses: 1,
      pending: 0,
      settings: true,
      aliases: false,
      profiles: [{ profile: 'local', state: 'local', pending: 0 }],
    })
    const directory = extractBackup(join(cli.home, 'copy.tar.gz'))
    expect(execFileSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: directory, encoding: 'utf8' })).toBe(
      'manifest.json: OK\nconfig.json: OK\nworkspace.db: OK\n',
    )
    expect(JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'))).toMatchObject({
      format: 'tt-backup',
      version: 1,
      records: { entries: 2, expenses: 1, pending: 0 },
    })
    expect(readFileSync(join(directory, 'config.json'), 'utf8')).toContain('"week_start": "sunday"')
    expect(
      await readRows(join(directory, 'workspace.db'), 'SELECT notes FROM time_entries ORDER BY id'),
    ).toEqual([{ notes: 'Logo' }, { notes: null }])
    const history = await readRows(join(directory, 'workspace.db'), 'SELECT what FROM history')
    expect(history).toHaveLength(3)
  })

  test('prints the contents, and the file in a pipe', async () => {
    const cli = await createCliWithData()
    const piped = await cli.run('backup')
    const name = 'tt-backup-2024-05-03-180000.tar.gz'
    expect(piped).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`${join(cli.home, name)}\t`),
      stderr: `Saved ${join(cli.home, name)}: 2 entries on 2 days (2024-05-02 to 2024-05-03), 1 expense, settings.\n`,
    })
    mkdirSync(join(cli.home, 'backups'))
    const shown = await cli.runInTerminal(80, 'backup', 'backups')
    expect(shown).toMatchObject({ status: 0, stdout: '' })
    expect(readdirSync(join(cli.home, 'backups'))).toEqual([name])
  })

  test('is refused by tt restore with another number of records in its manifest', {
    tags: 'slow',
  }, async () => {
    const cli = await createCliWithData()
    await backup(cli, 'copy.tar.gz')
    const directory = extractBackup(join(cli.home, 'copy.tar.gz'))
    const text = readFileSync(join(directory, 'manifest.json'), 'utf8')
    for (const name of ['entries', 'expenses', 'pending']) {
      const manifest = JSON.parse(text)
      manifest.records[name] += 1
      const names = ['config.json', 'workspace.db']
      await writeArchive(join(cli.home, `${name}.tar.gz`), { directory, names, manifest })
      expect(await cli.run('restore', `${name}.tar.gz`, '--yes'), name).toMatchObject(
        rejection(1, 'is damaged or incomplete'),
      )
    }
  })

  test('replaces the target of a symbolic link, not the link', async () => {
    const cli = await createCliWithData()
    const [target, link] = [join(cli.home, 'target'), join(cli.home, 'link')]
    symlinkSync('target', link)
    expect(await cli.run('backup', link)).toMatchObject({ status: 2 })
    writeFileSync(target, 'previous')
    expect(await cli.run('backup', link, '--yes')).toMatchObject({ status: 0 })
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(target).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]))
  })

  test('removes the files of a backup that was killed', async () => {
    const cli = await createCliWithData()
    mkdirSync(join(cli.home, 'backup.work'))
    writeFileSync(join(cli.home, 'backup.work', 'workspace.db'), '')
    await backup(cli, 'copy.tar.gz')
    expect(existsSync(join(cli.home, 'backup.work'))).toBe(false)
  })

  test('saves the aliases, in a version that earlier ones cannot read, and tt restore puts them back', {
    tags: 'slow',
  }, async () => {
    const cli = await createCliWithData()
    await cli.run('backup', 'old.tar.gz')
    await cli.run('alias', 'set', 'standup', 'log yesterday')
    const path = join(cli.home, 'aliases.json')
    const saved = readFileSync(path, 'utf8')
    expect((await cli.run('backup', 'copy.tar.gz')).stderr).toContain('settings, aliases.')
    const versionOf = (name: string) =>
      JSON.parse(execFileSync('tar', ['-xzOf', join(cli.home, name), 'manifest.json'], { encoding: 'utf8' }))
        .version
    expect(['old.tar.gz', 'copy.tar.gz'].map(versionOf)).toEqual([1, 2])
    await cli.run('alias', 'set', 'now', 'status')
    const changed = readFileSync(path, 'utf8')
    const restored = await cli.run('restore', 'copy.tar.gz', '--yes')
    expect([restored.status, readFileSync(path, 'utf8')]).toEqual([0, saved])
    const [before] = readdirSync(cli.home).filter((name) => name.startsWith('before-restore-'))
    await cli.run('restore', before ?? '', '--yes')
    expect(readFileSync(path, 'utf8')).toBe(changed)
    expect((await cli.run('restore', 'old.tar.gz', '--yes')).status).toBe(0)
    expect(readFileSync(path, 'utf8')).toBe(changed)
  })

  test('saves an empty home', async () => {
    const cli = createTestCli()
    const saved = await cli.run('backup', 'empty.tar.gz')
    expect(saved).toMatchObject({ status: 0, stderr: expect.stringContaining('empty.tar.gz: no data.') })
  })
})

describe('a backup contains', () => {
  test('pending changes of every profile, with their Idempotency-Keys', { tags: 'slow' }, async () => {
    const [cli, service] = [createCliAtServiceTime(), await startService()]
    await loginWithPassword(cli, service.url, '--profile', 'acme')
    await cli.json('log')
    await cli.json('tasks')
    await service.close()
    await cli.json('add', 'Website/Design', '--from', '9:00', '--for', '1h')
    const state = readProfiles(cli).profiles.acme?.state ?? ''
    const queued = await readRows(clientStatePath(pathsFor(cli.env), state), 'SELECT key, fields FROM outbox')
    expect(queued).toHaveLength(1)
    const saved = await backup(cli, 'copy.tar.gz', '--profile', 'local')
    expect(saved.profiles).toEqual([{ profile: 'acme', state, pending: 1 }])
    const copy = join(extractBackup(join(cli.home, 'copy.tar.gz')), 'profiles', state, 'state.db')
    expect(await readRows(copy, 'SELECT key, fields FROM outbox')).toEqual(queued)
  })

  test('no password, token, key or client secret, and no hash of one', { tags: 'slow' }, async () => {
    const [cli, service] = [createCliAtServiceTime(), await startService()]
    await loginWithPassword(cli, service.url, '--profile', 'by-key')
    await loginWithOAuth(cli, service)
    await cli.json('log')
    await cli.json('add', 'Website/Design', '--from', '9:00', '--for', '1h', '--profile', 'local')
    await cli.runWithInput(`${password}\n`, 'admin', 'user', 'add', email, '--password-stdin')
    const { token = '' } = await cli.json<{ token?: string }>('admin', 'user', 'token', email)
    const add = ['admin', 'app', 'add', 'x', '--redirect-uri', 'http://127.0.0.1/']
    const app = await cli.json<Record<string, string>>(...add)
    const workspace = join(cli.home, 'workspace.db')
    const passwords = await readRows(workspace, 'SELECT password FROM users WHERE password IS NOT NULL')
    const tokens = 'SELECT hash FROM tokens UNION ALL SELECT secret_hash FROM applications'
    const hashes = await readRows(workspace, tokens)
    expect([passwords.length, hashes.length]).toEqual([1, 2])
    const stored = ['acme', 'by-key'].map((name) => readCredentials(cli, name))
    const secrets = [{ password, token, secret: app.client_secret }, ...passwords, ...hashes, ...stored]
      .flatMap((values) => Object.values(values))
      .filter((value) => typeof value === 'string')
      .filter((value) => value.length > 9 && !/^http|^\d{4}-|^oauth|^service:/.test(value))
    expect(secrets.length).toBeGreaterThanOrEqual(9)
    const saved = await cli.run('backup', 'copy.tar.gz')
    expect(saved.stderr).toContain('Not included: passwords, tokens and applications of the local workspace.')
    const bytes = gunzipSync(readFileSync(join(cli.home, 'copy.tar.gz')))
    expect(findLeaks(bytes, new Map(secrets.map((secret) => [secret, secret])))).toEqual([])
    // The workspace itself is unchanged.
    expect(await readRows(workspace, 'SELECT password FROM users WHERE password IS NOT NULL')).toEqual(
      passwords,
    )
    expect(bytes.includes(email)).toBe(true)
  })

  test('the workspace behind a symbolic link, unless its target is missing', async () => {
    const cli = await createCliWithData()
    const elsewhere = join(cli.home, 'disk.db')
    for (const end of ['', '-wal'])
      execFileSync('mv', [join(cli.home, `workspace.db${end}`), `${elsewhere}${end}`])
    symlinkSync(elsewhere, join(cli.home, 'workspace.db'))
    expect(await backup(cli, 'copy.tar.gz')).toMatchObject({ entries: 2 })
    rmSync(elsewhere)
    const refused = await cli.run('backup', 'other.tar.gz')
    expect(refused).toMatchObject(rejection(1, 'symbolic link'))
  })
})

describe('tt backup refuses', () => {
  test('to replace a file without a confirmation, also tt admin backup', async () => {
    const cli = await createCliWithData()
    for (const command of [['admin', 'backup'], ['backup']]) {
      writeFileSync(join(cli.home, 'copy.tar.gz'), 'earlier')
      expect(await cli.run(...command, 'copy.tar.gz')).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(
          /Confirmation required: Replace .*copy\.tar\.gz\..*\nAdd --yes to confirm\./,
        ),
      })
      expect(readFileSync(join(cli.home, 'copy.tar.gz'), 'utf8')).toBe('earlier')
      expect((await cli.run(...command, 'copy.tar.gz', '--yes')).status).toBe(0)
    }
    expect(extractBackup(join(cli.home, 'copy.tar.gz'))).toBeDefined()
  })

  test('a missing directory, and accepts an existing one, also tt admin backup', async () => {
    const cli = await createCliWithData()
    mkdirSync(join(cli.home, 'copies'))
    for (const [command, name] of [
      [['backup'], 'tt-backup-'],
      [['admin', 'backup'], 'workspace-backup-'],
    ] as const) {
      expect(await cli.run(...command, 'missing/dir/x')).toMatchObject({
        status: 1,
        stderr: `error: The directory ${join(cli.home, 'missing/dir')} does not exist.\nCreate it first, or use another path.\n`,
      })
      expect((await cli.run(...command, 'config.json/x')).stderr).toContain('config.json is not a directory.')
      expect((await cli.run(...command, 'config.json/x/y')).stderr).toContain('config.json/x does not exist.')
      for (const directory of ['missing/', 'copies/missing/', 'config.json/'])
        expect(await cli.run(...command, directory)).toMatchObject({
          status: 1,
          stderr: expect.stringMatching(/does not exist|is not a directory/),
        })
      expect(readdirSync(cli.home)).not.toContain('missing')
      const { file } = await cli.json(...command, 'copies/')
      expect(file).toContain(`copies/${name}`)
    }
  })

  test('standard output and a pipe as a file', async () => {
    const cli = await createCliWithData()
    execFileSync('mkfifo', [join(cli.home, 'pipe')])
    for (const [file, message] of [
      ['-', 'A backup cannot be written to standard output.'],
      ['pipe', 'is not a regular file.'],
    ] as const)
      expect(await cli.run('backup', file)).toMatchObject(rejection(2, message))
  })

  test('a damaged database, and leaves no file', async () => {
    const cli = await createCliWithData()
    const path = join(cli.home, 'workspace.db')
    const bytes = readFileSync(path)
    bytes.fill(0xa5, 4096, bytes.length)
    writeFileSync(path, bytes)
    const refused = await cli.run('backup', 'copy.tar.gz')
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(/workspace\.db is damaged/) })
    expect(readdirSync(cli.home).filter((name) => /copy|^backup\.work/.test(name))).toEqual([])
  })

  test('a workspace that is missing although it had entries', async () => {
    const cli = await createCliWithData()
    rmSync(join(cli.home, 'workspace.db'))
    expect(await cli.run('backup', 'copy.tar.gz')).toMatchObject(
      rejection(1, 'is missing, but it had entries'),
    )
    expect(existsSync(join(cli.home, 'copy.tar.gz'))).toBe(false)
  })

  test.each([
    ['config.json', 'settings file'],
    ['aliases.json', 'alias file'],
    ['profiles.json', 'profiles file'],
  ])('%s that is not JSON', async (name, text) => {
    const cli = await createCliWithData()
    writeFileSync(join(cli.home, name), 'no JSON')
    const refused = await cli.run('backup', 'copy.tar.gz', '--profile', 'local')
    expect(refused).toMatchObject({ status: expect.any(Number), stderr: expect.stringContaining(text) })
    expect([refused.status > 0, existsSync(join(cli.home, 'copy.tar.gz'))]).toEqual([true, false])
  })
})
