import { expect, test } from 'vitest'
import { faults } from '../support/faults.js'
import { weatherTheStorm } from '../support/random-faults.js'
import { theSeed } from '../support/seeded-random.js'

const mutations = Number(process.env.TT_MUTATIONS ?? 2000)

test(`${mutations} changes through random faults are all there, each exactly once, in order`, async () => {
  const seed = theSeed('faults')
  const { differences, faults: met, kept } = await weatherTheStorm({ seed, mutations, desks: 8 })
  expect({ seed, differences }).toEqual({ seed, differences: [] })
  // It was a storm indeed.
  const names = [...met.keys()]
  for (const fault of mutations < 2000 ? [] : faults) // Fewer may miss one.
    expect(names, `seed ${seed}`).toContainEqual(expect.stringMatching(`^(POST|PATCH) ${fault}$`))
  expect(kept).toBeGreaterThan(mutations / 20)
})
