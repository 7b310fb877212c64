import type { Context } from '../../cli/context.js'
import type { RecordedChange } from '../../cli/recorded-change.js'
import { localName } from '../../config/profile.js'
import { TtError } from '../../lib/errors.js'
import type { NextStep } from '../../lib/next-step.js'
import type { DatabaseOptions } from '../../program/options/shared-options.js'
import type { Storage } from '../../service/storage/storage.js'
import type { NameChange } from '../../tracking/catalog/links.js'
import type { View } from '../../ui/view.js'

/** The database whose clients, projects, tasks or expense types a command changes. */
export interface CatalogTarget {
  /** Opens it for reading. */
  storage(): Promise<Storage>
  /**
   * Makes a change in one transaction and prints its message, the title in the history with a full stop. With `names`, also
   * changes the settings of the user that name the record.
   */
  change<Result>(
    work: (storage: Storage) => Promise<Result>,
    title: (result: Result) => string,
    names?: (result: Result) => NameChange,
  ): Promise<Result>
}

/** A command that works in the local workspace, and on a hosted database. */
export interface CatalogCommand<Args> {
  view: View<unknown>
  messageReplacesValue: true
  run(ctx: Context, args: Args, target: CatalogTarget): Promise<unknown>
}

/** Returns the command for the local workspace. */
export function inWorkspace<Args>(command: CatalogCommand<Args>) {
  return {
    ...command,
    async run(ctx: Context, { args }: { args: Args }): Promise<unknown> {
      if (!ctx.config.profile.canWriteCatalog) throw administratorError(ctx)
      return withLocalHints(() => command.run(ctx, args, workspaceTarget(ctx)))
    },
  }
}

/** Returns the command for a hosted database; its changes are in the audit log. */
export function inDatabase<Args>(command: CatalogCommand<Args>) {
  return {
    ...command,
    run: (
      ctx: Context,
      { args, options }: { args: Args; options: DatabaseOptions },
      recorded: RecordedChange,
    ): Promise<unknown> => command.run(ctx, args, databaseTarget(ctx, options.database, recorded)),
  }
}

/** The local workspace: its changes can be undone, and are not in the audit log. */
function workspaceTarget(ctx: Context): CatalogTarget {
  return {
    storage: () => ctx.storage(undefined),
    async change(work, title, names) {
      const { result, id } = await changeCatalog(ctx, work, title)
      ctx.terminal.message(`${title(result)}.`)
      if (id !== undefined && names)
        await renameWithSettings(ctx, await ctx.storage(undefined), id, names(result))
      return result
    },
  }
}

/**
 * Makes a change of clients, projects, tasks or expense types of the local workspace, and records it in the history, in one
 * transaction. Returns the ID under which `CatalogChanges` has it; undefined if nothing changed.
 *
 * @param title returns the title in the history
 */
async function changeCatalog<Result>(
  ctx: Context,
  work: (storage: Storage) => Promise<Result>,
  title: (result: Result) => string,
): Promise<{ result: Result; id: string | undefined }> {
  const [{ journaled }, storage, state, tracker, workspace] = await Promise.all([
    import('../../service/admin/catalog/catalog-journal.js'),
    ctx.storage(undefined),
    ctx.state(),
    ctx.tracker(),
    ctx.workspace(),
  ])
  const { history, timer, invoiced } = tracker
  const changes = await workspace.catalogChanges()
  const now = ctx.host.now()
  const change = async () => {
    const { result, id } = await journaled(storage, { title, now }, work)
    if (id === undefined) return { result, id }
    const moved = await changes.movedRecords(id, invoiced.localIds())
    invoiced.requireConfirmedIds(moved)
    history.discardRedoable()
    history.record(title(result), [], now, { catalogChange: id })
    await changes.forget(history.catalogChanges())
    return { result, id }
  }
  const changed = await tracker.changes.withInvoicedConfirmed(() => state.exclusively(change))
  // The timer may have other names.
  if (changed.id !== undefined) await timer.refresh()
  return changed
}

function databaseTarget(ctx: Context, database: string | undefined, recorded: RecordedChange): CatalogTarget {
  return {
    storage: () => ctx.storage(database),
    async change(work, title) {
      const storage = await ctx.storage(database)
      const result = await (database === undefined
        ? changeWorkspace(ctx, work, (guarded) => recorded(storage, guarded))
        : recorded(storage, work))
      ctx.terminal.message(`${title(result)}.`)
      return result
    },
  }
}

/**
 * Runs a change of the local workspace by an administrator, and prompts where it moves invoiced entries or expenses.
 *
 * @param change runs its argument in a transaction
 */
async function changeWorkspace<Result>(
  ctx: Context,
  work: (storage: Storage) => Promise<Result>,
  change: (guarded: (storage: Storage) => Promise<Result>) => Promise<Result>,
): Promise<Result> {
  const [{ movedRecords }, { changes, invoiced }] = await Promise.all([
    import('../../service/admin/catalog/catalog-journal.js'),
    ctx.forProfile(localName).tracker(),
  ])
  return changes.withInvoicedConfirmed(() =>
    change(async (storage) => {
      const journal = storage.journal ?? []
      const result = await work({ ...storage, journal })
      invoiced.requireConfirmedIds(await movedRecords(storage.queries, journal, invoiced.localIds()))
      return result
    }),
  )
}

/** Changes the settings that name a renamed record. The name is changed already, so that an error is only a warning. */
async function renameWithSettings(ctx: Context, storage: Storage, id: string, change: NameChange) {
  const [{ renameInSettings }, { listNames }, workspace] = await Promise.all([
    import('../shared/renamed-settings.js'),
    import('../../service/admin/administration.js'),
    ctx.workspace(),
  ])
  const changes = await workspace.catalogChanges()
  try {
    const records = await listNames(storage)
    const movedLinks = await changes.movedLinks(id)
    await changes.saveSettings(id, await renameInSettings(ctx, { change, records, movedLinks }))
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    ctx.terminal.warn(`Settings and aliases that name it were not changed. ${error.message}`)
  }
}

/** Returns TtError `usage` for the profile of a service, whose API has no such requests. */
function administratorError({ config }: Context): TtError {
  const profile = config.profile.signIn ? ` of the profile ${config.profile.name}` : ''
  return new TtError('usage', `The service${profile} cannot change these records for its users.`, {
    hint: 'An administrator can, on its website or with `tt admin … --database`. In the local workspace, add --profile local.',
  })
}

/** Runs a command for the local workspace, whose errors name its commands instead of those of administrators. */
async function withLocalHints<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    const { nextStep } = error
    if (!nextStep || !('records' in nextStep)) throw error
    const records = nextStep.records.replace(/^admin_/, '')
    throw new TtError(error.code, error.message, { ...error, nextStep: { ...nextStep, records } as NextStep })
  }
}
