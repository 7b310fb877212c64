import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSqlite } from '../../../../src/lib/sqlite/open.js'
import { createSqliteQueries, type Queries } from '../../../../src/service/storage/queries.js'
import { sql } from '../../../../src/service/storage/sql.js'
import { openStorage } from '../../../../src/service/storage/storage.js'
import { temporaryDirectory } from '../../../support/process.js'

/** The queries of the local workspace, and those of the hosted service. */
const openers: [string, (path: string) => Promise<{ queries: Queries; close(): unknown }>][] = [
  [
    'in process',
    async (path) => {
      const sqlite = await openSqlite(path)
      return { queries: createSqliteQueries(sqlite), close: () => sqlite.close() }
    },
  ],
  ['hosted', (path) => openStorage(`sqlite:${path}`)],
]

describe.each(openers)('%s', (_, open) => {
  let queries: Queries
  let close: () => unknown

  beforeEach(async () => {
    const path = join(temporaryDirectory(), 'notes.db')
    const opened = await open(path)
    queries = opened.queries
    close = () => opened.close()
    await queries.all(sql`create table notes (id integer primary key, text text)`)
  })
  afterEach(() => close())

  const insert = (text: string) => sql`insert into notes (text) values (${text}) returning id`
  const texts = async () =>
    (await queries.all<{ text: string }>(sql`select text from notes order by id`)).map(({ text }) => text)

  test('a transaction that throws is rolled back, and the next one works', async () => {
    const failing = queries.transaction(async (inside) => {
      await inside.all(insert('lost'))
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    await queries.transaction((inside) => inside.all(insert('stored')))
    expect(await texts()).toEqual(['stored'])
  })

  test('a query during a transaction waits for its end and is not rolled back with it', async () => {
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
    expect(await texts()).toEqual(['stored'])
  })

  test('transactions run one after the other', async () => {
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
