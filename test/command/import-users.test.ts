// @module-tag slow

import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifyPassword } from '../../src/service/accounts/passwords.js'
import { hashToken } from '../../src/service/accounts/tokens.js'
import { sql } from '../../src/service/storage/sql.js'
import { openStorage } from '../../src/service/storage/storage.js'
import { listenOnFreePort } from '../support/ports.js'
import { execute, findPostgresPrograms } from '../support/postgres.js'
import { preparedTeam } from '../support/prepared-team.js'
import type { TestCli } from '../support/test-cli.js'

type Row = Record<string, unknown>

const { sqliteTeam, postgresTeam, allTeams } = preparedTeam('2024-05-03T18:00:00', async (cli) => {
  for (const project of ['Acme/Website', 'Acme/Shop', 'Internal'])
    await cli.json('admin', 'projects', 'add', project)
  await cli.json('admin', 'user', 'add', 'ada@example.com', '--name', 'Ada', '--without-token')
})

function importFile(cli: TestCli, content: string | Buffer, ...options: string[]) {
  const path = join(cli.home, 'users.csv')
  writeFileSync(path, content)
  return cli.run('admin', 'import-users', path, ...options)
}

/** Returns the paths of the files with secrets, and the options that write them. */
function secretFiles({ home }: TestCli) {
  const [passwords, tokens] = [join(home, 'passwords.csv'), join(home, 'tokens.csv')]
  return { passwords, tokens, options: ['--passwords', passwords, '--tokens', tokens] }
}

/**
 * Starts a proxy before PostgreSQL and returns its URL. It delivers the first commit for which `isDue`, but not the response,
 * and then either accepts further connections or ends them.
 */
async function startCommitFault(url: string, isDue: () => boolean, isReachable: boolean): Promise<string> {
  const target = new URL(url)
  const { hostname, port } = target
  let isDone = false
  const server = createServer((client) => {
    if (isDone && !isReachable) return client.destroy()
    const database = connect(Number(port), hostname)
    for (const socket of [client, database]) socket.on('error', () => {})
    let isLost = false
    client.on('data', (data) => {
      if (!isDone && isDue() && data.includes('commit')) isDone = isLost = true
      database.write(data)
    })
    database.on('data', (data) => (isLost ? client.destroy() : client.write(data)))
    client.on('close', () => database.end())
    database.on('close', () => client.destroy())
  })
  onTestFinished(() => void server.close())
  target.host = `127.0.0.1:${await listenOnFreePort(server)}`
  return target.href
}

const users = (cli: TestCli) => cli.json<Row[]>('admin', 'user', 'list')
const assignments = async (cli: TestCli) =>
  (await cli.json<Row[]>('admin', 'assignments')).map(
    ({ user, client, project, starts_on, ends_on }) => `${user} ${client}/${project} ${starts_on} ${ends_on}`,
  )
const auditRecords = async (cli: TestCli) => (await cli.json<Row[]>('admin', 'audit')).length

