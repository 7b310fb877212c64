import { expect, test } from 'vitest'
import { runRandomFaults } from '../support/random-faults.js'
import { chooseSeed } from '../support/seeded-random.js'

const changeCount = Number(process.env.TT_MUTATIONS ?? 20_000)

test(`${changeCount} changes through random faults are all there, each exactly once, in order`, async () => {
  const seed = chooseSeed('soak')
  const begun = Date.now()
  const { differences, faults, pendingCount } = await runRandomFaults({
    seed,
    changeCount,
    userCount: 8,
    progress: (typed) => {
      process.stdout.write(`${typed} of ${changeCount} after ${Math.round((Date.now() - begun) / 1000)} s\n`)
    },
  })
  process.stdout.write(`${pendingCount} were kept for later. ${JSON.stringify(Object.fromEntries(faults))}\n`)
  expect({ seed, differences }).toEqual({ seed, differences: [] })
})
