import { expect, test } from 'vitest'
import { describeResult, runRandomFaults } from '../support/random-faults.js'
import { chooseSeed } from '../support/seeded-random.js'

const changeCount = Number(process.env.TT_MUTATIONS ?? 20_000)
/** Changes of one round. Later rounds begin with empty services: the time of a change grows with the number of records. */
const roundSize = 2500
const roundSizes = Array.from({ length: Math.ceil(changeCount / roundSize) }, (_, round) =>
  Math.min(roundSize, changeCount - round * roundSize),
)
const seed = chooseSeed('soak')

test.each([...roundSizes.entries()])(
  'in round %i, services have %i changes exactly once and in order after random faults',
  async (round, changeCount) => {
    const startMs = Date.now()
    const roundSeed = `${seed} ${round}`
    const progress = (count: number) => {
      const seconds = Math.round((Date.now() - startMs) / 1000)
      process.stdout.write(`Round ${round}: ${count} of ${changeCount} changes after ${seconds} s\n`)
    }
    const result = await runRandomFaults({ seed: roundSeed, changeCount, userCount: 8, progress })
    process.stdout.write(describeResult(changeCount, result))
    const { differences } = result
    expect({ seed: roundSeed, differences }).toEqual({ seed: roundSeed, differences: [] })
  },
)
