import { expect, test } from 'vitest'
import { applyLocally, revertLocally } from '../../../../src/import-export/importer/local-import.js'
import { importedAt, newProfile, type StagedEntry, sourceEntry, stage, type TestProfile } from './fixtures.js'

const title = 'import of toggl.csv, 2 entries'
const twoEntries = [sourceEntry('09:00', { sourceId: '1' }), sourceEntry('10:00', { sourceId: '2' })]

/** What a profile has of imports: the external IDs of its entries, the history, and the memory. */
function contentsOf({ database }: TestProfile) {
  const rows = (sql: string) => database.prepare(sql).all()
  return {
    entries: (rows('SELECT external_id AS id FROM time_entries ORDER BY time_start') as { id: string }[]).map(
      ({ id }) => id,
    ),
    history: rows('SELECT what, undone, import FROM history ORDER BY seq'),
    remembered: rows('SELECT external_id, undone FROM imported ORDER BY 1'),
  }
}

const imported = (undone = 0) => ({
  entries: undone === 0 ? ['toggl/1', 'toggl/2'] : [],
  history: [{ what: title, undone: undone === 0 ? 0 : 2, import: expect.any(String) }],
  remembered: [
    { external_id: 'toggl/1', undone },
    { external_id: 'toggl/2', undone },
  ],
})

async function apply(profile: TestProfile, entries: readonly StagedEntry[] = twoEntries) {
  const { database, imports } = profile
  const staging = stage(database, entries)
  return imports.inBulk(() =>
    database.exclusively(() => applyLocally(profile, { staging, title, now: importedAt })),
  )
}

const confirmed = { confirm: async () => true, requireConfirmed() {} }
const undo = (profile: TestProfile, entry = lastChange(profile)) =>
  revertLocally(profile, { direction: 'undo', entry, ...confirmed })
const redo = (profile: TestProfile) =>
  revertLocally(profile, { direction: 'redo', entry: lastChange(profile, 'redoable'), ...confirmed })

function lastChange({ history }: TestProfile, direction: 'undoable' | 'redoable' = 'undoable') {
  const [entry] = history[direction](1)
  if (!entry) throw new Error(`Nothing is ${direction}.`)
  return entry
}

test('an import is one change in the history; undo and redo change it, the entries and the memory together', async () => {
  const profile = await newProfile()
  expect(await apply(profile)).toEqual({ created: 2, updated: 0 })
  expect(contentsOf(profile)).toEqual(imported())
  expect(profile.history.undoable(5)).toEqual([
    { seq: 1, title, steps: [], importId: expect.any(String), at: importedAt },
  ])
  await undo(profile)
  expect(contentsOf(profile)).toEqual(imported(1))
  await redo(profile)
  expect(contentsOf(profile)).toEqual(imported())
})

test('an invalid entry leaves nothing', async () => {
  const profile = await newProfile()
  const entries = [sourceEntry('09:00'), sourceEntry('10:00', { end: new Date('2024-05-01T09:30:00Z') })]
  await expect(apply(profile, entries)).rejects.toMatchObject({
    code: 'rejected',
    message: 'The entry in line 3 cannot be imported. The end must not be before the start.',
  })
  expect(contentsOf(profile)).toEqual({ entries: [], history: [], remembered: [] })
})

test('a full disk leaves nothing', async () => {
  const profile = await newProfile()
  const { database } = profile
  const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number }
  database.exec(`PRAGMA max_page_count = ${pages + 1}`)
  const many = Array.from({ length: 500 }, (_, at) =>
    sourceEntry('09:00', { sourceId: `${at}`, notes: 'x'.repeat(200) }),
  )
  await expect(apply(profile, many)).rejects.toMatchObject({
    code: 'failure',
    message: expect.stringContaining('disk is full'),
  })
  expect(contentsOf(profile)).toEqual({ entries: [], history: [], remembered: [] })
  database.exec('PRAGMA max_page_count = 1000000')
  await apply(profile)
  expect(contentsOf(profile)).toEqual(imported())
})

test('entries that are changed while the command starts or prompts need a confirmation, outside of the transaction', async () => {
  const profile = await newProfile()
  const { database, imports } = profile
  await apply(profile)
  const entry = lastChange(profile)
  const change = () => database.exec("UPDATE time_entries SET notes = 'later', updated_at = updated_at + 1")
  const inBulk: typeof imports.inBulk = (work) => {
    if (prompts.length === 0) change()
    return imports.inBulk(work)
  }
  const prompts: unknown[] = []
  const confirm = async (changes: unknown) => {
    prompts.push({ changes, isExclusive: database.isExclusive })
    if (prompts.length === 1) database.exec('DELETE FROM time_entries WHERE id = 2')
    return prompts.length === 1
  }
  const parts = { ...profile, imports: { ...imports, inBulk } }
  const requireConfirmed = () => {}
  expect(await revertLocally(parts, { direction: 'undo', entry, confirm, requireConfirmed })).toBe(false)
  expect(prompts).toEqual([
    { changes: { changed: 2, deleted: 0 }, isExclusive: false },
    { changes: { changed: 1, deleted: 1 }, isExclusive: false },
  ])
  expect(contentsOf(profile).entries).toEqual(['toggl/1'])
})

test('an import that another command has undone is not undone again', async () => {
  const profile = await newProfile()
  await apply(profile)
  const entry = lastChange(profile)
  await undo(profile)
  await expect(undo(profile, entry)).rejects.toMatchObject({
    ...{ code: 'not_found', message: `"${title}" can no longer be undone.` },
  })
  expect(contentsOf(profile).entries).toEqual([])
})

test('an undone update is remembered without its content, and is the same after redo', async () => {
  const profile = await newProfile()
  await apply(profile)
  const entries = () =>
    profile.database.prepare('SELECT notes, time_start FROM time_entries ORDER BY id').all()
  const before = entries()
  const changed = sourceEntry('09:00', { sourceId: '1', notes: 'changed' })
  const update = { ...changed, action: 'update' as const, record: 1 }
  expect(await apply(profile, [update])).toEqual({ created: 0, updated: 1 })
  const updated = entries()
  const content = () =>
    profile.database.prepare("SELECT content, undone FROM imported WHERE external_id = 'toggl/1'").get()
  expect(content()).toMatchObject({ content: expect.stringMatching(/./), undone: 0 })
  await undo(profile)
  expect(entries()).toEqual(before)
  expect(content()).toEqual({ content: '', undone: 0 })
  await redo(profile)
  expect(entries()).toEqual(updated)
  await undo(profile)
  expect(entries()).toEqual(before)
})

test('a new import discards what could be redone, with its entries', async () => {
  const profile = await newProfile()
  await apply(profile)
  await undo(profile)
  const undone = () => profile.database.prepare('SELECT count(*) AS count FROM undone_entries').get()
  expect(undone()).toEqual({ count: 2 })
  await apply(profile, [sourceEntry('12:00')])
  expect(profile.history.redoable(5)).toEqual([])
  expect(undone()).toEqual({ count: 0 })
})

test('an undone import of entries whose period was closed since is not redone', async () => {
  const profile = await newProfile()
  await apply(profile)
  await undo(profile)
  profile.database.exec(
    `UPDATE company SET closed_until = '2024-05-01', closed_before = ${Date.parse('2024-05-02T00:00:00Z')}`,
  )
  await expect(redo(profile)).rejects.toMatchObject({
    code: 'rejected',
    message: 'The import has entries in the closed period, up to 2024-05-01.',
  })
  expect(contentsOf(profile)).toEqual(imported(1))
})
