import { expect, onTestFinished, test } from 'vitest'
import type { Sqlite } from '../../src/lib/sqlite/connection.js'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { sql } from '../../src/service/storage/sql.js'
import {
  createCliAtServiceTime,
  loginWithOAuth,
  loginWithPassword,
  readCredentials,
  readProfiles,
  type Service,
  startService,
} from './login-fixtures.js'

/** Opens the database of a service as another program, which can lock it. */
async function openDatabaseOf({ storage }: Service): Promise<Sqlite> {
  storage.limits.lockMs = 50
  const [main] = await storage.queries.all<{ file: string }>(sql`pragma database_list`)
  const database = await openSqlite(main?.file ?? '')
  onTestFinished(() => database.close())
  return database
}

test('an unavailable database at the service of an expired token ends no sign-in and loses no change', {
  tags: 'slow',
}, async () => {
  const [service, cli] = [await startService(), createCliAtServiceTime()]
  await loginWithOAuth(cli, service)
  expect(await cli.run('tasks')).toMatchObject({ status: 0 })
  const database = await openDatabaseOf(service)
  const credentials = readCredentials(cli)
  cli.setTime('2024-05-08T15:00:00Z')
  database.exec('begin immediate')
  expect(await cli.run('start', 'design')).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/Saved locally: the service .*503/),
  })
  expect(await cli.run('expenses', '--json')).toMatchObject({
    status: 6,
    stderr: expect.stringContaining('503'),
  })
  expect(readCredentials(cli)).toEqual(credentials)
  database.exec('rollback')
  expect(await cli.run('sync')).toMatchObject({ status: 0, stderr: 'Sent 1 change.\n' })
  expect(await cli.run('log')).toMatchObject({ status: 0 })
  expect(readCredentials(cli)).not.toEqual(credentials)
  expect(await cli.json('whoami')).toMatchObject({ signed_in: true })
})

test('a sign-in while the database of the service is unavailable fails and keeps the earlier one', async () => {
  const [service, cli] = [await startService(), createCliAtServiceTime()]
  await loginWithOAuth(cli, service)
  const [credentials, profiles] = [readCredentials(cli), readProfiles(cli)]
  const database = await openDatabaseOf(service)
  database.exec('begin immediate')
  expect(await loginWithPassword(cli, service.url, '--profile', 'acme')).toMatchObject({
    status: 6,
    stderr: expect.stringContaining('is temporarily unavailable (503)'),
  })
  database.exec('rollback')
  expect([readCredentials(cli), readProfiles(cli)]).toEqual([credentials, profiles])
  expect(await cli.run('log')).toMatchObject({ status: 0 })
})
