import { isLoopback } from '../../api-client/http/base-url.js'
import type { Context } from '../../cli/context.js'
import { writeIfPossible } from '../../outbox/cache/client-state.js'
import type { CalendarIds } from '../../outbox/cache/snapshots.js'
import type { Entry } from '../../tracking/entries/entry.js'

/**
 * Returns a function for the UIDs of entries in a calendar (RFC 5545 section 3.8.4.7). They are globally unique: the ID
 * of an entry with the address of its service, or with a random ID of the profile where that address may be used by
 * others as well. An entry that was exported before its delivery keeps its UID.
 */
export async function calendarIds(
  ctx: Context,
  entries: readonly Entry[],
): Promise<(entry: Entry) => string> {
  const [state, { outbox }] = await Promise.all([ctx.state(), ctx.tracker()])
  const known = state.snapshot('calendar')?.value
  const ids: CalendarIds = { profile: known?.profile ?? crypto.randomUUID(), pending: { ...known?.pending } }
  const isPending = ({ id }: Entry) => String(id).startsWith('~')
  const added = entries.filter((entry) => isPending(entry) && ids.pending[String(entry.id)] === undefined)
  for (const { id } of added) ids.pending[String(id)] = `time-entry-${crypto.randomUUID()}@tt`
  if (!known || added.length > 0) writeIfPossible(() => state.saveSnapshot('calendar', ids, ctx.now))
  const uids = new Map(
    Object.entries(ids.pending).map(([name, uid]) => [outbox.resolve('entry', name), uid] as const),
  )
  const place = addressOf(ctx) ?? `${ids.profile}.tt`
  return ({ id }) => uids.get(String(id)) ?? `time-entry-${id}@${place}`
}

/** Returns host and path of the service; undefined where other services may have the same address. */
function addressOf({ config: { profile } }: Context): string | undefined {
  if (profile.baseUrl === undefined) return undefined
  const { host, hostname, pathname } = new URL(profile.baseUrl)
  return isLoopback(hostname) ? undefined : `${host}${pathname}`
}
