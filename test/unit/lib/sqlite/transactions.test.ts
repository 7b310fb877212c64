import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Sqlite } from '../../../../src/lib/sqlite/connection.js'
import { openSqlite } from '../../../../src/lib/sqlite/open.js'
import { sql } from '../../../../src/service/storage/sql.js'
import { createSqliteQueries } from '../../../../src/service/storage/sqlite.js'
import { commandLimits } from '../../../../src/service/storage/unavailable.js'
import { temporaryDirectory } from '../../../support/process.js'

async function openNotes(path = join(temporaryDirectory(), 'notes.db'), options = {}): Promise<Sqlite> {
  const database = await openSqlite(path, options)
  onTestFinished(() => database.close())
  database.exec('CREATE TABLE IF NOT EXISTS notes (text TEXT NOT NULL UNIQUE) STRICT')
  return database
}

const add = (database: Sqlite, text: string) =>
  void database.prepare('INSERT INTO notes (text) VALUES (?)').run([text])
const notesIn = (database: Sqlite) =>
  (database.prepare('SELECT text FROM notes ORDER BY text').all() as { text: string }[]).map(
    ({ text }) => text,
  )

test('a transaction within another one is a savepoint', async () => {
  const database = await openNotes()
  database.transaction(() => {
    add(database, 'outer')
    expect(() =>
      database.transaction(() => {
        add(database, 'inner')
        throw new Error('rejected')
      }),
    ).toThrow('rejected')
    database.transaction(() => add(database, 'second'))
  })
  expect(notesIn(database)).toEqual(['outer', 'second'])
})

test('actions after a commit run once it has succeeded, and none of what is rolled back', async () => {
  const database = await openNotes()
  const actions: string[] = []
  const later = (name: string) => database.afterCommit(() => actions.push(name))
  later('at once')
  expect(actions).toEqual(['at once'])
  await database.exclusively(async () => {
    later('first')
    await expect(
      database.exclusively(async () => {
        later('savepoint')
        throw new Error('rejected')
      }),
    ).rejects.toThrow('rejected')
    database.transaction(() => later('second'))
    expect(actions).toEqual(['at once'])
  })
  await expect(
    database.exclusively(async () => {
      later('rolled back')
      throw new Error('rejected')
    }),
  ).rejects.toThrow('rejected')
  database.transaction(() => {})
  expect(actions).toEqual(['at once', 'first', 'second'])
})

test('an exclusive transaction keeps asynchronous work of all its users together', async () => {
  const database = await openNotes()
  const queries = createSqliteQueries(database, commandLimits)
  const work = database.exclusively(async () => {
    add(database, 'state')
    await queries.change([], () => sql`insert into notes (text) values ('single')`)
    await queries.transaction(async (within) => {
      await within.all(sql`insert into notes (text) values ('nested')`)
    })
    await queries
      .transaction(async (within) => {
        await within.all(sql`insert into notes (text) values ('undone')`)
        throw new Error('rejected')
      })
      .catch(() => {})
    expect(notesIn(database)).toEqual(['nested', 'single', 'state'])
    throw new Error('all of it')
  })
  await expect(work).rejects.toThrow('all of it')
  expect(notesIn(database)).toEqual([])
})

test('an exclusive transaction waits for another connection without blocking this process', async () => {
  const path = join(temporaryDirectory(), 'notes.db')
  const [one, other] = [await openNotes(path), await openNotes(path)]
  let release = () => {}
  const first = one.exclusively(async () => {
    add(one, 'first')
    await new Promise<void>((resolve) => {
      release = resolve
    })
  })
  const second = other.exclusively(async () => add(other, 'second'))
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(notesIn(other)).toEqual([])
  release()
  await Promise.all([first, second])
  expect(notesIn(one)).toEqual(['first', 'second'])
})

test('a wait for a lock ends after the limit of the connection', async () => {
  const path = join(temporaryDirectory(), 'notes.db')
  const [one, other] = [await openNotes(path), await openNotes(path, { busyTimeoutMs: 60 })]
  await one.exclusively(async () => {
    await expect(other.exclusively(async () => {})).rejects.toMatchObject({
      code: 'failure',
      message: expect.stringContaining('locked'),
    })
  })
})

test('after a full disk, nothing of the transaction is executed any more', async () => {
  const database = await openNotes()
  add(database, 'before')
  database.exec('PRAGMA max_page_count = 4')
  const work = database.exclusively(async () => {
    add(database, 'small')
    expect(() => add(database, 'x'.repeat(100_000))).toThrow('disk is full')
    // SQLite has rolled back, so that this would be a transaction of its own.
    expect(() => add(database, 'after')).toThrow('disk is full')
    expect(() => database.transaction(() => add(database, 'nested'))).toThrow('disk is full')
  })
  await expect(work).rejects.toThrow('disk is full')
  expect(notesIn(database)).toEqual(['before'])
  add(database, 'later')
  expect(notesIn(database)).toEqual(['before', 'later'])
})
