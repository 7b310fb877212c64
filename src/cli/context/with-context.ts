import { errorAfterSaving, TtError } from '../../lib/errors.js'
import { setWaitListener } from '../../lib/lock-wait.js'
import { Context, type ContextParts } from '../context.js'
import { AfterOutput } from './after-output.js'
import { finishInterruptedRestore } from './finish-restore.js'
import { Resources } from './resources.js'
import { Terminal } from './terminal.js'

export interface ContextOptions
  extends Pick<ContextParts, 'host' | 'options' | 'canQueue' | 'allowsUnreadableSettings' | 'isBackground'> {
  /** Creates the terminal for a command whose messages are not printed, or whose prompts are those of another program. */
  createTerminal?: ((...parts: ConstructorParameters<typeof Terminal>) => Terminal) | undefined
}

/**
 * Creates the context of one command, and passes it to `work`. Afterwards prints the deferred warnings and closes what the
 * command opened. Runs the hooks of a command that failed after a change. Completes an interrupted restore first.
 */
export async function withContext<Result>(
  { createTerminal, ...parts }: ContextOptions,
  work: (ctx: Context) => Promise<Result>,
): Promise<Result> {
  const { host, options } = parts
  const afterOutput = new AfterOutput()
  const create = createTerminal ?? ((...parts) => new Terminal(...parts))
  const terminal = create(host, options, afterOutput)
  const resources = new Resources()
  const ctx = new Context({ ...parts, terminal, afterOutput, resources })
  const previousListener = setWaitListener((text) => terminal.warn(text))
  try {
    await finishInterruptedRestore(host, (text) => terminal.warn(text))
    return await work(ctx)
  } catch (error) {
    throw await explainError(error, ctx)
  } finally {
    setWaitListener(previousListener)
    printWarnings(ctx)
    terminal.endProgress()
    await afterOutput.runLastWork()
    await resources.close()
  }
}

/**
 * Returns an unexpected error, or one of a database, as one that names the changes that the command has saved before, and
 * the damage of a database that explains it.
 */
async function explainError(error: unknown, ctx: Context): Promise<unknown> {
  const { DatabaseError } = await import('../../lib/sqlite/database-errors.js')
  if (error instanceof TtError && !(error instanceof DatabaseError)) return error
  const known = await withRecoverySteps(error instanceof TtError ? error : await withDamage(error, ctx), ctx)
  return ctx.hooks.titles.length === 0 ? known : errorAfterSaving(ctx.hooks.titles, known)
}

/** Returns the error of the first damaged database of the profile; the unexpected error itself if all are intact. */
async function withDamage(error: unknown, { config }: Context): Promise<unknown> {
  try {
    const [{ inspectDatabase }, { damageError }] = await Promise.all([
      import('../../outbox/cache/inspect-state.js'),
      import('../../lib/sqlite/database-errors.js'),
    ])
    const path = config.database
    const [flaw] = (await inspectDatabase(path))?.flaws ?? []
    return flaw === undefined ? error : damageError({ path }, flaw, error)
  } catch (damage) {
    return damage instanceof TtError ? damage : error
  }
}

/** Adds the newest backup to the hint of an error that a damaged database has caused. */
async function withRecoverySteps(error: unknown, { config }: Context): Promise<unknown> {
  if (!(error instanceof TtError) || error.nextStep?.action !== 'salvage') return error
  const { newestBackupText } = await import('../../backup/backup-path.js')
  const hint = [error.hint, newestBackupText(config.paths)].filter(Boolean).join(' ')
  return new TtError(error.code, error.message, { hint, nextStep: error.nextStep, cause: error })
}

/** Prints the warnings that the command has deferred. */
export function printWarnings({ afterOutput, terminal }: Context): void {
  for (const { message, nextStep } of afterOutput.takeWarnings()) terminal.warn(message, nextStep)
}
