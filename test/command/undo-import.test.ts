import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestCli } from '../support/test-cli.js'

type Row = Record<string, unknown>

const title = 'import of entries.csv, 2 entries'

/** Sets up a workspace with an own entry, and an import of two entries. */
async function setUp() {
  const cli = createTestCli('2024-05-08T12:00:00Z')
  await cli.json('add', 'Acme/Website/Design', '--create', '--from', '2024-05-08 9:00', '--for', '1h')
  const file = join(cli.home, 'entries.csv')
  writeFileSync(
    file,
    'start,end,client,project,task,notes\n' +
      '2024-05-01 09:00,2024-05-01 09:30,Acme,Website,Design,imported\n' +
      '2024-05-01 10:00,2024-05-01 10:30,Acme,App,Design,imported\n',
  )
  await cli.json('import', file, '--yes')
  cli.setTime('2024-05-08T12:01:00Z')
  const contents = async () => ({
    entries: (await cli.json<Row[]>('api', 'GET', '/timesheets')).map(({ id, notes }) => ({ id, notes })),
    projects: (await cli.json<Row[]>('api', 'GET', '/projects')).map(({ name }) => name),
  })
  return { cli, contents }
}

const own = { id: 1, notes: null }
const before = { entries: [own], projects: ['Website'] }

test('tt undo reverts an import and the changes around it, and tt redo repeats them', async () => {
  const { cli, contents } = await setUp()
  await cli.json('edit', '2', '-n', 'edited')
  expect(await cli.json('undo', '3', '--yes')).toMatchObject([{}, { what: title, records: [] }, {}])
  expect(await contents()).toEqual({ entries: [], projects: [] })
  expect(await cli.json('redo', '3', '--yes')).toHaveLength(3)
  expect(await contents()).toMatchObject({
    entries: [{ id: 2, notes: 'edited' }, { id: 3 }, { notes: null }],
    projects: ['App', 'Website'],
  })
})

test('tt undo prompts if entries of the import were changed since', async () => {
  const { cli, contents } = await setUp()
  await cli.json('api', 'PATCH', '/timesheets/2', '-f', 'notes=edited')
  await cli.json('api', 'DELETE', '/timesheets/3').catch(() => {})
  const refused = await cli.run('undo')
  expect(refused.status).toBe(2)
  expect(refused.stderr).toContain(`"${title}" was changed since: 1 entry changed, 1 entry deleted.`)
  expect((await contents()).entries).toMatchObject([{ id: 2, notes: 'edited' }, { id: 1 }])
  expect(await cli.run('undo', '--yes')).toMatchObject({ status: 0 })
  expect(await contents()).toEqual(before)
})
