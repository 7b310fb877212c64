import { statSync } from 'node:fs'
import { hooksDirectory } from '../../config/paths.js'
import type { WithPending } from '../../outbox/pending.js'
import type { AppliedPlan } from '../../outbox/plan.js'
import type { Entry } from '../../tracking/entries/entry.js'
import type { Context } from '../context.js'

/** The stored changes of a command, for its hooks. */
export type HookPlan =
  | (AppliedPlan & {
      /** Returns the entry of a record, with its task link. */
      join(record: WithPending): Promise<Entry>
    })
  /** Too many changes for one call each, such as an import; `count` is their number, null if it is unknown. */
  | { title: string; count: number | null }

/**
 * The hooks for the changes of a command. They run after its output. Without a directory of hooks it loads nothing, and
 * costs one call of the file system.
 */
export class HookQueue {
  readonly #ctx: Context
  #plans: HookPlan[] = []
  readonly #titles: string[] = []

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Whether the command has changed a record so far. */
  get hasChanges(): boolean {
    return this.#titles.length > 0
  }

  /** The titles of the changes that the command has stored so far. */
  get titles(): readonly string[] {
    return this.#titles
  }

  /** Runs the hooks for this change after the output of the command. */
  add(plan: HookPlan) {
    if ('count' in plan || plan.changes.length > 0) this.#titles.push(plan.title)
    if (!this.#isEnabled()) return
    this.#plans.push(plan)
    if (this.#plans.length > 1) return
    this.#ctx.afterOutput.runAlways(async () => {
      const { runHooks } = await import('./run-hooks.js')
      await runHooks(this.#ctx, this.#plans.splice(0))
    })
  }

  #isEnabled(): boolean {
    const { host, options, config } = this.#ctx
    if (options.hooks === false || host.env.TT_HOOKS === '0') return false
    return statSync(hooksDirectory(config.paths), { throwIfNoEntry: false }) !== undefined
  }
}
