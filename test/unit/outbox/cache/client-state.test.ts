// @module-tag slow

import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { openSqlite } from '../../../../src/lib/sqlite/open.js'
import { minuteMs } from '../../../../src/lib/time-units.js'
import { Cache } from '../../../../src/outbox/cache/cache.js'
import { openClientState } from '../../../../src/outbox/cache/client-state.js'
import { migrations } from '../../../../src/outbox/cache/state-schema.js'
import { History } from '../../../../src/outbox/history.js'
import { Outbox } from '../../../../src/outbox/outbox.js'
import { bundleScript } from '../../../support/bundle-script.js'
import { temporaryDirectory, waitForExit } from '../../../support/process.js'
import { rejectionOf } from '../../api-client/test-server.js'

/** Creates a state of the first version, with `more` SQL executed in it. */
async function firstVersion(path: string, more = ''): Promise<void> {
  const database = await openSqlite(path)
  database.exec(`
    CREATE TABLE snapshot (name TEXT PRIMARY KEY, value TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
    INSERT INTO snapshot VALUES ('timer', '{"id":7,"notes":"first"}', 1714548600000);
    ${more};
    PRAGMA user_version = 1`)
  database.close()
}

/** Returns the integrity, version and tables of a database file, and the rows of the first table. */
async function lookedAt(path: string) {
  const database = await openSqlite(path)
  try {
    const column = (sql: string) =>
      database
        .prepare(sql)
        .all()
        .map((row) => Object.values(row as object)[0] as unknown)
    return {
      integrity: column('PRAGMA integrity_check'),
      version: column('PRAGMA user_version')[0],
      tables: column(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      ),
      names: column('SELECT name FROM snapshot ORDER BY name'),
    }
  } finally {
    database.close()
  }
}

const newest = {
  integrity: ['ok'],
  version: migrations.length,
  tables: expect.arrayContaining(['outbox', 'snapshot']),
}
const first = { integrity: ['ok'], version: 1, tables: ['snapshot'], names: ['timer'] }

/** Returns the files of the directory without SQLite's journal, which some drivers leave behind. */
function filesIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => !/-(shm|wal)$/.test(name))
    .sort()
}

/** A script that opens the state of its argument when standard input ends, and records a name in it. */
const opening = `
  import { openClientState } from './src/outbox/cache/client-state.ts'
  console.log('ready')
  await new Promise((resolve) => process.stdin.on('end', resolve).resume())
  const state = await openClientState(process.argv[2])
  state.atomically(() => state.saveSnapshot(process.argv[3], 1, new Date(0)))
  state.close()
`

/** Opens the state in this number of processes at the same moment; each records its name in it. */
async function openAtOnce(path: string, count: number): Promise<string[]> {
  const file = await bundleScript(opening)
  const names = Array.from({ length: count }, (_, number) => `process ${number}`)
  const children = names.map((name) => spawn(process.execPath, [file, path, name], { stdio: 'pipe' }))
  const ends = children.map(waitForExit)
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(ends)
  })
  await Promise.all(
    children.map(
      (child) => new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve)),
    ),
  )
  for (const child of children) child.stdin.end()
  const outcomes = await Promise.all(ends)
  expect(outcomes.map(({ status, stderr }) => ({ status, stderr }))).toEqual(
    names.map(() => ({ status: 0, stderr: '' })),
  )
  return names.sort()
}

test('a migration of the fourth version finds long and running entries in the cache', async () => {
  const path = join(temporaryDirectory(), 'state.db')
  const database = await openSqlite(path)
  for (const migration of migrations.slice(0, 4)) database.exec(migration)
  const store = (id: string, start: string, end: string | null) => {
    const body = JSON.stringify({ id, time_start: start, time_end: end })
    const row = ['entry', id, Date.parse(start), body, 0]
    database.prepare('INSERT INTO seen (kind, id, start_at, body, at) VALUES (?, ?, ?, ?, ?)').run(row)
  }
  store('long', '2024-03-01T09:00:00.000Z', '2024-05-01T10:00:00.000Z')
  store('ended', '2024-03-01T09:00:00.000Z', '2024-04-30T10:00:00.000Z')
  store('running', '2024-02-01T09:00:00.000Z', null)
  database.exec('PRAGMA user_version = 4')
  database.close()
  const state = await openClientState(path)
  const cache = new Cache(state.database)
  const { records } = cache.readOverlapping({ start: new Date('2024-05-01T00:00:00Z') })
  expect(records.map(({ id }) => id)).toEqual(['running', 'long'])
  expect(cache.longestEntryMs()).toBe(61 * 86_400_000 + 3_600_000)
  state.close()
})

