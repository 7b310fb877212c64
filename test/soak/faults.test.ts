import { expect, test } from 'vitest'
import { describeResult, runRandomFaults } from '../support/random-faults.js'
import { chooseSeed } from '../support/seeded-random.js'

const changeCount = Number(process.env.TT_MUTATIONS ?? 20_000)

test(`the service has ${changeCount} changes exactly once and in order after random faults`, async () => {
  const seed = chooseSeed('soak')
  const startMs = Date.now()
  const result = await runRandomFaults({
    seed,
    changeCount,
    userCount: 8,
    progress: (count) => {
      process.stdout.write(
        `${count} of ${changeCount} changes after ${Math.round((Date.now() - startMs) / 1000)} s\n`,
      )
    },
  })
  process.stdout.write(describeResult(changeCount, result))
  const { differences } = result
  expect({ seed, differences }).toEqual({ seed, differences: [] })
})
