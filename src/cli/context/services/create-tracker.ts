import type { Company } from '../../../api-client/types.js'
import { deliveryLockPath, promptFilePath, promptRecordPath } from '../../../config/paths.js'
import { TtError } from '../../../lib/errors.js'
import { openCapabilities } from '../../../outbox/cache/known-capabilities.js'
import type { Catalog } from '../../../tracking/catalog/catalog.js'
import type { ReferenceReader } from '../../../tracking/catalog/reference-data.js'
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

/** Creates the catalog, which prompts for unknown names at a terminal. */
export async function createCatalog(ctx: Context): Promise<Catalog> {
  const [{ Catalog }, reference] = await Promise.all([
    import('../../../tracking/catalog/catalog.js'),
    ctx.reference(),
  ])
  const { canWriteCatalog } = ctx.config.profile
  const [workspace, database] = canWriteCatalog ? [await ctx.workspace(), await ctx.database()] : []
  return new Catalog(reference, {
    create: workspace?.createLink,
    confirmCreation: ctx.terminal.confirmsCreation
      ? (label) => ctx.terminal.confirm(`Create the task ${label}?`)
      : undefined,
    prompts: async () => {
      const prompts = await ctx.terminal.prompts()
      if (!prompts) return undefined
      const { taskPrompts } = await import('../../../commands/shared/prompts/task-prompts.js')
      return taskPrompts(prompts)
    },
    defaultTask: () => defaultTask(ctx),
    warn: (text, nextStep) => database?.afterCommit(() => ctx.terminal.warn(text, nextStep)),
    message: (text) => database?.afterCommit(() => ctx.terminal.message(text)),
  })
}

/** Returns the setting `default_task`. */
async function defaultTask({ config }: Context): Promise<string> {
  const set = await config.uncheckedSetting('default_task')
  if (typeof set === 'string' && set.trim() !== '') return set.trim()
  return (await import('../../../config/settings/settings.js')).defaultSettings.defaultTask
}

/** Creates the reader of reference data, which caches those of a service. */
export async function createReferenceReader(ctx: Context): Promise<ReferenceReader> {
  const [{ ReferenceReader }, api] = await Promise.all([
    import('../../../tracking/catalog/reference-data.js'),
    ctx.api(),
  ])
  return new ReferenceReader(api, {
    state: ctx.config.profile.hasDelivery ? await ctx.state() : undefined,
    now: ctx.now,
    staleness: ctx.staleness,
    // The other process reads it again.
    ...(ctx.canQueue && (await ctx.sendMode()) === 'background'
      ? { maxAgeMs: Number.POSITIVE_INFINITY }
      : {}),
  })
}
