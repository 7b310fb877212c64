import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { bin } from '../support/process.js'

test('the packs are ASCII, as they are read, whatever the program says in its words and looks for', () => {
  const dist = join(dirname(bin), '..', 'dist')
  const packs = readdirSync(dist).filter((file) => file.endsWith('.cjs'))
  expect(packs.length).toBeGreaterThan(0)
  for (const pack of packs)
    expect(/[^\0-\x7f].{0,20}/.exec(readFileSync(join(dist, pack), 'latin1'))?.[0]).toBeUndefined()
})
