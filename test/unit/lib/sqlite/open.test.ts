import { spawn } from 'node:child_process'
import { statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Sqlite } from '../../../../src/lib/sqlite/connection.js'
import { driverName } from '../../../../src/lib/sqlite/driver.js'
import { openReadOnly, openSqlite } from '../../../../src/lib/sqlite/open.js'
import { openClientState } from '../../../../src/outbox/cache/client-state.js'
import { openStorage } from '../../../../src/service/storage/storage.js'
import { bundleScript } from '../../../support/bundle-script.js'
import { temporaryDirectory, waitForExit } from '../../../support/process.js'

let directory: string
let database: Sqlite

beforeEach(async () => {
  directory = temporaryDirectory()
  database = await openSqlite(join(directory, 'deep', 'a.db'))
  database.exec('create table pair (a, b)')
})
afterEach(() => database.close())

test.each([[[null]], [['text']], [[1.5]], [[new Uint8Array([1, 2])]]])(
  'a single parameter %j is bound',
  ([value]) => {
    database.prepare('insert into pair (a) values (?)').run([value])
    expect(database.prepare('select a from pair where a is ?').all([value])).toHaveLength(1)
    const count = database.prepare('select count(*) as n from pair where a is ?')
    expect(count.withRows([value], (rows) => [...rows])).toEqual([expect.objectContaining({ n: 1 })])
  },
)

test('booleans are stored as 0 and 1', () => {
  database.prepare('insert into pair values (?, ?)').run([true, false])
  expect(database.prepare('select a, b from pair').get()).toEqual({ a: 1, b: 0 })
  expect(database.prepare('select count(*) as n from pair where a = ?').get([true])).toEqual({ n: 1 })
})

test('get returns the first row unchanged, and undefined for no row', () => {
  database.prepare('insert into pair values (?, ?)').run(['x', null])
  expect(database.prepare('select a, b from pair').get()).toEqual({ a: 'x', b: null })
  expect(database.prepare('select a from pair where a = ?').get(['y'])).toBeUndefined()
})

test.each([
  ['select a from pair', { a: 'x' }],
  ['select distinct a from pair', { a: 'x' }],
  ['select p . a , p.id as "B",\n    pair.a c\n  from pair as p, pair', { a: 'x', B: 1, c: 'x' }],
  ['select * from pair', { id: 1, a: 'x', b: 0.1 + 0.2 }],
  ['select upper(a) as a, b * 1 as b from pair', { a: 'X', b: 0.1 + 0.2 }],
  ['select outer.b from (select b from pair) as outer', { b: 0.1 + 0.2 }],
  ["select j from (select json_object('a', a) as j from pair)", { j: '{"a":"x"}' }],
  ['select not b from pair', { 'not b': 0 }],
  ['select 1 from pair where a in (select a from pair)', { 1: 1 }],
  ['with named as (select a from pair) select a from named', { a: 'x' }],
  ['select a from pair union all select a from pair', { a: 'x' }],
])('%s returns the values under the names of its columns', (query, row) => {
  database.exec('drop table pair; create table pair (id integer primary key, a text, b real)')
  database.prepare('insert into pair (a, b) values (?, ?)').run(['x', 0.1 + 0.2])
  expect(database.prepare(query).get()).toEqual(row)
})

test
  .skipIf(driverName === 'node:sqlite')
  .each([
    'select a from pair',
    'select * from pair',
    'select a || b as text from pair',
    'select named.a from (select a from pair) as named',
    'with named as (select a from pair) select a from named',
  ])('%s throws an error for text that is not UTF-8', (query) => {
  database.exec("insert into pair values (cast(x'61ff' as text), 1)")
  expect(() => database.prepare(query).all()).toThrow(/is damaged/)
})

// A query that lists columns returns at most 15 digits of such a number.
test('no table of a database of tt has numbers with fractions', async () => {
  const paths = ['state.db', 'workspace.db'].map((name) => join(directory, name)) as [string, string]
  const [state, storage] = [await openClientState(paths[0]), await openStorage(`sqlite:${paths[1]}`)]
  state.close()
  await storage.close()
  for (const path of paths) {
    const opened = await openSqlite(path)
    const columns = opened
      .prepare(
        'select tables.name, columns.type from sqlite_master tables, pragma_table_info(tables.name) columns',
      )
      .all()
    opened.close()
    expect(columns.length).toBeGreaterThan(50)
    expect(JSON.stringify(columns)).not.toMatch(/real|floa|doub|num|dec/i)
  }
})

