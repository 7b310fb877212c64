import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqlite } from '../../../../src/lib/sqlite/open.js'
import { openWorkspaceState, type WorkspaceStateParts } from '../../../../src/outbox/cache/workspace-state.js'
import { History } from '../../../../src/outbox/history.js'
import { Outbox } from '../../../../src/outbox/outbox.js'
import { createSqliteQueries } from '../../../../src/service/storage/sqlite.js'
import { migrate } from '../../../../src/service/storage/storage.js'
import { runSql } from '../../../support/database-files.js'
import { formerState, formerTitles, writeFormerWorkspace } from '../../../support/former-workspace.js'
import { temporaryDirectory } from '../../../support/process.js'

/** Writes a workspace in two files. Returns functions that open it, and that write to its former state as earlier versions do. */
async function createFormer() {
  const home = temporaryDirectory()
  await writeFormerWorkspace(home)
  const formerPath = join(home, formerState)
  const path = join(home, 'workspace.db')
  const database = await openSqlite(path)
  onTestFinished(() => database.close())
  const migrateService = () => migrate(createSqliteQueries(database), path)
  const open = (rename?: WorkspaceStateParts['rename']) =>
    openWorkspaceState({ database, path, formerPath, migrateService, ...(rename && { rename }) })
  const titles = async (rename?: WorkspaceStateParts['rename']) =>
    new History(await open(rename)).undoable(100).map(({ title }) => title)
  return { formerPath, open, titles }
}

const later = (title: string) =>
  `INSERT INTO history (what, steps, at) VALUES ('${title}', '[{"kind":"entry","record":"1","before":null,"after":{}}]', 1)`

/** Returns a rename that fails for one file. */
const failing = (path: string, code: string) => (from: string, to: string) => {
  if (from === path) throw Object.assign(new Error(`${code}: in use`), { code })
  renameSync(from, to)
}

test.each(['EBUSY', 'EPERM', 'EACCES'])(
  'a former state that cannot be renamed (%s) is converted, read again after changes, and renamed later',
  async (code) => {
    const { formerPath, titles } = await createFormer()
    const fail = failing(formerPath, code)
    expect(await titles(fail)).toEqual(formerTitles)
    expect(existsSync(formerPath)).toBe(true)
    await runSql(formerPath, later('Later'))
    expect(await titles(fail)).toEqual(['Later', ...formerTitles])
    expect(await titles(fail)).toEqual(['Later', ...formerTitles])
    expect(await titles()).toEqual(['Later', ...formerTitles])
    expect(existsSync(formerPath)).toBe(false)
    await runSql(`${formerPath}.converted`, later('Last'))
    expect(await titles()).toEqual(['Last', 'Later', ...formerTitles])
  },
)

test('a log that was renamed before its database could not be is renamed back', async () => {
  const { formerPath, titles } = await createFormer()
  const process = await openSqlite(formerPath)
  onTestFinished(() => process.close())
  process.exec(later('In the log'))
  expect(existsSync(`${formerPath}-wal`)).toBe(true)
  const fail = failing(formerPath, 'EBUSY')
  expect(await titles(fail)).toEqual(['In the log', ...formerTitles])
  expect(existsSync(`${formerPath}-wal`)).toBe(true)
  await runSql(formerPath, later('Later'))
  expect(await titles()).toEqual(['Later', 'In the log', ...formerTitles])
})

test('files that another process renames at the same time are left where they are', async () => {
  const { formerPath, titles } = await createFormer()
  const process = await openSqlite(formerPath)
  onTestFinished(() => process.close())
  process.exec(later('In the log'))
  const renameTwice = (from: string, to: string) => {
    renameSync(from, to)
    renameSync(from, to)
  }
  expect(await titles(renameTwice)).toEqual(['In the log', ...formerTitles])
  for (const end of ['', '-wal'])
    expect([existsSync(`${formerPath}${end}`), existsSync(`${formerPath}.converted${end}`)]).toEqual([
      false,
      true,
    ])
})

test('another error of the rename is reported', async () => {
  const { open } = await createFormer()
  const fail = () => {
    throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
  }
  await expect(open(fail)).rejects.toThrow('EIO')
})

test('changes that an earlier version has written since keep their order and what they belong to', async () => {
  const { formerPath, open } = await createFormer()
  await open()
  const fields = JSON.stringify({ time_start: '2024-05-03T08:00:00Z', task_link_id: 1 })
  const step = { kind: 'entry', record: '~90', before: null, after: { id: '~90' } }
  await runSql(
    `${formerPath}.converted`,
    `INSERT INTO outbox (seq, kind, op, record, fields, key, state, said, typed_at, waits_for) VALUES
       (90, 'entry', 'create', '~90', '${fields}', 'first', 'waiting', NULL, 1, NULL),
       (91, 'entry', 'update', '~90', '{"notes":"later"}', 'second', 'waiting', NULL, 2, 90),
       (92, 'entry', 'delete', '2', '{}', 'third', 'refused', '{"message":"No."}', 3, 91);
     INSERT INTO imported (external_id, content, import) VALUES ('toggl/later', 'content', 'later-import');
     INSERT INTO history (what, steps, at, import, catalog_change) VALUES
       ('Added with new names', '${JSON.stringify([step])}', 1, NULL, 'names'),
       ('import of later.csv', '[]', 2, 'later-import', NULL)`,
  )
  const state = await open()
  const [create, update, remove, ...others] = new Outbox(state).all()
  expect(others).toEqual([])
  expect(create).toMatchObject({ op: 'create', record: `~${create?.seq}`, key: 'first', waitsFor: null })
  expect(update).toMatchObject({ op: 'update', record: `~${create?.seq}`, waitsFor: create?.seq })
  expect(remove).toMatchObject({
    ...{ op: 'delete', record: '2', state: 'refused', rejection: { message: 'No.' } },
    waitsFor: update?.seq,
  })
  expect(new History(state).undoable(2)).toMatchObject([
    { title: 'import of later.csv', importId: 'later-import', steps: [] },
    { title: 'Added with new names', catalogChange: 'names', steps: [{ record: `~${create?.seq}` }] },
  ])
  expect(
    state.database.prepare("SELECT import FROM imported WHERE external_id = 'toggl/later'").get(),
  ).toEqual({ import: 'later-import' })
})
