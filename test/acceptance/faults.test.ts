import { expect, test } from 'vitest'
import { faultNames } from '../support/fault-plan.js'
import { runRandomFaults } from '../support/random-faults.js'
import { chooseSeed } from '../support/seeded-random.js'

const changeCount = Number(process.env.TT_MUTATIONS ?? 2000)

test(`${changeCount} changes through random faults are all there, each exactly once, in order`, async () => {
  const seed = chooseSeed('faults')
  const {
    differences,
    faults: met,
    pendingCount,
  } = await runRandomFaults({ seed, changeCount, userCount: 8 })
  expect({ seed, differences }).toEqual({ seed, differences: [] })
  // It was a storm indeed.
  const names = [...met.keys()]
  for (const fault of changeCount < 2000 ? [] : faultNames) // Fewer may miss one.
    expect(names, `seed ${seed}`).toContainEqual(expect.stringMatching(`^(POST|PATCH) ${fault}$`))
  expect(pendingCount).toBeGreaterThan(changeCount / 20)
})
