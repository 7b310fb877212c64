import { expect, test } from 'vitest'
import { entry, findingsOf } from './entries.js'

const at = (clock: string) => `2024-05-01T${clock}`

test('an entry is long when it took more than the limit, which is 10 hours', async () => {
  const entries = [
    entry(1, '2024-04-29T08:00', '2024-04-29T18:00'),
    entry(2, '2024-04-30T08:00', '2024-04-30T18:00:01'),
  ]
  expect((await findingsOf('long', entries, at('12:00'))).map(({ entries: ids }) => ids)).toEqual([[2]])
})

test('a running timer within an entry of its task is no duplicate to delete, and a finished one is', async () => {
  const commandsOf = async (end: string | null) => {
    const entries = [entry(1, at('09:00'), at('12:00')), entry(2, at('10:00'), end)]
    return (await findingsOf('overlap', entries, at('11:00'))).map(({ mend }) => mend)
  }
  expect(await commandsOf(at('11:00'))).toEqual([expect.stringContaining('tt rm 2')])
  expect(await commandsOf(null)).toEqual([expect.not.stringContaining('tt rm')])
})