describe.each(allTeams)('admin import-users over %s', (_, createCli) => {
  const file = [
    'E-Mail,Full Name,Projects,From',
    'BOB@example.com,"Meyer, Bob",acme/web;Internal,2024-06-01',
    'eve@example.org,Eve,,',
    'ada@example.com,Other,Internal,',
    '',
  ].join('\n')

  test('adds users and assignments, and changes nothing when repeated', async () => {
    const cli = await createCli()
    const imported = await importFile(cli, file, '--json')
    expect(imported.json()).toEqual([
      {
        ...{ line: 2, email: 'bob@example.com', name: 'Meyer, Bob', status: 'added' },
        projects: ['Acme/Website', 'Internal'],
      },
      { line: 3, email: 'eve@example.org', name: 'Eve', status: 'added', projects: [] },
      { line: 4, email: 'ada@example.com', name: 'Other', status: 'assigned', projects: ['Internal'] },
    ])
    expect(await users(cli)).toMatchObject([
      { email: 'ada@example.com', name: 'Ada' },
      { email: 'bob@example.com', name: 'Meyer, Bob', active: true },
      { email: 'eve@example.org', name: 'Eve' },
    ])
    const assigned = [
      'ada@example.com null/Internal null null',
      'bob@example.com null/Internal 2024-06-01 null',
      'bob@example.com Acme/Website 2024-06-01 null',
    ]
    expect(await assignments(cli)).toEqual(assigned)
    const [before, records] = [await users(cli), await auditRecords(cli)]
    const repeated = await importFile(cli, file)
    expect(repeated.stderr).toContain('Added 0 users and 0 assignments. 3 users existed already.')
    expect([await users(cli), await assignments(cli), await auditRecords(cli)]).toEqual([
      ...[before, assigned, records],
    ])
  })

  test('adds no user and names every line that cannot be imported', async () => {
    const cli = await createCli()
    const rejected = await importFile(
      cli,
      [
        'name,email,projects,until,password',
        'Bob,bob@example.com,Nonesuch,,',
        'Eve,eve,,,',
        ',,,,',
        'Bob,Bob@Example.com,Internal,01.06.2024,',
        'Dan,dan@example.com,,,short',
        'Fay,fay@example.com,Internal,,,extra',
        'Gil,gil@example.com,,2024-06-01,',
        '"a\nb",han@example.com,,,',
        'Ian,ian@example.com,,,',
      ].join('\n'),
    )
    expect(rejected).toMatchObject({ status: 2, stdout: '' })
    const lines = rejected.stderr.split('\n').map((line) => line.trim())
    for (const line of [
      /users.csv:2: There is no project "Nonesuch"/,
      /users.csv:3: "eve" is not an email address/,
      /users.csv:4: The email address is missing/,
      /users.csv:5: bob@example.com is also on line 2/,
      /users.csv:5: "01.06.2024" is not a date/,
      /users.csv:6: A password must have 10 to/,
      /users.csv:7: The line has more fields than the header/,
      /users.csv:8: From and Until need a project/,
      /users.csv:9: The name of a user cannot contain control characters/,
      /8 lines cannot be imported\. Nothing was changed/,
    ])
      expect(lines).toContainEqual(expect.stringMatching(line))
    expect(rejected.stderr).not.toContain(':11:')
    expect(await users(cli)).toHaveLength(1)
  })

  test('writes generated passwords and tokens only to private files', async () => {
    const cli = await createCli()
    const { passwords, tokens, options } = secretFiles(cli)
    const content =
      'email;password\neve@example.org;a long enough secret\nbob@example.com;\nada@example.com;\n'
    const imported = await importFile(cli, content, ...options, '--json')
    expect(imported).toMatchObject({ status: 0 })
    for (const path of [passwords, tokens]) expect(statSync(path).mode & 0o777).toBe(0o600)
    const [header, line, ...rest] = readFileSync(passwords, 'utf8').trim().split('\n')
    expect([header, rest]).toEqual(['email,password', []])
    const [address, password = ''] = (line ?? '').split(',')
    expect(address).toBe('bob@example.com')
    expect(password).toMatch(/^(\w{5}-){3}\w{5}$/)
    const tokenLines = readFileSync(tokens, 'utf8').trim().split('\n')
    expect(tokenLines).toEqual(['email,token', expect.stringMatching(/^eve/), expect.stringMatching(/^bob/)])
    for (const text of [
      password,
      'a long enough secret',
      ...tokenLines.slice(1).map((row) => row.split(',')[1]),
    ])
      expect(imported.stdout + imported.stderr).not.toContain(text)
    const storage = await openStorage(cli.env.TT_DATABASE ?? '')
    const rows = await storage.queries.all<{ email: string; password: string | null }>(
      sql`select email, password from users order by id`,
    )
    await storage.close()
    expect(rows.map(({ email }) => email)).toEqual(['ada@example.com', 'eve@example.org', 'bob@example.com'])
    expect(rows[0]?.password).toBeNull()
    expect(await verifyPassword('a long enough secret', rows[1]?.password ?? null)).toBe(true)
    expect(await verifyPassword(password, rows[2]?.password ?? null)).toBe(true)
    expect(await cli.json<Row[]>('admin', 'token', 'list')).toHaveLength(2)
    expect(await importFile(cli, content, '--passwords', passwords)).toMatchObject({ status: 2 })
    const log = JSON.stringify(await cli.json('admin', 'audit'))
    for (const text of [password, 'a long enough secret']) expect(log).not.toContain(text)
  })
})

