import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { schemaVersion } from '../../src/service/storage/schema.js'
import { execute, findPostgresPrograms, startPostgres } from '../support/postgres.js'
import {
  delayExpiry,
  expectAccess,
  expectNewTokens,
  expectReactivated,
  expectRecords,
  type PreviousService,
  previousSqliteFile,
  readPreviousDump,
  readPreviousService,
  type Send,
} from '../support/previous-service.js'
import { startServeProcess, temporaryDirectory, tt } from '../support/process.js'

/** Returns the location of a copy of the SQLite database, which no longer expires. */
async function copySqlite(previous: PreviousService): Promise<string> {
  const path = join(temporaryDirectory(), 'team.db')
  copyFileSync(previousSqliteFile, path)
  const sqlite = await openSqlite(path)
  sqlite.exec(delayExpiry(Date.now() - Date.parse(previous.time)))
  sqlite.close()
  return `sqlite:${path}`
}

async function restorePostgres(previous: PreviousService): Promise<string> {
  const url = await startPostgres()
  await execute(url, `${readPreviousDump()}\n${delayExpiry(Date.now() - Date.parse(previous.time))}`)
  return url
}

/** Starts `tt serve` over the database. */
async function serve(database: string): Promise<Send> {
  const { url } = await startServeProcess(temporaryDirectory(), '--database', database)
  return (path, init) => fetch(`${new URL(url).origin}${path}`, init)
}

const hasPostgres = findPostgresPrograms() !== undefined

describe.each([
  ['sqlite', copySqlite],
  ['postgres', restorePostgres],
] as const)('tt serve over a %s database of schema version 4', (name, create) => {
  const isMissing = name === 'postgres' && !hasPostgres

  test('keeps every user, token and record', async ({ skip }) => {
    skip(isMissing, 'no PostgreSQL server is installed')
    const previous = readPreviousService(name)
    const database = await create(previous)
    const send = await serve(database)
    await expectRecords(previous, send)
    await expectAccess(previous, send)
    await expectNewTokens(previous, send)
    const activate = ['admin', 'user', 'activate', 'cleo@example.com', '--database', database]
    expect(await tt(temporaryDirectory(), activate)).toMatchObject({ status: 0 })
    await expectReactivated(previous, send, 'Cleo')
  })

  test('rejects the database after a later version has migrated it, and changes nothing', async ({
    skip,
  }) => {
    skip(isMissing, 'no PostgreSQL server is installed')
    const database = await create(readPreviousService(name))
    const newer = schemaVersion + 1
    if (name === 'postgres') await execute(database, `update schema_version set version = ${newer}`)
    else {
      const sqlite = await openSqlite(database.replace('sqlite:', ''))
      sqlite.exec(`pragma user_version = ${newer}`)
      sqlite.close()
    }
    const { status, stderr } = await tt(temporaryDirectory(), [
      'serve',
      '--port',
      '0',
      '--database',
      database,
    ])
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining(
        `has schema version ${newer}; this version of tt supports up to ${schemaVersion}.\nNothing was changed. Update tt, then repeat the command.`,
      ),
    })
  })
})

test('two nodes that start at once migrate a PostgreSQL database once', async ({ skip }) => {
  skip(!hasPostgres, 'no PostgreSQL server is installed')
  const previous = readPreviousService('postgres')
  const database = await restorePostgres(previous)
  const [first, second] = await Promise.all([serve(database), serve(database)])
  for (const send of [first, second]) {
    expect((await send('/readyz')).status).toBe(200)
    await expectRecords(previous, send)
    await expectAccess(previous, send)
  }
  await expectNewTokens(previous, second)
})
