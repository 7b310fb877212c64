import type { Entry } from '../entry.js'

/**
 * Yields batches in the order of the starts. The finished entries must be in that order already; running ones may come
 * earlier.
 */
export async function* withRunningInOrder(batches: AsyncIterable<readonly Entry[]>): AsyncGenerator<Entry[]> {
  let running: Entry[] = []
  for await (const batch of batches) {
    const finished = batch.filter(({ end }) => end !== null)
    running.push(...batch.filter(({ end }) => end === null))
    const last = finished.at(-1)
    if (!last) continue
    const isDue = ({ start }: Entry) => start <= last.start
    yield [...running.filter(isDue), ...finished].sort(byStart)
    running = running.filter((entry) => !isDue(entry))
  }
  if (running.length > 0) yield running.sort(byStart)
}

function byStart(a: Entry, b: Entry): number {
  return a.start.getTime() - b.start.getTime()
}
