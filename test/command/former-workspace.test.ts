import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeArchive } from '../../src/backup/archive/archive.js'
import { schemaVersion as clientVersion } from '../../src/outbox/cache/state-schema.js'
import { schemaVersion } from '../../src/service/storage/schema.js'
import { readRows, runSql } from '../support/database-files.js'
import { formerNotes, formerState, formerTitles, writeFormerWorkspace } from '../support/former-workspace.js'
import { temporaryDirectory } from '../support/process.js'
import { rejection } from '../support/rejection.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

type Row = Record<string, unknown>

async function createFormerCli(more?: Parameters<typeof writeFormerWorkspace>[1]): Promise<TestCli> {
  const cli = createTestCli('2024-05-04T12:00:00')
  await writeFormerWorkspace(cli.home, more)
  return cli
}

const read = (cli: TestCli, query: string) => readRows(join(cli.home, 'workspace.db'), query)
const titles = async (cli: TestCli) =>
  (await cli.json<Row[]>('undo', '--list', '1000')).map(({ what }) => what)
const notes = async (cli: TestCli) =>
  (await cli.json<Row[]>('log', '--since', '2024-05-01')).map((entry) => entry.notes)

test('a workspace in two files becomes one with all its data, and the former state is renamed', async () => {
  const cli = await createFormerCli()
  expect(await titles(cli)).toEqual(formerTitles)
  expect(await notes(cli)).toEqual(formerNotes)
  expect(await cli.json('status', '--cached')).toMatchObject({ notes: 'running', running: true })
  expect([
    existsSync(join(cli.home, formerState)),
    existsSync(join(cli.home, `${formerState}.converted`)),
  ]).toEqual([false, true])
  // Earlier versions refuse a workspace with a higher version.
  expect(await read(cli, 'PRAGMA user_version')).toEqual([{ user_version: schemaVersion }])
  expect(schemaVersion).toBeGreaterThan(18)
  expect(await read(cli, 'SELECT version FROM client_schema')).toEqual([{ version: clientVersion }])
  expect(await cli.run('doctor')).toMatchObject({ status: 0 })
})

test('every former change can be undone and redone', async () => {
  const cli = await createFormerCli()
  expect(await cli.json('undo', '8', '--yes')).toHaveLength(8)
  expect(await notes(cli)).toEqual([])
  expect(await cli.json('redo', '8', '--yes')).toHaveLength(8)
  expect(await notes(cli)).toEqual(formerNotes)
})

test('numbers of former records are not used again', async () => {
  const cli = await createFormerCli()
  await cli.json('stop')
  const added = await cli.json('add', 'Site/Design', '--from', '08:00', '--for', '10m')
  expect(added).toMatchObject({ id: 9 })
  const [change] = await cli.json<Row[]>('undo', '--list', '1')
  expect(change).toMatchObject({ n: 1, records: [expect.anything()] })
  expect((await read(cli, 'SELECT name FROM alias ORDER BY id DESC'))[0]).toEqual({ name: '~8' })
})

test('a pending change of the former state is delivered once', async () => {
  const fields = JSON.stringify({
    ...{
      time_start: '2024-05-03T08:00:00Z',
      time_end: '2024-05-03T09:00:00Z',
      task_link_id: 1,
      notes: 'pending',
    },
  })
  const cli = await createFormerCli({
    state: `INSERT INTO outbox (kind, op, record, fields, key, state, typed_at)
      VALUES ('entry', 'create', '~7', '${fields}', 'key-of-pending', 'waiting', 1714809600000)`,
  })
  await cli.run('log')
  expect((await notes(cli)).filter((text) => text === 'pending')).toHaveLength(1)
  expect(await read(cli, 'SELECT * FROM outbox')).toEqual([])
})

test('changes of processes that were ended between two databases are settled', async () => {
  const cli = await createFormerCli({
    workspace: `UPDATE catalog_changes SET is_recorded = 0 WHERE title IS NOT NULL;
      UPDATE imports SET applied = 0 WHERE id IN (SELECT id FROM imports ORDER BY created_at LIMIT 1);
      DELETE FROM time_entries WHERE notes LIKE 'imported%'`,
    state: `DELETE FROM history WHERE steps = '[]' AND catalog_change IS NOT NULL;
      INSERT INTO import VALUES ('unknown', 'import of lost.csv', 1, 'waiting', 'unknown.db', 1714809600000)`,
  })
  expect(await titles(cli)).toEqual([
    'Renamed the project Acme/Website to Acme/Site',
    ...formerTitles.filter((title) => !/^(Renamed|import)/.test(title)),
  ])
})

test.each([formerState, `${formerState}.converted`])(
  'changes that an earlier version has written to %s since are added',
  async (name) => {
    const cli = await createFormerCli()
    await cli.run('log')
    await cli.json('stop')
    const before = await titles(cli)
    if (name === formerState)
      renameSync(join(cli.home, `${formerState}.converted`), join(cli.home, formerState))
    const step = { kind: 'entry', record: '~7', before: null, after: { id: '~7', notes: 'running' } }
    await runSql(
      join(cli.home, name),
      `INSERT INTO alias VALUES ('entry', '~7', '8');
       INSERT INTO history (what, steps, at) VALUES ('Later', '${JSON.stringify([step])}', 1714809600000)`,
    )
    expect(await titles(cli)).toEqual(['Later', ...before])
    expect(await titles(cli)).toEqual(['Later', ...before])
    expect(await cli.run('undo', '--yes')).toMatchObject({ status: 0 })
    expect(await notes(cli)).toEqual(formerNotes.slice(0, -1))
  },
)

test('two processes that convert at once convert once', async () => {
  const cli = await createFormerCli()
  const outcomes = await Promise.all([cli.run('log'), cli.run('undo', '--list'), cli.run('status')])
  expect(outcomes.map(({ status }) => status)).toEqual([0, 0, 0])
  expect(await titles(cli)).toEqual(formerTitles)
})

test('a workspace that is missing beside its former state is reported', async () => {
  const cli = await createFormerCli()
  renameSync(join(cli.home, 'workspace.db'), join(cli.home, 'moved.db'))
  expect(await cli.run('log')).toMatchObject(rejection(1, 'is missing, but it had entries before'))
})

/** Writes a backup of the former workspace, as earlier versions did. */
async function writeFormerBackup(): Promise<string> {
  const directory = temporaryDirectory()
  await writeFormerWorkspace(directory)
  const file = join(temporaryDirectory(), 'backup.tar.gz')
  await writeArchive(file, {
    directory,
    names: ['workspace.db', 'profiles/local/state.db'],
    manifest: {
      format: 'tt-backup',
      version: 1,
      created_at: '2024-05-04T11:00:00.000Z',
      tt_version: '0.1.0',
      records: { entries: 5, expenses: 0, pending: 0 },
    },
  })
  return file
}

test('a backup in two files replaces a workspace in two files, whose history is saved', {
  tags: 'slow',
}, async () => {
  const backup = await writeFormerBackup()
  const cli = await createFormerCli({
    state: "INSERT INTO history (what, steps, at) VALUES ('Own', '[]', 1)",
  })
  mkdirSync(join(cli.home, 'profiles'), { recursive: true })
  const { saved_as: saved } = await cli.json('restore', backup, '--yes')
  expect(await titles(cli)).toEqual(formerTitles)
  expect(await notes(cli)).toEqual(formerNotes)
  expect(existsSync(join(cli.home, formerState))).toBe(false)
  expect(await cli.run('restore', String(saved), '--yes')).toMatchObject({ status: 0 })
  expect(await titles(cli)).toEqual(['Own', ...formerTitles])
})