test('a migration of the seventh version preserves changes and history, and finds the changes of a record by an index', async () => {
  const path = join(temporaryDirectory(), 'state.db')
  const database = await openSqlite(path)
  for (const migration of migrations.slice(0, 7)) database.exec(migration)
  database.exec(`
    INSERT INTO outbox (kind, op, record, fields, key, state, typed_at, waits_for, revision)
      VALUES ('entry', 'create', '~1', '{"notes":"a"}', 'k', 'waiting', 5, NULL, 3);
    INSERT INTO alias VALUES ('entry', '~0', '7');
    INSERT INTO history (what, steps, at) VALUES ('Added', '[{"kind":"entry","record":"~1","before":null,"after":{}}]', 5);
    PRAGMA user_version = 7`)
  database.close()
  const state = await openClientState(path)
  const [outbox, history] = [new Outbox(state), new History(state)]
  expect(outbox.all()).toMatchObject([{ record: '~1', fields: { notes: 'a' }, key: 'k', revision: 3 }])
  expect(outbox.resolve('entry', '~0')).toBe('7')
  expect(history.undoable(5)).toMatchObject([{ title: 'Added', steps: [{ record: '~1' }] }])
  const planOf = (sql: string) =>
    (state.database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[])
      .map(({ detail }) => detail)
      .join('; ')
  expect(planOf("SELECT * FROM outbox WHERE kind = 'entry' AND record = '~1' ORDER BY seq")).toMatch(
    /outbox_record/,
  )
  expect(planOf('SELECT * FROM outbox WHERE waits_for = 5 ORDER BY seq')).toMatch(/outbox_waits_for/)
  expect(planOf("SELECT 1 FROM alias WHERE kind = 'entry' AND id = '7'")).toMatch(/alias_id/)
  state.close()
})

test('a migration keeps the contents, and leaves a complete copy that only the owner may read instead of an earlier one', async () => {
  const directory = temporaryDirectory()
  const path = join(directory, 'state.db')
  await firstVersion(path)
  writeFileSync(`${path}.version-1`, 'what a copy was that was cut short')
  // While another process has the state open, the copy must include changes that are only in the journal.
  const other = await openSqlite(path)
  other.exec("INSERT INTO snapshot VALUES ('unwritten', '1', 0)")
  const before = process.umask(0)
  try {
    const state = await openClientState(path)
    expect(state.snapshot('timer')).toEqual({ value: { id: 7, notes: 'first' }, at: new Date(1714548600000) })
    state.close()
  } finally {
    process.umask(before)
  }
  other.close()
  const copy = `${path}.version-1`
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  expect(filesIn(directory)).toEqual(['state.db', 'state.db.version-1'])
  expect(await lookedAt(copy)).toEqual({ ...first, names: ['timer', 'unwritten'] })
})

test('a migration removes unfinished copies that no process of this machine has written for an hour', async () => {
  const directory = temporaryDirectory()
  const path = join(directory, 'state.db')
  await firstVersion(path)
  const ended = [1, 2].map(() => spawn(process.execPath, ['--version'], { stdio: 'ignore' }))
  await Promise.all(ended.map(waitForExit))
  const [old, recent, running] = [...ended.map(({ pid }) => pid), process.ppid].map(
    (pid) => `state.db.version-1.${pid}`,
  )
  for (const [name, minutes] of [
    [old, 61],
    [`${old}-journal`, 61],
    [recent, 59],
    [running, 61],
  ] as const) {
    const file = join(directory, String(name))
    writeFileSync(file, 'unfinished')
    const written = new Date(Date.now() - minutes * minuteMs)
    utimesSync(file, written, written)
  }
  ;(await openClientState(path)).close()
  expect(filesIn(directory)).toEqual(['state.db', 'state.db.version-1', recent, running].sort())
})

