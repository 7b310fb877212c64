import type { Predicates } from '../../../api-client/filter/query.js'
import { TtError } from '../../../lib/errors.js'

/**
 * Caches the company of a service if its time zone is needed to apply these filters offline or to pending changes. A
 * company that cannot be read is ignored: the filters then use the time zone of this process.
 */
export async function cacheTimeZone(
  ctx: { reference(): Promise<{ recent(kind: 'company'): Promise<unknown> }> },
  predicates: Predicates,
): Promise<void> {
  if (Object.keys(predicates).length === 0) return
  const { hasZonelessTimes } = await import('../../../api-client/filter/conditions.js')
  if (!hasZonelessTimes(predicates)) return
  try {
    await (await ctx.reference()).recent('company')
  } catch (error) {
    if (!(error instanceof TtError)) throw error
  }
}
