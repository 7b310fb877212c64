import type { Company } from '../../../api-client/types.js'
import { deliveryLockPath, promptFilePath, promptRecordPath } from '../../../config/paths.js'
import { TtError } from '../../../lib/errors.js'
import { openCapabilities } from '../../../outbox/cache/known-capabilities.js'
import type { Tracker } from '../../../tracking/entries/create-tracker.js'
import type { Context } from '../../context.js'
import type { ShowTimer } from '../prompt-file.js'

/** Creates the tracker, which warns at the terminal and updates the prompt file. */
export async function createTracker(ctx: Context): Promise<Tracker> {
  const { config, host, terminal, afterOutput } = ctx
  const { stateKey, canWriteCatalog, hasDelivery } = config.profile
  const [{ createTracker }, showTimer, api, catalog, state, circuitBreaker, staleness, workspace, caching] =
    await Promise.all([
      import('../../../tracking/entries/create-tracker.js'),
      ctx.showTimer(),
      ctx.api(),
      ctx.catalog(),
      ctx.state(),
      ctx.circuitBreaker(),
      hasDelivery ? ctx.staleness() : undefined,
      canWriteCatalog ? ctx.workspace() : undefined,
      hasDelivery ? import('../../../outbox/cache/cache.js') : undefined,
    ])
  const isDeferred = (await ctx.sendMode()) === 'background'
  // With local data, nothing is sent at all.
  const sendLater = ctx.options.cached ? () => {} : isDeferred ? ctx.sendLater : undefined
  return createTracker({
    api,
    catalog,
    state,
    capabilities: openCapabilities(state, host.now),
    circuitBreaker,
    hasDelivery,
    cache: caching && new caching.Cache(state.database),
    lockPath: deliveryLockPath(config.paths, stateKey),
    now: ctx.now,
    clock: host.now,
    pause: host.pause,
    uptimeMs: host.uptimeMs,
    sleepClock: host.sleepClock,
    facts: {
      supportsKeys: () => ctx.serviceFacts.supportsKeys,
      supportsConditions: () => ctx.serviceFacts.supportsConditions,
      clockOffsetMs: () => ctx.serviceFacts.clockOffsetMs,
    },
    warn: (text, nextStep) => terminal.warn(text, nextStep),
    warnAfterOutput: (text, nextStep) => afterOutput.warn(text, nextStep),
    warnStale: (error, known, predicates) => staleness?.note(error, known, predicates),
    showTimer,
    company: (options) => knownCompany(ctx, options),
    takeCreated: workspace?.takeCreated,
    sendLater,
    printsNotices: !ctx.options.quiet && !ctx.isBackground && ctx.host.stderr.isTTY === true,
    async confirmInvoiced(records) {
      const { confirmInvoiced } = await import('../confirm-invoiced.js')
      return confirmInvoiced(terminal, records)
    },
    onApplied: (applied, join) => ctx.hooks.add({ ...applied, join }),
  })
}

/** Returns the company; undefined if it cannot be read, which prevents no change. */
async function knownCompany(ctx: Context, { isCached }: { isCached: boolean }): Promise<Company | undefined> {
  const reference = await ctx.reference()
  const cached = reference.cached('company')
  if (isCached || (cached && (await ctx.sendMode()) === 'background')) return cached
  try {
    return await reference.recent('company', 0)
  } catch (error) {
    if (error instanceof TtError) return undefined
    throw error
  }
}

/** Returns the function that updates the prompt file; one that does nothing if the setting disables the file. */
export async function createShowTimer({ config, host, now }: Context): Promise<ShowTimer> {
  const file = promptFilePath(config.paths, host.env, await config.uncheckedSetting('prompt_file'))
  if (file === undefined) return () => {}
  const { openPromptFile } = await import('../prompt-file.js')
  return openPromptFile({ file, record: promptRecordPath(config.paths) }, now)
}
