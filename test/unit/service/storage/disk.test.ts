import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDisk } from '../../../../src/service/storage/disk.js'
import { temporaryDirectory } from '../../../support/process.js'

test('a disk is writable for several servers that check it at the same time', async () => {
  const directory = temporaryDirectory()
  const servers = Array.from({ length: 20 }, () => createDisk(join(directory, 'team.db')))
  const results = await Promise.all(servers.map((disk) => disk.isWritable()))
  expect(results).not.toContain(false)
  expect(readdirSync(directory)).toEqual([])
})
