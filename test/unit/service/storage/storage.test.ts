import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqlite } from '../../../../src/lib/sqlite/open.js'
import { companyOf, ensureCompany } from '../../../../src/service/admin/administration.js'
import { createDisk } from '../../../../src/service/storage/disk.js'
import { migrations } from '../../../../src/service/storage/migrations/migrations.js'
import {
  createPostgresQueries,
  createPostgresStorage,
} from '../../../../src/service/storage/postgres/pool.js'
import type { Queries } from '../../../../src/service/storage/queries.js'
import { schemaVersion } from '../../../../src/service/storage/schema.js'
import { insertInto, sql } from '../../../../src/service/storage/sql.js'
import { createSqliteQueries } from '../../../../src/service/storage/sqlite.js'
import { openStorage, type Storage } from '../../../../src/service/storage/storage.js'
import { temporaryDirectory } from '../../../support/process.js'
import { type EmptyPostgres, emptyPostgres, usesPostgres } from '../fixtures.js'

let directory: string
let path: string
beforeEach(() => {
  directory = temporaryDirectory()
  path = join(directory, 'service.sqlite')
})

const company = { name: 'Acme', currency: 'EUR', time_zone: 'UTC' }

it('migrates once when two callers open the same new file', async () => {
  const both = await Promise.all([openStorage(`sqlite:${path}`), openStorage(`sqlite:${path}`)])
  await Promise.all(both.map((storage, index) => ensureCompany(storage, { ...company, name: `C${index}` })))
  const [one, two] = await Promise.all(both.map(companyOf))
  expect(one).toEqual(two)
  for (const storage of both) await storage.close()
})

it('migrates once when several processes open the same new file', { tags: 'slow' }, async () => {
  const program = join(directory, 'open.mjs')
  const from = (file: string) => JSON.stringify(join(import.meta.dirname, '../../../../src/service', file))
  const contents = `
    import { openStorage } from ${from('storage/storage.ts')}
    import { companyOf, ensureCompany } from ${from('admin/administration.ts')}
    const storage = await openStorage('sqlite:' + process.argv[2])
    await ensureCompany(storage, ${JSON.stringify(company)})
    console.log((await companyOf(storage)).name)
    await storage.close()`
  const require = `import { createRequire as requireFrom } from 'node:module'
    const require = requireFrom(${JSON.stringify(`${process.cwd()}/`)})`
  await build({
    ...{ stdin: { contents, resolveDir: process.cwd() }, outfile: program, banner: { js: require } },
    ...{ bundle: true, format: 'esm', platform: 'node', external: ['pg', '@date-fns/tz'] },
  })
  const env = { ...process.env, NODE_PATH: join(process.cwd(), 'node_modules') }
  const run = () => promisify(execFile)(process.execPath, [program, path], { env })
  const outputs = await Promise.all([run(), run(), run(), run()])
  expect(outputs.map(({ stdout }) => stdout)).toEqual(['Acme\n', 'Acme\n', 'Acme\n', 'Acme\n'])
})

/** Creates a database of an older version with one user and one expense. The caller writes the version. */
async function createOlder(queries: Queries, version: number): Promise<void> {
  for (const migration of migrations.slice(0, version)) await migration(queries)
  const user = { email: 'a@example.org', name: 'A', active: 1, created_at: 1, password: null }
  const [added] = await queries.all<{ id: number }>(sql`${insertInto('users', user)} returning id`)
  const expense = { spent_on: '2024-05-08', amount: '12.50', amount_units: 125_000, currency: 'EUR' }
  const text = { notes: 'Taxi', external_id: 'R-1', created_at: 1, updated_at: 1 }
  await queries.all(insertInto('expenses', { ...expense, ...text, user_id: added?.id }))
}

/** Checks the records of such a database after its migration. Returns the versions of the expense, which it changes. */
async function expectCurrent({ queries }: Storage): Promise<number[]> {
  const readVersion = async () =>
    (await queries.all<{ version: number }>(sql`select * from expenses`))[0]?.version ?? 0
  expect(await queries.all(sql`select * from expenses`)).toMatchObject([
    { amount: '12.50', notes: 'Taxi', external_id: 'R-1', idempotency_key: null },
  ])
  expect(await queries.all(sql`select * from time_entries`)).toEqual([])
  const version = await readVersion()
  expect(version).toBeGreaterThan(0)
  await queries.all(sql`update expenses set notes = 'Train'`)
  const changed = await readVersion()
  expect(changed).toBeGreaterThan(version)
  return [version, changed]
}

