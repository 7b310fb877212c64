import { errorAfterSaving, TtError } from '../../lib/errors.js'
import { setWaitListener } from '../../lib/lock-wait.js'
import { Context, type ContextParts } from '../context.js'
import { AfterOutput } from './after-output.js'
import { finishInterruptedRestore } from './finish-restore.js'
import { Resources } from './resources.js'
import { Terminal } from './terminal.js'

export interface ContextOptions
  extends Pick<ContextParts, 'host' | 'options' | 'canQueue' | 'allowsUnreadableSettings'> {
  /** Creates the terminal for a command whose messages are not printed, or whose prompts are those of another program. */
  createTerminal?: (...parts: ConstructorParameters<typeof Terminal>) => Terminal
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
    throw await withSavedChanges(error, ctx.hooks.titles)
  } finally {
    setWaitListener(previousListener)
    printWarnings(ctx)
    terminal.endProgress()
    await afterOutput.runLastWork()
    await resources.close()
  }
}

/** Returns an unexpected error, or one of a database, as one that names the changes that the command has saved before. */
async function withSavedChanges(error: unknown, titles: readonly string[]): Promise<unknown> {
  if (titles.length === 0) return error
  const { DatabaseError } = await import('../../lib/sqlite/database-errors.js')
  const isExpected = error instanceof TtError && !(error instanceof DatabaseError)
  return isExpected ? error : errorAfterSaving(titles, error)
}

/** Prints the warnings that the command has deferred. */
export function printWarnings({ afterOutput, terminal }: Context): void {
  for (const { message, nextStep } of afterOutput.takeWarnings()) terminal.warn(message, nextStep)
}
