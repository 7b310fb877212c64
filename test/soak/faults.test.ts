import { expect, test } from 'vitest'
import { weatherTheStorm } from '../support/random-faults.js'
import { theSeed } from '../support/seeded-random.js'

const mutations = Number(process.env.TT_MUTATIONS ?? 20_000)

test(`${mutations} changes through random faults are all there, each exactly once, in order`, async () => {
  const seed = theSeed('soak')
  const begun = Date.now()
  const { differences, faults, kept } = await weatherTheStorm({
    seed,
    mutations,
    desks: 8,
    progress: (typed) => {
      process.stdout.write(`${typed} of ${mutations} after ${Math.round((Date.now() - begun) / 1000)} s\n`)
    },
  })
  process.stdout.write(`${kept} were kept for later. ${JSON.stringify(Object.fromEntries(faults))}\n`)
  expect({ seed, differences }).toEqual({ seed, differences: [] })
})
