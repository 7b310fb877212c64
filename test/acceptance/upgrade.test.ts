import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runSql } from '../support/database-files.js'
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
  await runSql(path, delayExpiry(Date.now() - Date.parse(previous.time)))
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

test.for([
  ['sqlite', copySqlite],
  ['postgres', restorePostgres],
] as const)(
  'tt serve over a %s database of schema version 4 keeps every user, token and record',
  async ([name, create], { skip }) => {
    skip(name === 'postgres' && findPostgresPrograms() === undefined, 'no PostgreSQL server is installed')
    const previous = readPreviousService(name)
    const database = await create(previous)
    const send = await serve(database)
    await expectRecords(previous, send)
    await expectAccess(previous, send)
    await expectNewTokens(previous, send)
    const activate = ['admin', 'user', 'activate', 'cleo@example.com', '--database', database]
    expect(await tt(temporaryDirectory(), activate)).toMatchObject({ status: 0 })
    await expectReactivated(previous, send, 'Cleo')
  },
)
