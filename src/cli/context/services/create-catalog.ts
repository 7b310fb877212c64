import type { Catalog } from '../../../tracking/catalog/catalog.js'
import type { ReferenceReader } from '../../../tracking/catalog/reference-data.js'
import type { Context } from '../../context.js'

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