describe('admin import-users', () => {
  test('prints what it would do with --dry-run, and changes nothing', async () => {
    const cli = await sqliteTeam()
    const records = await auditRecords(cli)
    const content = 'email,projects\nbob@example.com,Internal\n'
    const preview = await importFile(cli, content, '--dry-run', '--passwords', join(cli.home, 'new.csv'))
    expect(preview).toMatchObject({
      ...{ status: 0, stderr: 'Would add 1 user and 1 assignment. 0 users existed already.\n' },
      stdout: '2\tbob@example.com\tbob\tadded\t["Internal"]\n',
    })
    expect(await users(cli)).toHaveLength(1)
    expect([await auditRecords(cli), existsSync(join(cli.home, 'new.csv'))]).toEqual([records, false])
  })

  test('prints secrets only with - as their file', async () => {
    const cli = await sqliteTeam()
    const imported = await importFile(cli, 'email\nbob@example.com\n', '--passwords', '-', '--json')
    expect(imported.json()).toMatchObject([{ email: 'bob@example.com', password: expect.any(String) }])
  })

  test('quotes email addresses with commas or quotation marks in the files with secrets', async () => {
    const cli = await sqliteTeam()
    const content = 'email\n"a,b@example.com"\n"o""q@example.com"\n'
    const { passwords, tokens, options } = secretFiles(cli)
    expect(await importFile(cli, content, ...options)).toMatchObject({ status: 0 })
    for (const path of [passwords, tokens]) {
      expect(readFileSync(path, 'utf8')).toMatch(
        /^email,\w+\n"a,b@example\.com",[\w-]+\n"o""q@example\.com",[\w-]+\n$/,
      )
    }
  })

  test.each(['--passwords', '--tokens'])(
    'requires the directory of %s before it adds users',
    async (option) => {
      const cli = await sqliteTeam()
      const failed = await importFile(cli, 'email\nbob@example.com\n', option, 'missing/deep/secrets.csv')
      expect([failed.status, failed.stderr]).toEqual([2, expect.stringContaining('is not a directory')])
      expect(await users(cli)).toHaveLength(1)
    },
  )

  test('adds no user when --passwords and --tokens are the same file by a link', async () => {
    const cli = await sqliteTeam()
    symlinkSync(cli.home, join(cli.home, 'link'))
    const [passwords, tokens] = [join(cli.home, 'new.csv'), join(cli.home, 'link', 'new.csv')]
    const content = 'email\nbob@example.com\n'
    const failed = await importFile(cli, content, '--passwords', passwords, '--tokens', tokens)
    expect(failed).toMatchObject({ status: 2, stderr: expect.stringContaining(`${tokens} exists.`) })
    expect([await users(cli), existsSync(passwords)]).toEqual([[expect.anything()], false])
  })

  test('leaves no file with passwords when the users cannot be added', async () => {
    const cli = await sqliteTeam()
    const storage = await openStorage(cli.env.TT_DATABASE ?? '')
    await storage.queries.all(
      sql`create trigger fail before insert on audit_log begin select raise(abort, 'no'); end`,
    )
    await storage.close()
    const passwords = join(cli.home, 'passwords.csv')
    const failed = await importFile(cli, 'email\nbob@example.com\n', '--passwords', passwords)
    expect([failed.status, existsSync(passwords)]).toEqual([1, false])
    expect(await users(cli)).toHaveLength(1)
  })

  test.runIf(findPostgresPrograms()).each([
    ['is read again after its response was lost', true],
    ['is unknown when the database is unreachable', false],
  ])('the outcome of the commit %s', async (_, isReachable) => {
    const cli = await postgresTeam()
    const { TT_DATABASE: direct = '' } = cli.env
    const { passwords, tokens, options } = secretFiles(cli)
    const proxy = await startCommitFault(direct, () => existsSync(passwords), isReachable)
    cli.env.TT_DATABASE = proxy
    const imported = await importFile(cli, 'email\nbob@example.com\n', ...options)
    cli.env.TT_DATABASE = direct
    expect(await users(cli)).toHaveLength(2)
    const [, line = ''] = readFileSync(passwords, 'utf8').split('\n')
    const storage = await openStorage(direct)
    onTestFinished(() => storage.close())
    const [bob] = await storage.queries.all<{ password: string }>(
      sql`select password from users where email = 'bob@example.com'`,
    )
    expect(await verifyPassword(line.replace('bob@example.com,', ''), bob?.password ?? null)).toBe(true)
    if (isReachable)
      return expect(imported).toMatchObject({ status: 0, stderr: expect.stringContaining('Added 1 user') })
    expect(imported.status).not.toBe(0)
    expect(imported.stderr).toContain('It is unknown whether the users were added')
    expect(imported.stderr).toContain(`${passwords} and ${tokens} may have their passwords`)
  })

  test.runIf(findPostgresPrograms())(
    'repeats an import whose connection is lost before the commit',
    async () => {
      const cli = await postgresTeam()
      // A sequence is not rolled back.
      await execute(
        cli.env.TT_DATABASE ?? '',
        `create sequence attempts;
       create function end_first_connection() returns trigger language plpgsql as $$ begin
         if nextval('attempts') = 1 then perform pg_terminate_backend(pg_backend_pid()); end if;
         return new;
       end $$;
       create trigger fail before insert on audit_log for each row execute function end_first_connection()`,
      )
      const tokens = join(cli.home, 'tokens.csv')
      const imported = await importFile(cli, 'email\nbob@example.com\n', '--tokens', tokens)
      expect(imported).toMatchObject({ status: 0, stderr: expect.stringContaining('Added 1 user') })
      const [, line = ''] = readFileSync(tokens, 'utf8').split('\n')
      const storage = await openStorage(cli.env.TT_DATABASE ?? '')
      onTestFinished(() => storage.close())
      expect(await storage.queries.all(sql`select hash from tokens order by id desc limit 1`)).toEqual([
        { hash: hashToken(line.replace('bob@example.com,', '')) },
      ])
    },
  )

  test.each<[string, string | Buffer]>([
    [
      'a byte order mark, semicolons and CRLF',
      '\ufeffName;EMAIL;Projects\r\n"Bob";Bob@Example.COM;"Internal;Acme/Shop"\r\n',
    ],
    [
      'UTF-16',
      Buffer.from(
        '\ufeffemail\tname\tprojects\r\nbob@example.com\tBob\t"Internal\nAcme/Shop"\r\n',
        'utf16le',
      ),
    ],
    ['a formula guard', "email,first name,LAST_NAME,projects\nbob@example.com,'=Bob,,Internal;Shop\n"],
    ['standard input', 'e-mail address,display name,assignments\n bob@example.com , Bob ,Internal; Shop;\n'],
  ])('reads a file with %s', async (source, content) => {
    const cli = await sqliteTeam()
    const imported =
      source === 'standard input'
        ? await cli.runWithInput(content, 'admin', 'import-users', '-', '--json')
        : await importFile(cli, content, '--json')
    expect(imported).toMatchObject({ status: 0, stderr: '' })
    expect(imported.json()).toMatchObject([
      {
        email: 'bob@example.com',
        name: expect.stringMatching(/^=?Bob$/),
        projects: ['Internal', 'Acme/Shop'],
      },
    ])
  })

  test('never assigns a user again whose assignment has ended', async () => {
    const cli = await sqliteTeam()
    const content = 'email,projects\nada@example.com,Internal\n'
    await importFile(cli, content)
    await cli.json('admin', 'unassign', 'ada@example.com', 'Internal', '--until', '2024-05-02')
    const before = await assignments(cli)
    await importFile(cli, content)
    expect(await assignments(cli)).toEqual(before)
  })

  test.each([
    ['name,projects\nBob,Internal\n', 'No column has email addresses'],
    ['email,mail\na@b.c,a@b.c\n', 'The columns "email" and "mail" mean the same'],
    ['', 'export the file again'],
  ])('rejects the header of %j', async (content, message) => {
    const rejected = await importFile(await sqliteTeam(), content)
    expect(rejected).toMatchObject({ status: 2, stderr: expect.stringContaining(message) })
  })

  test('warns of columns that it ignores', async () => {
    const imported = await importFile(await sqliteTeam(), 'email,Department\nbob@example.com,Sales\n')
    expect(imported.status).toBe(0)
    expect(imported.stderr).toContain('Ignored columns: Department.')
  })
})
