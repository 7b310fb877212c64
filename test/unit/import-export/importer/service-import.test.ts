import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createApi } from '../../../../src/api-client/endpoints.js'
import { createHttp } from '../../../../src/api-client/http/client.js'
import {
  planServiceImport,
  saveServiceImport,
} from '../../../../src/import-export/importer/service-import.js'
import { openSqlite } from '../../../../src/lib/sqlite/open.js'
import { Cache } from '../../../../src/outbox/cache/cache.js'
import { openClientState } from '../../../../src/outbox/cache/client-state.js'
import { openCapabilities } from '../../../../src/outbox/cache/known-capabilities.js'
import { openLocalWorkspace } from '../../../../src/service/local-workspace.js'
import type { Catalog } from '../../../../src/tracking/catalog/catalog.js'
import { createTracker } from '../../../../src/tracking/entries/create-tracker.js'
import { Undo } from '../../../../src/tracking/entries/undo.js'
import { readRows } from '../../../support/database-files.js'
import { temporaryDirectory } from '../../../support/process.js'
import { importedAt, type StagedEntry, sourceEntry, stage } from './fixtures.js'

const title = 'import of toggl.csv, 2 entries'

/** Sets up a profile of a service, which runs in this process. */
async function setUp() {
  const home = temporaryDirectory()
  const state = await openClientState(join(home, 'state.db'))
  const path = join(home, 'service.db')
  const workspace = await openLocalWorkspace(await openSqlite(path), { path, clock: () => importedAt })
  onTestFinished(async () => {
    state.close()
    await workspace.close()
  })
  const { id: link } = (await workspace.createLink({ project: 'Website', task: 'Design' })) as { id: number }
  const requests: string[] = []
  const http = createHttp({
    baseUrl: 'http://localhost/api/v1',
    token: () => 'local',
    userAgent: 'tt',
    fetch: (url, request) => {
      requests.push(request.method)
      return workspace.fetch(url, request)
    },
  })
  const tracker = createTracker({
    ...{
      api: createApi(http, { hasExactFilters: true }),
      catalog: { links: async () => [] } as unknown as Catalog,
      state,
      capabilities: openCapabilities(state, () => importedAt),
      hasDelivery: true,
      cache: new Cache(state.database),
    },
    ...{ circuitBreaker: undefined, lockPath: join(home, 'delivery.lock'), now: importedAt },
    pause: async () => {},
    ...{ clock: () => importedAt, showTimer: () => {} },
    facts: { supportsKeys: () => true, supportsConditions: () => false, clockOffsetMs: () => undefined },
    ...{ warn: () => {}, warnAfterOutput: () => {}, warnStale: () => {}, company: async () => undefined },
    printsNotices: true,
    confirmInvoiced: async () => false,
  })
  const sync = await tracker.sync()
  const undo = new Undo({
    ...{ history: tracker.history, changes: tracker.changes, outbox: tracker.outbox },
    read: (_, id) => tracker.entries.record(id),
    readEntries: (bounds) => tracker.entries.records(bounds),
    readAt: () => ({ wallMs: importedAt.getTime(), uptimeMs: undefined }),
    confirmOverwrite: async () => true,
    cancelInvoice: async () => false,
    revertImport: () => Promise.reject(new Error('It is not local.')),
    revertCatalogChange: () => Promise.reject(new Error('It is not local.')),
  })
  return {
    ...{ tracker, requests, link },
    stage: (entries: readonly StagedEntry[]) => stage(state.database, entries, { Design: link }),
    async importStaged(staging: ReturnType<typeof stage>) {
      await saveServiceImport({ state, changes: tracker.changes }, { staging, title })
      return sync.deliver()
    },
    entries: () =>
      readRows(
        join(home, 'service.db'),
        'SELECT external_id, notes, task_link_id AS link FROM time_entries ORDER BY time_start',
      ),
    remembered: () => readRows(join(home, 'state.db'), 'SELECT external_id, undone FROM imported ORDER BY 1'),
    contents: () => readRows<{ content: string }>(join(home, 'state.db'), 'SELECT content FROM imported'),
    async revert(direction: 'undo' | 'redo') {
      const [entry] = undo.list(direction, 1)
      if (!entry) throw new Error(`There is nothing to ${direction}.`)
      return undo.apply(direction, entry)
    },
  }
}

const remembered = (undone: number) => [
  { external_id: 'toggl/1', undone },
  { external_id: 'toggl/2', undone },
]

test('an import is one change in the order of the starts, and undo and redo are remembered', async () => {
  const { importStaged, stage, entries, remembered: memory, revert, tracker, link } = await setUp()
  const staging = stage([
    sourceEntry('10:00', { sourceId: '2', notes: 'second' }),
    sourceEntry('09:00', { sourceId: '1' }),
  ])
  expect(await importStaged(staging)).toMatchObject({ delivered: 2, rejected: [], failure: undefined })
  expect(await entries()).toEqual([
    { external_id: 'toggl/1', notes: null, link },
    { external_id: 'toggl/2', notes: 'second', link },
  ])
  expect(await memory()).toEqual(remembered(0))
  expect(tracker.history.undoable(5)).toMatchObject([
    {
      title,
      importId: expect.any(String),
      steps: [{ after: { external_id: 'toggl/1' } }, { after: { external_id: 'toggl/2' } }],
    },
  ])
  expect(await revert('undo')).toBe(true)
  expect([await entries(), await memory()]).toEqual([[], remembered(1)])
  expect(await revert('redo')).toBe(true)
  expect(await entries()).toHaveLength(2)
  expect(await memory()).toEqual(remembered(0))
})

test('an undone update is remembered without its content', async () => {
  const { importStaged, stage, entries, contents, revert, tracker, link } = await setUp()
  await importStaged(stage([sourceEntry('10:00', { sourceId: '2', notes: 'first' })]))
  const changed = { ...sourceEntry('10:00', { sourceId: '2', notes: 'changed' }), action: 'update' as const }
  const staging = stage([{ ...changed, record: 1 }])
  const { cache } = tracker
  staging.database
    .prepare(
      `UPDATE ${staging.tables.entry} SET before = json_object('start_at', start_at, 'end_at', end_at,
         'notes', 'first', 'task_link', ?)`,
    )
    .run([String(link)])
  expect(planServiceImport(staging, title).steps).toMatchObject([
    { op: 'update', record: { id: '1', notes: 'first', task_link_id: link, external_id: 'toggl/2' } },
  ])
  expect(planServiceImport(staging, title, (id) => cache?.get('entry', id)?.record).steps).toMatchObject([
    { op: 'update', record: { id: 1, notes: 'first' }, fields: { notes: 'changed' } },
  ])
  await importStaged(staging)
  expect(await entries()).toMatchObject([{ notes: 'changed' }])
  await revert('undo')
  expect(await entries()).toMatchObject([{ notes: 'first' }])
  expect(await contents()).toEqual([{ content: '' }])
})

test('undo reads the entries of an import in lists, not one by one', { tags: 'slow' }, async () => {
  const { importStaged, stage, entries, revert, requests } = await setUp()
  const many = Array.from({ length: 40 }, (_, minute) =>
    sourceEntry(`10:${String(minute).padStart(2, '0')}`, { sourceId: String(minute) }),
  )
  await importStaged(stage(many))
  requests.length = 0
  expect(await revert('undo')).toBe(true)
  expect(await entries()).toEqual([])
  expect(requests.filter((method) => method === 'DELETE')).toHaveLength(40)
  expect(requests.filter((method) => method === 'GET').length).toBeLessThanOrEqual(2)
})
