import type { ClientState } from '../cache/client-state.js'
import type { Direction } from '../entries/undo.js'
import { TtError } from '../lib/errors.js'
import { History, type HistoryEntry } from '../outbox/history.js'
import type { AppliedImport, ChangesSince, EntryImports } from '../service/imports/entry-imports.js'
import { forgetContents, type ImportJournal, rememberEntries } from './import-journal.js'
import type { Staging } from './staging.js'
import { importIdOf } from './staging-files.js'

export interface LocalImportParts {
  state: ClientState
  journal: ImportJournal
  /** The imports of the local workspace. */
  imports: EntryImports
}

export interface LocalImport {
  staging: Staging
  /** Its title in the history: "import of toggl.csv, 1,204 entries". */
  title: string
  /** The number of entries that it creates or updates. */
  entries: number
  now: Date
}

/**
 * Applies a compared import to the local workspace, in three steps that each are a transaction: its record in the client
 * state, the entries in the workspace, and history and memory in the client state. A process that is killed between them
 * leaves an import that `ImportJournal.settle` completes or drops. Call it within `ImportJournal.locked`.
 *
 * Throws TtError `rejected` for an entry that the workspace does not accept, and `failure` for a disk that cannot be
 * written.
 */
export async function applyLocally(
  { journal, imports }: LocalImportParts,
  { staging, title, entries, now }: LocalImport,
): Promise<AppliedImport> {
  const { path } = staging
  const id = importIdOf(path)
  await staging.flush()
  journal.begin({ id, title, entries, stagingPath: path, at: now })
  let applied: AppliedImport | undefined
  try {
    return await journal.exclusively(path, async (attach) => {
      const entry = journal.waiting(id)
      if (!entry) throw replacedStateError()
      applied = await imports.apply(id, path)
      attach()
      journal.complete(entry, true)
      return applied
    })
  } catch (error) {
    if (applied) throw incompleteHistoryError(error)
    journal.drop(id)
    throw error
  }
}

/** A restore has replaced the client state since the import was recorded. */
function replacedStateError(): TtError {
  return new TtError('failure', 'Another process has replaced the data of this profile.', {
    hint: 'Nothing was imported. Repeat the command.',
  })
}

function incompleteHistoryError(error: unknown): unknown {
  if (!(error instanceof TtError)) return error
  return new TtError(error.code, error.message, {
    hint: 'The entries are imported. The next import, undo or redo completes the history.',
    cause: error,
  })
}

export interface RevertedImport {
  direction: Direction
  entry: HistoryEntry
  /** Prompts before entries that were changed or deleted since the import are overwritten. */
  confirm(changes: ChangesSince): Promise<boolean>
}

/**
 * Undoes or redoes an import into the local workspace. Returns false if the user declines the prompt. Throws TtError
 * `not_found` if another command has undone or redone it since, or if it cannot be redone.
 */
export async function revertLocally(
  { state, journal, imports }: LocalImportParts,
  { direction, entry, confirm }: RevertedImport,
): Promise<boolean> {
  const { seq, title, importId: id = '' } = entry
  const history = new History(state)
  const checkState = () => {
    if (!history.hasState(seq, direction === 'undo' ? 'done' : 'undone'))
      throw changedHistoryError(direction, title)
  }
  checkState()
  if (direction === 'undo') {
    const changes = await imports.changesSince(id)
    if (changes.changed + changes.deleted > 0 && !(await confirm(changes))) return false
    await state.exclusively(async () => {
      checkState()
      forgetContents(state.database, await imports.revert(id))
      history.setState(seq, 'undone')
    })
    return true
  }
  const stagingPath = journal.stagingPath(id)
  if (stagingPath === undefined) {
    // It must not block redoing the changes after it.
    history.setState(seq, 'discarded')
    throw new TtError('not_found', `"${title}" cannot be redone: its staging file is missing.`, {
      hint: 'Import the file again.',
      nextStep: { action: 'next_change', direction },
    })
  }
  await journal.exclusively(stagingPath, async (attach) => {
    checkState()
    await imports.apply(id, stagingPath)
    attach()
    rememberEntries(state.database, id)
    history.setState(seq, 'done')
  })
  return true
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