test('many processes that open a state of the first version at once migrate it once, and copy it completely', async () => {
  const directory = temporaryDirectory()
  const path = join(directory, 'state.db')
  // Large enough for a slow copy.
  await firstVersion(path, "INSERT INTO snapshot VALUES ('large', hex(zeroblob(20000000)), 0)")
  const names = await openAtOnce(path, 12)
  expect(await lookedAt(path)).toMatchObject({ ...newest, names: ['large', ...names, 'timer'] })
  expect(await lookedAt(`${path}.version-1`)).toEqual({ ...first, names: ['large', 'timer'] })
  expect(filesIn(directory)).toEqual(['state.db', 'state.db.version-1'])
})

test('many processes that open a new state at once can all write to it', async () => {
  const directory = temporaryDirectory()
  const path = join(directory, 'deep', 'state.db')
  const names = await openAtOnce(path, 12)
  expect(await lookedAt(path)).toMatchObject({ ...newest, names })
  expect(filesIn(join(directory, 'deep'))).toEqual(['state.db'])
})

test('a state of a newer tt is an error and does not change', async () => {
  const directory = temporaryDirectory()
  const path = join(directory, 'state.db')
  await firstVersion(path, 'CREATE TABLE later (a)')
  const newer = await openSqlite(path)
  newer.exec(`PRAGMA user_version = ${migrations.length + 1}`)
  newer.close()
  const before = readFileSync(path)
  expect(await rejectionOf(openClientState(path))).toMatchObject({
    code: 'failure',
    message: expect.stringContaining(
      `written by a newer tt (version ${migrations.length + 1}; this tt knows ${migrations.length})`,
    ),
    hint: 'Update tt. Nothing was changed.',
  })
  expect(readFileSync(path).equals(before)).toBe(true)
  expect(filesIn(directory)).toEqual(['state.db'])
})

test('a migration that fails half-way leaves the old version unchanged', async () => {
  const path = join(temporaryDirectory(), 'state.db')
  // The last table of the migration exists already.
  await firstVersion(path, 'CREATE TABLE history (a)')
  await expect(openClientState(path)).rejects.toThrow(
    /does not have the schema of its version \(table history already exists\)/,
  )
  expect(await lookedAt(path)).toEqual({ ...first, tables: ['history', 'snapshot'] })
})

test('a migration changes nothing when the copy cannot be created', async () => {
  const directory = join(temporaryDirectory(), 'state')
  const path = join(directory, 'state.db')
  await firstVersion(path)
  mkdirSync(`${path}.version-1`)
  await expect(openClientState(path)).rejects.toMatchObject({ code: 'failure' })
  expect(await lookedAt(path)).toEqual(first)
  expect(filesIn(directory)).toEqual(['state.db', 'state.db.version-1'])
})

test('the error for a file that is not a database names it, and the file does not change', async () => {
  const path = join(temporaryDirectory(), 'state.db')
  const damaged = Buffer.from('This is not what it was. '.repeat(200))
  writeFileSync(path, damaged)
  expect(await rejectionOf(openClientState(path))).toMatchObject({
    code: 'failure',
    message: `The database ${path} is damaged or is not a database.`,
    hint: expect.stringContaining('It contains the changes that were not sent yet'),
  })
  expect(readFileSync(path).equals(damaged)).toBe(true)
})

test('an empty file becomes a new state', async () => {
  const path = join(temporaryDirectory(), 'state.db')
  writeFileSync(path, '')
  chmodSync(path, 0o644)
  ;(await openClientState(path)).close()
  expect(await lookedAt(path)).toMatchObject({ ...newest, names: [] })
  expect(statSync(path).mode & 0o777).toBe(0o600)
})
