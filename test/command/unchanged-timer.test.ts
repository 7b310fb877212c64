import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { createTestCli } from '../support/test-cli.js'

test('tt status writes a timer that has not changed at most once a minute', async () => {
  const cli = createTestCli('2024-05-01T09:30:00')
  await cli.json('start', 'Website/Design')
  const database = await openSqlite(join(cli.home, 'workspace.db'))
  onTestFinished(() => database.close())
  const version = () => database.prepare('PRAGMA data_version').get()
  const before = version()
  cli.setTime('2024-05-01T09:30:59')
  await cli.json('status')
  expect(version()).toEqual(before)
  cli.setTime('2024-05-01T09:31:00')
  await cli.json('status')
  expect(version()).not.toEqual(before)
})
