import { expect, test } from 'vitest'
import { defaultWeights, faultNames, rareFaults, rejectingFaults } from '../support/fault-plan.js'
import { describeResult, runRandomFaults } from '../support/random-faults.js'
import { chooseSeed } from '../support/seeded-random.js'

const changeCount = Number(process.env.TT_MUTATIONS ?? 2000)
/** Fewer delays than in `test/soak`: each lasts ten seconds. */
const weights = {
  ...defaultWeights,
  'late response': 0.1,
  'late request': 0.15,
}

test(`the service has ${changeCount} changes exactly once and in order after random faults`, async () => {
  const seed = chooseSeed('faults')
  const result = await runRandomFaults({ seed, changeCount, userCount: 8, weights })
  process.stdout.write(describeResult(changeCount, result))
  const { differences, faults, pendingCount } = result
  expect({ seed, differences }).toEqual({ seed, differences: [] })
  // Every fault has occurred; a short run may miss one that is not planned.
  const names = [...faults.keys()]
  for (const fault of changeCount < 1000 ? rareFaults : faultNames) {
    const methods = rejectingFaults.has(fault) ? '[A-Z]+' : '(POST|PATCH)'
    expect(names, `seed ${seed}`).toContainEqual(expect.stringMatching(`^${methods} ${fault}$`))
  }
  expect(pendingCount).toBeGreaterThan(changeCount / 20)
})
