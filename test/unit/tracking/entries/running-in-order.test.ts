import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Entry } from '../../../../src/tracking/entries/entry.js'
import { withRunningInOrder } from '../../../../src/tracking/entries/reading/read-sources.js'

const entry = (startMs: number, isRunning: boolean) =>
  ({ start: new Date(startMs), end: isRunning ? null : new Date(startMs + 1) }) as Entry

/** Finished entries in order and in batches, with running ones in a batch before them. */
const input = fc
  .record({
    finished: fc.array(fc.nat(50)).map((starts) => starts.sort((a, b) => a - b)),
    running: fc.array(fc.nat(60)),
    size: fc.integer({ min: 1, max: 5 }),
  })
  .map(({ finished, running, size }) => {
    const entries = finished.map((start) => entry(start, false))
    const batches = Array.from({ length: Math.ceil(entries.length / size) }, (_, index) =>
      entries.slice(index * size, (index + 1) * size),
    )
    return [running.map((start) => entry(start, true)), ...batches]
  })

test('yields each entry once, in the order of the starts', async () => {
  await fc.assert(
    fc.asyncProperty(input, async (batches) => {
      async function* read() {
        yield* batches
      }
      const ordered: Entry[] = []
      for await (const batch of withRunningInOrder(read())) ordered.push(...batch)
      const starts = ordered.map(({ start }) => start.getTime())
      expect(starts).toEqual([...starts].sort((a, b) => a - b))
      expect(new Set(ordered)).toEqual(new Set(batches.flat()))
      expect(ordered).toHaveLength(batches.flat().length)
    }),
  )
})
