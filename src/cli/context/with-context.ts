import { errorAfterSaving, TtError } from '../../lib/errors.js'
import { setWaitListener } from '../../lib/lock.js'
import type { NextStep, Notice } from '../../lib/next-step.js'
import { Context, type ContextParts } from '../context.js'
import { finishInterruptedRestore } from './finish-restore.js'
import { Terminal } from './terminal.js'

export interface ContextOptions
  extends Pick<
    ContextParts,
    'host' | 'options' | 'canQueue' | 'allowsUnreadableSettings' | 'isBackground' | 'nameOption'
  > {
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

/** Errors, warnings and work that a command defers until its output is written. The command runner completes them. */
export class AfterOutput {
  #error: TtError | undefined
  #warnings: Notice[] = []
  #work: (() => Promise<void>)[] = []
  #lastWork: (() => Promise<void>)[] = []

  /** Lets the command fail with this error after its output. Replaces an earlier error. */
  fail(error: TtError) {
    this.#error = error
  }

  /** The error of `fail`. */
  get error(): TtError | undefined {
    return this.#error
  }

  /** Prints a warning after the messages of the command. */
  warn(message: string, nextStep?: NextStep) {
    this.#warnings.push({ message, ...(nextStep && { nextStep }) })
  }

  /** Returns the warnings of `warn` and forgets them. */
  takeWarnings(): Notice[] {
    return this.#warnings.splice(0)
  }

  /** Runs this work after the output, so that it does not delay the output. */
  run(work: () => Promise<void>) {
    this.#work.push(work)
  }

  /** Runs this work after all other work of the command, also if the command or its output fails. It must not fail. */
  runAlways(work: () => Promise<void>) {
    this.#lastWork.push(work)
  }

  /** Runs the work of `run`, then that of `runAlways`. */
  async runWork(): Promise<void> {
    for (const work of this.#work.splice(0)) await work()
    await this.runLastWork()
  }

  /** Runs the work of `runAlways`, unless it has run. */
  async runLastWork(): Promise<void> {
    for (const work of this.#lastWork.splice(0)) await work()
  }
}

interface Resource {
  close(): void | Promise<void>
}

/** Databases that a command opens. The command runner closes them when the command ends. */
export class Resources {
  #opening: Promise<Resource>[] = []

  /** Registers a resource and returns it once it is open. */
  add<Opened extends Resource>(opening: Promise<Opened>): Promise<Opened> {
    this.#opening.push(opening)
    return opening
  }

  /** Closes every resource that could be opened, the last one first: it may need those before. */
  async close(): Promise<void> {
    for (const opening of this.#opening.splice(0).reverse()) {
      // An error of opening was already reported by the caller that opened it.
      const resource = await opening.catch(() => undefined)
      await resource?.close()
    }
  }
}
