import { expect, test } from 'vitest'
import { runRandomFaults } from '../support/random-faults.js'
import { chooseSeed } from '../support/seeded-random.js'

const changeCount = Number(process.env.TT_MUTATIONS ?? 20_000)

test(`the service has ${changeCount} changes exactly once and in order after random faults`, async () => {
  const seed = chooseSeed('soak')
  const startMs = Date.now()
  const { differences, faults, pendingCount } = await runRandomFaults({
    seed,
    changeCount,
    userCount: 8,
    progress: (count) => {
      process.stdout.write(
        `${count} of ${changeCount} changes after ${Math.round((Date.now() - startMs) / 1000)} s\n`,
      )
    },
  })
  process.stdout.write(
    `${pendingCount} changes were pending after their command. Requests by fault: ${JSON.stringify(Object.fromEntries(faults))}\n`,
  )
  expect({ seed, differences }).toEqual({ seed, differences: [] })
})
