import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Sqlite } from '../../../../src/lib/sqlite/connection.js'
import { openSqlite } from '../../../../src/lib/sqlite/open.js'
import { sql } from '../../../../src/service/storage/sql.js'
import { createSqliteQueries } from '../../../../src/service/storage/sqlite.js'
import { createStorage, type Storage } from '../../../../src/service/storage/storage.js'
import { temporaryDirectory } from '../../../support/process.js'

let storage: Storage
let other: Sqlite
let commits: number
let commit: () => void
let rollBack: () => void
beforeEach(async () => {
  const path = `${temporaryDirectory()}/service.sqlite`
  const sqlite = await openSqlite(path)
  commit = sqlite.commit
  rollBack = sqlite.rollBack
  const counting: Sqlite = {
    ...sqlite,
    commit() {
      commits++
      commit()
    },
  }
  const limits = { statementMs: 0, idleInTransactionMs: 0, lockMs: 2000 }
  storage = await createStorage(createSqliteQueries(counting, limits), path, limits, sqlite.close)
  await storage.queries.all(sql`create table notes (id integer primary key, text text not null unique)`)
  other = await openSqlite(path)
  commits = 0
})
afterEach(async () => {
  other.close()
  await storage.close()
})

const add = (text: string | null) =>
  storage.queries.change<{ id: number }>(
    [],
    (where) => sql`insert into notes (text) select ${text} where ${where} returning id, text`,
  )
/** The texts that another connection sees: those that are committed. */
const stored = () =>
  (other.prepare('select text from notes order by id').all() as { text: string }[]).map(({ text }) => text)

test('changes of one turn of the event loop are committed together, before they resolve', async () => {
  const seen = await Promise.all(['a', 'b', 'c'].map(async (text) => [await add(text), stored()]))
  expect(seen).toEqual(['a', 'b', 'c'].map((text, index) => [[{ id: index + 1, text }], ['a', 'b', 'c']]))
  expect(commits).toBe(1)
  await add('d')
  expect(commits).toBe(2)
})

test('a change that fails has its own error, and the others of its group succeed', async () => {
  const outcomes = await Promise.all(['a', null, 'a', 'b'].map((text) => add(text).catch(String)))
  const created = (text: string) => [expect.objectContaining({ text })]
  const [isNull, isDuplicate] = [expect.stringContaining('NOT NULL'), expect.stringContaining('UNIQUE')]
  expect(outcomes).toEqual([created('a'), isNull, isDuplicate, created('b')])
  expect(stored()).toEqual(['a', 'b'])
})

test('no change of a group is stored when its commit fails', async () => {
  const originalCommit = commit
  commit = () => {
    rollBack()
    throw new Error('disk I/O error')
  }
  const outcomes = await Promise.all(['a', 'b'].map((text) => add(text).catch(String)))
  expect(outcomes).toEqual(Array(2).fill('Error: disk I/O error'))
  expect(stored()).toEqual([])
  commit = originalCommit
  await add('a')
  expect(stored()).toEqual(['a'])
})

test('changes wait for a transaction and for another process that has locked the file', async () => {
  let proceed = () => {}
  const held = new Promise<void>((resolve) => {
    proceed = resolve
  })
  const failing = storage.queries.transaction(async (inside) => {
    await inside.all(sql`insert into notes (text) values ('lost')`)
    await held
    throw new Error('changed my mind')
  })
  const outside = Promise.all([add('a'), add('b')])
  setTimeout(proceed, 20)
  await expect(failing).rejects.toThrow('changed my mind')
  await outside
  expect(stored()).toEqual(['a', 'b'])

  other.exec('begin immediate')
  const waiting = Promise.all([add('c'), add('d')])
  setTimeout(() => other.exec('commit'), 20)
  await waiting
  expect(stored().sort()).toEqual(['a', 'b', 'c', 'd'])
})
