import { isInconclusive } from '../../../api-client/api-errors.js'
import { writeIfPossible } from '../../../outbox/cache/client-state.js'
import { overlayPending } from '../../../outbox/pending.js'
import type { ReadSources } from './read-sources.js'

/**
 * Whether an entry starts before an instant. Searches the pending changes and the cache first, and requests no more than
 * one batch of a service that applies the filter; its first entry is cached, so that later commands send no request.
 * Without the service, only the entries on this machine count. Throws its other errors.
 */
export async function hasEntryBefore(instant: Date, sources: ReadSources): Promise<boolean> {
  const { cache } = sources
  if (hasKnownEntryBefore(instant, sources)) return true
  return requestEntryBefore(instant, sources).catch((error: unknown) => {
    if (!cache || !isInconclusive(error)) throw error
    return false
  })
}

/** Whether an entry of the pending changes or of the cache starts before an instant. Sends no request. */
export function hasKnownEntryBefore(
  instant: Date,
  { cache, outbox }: Pick<ReadSources, 'cache' | 'outbox'>,
): boolean {
  const changes = outbox.all().filter(({ kind }) => kind === 'entry')
  const isPending = overlayPending([], changes).some(
    ({ record }) => Date.parse(String(record.time_start)) < instant.getTime(),
  )
  return isPending || cache?.hasEntryBefore(instant) === true
}

async function requestEntryBefore(instant: Date, { api, cache, now }: ReadSources): Promise<boolean> {
  const predicates = { time_start_lt: instant.toISOString() }
  for await (const batch of api.streamTimeEntries(predicates)) {
    // A service may ignore the filter.
    const found = batch.find(({ time_start: start }) => Date.parse(start) < instant.getTime())
    if (!found) continue
    writeIfPossible(() => cache?.store('entry', found, now))
    return true
  }
  return false
}
