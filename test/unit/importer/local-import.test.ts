import { existsSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { applyLocally, revertLocally } from '../../../src/importer/local-import.js'
import { importIdOf } from '../../../src/importer/staging-files.js'
import { dayMs } from '../../../src/lib/time-units.js'
import { History } from '../../../src/outbox/history.js'
import {
  importedAt,
  newProfile,
  openProfile,
  queryDatabase,
  type StagedEntry,
  sourceEntry,
  stage,
  type TestProfile,
} from './fixtures.js'

const title = 'import of toggl.csv, 2 entries'
const twoEntries = [sourceEntry('09:00', { sourceId: '1' }), sourceEntry('10:00', { sourceId: '2' })]

/** What a profile has of imports: the external IDs of its entries, the history, the memory, and the staging files. */
async function contentsOf(home: string) {
  const state = join(home, 'state.db')
  return {
    entries: (
      await queryDatabase<{ id: string }>(
        join(home, 'workspace.db'),
        'SELECT external_id AS id FROM time_entries ORDER BY time_start',
      )
    ).map(({ id }) => id),
    history: await queryDatabase(state, 'SELECT what, undone, import FROM history ORDER BY seq'),
    remembered: await queryDatabase(state, 'SELECT external_id, undone FROM imported ORDER BY 1'),
    imports: await queryDatabase(state, 'SELECT id, state FROM import'),
  }
}

const nothing = { entries: [], history: [], remembered: [], imports: [] }
const imported = (id: string, undone = 0) => ({
  entries: undone === 0 ? ['toggl/1', 'toggl/2'] : [],
  history: [{ what: title, undone: undone === 0 ? 0 : 2, import: id }],
  remembered: [
    { external_id: 'toggl/1', undone },
    { external_id: 'toggl/2', undone },
  ],
  imports: [{ id, state: 'done' }],
})

/** Stages entries, and records the import without applying it. */
async function begin({ journal, directory }: TestProfile, entries: readonly StagedEntry[] = twoEntries) {
  const staging = await stage(directory, entries)
  const { path } = staging
  const id = importIdOf(path)
  journal.begin({ id, title, entries: entries.length, stagingPath: path, at: importedAt })
  return { id, path, staging }
}

async function apply(profile: TestProfile, entries: readonly StagedEntry[] = twoEntries) {
  const staging = await stage(profile.directory, entries)
  const applied = await applyLocally(profile, { staging, title, entries: entries.length, now: importedAt })
  staging.close()
  return { id: importIdOf(staging.path), path: staging.path, applied }
}

/** Opens the profile in a new process, as far as the databases can tell, and settles its imports. */
async function settle(home: string) {
  const profile = await openProfile(home)
  await profile.journal.settle(() => profile.imports.appliedIds())
  return profile
}

const undo = (profile: TestProfile, isConfirmed = true) => revert('undo', profile, isConfirmed)
const redo = (profile: TestProfile) => revert('redo', profile, true)

function revert(direction: 'undo' | 'redo', profile: TestProfile, isConfirmed: boolean) {
  const history = new History(profile.state)
  const [entry] = direction === 'undo' ? history.undoable(1) : history.redoable(1)
  if (!entry) throw new Error(`There is nothing to ${direction}.`)
  return revertLocally(profile, { direction, entry, confirm: async () => isConfirmed })
}

test('an import is one change in the history, and its entries are remembered', async () => {
  const { home, ...profile } = await newProfile()
  const { id, applied } = await apply(profile)
  expect(applied).toEqual({ created: 2, updated: 0 })
  expect(await contentsOf(home)).toEqual(imported(id))
  expect(new History(profile.state).undoable(5)).toEqual([
    { seq: 1, title, steps: [], importId: id, at: importedAt },
  ])
})

test('settling drops an import that was only recorded', async () => {
  const { home, ...profile } = await newProfile()
  const { path, staging } = await begin(profile)
  staging.close()
  await profile.close()
  await settle(home)
  expect(await contentsOf(home)).toEqual(nothing)
  expect(existsSync(path)).toBe(false)
})

test('settling completes an import whose entries are in the workspace', async () => {
  const { home, ...profile } = await newProfile()
  const { id, path, staging } = await begin(profile)
  await profile.imports.apply(id, path)
  staging.close()
  await profile.close()
  const later = await settle(home)
  expect(await contentsOf(home)).toEqual(imported(id))
  expect(await undo(later)).toBe(true)
  expect(await redo(later)).toBe(true)
  expect(await contentsOf(home)).toEqual(imported(id))
})

test('settling does not change a complete import', async () => {
  const { home, ...profile } = await newProfile()
  const { id } = await apply(profile)
  await profile.close()
  await settle(home)
  expect(await contentsOf(home)).toEqual(imported(id))
})

test('settling completes an import without its staging file in the history only', async () => {
  const { home, ...profile } = await newProfile()
  const { id, path, staging } = await begin(profile)
  await profile.imports.apply(id, path)
  staging.close()
  const { removeStaging } = await import('../../../src/importer/staging-files.js')
  removeStaging(path)
  const later = await settle(home)
  expect(await contentsOf(home)).toEqual({ ...imported(id), remembered: [] })
  expect(await undo(later)).toBe(true)
  await expect(redo(later)).rejects.toMatchObject({
    code: 'not_found',
    message: `"${title}" cannot be redone: its staging file is missing.`,
  })
  expect(new History(later.state).redoable(1)).toEqual([])
})

test('settling waits for a running process that applies an import', async () => {
  const { home, ...profile } = await newProfile()
  let settled = false
  const id = await profile.journal.locked(async () => {
    const { id: begun, path, staging } = await begin(profile)
    const later = await openProfile(home)
    const settling = later.journal
      .settle(() => later.imports.appliedIds())
      .then(() => {
        settled = true
      })
    await new Promise((resolve) => setImmediate(resolve))
    expect(settled).toBe(false)
    await profile.imports.apply(begun, path)
    staging.close()
    void settling
    return begun
  })
  await vi.waitFor(() => expect(settled).toBe(true), { timeout: 30_000 })
  expect(await contentsOf(home)).toEqual(imported(id))
})

test('settling completes an undo that only the workspace has', async () => {
  const { home, ...profile } = await newProfile()
  const { id } = await apply(profile)
  await profile.imports.revert(id)
  await profile.close()
  const later = await settle(home)
  expect(await contentsOf(home)).toEqual(imported(id, 1))
  expect(await redo(later)).toBe(true)
  expect(await contentsOf(home)).toEqual(imported(id))
})

test('settling completes a redo that only the workspace has', async () => {
  const { home, ...profile } = await newProfile()
  const { id, path } = await apply(profile)
  await undo(profile)
  expect(await contentsOf(home)).toEqual(imported(id, 1))
  await profile.imports.apply(id, path)
  await profile.close()
  await settle(home)
  expect(await contentsOf(home)).toEqual(imported(id))
})

test('an invalid entry leaves nothing', async () => {
  const { home, ...profile } = await newProfile()
  const entries = [sourceEntry('09:00'), sourceEntry('10:00', { end: new Date('2024-05-01T09:30:00Z') })]
  await expect(apply(profile, entries)).rejects.toMatchObject({
    code: 'rejected',
    message: 'The entry in line 3 cannot be imported. The end must not be before the start.',
  })
  expect(await contentsOf(home)).toEqual(nothing)
})

test('a declined prompt about changed entries leaves the import', async () => {
  const { home, ...profile } = await newProfile()
  const { id } = await apply(profile)
  await queryDatabase(
    join(home, 'workspace.db'),
    "UPDATE time_entries SET notes = 'later', updated_at = updated_at + 1",
  )
  expect(await undo(profile, false)).toBe(false)
  expect(await contentsOf(home)).toEqual(imported(id))
  expect(await undo(profile)).toBe(true)
  expect(await contentsOf(home)).toEqual(imported(id, 1))
})

test('an import that another command has undone is not undone again', async () => {
  const { home, ...profile } = await newProfile()
  await apply(profile)
  const [entry] = new History(profile.state).undoable(1)
  if (!entry) throw new Error('There is no change.')
  await undo(profile)
  await expect(
    revertLocally(profile, { direction: 'undo', entry, confirm: async () => true }),
  ).rejects.toMatchObject({ code: 'not_found', message: `"${title}" can no longer be undone.` })
  expect((await contentsOf(home)).entries).toEqual([])
})

test('an undone update is remembered without its content', async () => {
  const { home, ...profile } = await newProfile()
  const { id } = await apply(profile)
  const changed = sourceEntry('09:00', { sourceId: '1', notes: 'changed' })
  const second = await apply(profile, [{ ...changed, action: 'update', record: 1 }])
  expect(second.applied).toEqual({ created: 0, updated: 1 })
  const memory = () =>
    queryDatabase<{ content: string; import: string; undone: number }>(
      join(home, 'state.db'),
      "SELECT content, import, undone FROM imported WHERE external_id = 'toggl/1'",
    )
  const [updated] = await memory()
  expect(updated).toMatchObject({ import: id, undone: 0 })
  await undo(profile)
  expect(await memory()).toEqual([{ content: '', import: id, undone: 0 }])
  await redo(profile)
  expect(await memory()).toEqual([updated])
})

test('a new import discards what could be redone', async () => {
  const { ...profile } = await newProfile()
  await apply(profile)
  await undo(profile)
  await apply(profile, [sourceEntry('12:00')])
  expect(new History(profile.state).redoable(5)).toEqual([])
})

test('staging files are removed unless their change can be undone or redone, or they were written today', async () => {
  const { home, ...profile } = await newProfile()
  const undone = await apply(profile)
  await undo(profile)
  const current = await apply(profile, [sourceEntry('12:00')])
  const recent = await stage(profile.directory, twoEntries)
  const old = await stage(profile.directory, twoEntries)
  old.close()
  const yesterday = new Date(Date.now() - dayMs - 1000)
  for (const { path } of [current, old]) utimesSync(path, yesterday, yesterday)
  profile.journal.removeUnused()
  const paths = [undone.path, current.path, recent.path, old.path]
  expect(paths.map((path) => existsSync(path))).toEqual([false, true, true, false])
  expect((await contentsOf(home)).imports).toEqual([{ id: current.id, state: 'done' }])
})