test('openSqlite waits for another process that creates the same file', { tags: 'slow' }, async () => {
  const path = join(directory, 'new.db')
  const maker = await bundleScript(`
    import Database from 'libsql'
    const database = new Database(process.argv[2])
    database.exec('BEGIN IMMEDIATE; CREATE TABLE created (a)')
    console.log('begun')
    setTimeout(() => database.exec('COMMIT'), 300)
  `)
  const child = spawn(process.execPath, [maker, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = waitForExit(child)
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const opened = await openSqlite(path)
  expect(opened.prepare('SELECT a FROM created').all()).toEqual([])
  expect(opened.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
  opened.close()
  expect(await ended).toMatchObject({ status: 0 })
})

test('a transaction that throws is rolled back', () => {
  const work = () => {
    database.prepare('insert into pair values (1, 2)').run()
    throw new Error('no')
  }
  expect(() => database.transaction(work)).toThrow('no')
  expect(database.prepare('select * from pair').all()).toEqual([])
})

test('rows that are not read to the end do not block later transactions', async () => {
  database.exec(
    'with recursive n (a) as (select 1 union all select a + 1 from n limit 300) insert into pair select a, 0 from n',
  )
  const all = database.prepare('select a from pair order by a')
  const first = all.withRows([], (rows) => {
    for (const row of rows) return row
    return undefined
  })
  expect(first).toEqual(expect.objectContaining({ a: 1 }))
  const fail = () => {
    throw new Error('no')
  }
  expect(() => all.withRows([], fail)).toThrow('no')
  const kept = all.withRows([], (rows) => rows)
  expect([...kept]).toEqual([])
  database.transaction(() => database.exec('delete from pair where a = 300'))
  const other = await openSqlite(join(directory, 'deep', 'a.db'), { busyTimeoutMs: 1 })
  other.exec('delete from pair where a = 299')
  other.close()
  expect(all.all()).toHaveLength(298)
})

test('a statement that returns rows cannot be run without reading them', () => {
  const insert = database.prepare('insert into pair values (1, 2), (3, 4) returning a')
  expect(() => insert.run()).toThrow('returns rows')
  expect(insert.all()).toHaveLength(2)
  database.transaction(() => database.exec('delete from pair'))
})

test('only the owner can access the file and its directory', () => {
  expect(statSync(join(directory, 'deep', 'a.db')).mode & 0o077).toBe(0)
  expect(statSync(join(directory, 'deep')).mode & 0o077).toBe(0)
})

test('openReadOnly reads the log of a database behind a symbolic link', async () => {
  const link = join(directory, 'link.db')
  symlinkSync(join(directory, 'deep', 'a.db'), link)
  database.exec("insert into pair values ('in the log', 1)")
  const opened = await openReadOnly(link)
  expect(opened?.prepare('select a from pair').all()).toEqual([expect.objectContaining({ a: 'in the log' })])
  opened?.close()
})

test('changes are committed after one has failed because another process had locked the file', async () => {
  const path = join(directory, 'locked.db')
  const [first, second] = [await openSqlite(path, { busyTimeoutMs: 1 }), await openSqlite(path)]
  first.exec('create table pair (a unique, b)')
  const count = () => second.prepare('select count(*) as count from pair').get()
  const insert = first.prepare('insert into pair values (?, 1)')
  const insertReturning = first.prepare('insert into pair values (?, 2) returning a')
  second.exec('begin immediate')
  expect(() => insert.run([1])).toThrow('locked')
  expect(() => insertReturning.all([2])).toThrow('locked')
  expect(() => first.prepare('delete from pair').run()).toThrow('locked')
  const withExpression = first.prepare('with one as (select 7 as a) insert into pair select a, 7 from one')
  expect(() => withExpression.run()).toThrow('locked')
  second.exec('rollback')
  first.prepare('insert into pair values (3, 3)').run()
  expect(count()).toEqual({ count: 1 })
  first.transaction(() => insert.run([4]))
  expect(count()).toEqual({ count: 2 })
  expect(() => insert.run([4])).toThrow('UNIQUE')
  expect(insertReturning.all([5])).toEqual([{ a: 5 }])
  expect(count()).toEqual({ count: 3 })
  first.close()
  second.close()
})

test('a statement of a closed connection throws an error', async () => {
  const closed = await openSqlite(join(directory, 'closed.db'))
  closed.exec('create table pair (a, b)')
  const insert = closed.prepare('insert into pair values (1, 2)')
  closed.close()
  expect(() => insert.run()).toThrow('closed')
  expect(() => closed.prepare('select 1')).toThrow('closed')
})

test('closing a connection twice does nothing the second time', async () => {
  const path = join(directory, 'closed.db')
  for (const connection of [await openSqlite(path), await openReadOnly(path)]) {
    connection?.close()
    expect(() => connection?.close()).not.toThrow()
  }
})
