import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSqlite } from '../../../../src/lib/sqlite/open.js'
import type { Queries } from '../../../../src/service/storage/queries.js'
import { sql } from '../../../../src/service/storage/sql.js'
import { createSqliteQueries } from '../../../../src/service/storage/sqlite.js'
import { openStorage } from '../../../../src/service/storage/storage.js'
import { temporaryDirectory } from '../../../support/process.js'
import { temporaryPostgres, usesPostgres } from '../fixtures.js'

/** The queries of the local workspace, and those of the hosted service over both databases. */
const openers: [string, (path: string) => Promise<{ queries: Queries; close(): unknown }>][] = [
  [
    'in process',
    async (path) => {
      const sqlite = await openSqlite(path)
      return { queries: createSqliteQueries(sqlite), close: () => sqlite.close() }
    },
  ],
  ['hosted', (path) => openStorage(`sqlite:${path}`)],
  [
    'over PostgreSQL',
    async () => {
      const { storage, close } = await temporaryPostgres()
      return { queries: storage.queries, close }
    },
  ],
]

const isPostgres = (name: string) => name === 'over PostgreSQL'

describe.each(openers.filter(([name]) => usesPostgres || !isPostgres(name)))('%s', (name, open) => {
  let queries: Queries
  let close: () => unknown

  beforeEach(async () => {
    const opened = await open(join(temporaryDirectory(), 'notes.db'))
    queries = opened.queries
    close = () => opened.close()
    const id = queries.dialect === 'sqlite' ? sql`primary key` : sql`generated always as identity`
    await queries.all(sql`create table notes (id integer ${id}, text text not null)`)
  })
  afterEach(() => close())

  const insert = (text: string) => sql`insert into notes (text) values (${text}) returning id`
  const texts = async () =>
    (await queries.all<{ text: string }>(sql`select text from notes order by id`)).map(({ text }) => text)

  test('a transaction that throws is rolled back, without a query during it, and the next one works', async () => {
    let proceed = () => {}
    const held = new Promise<void>((resolve) => {
      proceed = resolve
    })
    const failing = queries.transaction(async (inside) => {
      await inside.all(insert('lost'))
      await held
      throw new Error('changed my mind')
    })
    const outside = queries.all(insert('stored'))
    proceed()
    await expect(failing).rejects.toThrow('changed my mind')
    await outside
    await queries.transaction((inside) => inside.all(insert('next')))
    expect(await texts()).toEqual(['stored', 'next'])
  })

  test('a transaction within another one is rolled back alone, and with the outer one', async () => {
    await queries.transaction(async (outer) => {
      await outer.all(insert('one'))
      const failing = outer.transaction(async (inner) => {
        await inner.all(insert('two'))
        await inner.transaction((innermost) => innermost.all(insert('three')))
        throw new Error('changed my mind')
      })
      await expect(failing).rejects.toThrow('changed my mind')
      await outer.transaction((inner) => inner.all(insert('four')))
    })
    expect(await texts()).toEqual(['one', 'four'])
    const failing = queries.transaction(async (outer) => {
      await outer.transaction((inner) => inner.all(insert('five')))
      throw new Error('changed my mind again')
    })
    await expect(failing).rejects.toThrow('changed my mind again')
    expect(await texts()).toEqual(['one', 'four'])
  })

  test('a transaction continues after a statement of another one within it has failed', async () => {
    await queries.transaction(async (outer) => {
      const failing = outer.transaction((inner) => inner.all(sql`insert into notes (text) values (null)`))
      await expect(failing).rejects.toThrow(/not.null/i)
      await outer.all(insert('stored'))
    })
    expect(await texts()).toEqual(['stored'])
  })

  test('a statement of a transaction that has ended is rejected', async () => {
    const ended = await queries.transaction(async (inside) => inside)
    await expect(ended.all(insert('late'))).rejects.toThrow('has ended')
    expect(await texts()).toEqual([])
  })

  test.skipIf(isPostgres(name))('transactions run one after the other', async () => {
    const order: string[] = []
    const work = (mark: string) =>
      queries.transaction(async (inside) => {
        order.push(`${mark} begins`)
        await inside.all(insert(mark))
        order.push(`${mark} ends`)
      })
    await Promise.all([work('a'), work('b')])
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  })
})