it('migrates a database of a version without entity tags with its records', async () => {
  const sqlite = await openSqlite(path)
  await createOlder(createSqliteQueries(sqlite), 14)
  sqlite.exec('pragma user_version = 14')
  sqlite.close()
  const copy = `${path}.copy`
  await copyFile(path, copy)
  const versions: number[] = []
  for (const location of [path, copy]) {
    const storage = await openStorage(`sqlite:${location}`)
    versions.push(...(await expectCurrent(storage)))
    await storage.close()
  }
  // A backup of the older version that is restored later gets other versions.
  expect(new Set(versions).size).toBe(4)
  // The second time there is nothing to migrate.
  await (await openStorage(`sqlite:${path}`)).close()
})

it('revokes the access of inactive users in an older database, and distinguishes its legacy keys', async () => {
  const sqlite = await openSqlite(path)
  await createOlder(createSqliteQueries(sqlite), 4)
  sqlite.exec(`
    insert into users (email, name, active, created_at) values ('b@example.org', 'B', 0, 1);
    insert into tokens (user_id, hash, scopes, name, created_at) values
      (1, 'one', '', 'tt admin', 1), (1, 'two', '', 'Script', 1), (2, 'three', '', 'Script', 1);
    insert into sessions values ('four', 1, 50000000), ('five', 2, 50000000);
    pragma user_version = 4`)
  sqlite.close()
  const { queries, close } = await openStorage(`sqlite:${path}`)
  const tokens = await queries.all(sql`select kind, revoked_at from tokens order by id`)
  expect(tokens).toEqual([
    { kind: 'admin', revoked_at: null },
    { kind: 'key', revoked_at: null },
    { kind: 'key', revoked_at: expect.any(Number) },
  ])
  const sessions = await queries.all(sql`select * from sessions`)
  expect(sessions).toMatchObject([{ hash: 'four', created_at: 50_000_000 - 12 * 3_600_000, address: null }])
  await close()
})

it('rejects a database of a newer version and leaves it unchanged', async () => {
  const newer = await openSqlite(path)
  newer.exec('create table company (id integer, motto text); pragma user_version = 99')
  newer.close()
  const before = await readFile(path)
  await expect(openStorage(`sqlite:${path}`)).rejects.toMatchObject({
    code: 'failure',
    message: `The database ${path} has schema version 99; this version of tt supports up to ${schemaVersion}.`,
    hint: expect.stringContaining('Update tt'),
  })
  expect((await readFile(path)).equals(before)).toBe(true)
})

const expectFailure = (file: string, message: string) =>
  expect(openStorage(`sqlite:${file}`)).rejects.toMatchObject({
    ...{ code: 'failure', message: expect.stringContaining(message) },
  })

it('reports a damaged file', async () => {
  await writeFile(path, 'This is not a database, but it is long enough to look like one.'.repeat(100))
  await expectFailure(path, 'damaged')
})

const root = process.getuid?.() === 0
it.skipIf(root)(
  `reports a read-only directory${root ? ' (skipped: root can write anyway)' : ''}`,
  async () => {
    const closed = join(directory, 'closed')
    await mkdir(closed, { mode: 0o500 })
    await expectFailure(join(closed, 'service.sqlite'), 'cannot be opened')
  },
)

it('has a disk that is writable for several servers that check it at the same time', async () => {
  const results = await Promise.all(Array.from({ length: 20 }, () => createDisk(path).isWritable()))
  expect(results).not.toContain(false)
  expect(await readdir(directory)).toEqual([])
})

describe.runIf(usesPostgres)('PostgreSQL', () => {
  let postgres: EmptyPostgres
  beforeEach(async () => {
    postgres = await emptyPostgres()
  })
  afterEach(() => postgres.close())

  const open = async () => createPostgresStorage(await postgres.openPool(), 'a test database')

  it('that cannot be reached is reported without its password', async () => {
    const error = await openStorage('postgres://someone:secret@127.0.0.1:1/tt').catch((reason) => reason)
    expect(error).toMatchObject({
      code: 'failure',
      message: expect.stringContaining('postgres://127.0.0.1:1/tt'),
    })
    expect(error.message).not.toContain('secret')
  })

  it('of the previous version is migrated with its records', async () => {
    const pool = await postgres.openPool()
    await createOlder(createPostgresQueries(pool), schemaVersion - 1)
    await pool.end()
    await postgres.exec(
      `create table schema_version (version integer not null); insert into schema_version values (${schemaVersion - 1})`,
    )
    const storage = await open()
    await expectCurrent(storage)
    await storage.close()
  })

  it('is migrated once, opened again, and rejected when it is newer', async () => {
    const both = await Promise.all([open(), open()])
    await ensureCompany(both[0], company)
    expect(await companyOf(both[1])).toMatchObject(company)
    for (const storage of both) await storage.close()
    await postgres.exec('update schema_version set version = 99')
    await expect(open()).rejects.toMatchObject({
      code: 'failure',
      message: expect.stringContaining('version 99'),
    })
  })
})
