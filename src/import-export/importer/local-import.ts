import { TtError } from '../../lib/errors.js'
import type { ClientState } from '../../outbox/cache/client-state.js'
import type { History, HistoryEntry } from '../../outbox/history.js'
import type { AppliedImport, ChangesSince, EntryImports } from '../../service/imports/entry-imports.js'
import type { Direction } from '../../tracking/entries/undo.js'
import { forgetContents, rememberEntries } from './imported-entries.js'
import type { Staging } from './staging.js'

export interface LocalImportParts {
  state: ClientState
  history: History
  /** The imports into the local workspace. */
  imports: EntryImports
}

export interface LocalImport {
  staging: Staging
  /** Its title in the history: "import of toggl.csv, 1,204 entries". */
  title: string
  now: Date
}

/**
 * Applies a compared import to the local workspace: its entries, the history and the memory of imported entries. Call it
 * within the transaction of `inBulk`.
 *
 * Throws TtError `rejected` for an entry that the workspace does not accept, and `failure` for a disk that cannot be
 * written.
 */
export async function applyLocally(
  { history, imports }: LocalImportParts,
  { staging, title, now }: LocalImport,
): Promise<AppliedImport> {
  const id = crypto.randomUUID()
  const applied = await imports.apply(id, staging.tables)
  rememberEntries(staging, id)
  history.discardRedoable()
  history.record(title, [], now, { importId: id })
  await imports.forget(history.importIds())
  return applied
}

export interface RevertedImport {
  direction: Direction
  entry: HistoryEntry
  /** Prompts before entries that were changed or deleted since the import are overwritten. */
  confirm(changes: ChangesSince): Promise<boolean>
  /** Throws an error, within the transaction, for records that need a confirmation first. */
  requireConfirmed(): void
}

/**
 * Undoes or redoes an import into the local workspace. Returns false if the user declines the prompt. Throws TtError
 * `not_found` if another command has undone or redone it since, or if it cannot be redone.
 */
export async function revertLocally(
  { state, history, imports }: LocalImportParts,
  { direction, entry, confirm, requireConfirmed }: RevertedImport,
): Promise<boolean> {
  const { seq, title, importId: id = '' } = entry
  const [from, to] = direction === 'undo' ? (['done', 'undone'] as const) : (['undone', 'done'] as const)
  let confirmed: ChangesSince = { changed: 0, deleted: 0 }
  /** Reverts the import; returns the changes that the user has not confirmed instead, if there are any. */
  const revert = async (): Promise<ChangesSince | undefined> => {
    if (!history.hasState(seq, from)) throw changedHistoryError(direction, title)
    requireConfirmed()
    if (direction === 'undo') {
      const changes = await imports.changesSince(id)
      if (changes.changed > confirmed.changed || changes.deleted > confirmed.deleted) return changes
      forgetContents(state.database, await imports.revert(id))
    } else await imports.repeat(id)
    history.setState(seq, to)
    return undefined
  }
  for (;;) {
    const changes = await imports.inBulk(() => state.exclusively(revert))
    if (!changes) return true
    if (!(await confirm(changes))) return false
    confirmed = changes
  }
}

function changedHistoryError(direction: Direction, title: string): TtError {
  return new TtError(
    'not_found',
    `"${title}" can no longer be ${direction === 'undo' ? 'undone' : 'redone'}.`,
    {
      hint: 'Another command changed the history.',
      nextStep: { action: 'list_history', direction },
    },
  )
}
